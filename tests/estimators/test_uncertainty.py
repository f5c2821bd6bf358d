"""Bands: how often they hold the truth of the crowd that reported, measured, and what they are made of.

A collection's edges are correlated, so a coverage is averaged over independent collections; its standard error
is below 0.02 here, and the seeds are fixed. The mutated bands at the end show that the measurement can fail.
`benchmarks/bands.py` measures many more kinds of data.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from shufflegram import datasets, plan
from shufflegram.channel import WindowChannel, square_wave_channel
from shufflegram.domain import Domain
from shufflegram.errors import InputError, ValuesError
from shufflegram.estimators import EM, EMAS, EMS, Band, Estimate, ExpectationMaximization, plausible
from shufflegram.estimators.plausible import WindowEvidence, smooth_waves
from shufflegram.estimators.uncertainty import Kind
from shufflegram.mechanism import SquareWave
from shufflegram.randomizers import simulate_tally_through

from .settings import SETTINGS, smooth_truth, spiky_truth

Floats = NDArray[np.float64]
Held = NDArray[np.bool_]

COLLECTIONS = 100
BINS = 64

TRUTHS = {
    "normal": smooth_truth(BINS),
    "beta": np.diff(3 * np.linspace(0, 1, BINS + 1) ** 2 - 2 * np.linspace(0, 1, BINS + 1) ** 3),
    "two peaks": (smooth_truth(BINS, 0.3, 0.08) + 0.7 * smooth_truth(BINS, 0.7, 0.1)) / 1.7,
    "uniform": np.full(BINS, 1 / BINS),
    "exponential": np.diff(1 - np.exp(-5 * np.linspace(0, 1, BINS + 1))) / (1 - np.exp(-5)),
    "three spikes": np.isin(np.arange(BINS), [12, 32, 53]) / 3,
}


def channel_of(half_width: int, ratio: int) -> WindowChannel:
    return square_wave_channel(SquareWave(BINS, half_width, Fraction(ratio)))


def collections(truth: Floats, channel: WindowChannel, users: int = 100_000) -> Iterator[tuple[Floats, Floats]]:
    """Crowds drawn from a distribution: each one's own frequencies, and the counts of its reports."""
    generator = np.random.default_rng(11)
    for histogram in generator.multinomial(users, truth, size=COLLECTIONS):
        yield histogram / users, simulate_tally_through(channel, histogram, generator).astype(np.float64)


def estimated(channel: WindowChannel, counts: Floats, estimator: ExpectationMaximization = EMAS) -> Estimate:
    solution = estimator.solve(channel, counts)
    evidence = WindowEvidence(channel, counts)
    return Estimate(Domain(0, 1, BINS), solution.frequencies, int(counts.sum()), solution.outcome, evidence)


def inside(band: Band, truth: Floats) -> Held:
    """Whether each inner edge's interval holds the true CDF."""
    cdf = np.cumsum(truth)[:-1]
    return (band.lower[1:-1] <= cdf) & (cdf <= band.upper[1:-1])


def coverage(
    truth: Floats,
    channel: WindowChannel,
    estimator: ExpectationMaximization = EMAS,
    *,
    users: int = 100_000,
    assume_smooth: bool = True,
) -> tuple[Floats, float]:
    """How often the pointwise 90% band holds each edge, and how often the simultaneous one holds them all."""
    pointwise, simultaneous = [], []
    for crowd, counts in collections(truth, channel, users):
        estimate = estimated(channel, counts, estimator)
        one, all_at_once = (
            estimate.band(0.9, kind, replicates=300, assume_smooth=assume_smooth) for kind in get_args(Kind)
        )
        pointwise.append(inside(one, crowd))
        simultaneous.append(inside(all_at_once, crowd).all())
    return np.mean(pointwise, axis=0), float(np.mean(simultaneous))


@pytest.mark.parametrize("estimator", [EMS, EMAS], ids=["EMS", "EMAS"])
@pytest.mark.parametrize(
    ("truth", "half_width", "ratio"),
    [("normal", 8, 3), ("normal", 8, 6), ("normal", 3, 6), ("beta", 8, 4), ("two peaks", 8, 5)],
)
def test_coverage_on_smooth_data(estimator: ExpectationMaximization, truth: str, half_width: int, ratio: int) -> None:
    pointwise, simultaneous = coverage(TRUTHS[truth], channel_of(half_width, ratio), estimator)
    assert 0.85 <= pointwise.mean() <= 0.97
    assert pointwise.min() >= 0.7
    assert simultaneous >= 0.85


@pytest.mark.parametrize("half_width", [0, 1])
@pytest.mark.parametrize("truth", ["normal", "uniform", "exponential", "three spikes"])
def test_coverage_where_the_crowds_own_sampling_counts(truth: str, half_width: int) -> None:
    # narrow windows and large ratios show more than the distribution: the very crowd that was drawn from it
    pointwise, simultaneous = coverage(TRUTHS[truth], channel_of(half_width, 2000 if half_width == 0 else 45))
    assert 0.83 <= pointwise.mean() <= 0.97
    assert pointwise.min() >= 0.65
    assert simultaneous >= 0.7


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [0.02, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("name", ["normal", "taxi"])
def test_coverage_at_the_half_widths_that_are_planned(name: str, epsilon: float) -> None:
    # crowds of 100,000 at full size; the real one is ragged, and the band is a little too wide for it
    if name == "taxi":
        taxi = datasets.taxi(100_000)
        domain, values = taxi.domain, taxi.values.astype(np.float64)
    else:
        domain = Domain(-50, 50, 256)
        values = np.clip(np.random.default_rng(2026).normal(0, 10, 100_000), -50, 50)
    histogram = domain.histogram(values)
    protocol = plan(domain, users=100_000, epsilon=epsilon, delta=1e-6).protocol
    covered = [
        inside(protocol.analyzer.estimate(protocol.simulate(histogram, seed)).band(0.9), histogram / histogram.sum())
        for seed in range(COLLECTIONS)
    ]
    assert 0.85 <= np.mean(covered) <= 0.99


def test_without_assumptions_spikes_are_covered_too() -> None:
    pointwise, simultaneous = coverage(spiky_truth(BINS), channel_of(3, 6), assume_smooth=False)
    assert 0.85 <= pointwise.mean() <= 0.97
    assert simultaneous >= 0.8


def test_the_measurement_would_see_a_band_that_is_too_narrow() -> None:
    """Half as wide about its middle, or from a tally that counts every report 20 times: both cover too little."""
    truth, channel = TRUTHS["normal"], channel_of(8, 3)
    halved, overconfident = [], []
    for crowd, counts in collections(truth, channel):
        estimate = estimated(channel, counts)
        band = estimate.band(replicates=200)
        middle, reach = (band.lower + band.upper) / 2, (band.upper - band.lower) / 4
        halved.append(inside(Band(0.9, "pointwise", band.edges, middle - reach, middle + reach), crowd))
        repeated = replace(estimate, evidence=WindowEvidence(channel, 20 * counts))
        overconfident.append(inside(repeated.band(replicates=200), crowd))
    assert np.mean(halved) < 0.85
    assert np.mean(overconfident) < 0.85


@pytest.mark.parametrize("mutated", ["no sampling", "only smooth"])
def test_the_measurement_would_see_a_band_that_forgets_the_crowd_or_the_spikes(
    monkeypatch: pytest.MonkeyPatch, mutated: str
) -> None:
    if mutated == "no sampling":
        monkeypatch.setattr(plausible, "_sampling_covariance", lambda waves, f, users: np.zeros((waves.shape[1],) * 2))
        held, _ = coverage(TRUTHS["uniform"], channel_of(0, 2000))
    else:
        monkeypatch.setattr(plausible, "SCALES", np.geomspace(1e-2, 1e2, 101))
        held, _ = coverage(TRUTHS["three spikes"], channel_of(0, 2000))
    assert held.mean() < 0.83


def test_a_share_between_two_values_has_an_interval_that_holds_it() -> None:
    # the share from .45 to .55 of a normal crowd, and through the cut of a circle
    channel = channel_of(3, 6)
    estimates = [(estimated(channel, counts), crowd) for crowd, counts in collections(TRUTHS["normal"], channel)]
    held = []
    for estimate, crowd in estimates:
        low, high = estimate.probability_interval(0.45, 0.55, 0.9)
        exact = replace(estimate, frequencies=crowd).probability(0.45, 0.55)
        held.append(low <= exact <= high)
    # 100 crowds, each held with .9: fewer than 70 or all of them have a probability below 1e-4
    assert 70 <= sum(held) < 100
    one = estimates[0][0]
    around = replace(one, domain=Domain(0, 1, BINS, circular=True))
    low, high = around.probability_interval(0.9, 0.1)
    assert 0 <= low <= high <= 0.1
    with pytest.raises(ValuesError, match="low must not exceed high"):
        one.probability_interval(0.9, 0.1)


def test_a_handful_of_reports_has_no_band() -> None:
    channel = channel_of(3, 6)
    few = np.bincount(np.arange(99) % channel.report_cells, minlength=channel.report_cells).astype(np.float64)
    with pytest.raises(InputError, match="at least 100 reports, there are 99"):
        estimated(channel, few).band()


@pytest.mark.parametrize("name", ["line", "circle", "continuous", "line, two bins", "circle, tiny", "line, no window"])
@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
def test_a_band_is_one_for_a_cdf(name: str, kind: str) -> None:
    setting = SETTINGS[name]
    bins = setting.channel.cells
    frequencies = EMAS.solve(setting.channel, setting.counts, circular=setting.circular).frequencies
    evidence = WindowEvidence(setting.channel, setting.counts, setting.circular)
    estimate = Estimate(Domain(0, 1, bins, circular=setting.circular), frequencies, 1000, evidence=evidence)
    for assume_smooth in (True, False):
        band = estimate.band(0.9, kind, assume_smooth=assume_smooth)  # type: ignore[arg-type]
        cdf = estimate.cdf(band.edges)
        assert np.all(band.lower <= band.upper)
        assert band.lower[0] == band.upper[0] == 0
        assert band.lower[-1] == band.upper[-1] == 1
        assert band.lower.min() >= 0
        assert band.upper.max() <= 1
        if kind == "simultaneous":
            assert np.all(band.lower <= cdf + 1e-12)
            assert np.all(cdf <= band.upper + 1e-12)
            assert np.all(np.diff(band.lower) >= 0)
            assert np.all(np.diff(band.upper) >= 0)


@pytest.mark.parametrize("assume_smooth", [True, False])
def test_reports_that_say_nothing_leave_everything_open(assume_smooth: bool) -> None:
    channel = channel_of(8, 1)
    counts = np.random.default_rng(2).multinomial(1000, np.full(80, 1 / 80)).astype(np.float64)
    evidence = WindowEvidence(channel, counts)
    estimate = Estimate(Domain(0, 1, BINS), EM.solve(channel, counts).frequencies, 1000, evidence=evidence)
    band = estimate.band(assume_smooth=assume_smooth)
    assert np.all(band.lower[1:-1] == 0)
    assert np.all(band.upper[1:-1] == 1)


def test_higher_levels_and_fewer_users_are_wider() -> None:
    setting = SETTINGS["line"]
    frequencies = EMS.solve(setting.channel, setting.counts).frequencies

    def width(level: float, share_of_users: float = 1.0) -> float:
        evidence = WindowEvidence(setting.channel, setting.counts * share_of_users)
        band = Estimate(Domain(0, 1, 64), frequencies, 1000, evidence=evidence).band(level)
        return float(np.mean(band.upper - band.lower))

    assert width(0.5) < width(0.9) < width(0.99)
    assert width(0.9) < width(0.9, 0.1)


def test_the_same_seed_gives_the_same_band() -> None:
    setting = SETTINGS["line"]
    evidence = WindowEvidence(setting.channel, setting.counts)
    estimate = Estimate(Domain(0, 1, 64), np.full(64, 1 / 64), 1000, evidence=evidence)
    assert np.array_equal(estimate.band().lower, estimate.band().lower)
    assert not np.array_equal(estimate.band().lower, estimate.band(simulation_seed=1).lower)


@pytest.mark.parametrize(("bins", "circular"), [(2, False), (3, False), (4, True), (7, True), (30, False), (30, True)])
def test_waves_span_all_that_sums_to_zero(bins: int, circular: bool) -> None:
    waves, number = smooth_waves(bins, circular, bins)
    assert np.abs(waves.sum(axis=0)).max() < 1e-10
    assert np.linalg.norm(waves, axis=0) == pytest.approx(1.0)
    assert np.linalg.matrix_rank(waves) == bins - 1
    assert number.min() == 1


def test_plausible_truths_are_drawn_from_the_posterior() -> None:
    """Without a prior, the draws have the mean and covariance of a square channel's inverse, computed densely."""
    setting = SETTINGS["line, no window"]
    matrix, users, bins = setting.channel.dense(), setting.counts.sum(), setting.channel.cells
    frequencies = EMS.solve(setting.channel, setting.counts).frequencies
    draws = WindowEvidence(setting.channel, setting.counts).plausible_truths(
        frequencies, 20_000, np.random.default_rng(0), assume_smooth=False
    )
    assert draws.sum(axis=1) == pytest.approx(np.ones(20_000))
    # M is square here, so the estimate is M^-1 counts / n, and its covariance, with the noise of reports on a given
    # crowd, M^-1 (diag(r) - M diag(f) M^T) M^-T / n
    inverse = np.linalg.inv(matrix)
    expected = matrix @ frequencies
    noise = np.diag(expected) - matrix @ np.diag(frequencies) @ matrix.T
    covariance = inverse @ noise @ inverse.T / users
    deviation = np.sqrt(np.diag(covariance))
    # 48 means of 20,000 draws: 7 standard errors are passed with probability below 48 * 2.6e-12.
    assert np.abs(draws.mean(axis=0) - inverse @ setting.counts / users).max() < 7 * deviation.max() / np.sqrt(20_000)
    # The relative deviation of a standard deviation from 20,000 normal draws is 1 / sqrt(40,000) = 0.005.
    assert draws.std(axis=0) == pytest.approx(deviation, rel=7 * 0.005)
    assert bins == 48


def test_questions_that_mean_nothing_are_refused() -> None:
    setting = SETTINGS["line"]
    evidence = WindowEvidence(setting.channel, setting.counts)
    estimate = Estimate(Domain(0, 1, 64), np.full(64, 1 / 64), 1000, evidence=evidence)
    for level in (0.0, 1.0, 90, float("nan"), "x"):
        with pytest.raises(InputError, match="level"):
            estimate.band(level)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="kind"):
        estimate.band(kind="sideways")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="replicates"):
        estimate.band(replicates=1)
    with pytest.raises(InputError, match="simulation_seed"):
        estimate.band(simulation_seed=-1)
    # next to nothing wide, and yet a band
    assert estimate.band(1e-17, "simultaneous").lower.shape == (65,)
