"""What is measured in a cell, and how another measurement joins."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from shufflegram import baselines, lab, metrics
from shufflegram.design.information import mutual_information, paper_bound, prior_bound
from shufflegram.domain import Domain
from shufflegram.errors import ExperimentError
from shufflegram.estimators import AUTO, EM, EMAS, EMS, MR, AdaptiveSmoothing
from shufflegram.lab import contenders, data
from shufflegram.lab.contenders import Contender
from shufflegram.lab.estimator_names import estimator_of, varied_option
from shufflegram.lab.measurements import MEASUREMENTS, errors, metric_names
from shufflegram.mechanism import ContinuousSquareWave, SquareWave
from shufflegram.privacy.budget import Budget
from shufflegram.protocols import SquareWaveProtocol

from .conftest import changed, measured, table

SEED = 7


def test_chunks_hold_what_their_bins_hold() -> None:
    frequencies = np.array([0.1, 0.2, 0.3, 0.4])
    assert errors.in_chunks(frequencies, 4) == pytest.approx(frequencies)
    assert errors.in_chunks(frequencies, 2) == pytest.approx([0.3, 0.7])
    # a bin that lies in two chunks is spread evenly
    assert errors.in_chunks(frequencies, 3) == pytest.approx([0.1 + 0.2 / 3, 0.4 / 3 + 0.2, 0.1 + 0.4])


def test_errors_on_chunks_are_those_between_chunks(experiment: lab.Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = experiment.cells()[0]
    _, histogram = cell.crowd
    truth = histogram / histogram.sum()
    # one that resolves every bin is the same on both
    everywhere = errors.estimation_errors(cell, SEED)
    assert all(everywhere[each.name] == everywhere[f"{each.name}_on_chunks"] for each in metrics.METRICS)

    whole = contenders.contender_of(cell)
    found = whole.estimate(histogram, SEED).frequencies
    monkeypatch.setattr(errors, "contender_of", lambda cell: Contender(whole.estimate, 4))
    chunked = errors.estimation_errors(cell, SEED)
    coarse = metrics.wasserstein(truth.reshape(4, 4).sum(axis=1), found.reshape(4, 4).sum(axis=1))
    assert chunked["wasserstein"] == everywhere["wasserstein"]
    assert chunked["wasserstein_on_chunks"] == pytest.approx(coarse)
    assert chunked["wasserstein_on_chunks"] != chunked["wasserstein"]


@pytest.mark.parametrize("name", baselines.names())
def test_a_baseline_is_measured_like_a_protocol(experiment: lab.Experiment, name: str) -> None:
    cell = dataclasses.replace(experiment.cells()[0], protocol=name, accounting="none", bins=64)
    domain, histogram = cell.crowd
    baseline = baselines.build(name, domain, Budget(cell.epsilon, cell.delta, cell.users))
    found = baseline.simulate(histogram, SEED).frequencies
    measured_errors = errors.estimation_errors(cell, SEED)
    assert measured_errors["wasserstein"] == metrics.wasserstein(histogram / histogram.sum(), found)
    assert 0 < measured_errors["wasserstein_on_16"] < 1
    assert (measured_errors["wasserstein_on_chunks"] == measured_errors["wasserstein"]) == (baseline.resolution == 64)


def test_words_say_an_estimator() -> None:
    assert [estimator_of(words) for words in ("em", "ems", "emas", "mr", "auto")] == [EM, EMS, EMAS, MR, AUTO]
    assert estimator_of("emas radius=3 sigma_min=1/3 sigma_max=1 period=50 rounds=10000") == EMAS
    assert estimator_of("emas sigma=2").refinement == AdaptiveSmoothing(sigma_min=2.0, sigma_max=2.0)  # type: ignore[attr-defined]
    assert estimator_of("ems rounds=7") == dataclasses.replace(EMS, max_iterations=7)
    assert estimator_of("mr rounds=7") == dataclasses.replace(MR, max_iterations=7)
    with pytest.raises(ExperimentError, match="auto has no options, as it finds its settings itself, got 'rounds=7'"):
        estimator_of("auto rounds=7")
    assert varied_option("emas sigma_min=1/4 sigma_max=3/2") == ("sigma_max", 1.5)
    assert varied_option("own") is None


def test_another_estimator_takes_the_place_of_a_protocols_own(experiment: lab.Experiment) -> None:
    cell = dataclasses.replace(experiment.cells()[0], estimator="ems rounds=7")
    protocol = contenders.protocol_of(cell)
    assert isinstance(protocol, SquareWaveProtocol)
    assert protocol.estimator == dataclasses.replace(EMS, max_iterations=7)
    own = contenders.protocol_of(experiment.cells()[0])
    assert own.mechanism == protocol.mechanism


@pytest.mark.parametrize("accounting", ["published", "exact"])
def test_information_is_between_nothing_and_its_bounds(experiment: lab.Experiment, accounting: str) -> None:
    cell = dataclasses.replace(experiment.cells()[0], data="normal", bins=256, users=100_000, accounting=accounting)
    found = MEASUREMENTS["information"].measure(cell, SEED)
    wave = contenders.protocol_of(cell).mechanism
    assert isinstance(wave, SquareWave | ContinuousSquareWave)
    if isinstance(wave, ContinuousSquareWave):
        b = float(wave.half_width)
        assert found["information"] == mutual_information(wave, cell.crowd[1])
    else:
        b = (2 * wave.half_width + 1) / 512
    k = float(wave.density_ratio)
    assert found["prior_bound"] == pytest.approx(prior_bound(b, k))
    assert found["paper_bound"] == pytest.approx(paper_bound(b, k))
    # a normal crowd is far from uniform
    assert 0 < found["information"] < found["information_uniform"] < found["paper_bound"] < found["prior_bound"]


def test_some_values_tell_more_than_uniform_ones_and_than_the_bound(experiment: lab.Experiment) -> None:
    """The published ASP at 100,000 users and epsilon .01, where piled ends tell .0776."""
    small = dataclasses.replace(experiment, delta=1e-5, epsilons=(0.01,), accounting=("published",), data=("normal",))
    cell = dataclasses.replace(small, users=(100_000,), bins=(256,)).cells()[0]
    found = MEASUREMENTS["information"].measure(cell, SEED)
    assert found["information_ends"] == pytest.approx(0.0776, abs=2e-4)
    assert found["information_ends"] > found["paper_bound"] == pytest.approx(0.0706, abs=1e-4)


def test_costs_are_what_a_protocol_says(experiment: lab.Experiment) -> None:
    cell = dataclasses.replace(experiment.cells()[0], protocol="flip-16")
    protocol = contenders.protocol_of(cell)
    found = MEASUREMENTS["costs"].measure(cell, SEED)
    assert found == {"messages": protocol.messages_per_user, "bits": protocol.bits_per_user}
    assert found["messages"] > 1
    local = dataclasses.replace(cell, protocol="local-sw", accounting="none")
    assert MEASUREMENTS["costs"].measure(local, SEED) == {"messages": 1, "bits": 4}


def test_an_estimate_takes_time_and_rounds(experiment: lab.Experiment) -> None:
    cell = dataclasses.replace(experiment.cells()[0], estimator="emas rounds=40")
    found = MEASUREMENTS["duration"].measure(cell, SEED)
    assert found["rounds"] == 40
    assert found["seconds"] > 0
    assert (
        MEASUREMENTS["duration"].measure(dataclasses.replace(cell, protocol="pure-16", estimator="own"), SEED)["rounds"]
        == 1
    )


@pytest.fixture
def two_values(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Users with three values that depend on one another: the second is the first, the third its opposite."""
    data._crowd.cache_clear()
    values = np.arange(20_000.0) * 0.6180339887 % 1.0
    rows = np.stack([values, values, 1 - values - 1e-9], axis=1)
    monkeypatch.setitem(data.DATA, "income_types", lambda place: data.Crowd(rows, Domain(0, 1, bins=64), "made"))
    yield
    data._crowd.cache_clear()
    data._histogram_of.cache_clear()
    data._fingerprint.cache_clear()


def test_marginals_are_scored_against_what_users_have_together(two_values: None, experiment: lab.Experiment) -> None:
    cell = dataclasses.replace(
        experiment.cells()[0], data="income_types", users=20_000, bins=64, epsilon=20.0, measurement="marginals"
    )
    assert cell.crowd[1].shape == (3, 64)
    found = MEASUREMENTS["marginals"].measure(cell, SEED)
    # Two values that are one: the joint CDF is min(x, y), the product x y; the mean of min - x y is 1/3 - 1/4. Two
    # opposite ones: max(x + y - 1, 0), whose mean is 1/6, against 1/4. There are one and two such pairs.
    assert found["marginals_2_floor"] == pytest.approx((1 / 12 + 1 / 12 + 1 / 12) / 3, abs=0.01)
    # at this epsilon there is next to no noise, and what is left is that values depend on each other
    assert found["marginals_2"] == pytest.approx(found["marginals_2_floor"], abs=0.01)
    assert 0 < found["marginals_2_noise"] < 0.01
    assert found["marginals_3_floor"] > 0.03
    # 96 bins make 48 cells an axis for three values, as 64 do not divide them
    odd = MEASUREMENTS["marginals"].measure(dataclasses.replace(cell, bins=96), SEED)
    assert odd["marginals_3_floor"] == pytest.approx(found["marginals_3_floor"], rel=0.1)


def test_a_cell_of_joint_data_depends_on_whole_rows(two_values: None, experiment: lab.Experiment) -> None:
    cell = dataclasses.replace(experiment.cells()[0], data="income_types", users=20_000, bins=64)
    before = cell.fingerprint
    values = data.crowd("income_types").values
    data._fingerprint.cache_clear()
    # every column keeps its histogram, and users have others' values
    values[:, 1] = np.roll(values[:, 1], 1)
    assert cell.fingerprint != before


def test_every_number_has_a_name_of_its_own() -> None:
    assert len(set(metric_names())) == len(metric_names()) == sum(len(each.metrics) for each in MEASUREMENTS.values())


def test_another_measurement_is_one_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def users(cell: lab.Cell, seed: int) -> dict[str, float]:
        calls.append(seed)
        return {"users": float(cell.users)}

    with pytest.raises(ExperimentError, match="metrics must be some of"):
        changed('"quantile"', '"users"')
    monkeypatch.setitem(MEASUREMENTS, "users", lab.Measurement({"users": "users"}, users))
    both = changed('"quantile"', '"users"')
    assert {cell.measurement for cell in both.cells()} == {"errors", "users"}
    measured(both, tmp_path, quick=True)
    # every repetition of every cell once, each with a seed of its own
    assert len(calls) == len(set(calls)) == 4 * 3
    table(both, tmp_path, quick=True)
    assert len(calls) == 4 * 3
