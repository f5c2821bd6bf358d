"""A spec says what is tried; anything it says wrong is one line."""

import dataclasses
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from shufflegram import lab
from shufflegram.errors import ExperimentError, InputError, MissingLibraryError
from shufflegram.lab.data import DATA
from shufflegram.lab.measurements import metric_names

from .conftest import SPEC, changed


def test_the_cells_are_all_combinations(experiment: lab.Experiment) -> None:
    cells = experiment.cells()
    assert {(cell.protocol, cell.epsilon) for cell in cells} == {(p, e) for p in ("asp", "ssw") for e in (0.5, 1.0)}
    assert len(cells) == 4
    assert {(cell.users, cell.bins, cell.circular, cell.delta) for cell in cells} == {(2000, 16, False, 1e-6)}


def test_what_has_no_accounting_is_tried_once() -> None:
    cells = changed(
        '["asp", "ssw"]\naccounting = ["exact"]', '["asp", "local-sw", "trim-5"]\naccounting = ["exact", "published"]'
    )
    found = Counter((cell.protocol, cell.accounting) for cell in cells.cells())
    assert found == {("asp", "exact"): 2, ("asp", "published"): 2, ("local-sw", "none"): 2, ("trim-5", "published"): 2}


def test_a_baseline_without_its_library_is_refused_before_anything_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shufflegram.baselines.registry.find_spec", lambda name: None)
    with pytest.raises(
        MissingLibraryError, match="the central Gaussian takes the library dp-accounting, which is not here"
    ):
        changed('"ssw"', '"gaussian-16"').cells()
    assert changed('"ssw"', '"local-sw"').cells()


def test_an_estimator_is_an_axis_and_baselines_keep_their_own() -> None:
    cells = changed('["asp", "ssw"]', '["asp", "local-sw"]\nestimators = ["own", "emas radius=1"]').cells()
    found = Counter((cell.protocol, cell.estimator) for cell in cells)
    assert found == {("asp", "own"): 2, ("asp", "emas radius=1"): 2, ("local-sw", "own"): 2}


def test_sizes_are_those_of_the_data_where_nothing_is_said() -> None:
    cells = changed("users = [2000]\nbins = [16]\n", "").cells()
    assert {(cell.users, cell.bins) for cell in cells} == {(20_000, 64)}


def test_a_key_depends_on_its_own_cell_and_on_nothing_else(experiment: lab.Experiment) -> None:
    keys = {(cell.protocol, cell.epsilon): cell.key for cell in experiment.cells()}
    # as it was when this was written: a key that changes makes everyone's finished results worthless
    assert keys["asp", 0.5] == "8d312cdf702bcde6ef6fdacd9669e836"
    others = changed("[0.5, 1]", "[2, 1.0]").cells()
    assert {cell.key for cell in others if cell.epsilon == 1} == {keys["asp", 1], keys["ssw", 1]}
    assert changed("\nrepetitions = 100", "\nrepetitions = 7").cells() == experiment.cells()
    assert not set(keys.values()) & {cell.key for cell in changed("seed = 1", "seed = 2").cells()}


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(lab.Cell)])
def test_every_field_of_a_cell_counts(experiment: lab.Experiment, field: str) -> None:
    cell = experiment.cells()[0]
    value = getattr(cell, field)
    changes: dict[str, Any] = {field: f"{value}!" if isinstance(value, str) else value + 1}
    other = dataclasses.replace(cell, **changes)
    assert other.key != cell.key


def test_seeds_of_repetitions_differ_from_cell_to_cell(experiment: lab.Experiment) -> None:
    seeds = Counter(cell.seed_of(repetition) for cell in experiment.cells() for repetition in range(50))
    assert set(seeds.values()) == {1}
    assert len(seeds) == 200


def test_a_time_of_day_is_a_line_unless_a_circle_is_asked_for() -> None:
    line = changed('["uniform"]', '["taxi"]')
    circle = changed('data = ["uniform"]', 'data = ["taxi", "uniform"]\ncircular = true')
    assert {cell.crowd[0].circular for cell in line.cells()} == {False}
    assert {cell.data: cell.crowd[0].circular for cell in circle.cells()} == {"taxi": True, "uniform": False}


PRINTED = """[[paper]]
title = "ASP"
protocol = "{}"
metrics = ["{}"]
values = {}
[axes]"""
LINES = [
    ("seed = 1", "sed = 1", "unknown key: 'sed'; the keys are name, title, seed"),
    ("seed = 1\n", "", "missing key: 'seed'; the keys are"),
    ("epsilons", "epsilon", "unknown key in [axes]: 'epsilon'; the keys are data, protocols"),
    ("[axes]", "[axis]", "unknown key: 'axis'"),
    ("[axes]", "axes = 3\n[more]", "unknown key: 'more'"),
    (
        '["asp", "ssw"]',
        '["asp", "swe"]',
        "protocols must be some of asp, tuned, ssw, combination-1, combination-2, spm",
    ),
    ('["uniform"]', '["taxis"]', "data must be some of normal, taxi, retirement, income, income_types, uniform, got"),
    ('["exact"]', '["rough"]', "accounting must be some of published, exact, got 'rough'"),
    ('"quantile"', '"median"', "metrics must be some of wasserstein, range_0.2, range_0.4, quantile, wasserstein_on"),
    ('["uniform"]', '"uniform"', "data must be a list with at least one entry, got 'uniform'"),
    ("[0.5, 1]", "[]", "epsilons must be a list with at least one entry, got []"),
    ("[0.5, 1]", "[0.5, 0.50]", "epsilons must be a list that holds nothing twice"),
    ("[0.5, 1]", "[0]", "epsilons must be above 0"),
    ("[0.5, 1]", "[-1]", "epsilons: epsilon must be between 0 and 50"),
    ("[0.5, 1]", "['a\\nb']", "epsilons: epsilon must be between 0 and 50, got"),
    ("1e-6", "2", "delta must be a number between 0 and 1"),
    ("\nrepetitions = 100", "\nrepetitions = 0", "repetitions must be a whole number from 1 to 1000000, got 0"),
    (
        "quick_repetitions = 3",
        "quick_repetitions = 101",
        "quick_repetitions must be a whole number from 1 to 100, got 101",
    ),
    ("seed = 1", "seed = 1.5", "seed must be a whole number from 0"),
    ('"small"', '"Too Big"', "name must be a name of small letters, digits and hyphens such as"),
    ('"Two protocols on users spread evenly"', '"a\\nb"', "title must be a line of text"),
    ("[2000]", "[0]", "users must be a whole number from 1"),
    ("[2000]", "[30000]", "users must be from 1 to 20,000, which is all of 'uniform', got 30,000"),
    ("[16]", "[1]", "bins must be between 2 and 20,000"),
    ("bins = [16]", "circular = 1", "circular must be true or false, got 1"),
    ("seed = 1", "seed = ", "it is not TOML: "),
    (
        '["uniform"]',
        '["income_types"]',
        "quantile is measured on data such as normal, taxi, retirement, income, uniform",
    ),
    ('"quantile"', '"marginals_2"', "marginals_2 is measured on data such as income_types, got 'uniform'"),
    ("bins = [16]", 'estimators = ["emax"]', "an estimator must be one of em, ems, emas, mr, auto, got 'emax'"),
    ("bins = [16]", 'estimators = ["ems radius=2"]', "the options of ems are rounds, got 'radius'"),
    ("bins = [16]", 'estimators = ["emas radius"]', "an option of an estimator is a name and a number as in radius=5"),
    ("bins = [16]", 'estimators = ["emas radius=1.5"]', "radius must be a whole number, got 3/2"),
    ("bins = [16]", 'estimators = ["emas sigma=-1"]', "the estimator 'emas sigma=-1': sigma_min is a width in bins"),
    ("bins = [16]", "estimators = [3]", "an estimator must be one of em, ems, emas, mr, auto, got '3'"),
    ('"ssw"', '"trim-5"', "trim-5 is accounted for as published; add 'published' to accounting"),
    (
        '"quantile"',
        '"information"',
        "information is measured of asp, tuned, ssw, combination-1, combination-2, spm, got 'flip-16'",
    ),
    ('"quantile"', '"seconds"', "seconds is measured of asp, tuned, ssw, combination-1, combination-2, spm, flip-16, "),
    ("bins = [16]", 'estimators = ["ems"]', "flip-16 has an estimator of its own and takes no other; leave estimators"),
    ("seed = 1", 'seed = 1\nlines = "bins"', "lines must be one of protocol, epsilon, data, metric, got 'bins'"),
    (
        "seed = 1",
        'seed = 1\nrelative_to = "range_0.2"',
        "relative_to must be one of quantile, wasserstein, got 'range_0.2'",
    ),
    ("seed = 1", 'seed = 1\nremarks = [""]', "remarks must be a line of text, got ''"),
    (
        "seed = 1",
        "seed = 1\npaper = 3",
        "paper must be tables [[paper]] with the keys title, protocol, metrics, values",
    ),
    ("[axes]", "[[paper]]\ntitle = 'x'\n[axes]", "missing key in [[paper]]: 'protocol', 'metrics', 'values'"),
    (
        "[axes]",
        PRINTED.format("spm", "wasserstein", "[1, 2]"),
        "protocol in [[paper]] must be one of asp, ssw, got 'spm'",
    ),
    (
        "[axes]",
        PRINTED.format("asp", "range_0.2", "[1, 2]"),
        "metrics in [[paper]] must be some of quantile, wasserstein",
    ),
    (
        "[axes]",
        PRINTED.format("asp", "quantile", "[1]"),
        "values in [[paper]] must be a list of 2 numbers above 0, one for each",
    ),
]


@pytest.mark.parametrize(("old", "new", "said"), LINES, ids=[new or "nothing" for _, new, _ in LINES])
def test_what_is_wrong_is_one_line(old: str, new: str, said: str) -> None:
    text = SPEC.read_text(encoding="utf-8").replace(old, new)
    # what some metrics and options are not for
    if said.startswith(("information is", "flip-16 has")):
        text = text.replace('"ssw"', '"flip-16"')
    if said.startswith("seconds is"):
        text = text.replace('"ssw"', '"local-sw"')
    assert text != SPEC.read_text(encoding="utf-8")
    with pytest.raises(InputError) as error:
        lab.Experiment.from_text(text).cells()
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_an_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(SPEC.read_text(encoding="utf-8").replace("seed", "sed"), encoding="utf-8")
    with pytest.raises(ExperimentError, match=r"the experiment .*spec\.toml: unknown key: 'sed'"):
        lab.Experiment.load(path)


def test_the_documented_example_is_one_and_names_all_data() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "lab.md").read_text(encoding="utf-8")
    example = page.partition("```toml\n")[2].partition("```")[0]
    assert len(lab.Experiment.from_text(example).cells()) == 1 * 2 * 2 * 3 * 2 * 2
    assert f"# {', '.join(DATA)}\n" in example
    shortened = (
        name.removesuffix("_on_chunks").removesuffix("_on_16").removesuffix("_noise").removesuffix("_floor")
        for name in metric_names()
    )
    assert all(f"`{name}`" in page for name in shortened)
