"""The experiments that measure the paper's figures again."""

from dataclasses import replace

import pytest

from shufflegram import reproduction
from shufflegram.errors import InputError
from shufflegram.lab import Experiment
from shufflegram.lab.contenders import protocol_of
from shufflegram.lab.data import PAPER, crowd, histogram_of
from shufflegram.lab.estimator_names import varied_option
from shufflegram.protocols import registry as protocols
from shufflegram.reproduction.registry import FOLDER

# What the paper's section on its set-up says of each data set: users and bins.
SIZES = {"normal": (100_000, 256), "taxi": (2_189_968, 512), "retirement": (178_012, 512), "income": (2_308_374, 512)}


def loaded(name: str) -> Experiment:
    return Experiment.load(reproduction.specification(name))


def test_every_file_in_the_folder_is_listed() -> None:
    assert sorted(reproduction.names()) == sorted(path.stem for path in FOLDER.glob("*.toml"))


@pytest.mark.parametrize("name", reproduction.names())
def test_every_experiment_is_the_one_of_its_name_at_the_papers_repetitions_and_delta(name: str) -> None:
    experiment = loaded(name)
    assert (experiment.name, experiment.title) == (name, reproduction.title(name))
    drawn = name not in ("figure-information", "figure-messages")
    assert (experiment.repetitions, experiment.quick_repetitions) == ((100, 3) if drawn else (1, 1))
    assert experiment.delta == 1e-5
    assert experiment.accounting == ("published", "exact")
    assert not experiment.circular  # the paper takes a time of day as a line


def test_no_two_experiments_share_a_seed() -> None:
    assert len({loaded(name).seed for name in reproduction.names()}) == len(reproduction.names())


def test_utility_is_measured_on_the_papers_data_sets_protocols_and_errors() -> None:
    experiment = loaded("figure-utility")
    assert set(experiment.data) == set(PAPER) == set(SIZES)
    assert set(experiment.protocols) == set(protocols.names()) - {"tuned", "spm", "combination-1", "combination-2"}
    tasks = {"range_0.2", "range_0.4", "quantile", "wasserstein"}
    # quantiles of sixteen parts tell next to nothing
    on_sixteen = {f"{task}_on_16" for task in tasks - {"quantile"}}
    assert set(experiment.metrics) == tasks | {f"{task}_on_chunks" for task in tasks} | on_sixteen
    assert set(loaded("figure-messages").protocols) == set(experiment.protocols)
    assert len(experiment.cells()) == 4 * 8 * 2 * 8


@pytest.mark.parametrize("name", PAPER)
def test_the_data_have_the_papers_size_and_bins(name: str) -> None:
    values, domain, note = crowd(name)
    assert note.startswith(f"{SIZES[name][0]:,} users; ")
    assert (values.size, domain.bins) == SIZES[name]


def test_a_folder_of_data_is_read_instead_of_the_bundled_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    histogram_of("income", 512, 1000, False)
    monkeypatch.setenv("SHUFFLEGRAM_DATA_DIR", "no-such-folder")
    with pytest.raises(InputError, match="no-such-folder"):
        histogram_of("income", 512, 1000, False)


def test_an_unknown_name_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InputError, match=r"by the name 'figure-9'; there are figure-information, figure-utility"):
        reproduction.specification("figure-9")


def test_the_papers_tables_stand_beside_ours() -> None:
    """Spot checks of the numbers that were typed in, and of what they stand beside."""
    rows = {row.title: row for row in loaded("table-comparison").paper}
    assert list(rows) == [
        *("SW (LDP)", "GM-64 (DP)", "GM-32 (DP)", "GM-16 (DP)"),
        *("Trim (10%)", "Trim (20%)", "Trim (30%)", "SPM", "ASP"),
    ]
    assert rows["GM-64 (DP)"].metrics == ("wasserstein_on_chunks", "wasserstein")
    assert rows["GM-64 (DP)"].values == {0.02: 4.34e-4, 0.06: 1.21e-4, 0.1: 7.03e-5, 0.5: 1.11e-5, 1.0: 5.31e-6}
    assert rows["SPM"].values[0.02] == 1.33e-3
    two, three = loaded("table-marginals").paper
    assert (two.metrics, three.metrics) == (("marginals_2",), ("marginals_3",))
    assert (two.values[0.02], three.values[0.02], three.values[1.0]) == (0.0015, 0.012, 0.00043)


def test_every_option_of_emas_is_varied_around_its_default() -> None:
    varied: dict[str, list[float]] = {}
    for words in loaded("figure-hyperparameters").estimators:
        option = varied_option(words)
        assert option is not None
        varied.setdefault(option[0], []).append(option[1])
    assert {name: sorted(values) for name, values in varied.items()} == varied
    defaults = {"radius": 3, "sigma_max": 1, "period": 50}
    assert set(varied) == {*defaults, "sigma"}
    assert all(varied[name][0] < value < varied[name][-1] for name, value in defaults.items())
    assert loaded("time-of-estimates").estimators == tuple(f"emas rounds={n}" for n in (5000, 8000, 10000, 12000))


def test_where_two_protocols_are_one_the_page_says_so() -> None:
    """On equal accounting ASP and SSW choose the same randomizer in the places that the remark lists."""
    same: dict[str, list[float]] = {}
    experiment = loaded("figure-components")
    for cell in experiment.cells():
        if cell.protocol == "asp" and cell.accounting == "exact":
            other = replace(cell, protocol="ssw")
            if protocol_of(cell).mechanism == protocol_of(other).mechanism:
                same.setdefault(cell.data, []).append(cell.epsilon)
    assert {data: min(epsilons) for data, epsilons in same.items()} == {
        "normal": 0.5,
        "retirement": 0.5,
        "taxi": 0.06,
        "income": 0.1,
    }
    (remark,) = experiment.remarks
    assert f"in {sum(map(len, same.values()))} of 32 places" in remark
