"""The experiments that measure the paper's figures again."""

import pytest

from shufflegram import reproduction
from shufflegram.errors import InputError
from shufflegram.lab import Experiment
from shufflegram.lab.data import PAPER, crowd, histogram_of
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
    assert (experiment.repetitions, experiment.quick_repetitions, experiment.delta) == (100, 3, 1e-5)
    assert experiment.accounting == ("published", "exact")
    assert not experiment.circular  # the paper takes a time of day as a line


def test_no_two_experiments_share_a_seed() -> None:
    assert len({loaded(name).seed for name in reproduction.names()}) == len(reproduction.names())


def test_utility_is_measured_on_the_papers_data_sets_protocols_and_errors() -> None:
    experiment = loaded("figure-utility")
    assert set(experiment.data) == set(PAPER) == set(SIZES)
    assert set(experiment.protocols) == set(protocols.names()) - {"spm", "combination-1", "combination-2"}
    assert set(experiment.metrics) == {"range_0.2", "range_0.4", "quantile", "wasserstein"}
    assert len(experiment.cells()) == 4 * 8 * 2 * 8


@pytest.mark.parametrize("name", PAPER)
def test_the_data_have_the_papers_size_and_bins(name: str) -> None:
    values, domain = crowd(name)
    assert (values.size, domain.bins) == SIZES[name]


def test_a_folder_of_data_is_read_instead_of_the_bundled_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    histogram_of("income", 512, 1000, False)
    monkeypatch.setenv("SHUFFLEGRAM_DATA_DIR", "no-such-folder")
    with pytest.raises(InputError, match="no-such-folder"):
        histogram_of("income", 512, 1000, False)


def test_an_unknown_name_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InputError, match=r"by the name 'figure-9'; there are figure-utility, figure-components"):
        reproduction.specification("figure-9")
