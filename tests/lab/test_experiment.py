"""A spec says what is tried; anything it says wrong is one line."""

import dataclasses
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from shufflegram import lab
from shufflegram.errors import ExperimentError, InputError
from shufflegram.lab.data import DATA
from shufflegram.metrics import METRICS

from .conftest import SPEC, changed


def test_the_cells_are_all_combinations(experiment: lab.Experiment) -> None:
    cells = experiment.cells()
    assert {(cell.protocol, cell.epsilon) for cell in cells} == {(p, e) for p in ("asp", "ssw") for e in (0.5, 1.0)}
    assert len(cells) == 4
    assert {(cell.users, cell.bins, cell.circular, cell.delta) for cell in cells} == {(2000, 16, False, 1e-6)}


def test_sizes_are_those_of_the_data_where_nothing_is_said() -> None:
    cells = changed("users = [2000]\nbins = [16]\n", "").cells()
    assert {(cell.users, cell.bins) for cell in cells} == {(20_000, 64)}


def test_a_key_depends_on_its_own_cell_and_on_nothing_else(experiment: lab.Experiment) -> None:
    keys = {(cell.protocol, cell.epsilon): cell.key for cell in experiment.cells()}
    # as it was when this was written: a key that changes makes everyone's finished results worthless
    assert keys["asp", 0.5] == "bf5552406baa9319caa34066d2bf9dad"
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


LINES = [
    ("seed = 1", "sed = 1", "unknown key: 'sed'; the keys are name, title, seed"),
    ("seed = 1\n", "", "missing key: 'seed'; the keys are"),
    ("epsilons", "epsilon", "unknown key in [axes]: 'epsilon'; the keys are data, protocols"),
    ("[axes]", "[axis]", "unknown key: 'axis'"),
    ("[axes]", "axes = 3\n[more]", "unknown key: 'more'"),
    ('["asp", "ssw"]', '["asp", "swe"]', "protocols must be some of asp, ssw, combination-1, combination-2, spm"),
    ('["uniform"]', '["taxis"]', "data must be some of normal, taxi, retirement, income, uniform, got 'taxis'"),
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
]


@pytest.mark.parametrize(("old", "new", "said"), LINES, ids=[new or "nothing" for _, new, _ in LINES])
def test_what_is_wrong_is_one_line(old: str, new: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        changed(old, new).cells()
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
    assert all(f"`{metric.name}`" in page for metric in METRICS)
