"""What error is to be expected: the formula against its parts, against simulation, and the design that follows."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from shufflegram.channel import square_wave_channel
from shufflegram.design.expected_error import ExpectedError, expected_error, grouped
from shufflegram.design.shapes import SHAPES, shape_of
from shufflegram.design.square_wave import at_largest_ratio, exact_asp, exact_least_error
from shufflegram.errors import ValuesError
from shufflegram.estimators import EM, EMAS
from shufflegram.estimators.norm_sub import norm_sub
from shufflegram.mechanism import SquareWave
from shufflegram.metrics import errors
from shufflegram.privacy.budget import Budget
from shufflegram.randomizers.simulation import simulate_tally_through

Floats = NDArray[np.float64]


def covariance_of_noise(matrix: Floats, frequencies: Floats, users: int) -> Floats:
    """The long way: the covariance of the weighted least squares estimate, by the sum over users of their reports'."""
    expected = matrix @ frequencies
    inverse = np.linalg.solve(matrix.T @ (matrix / expected[:, None]), (matrix / expected[:, None]).T)
    reports = np.diag(expected) - matrix @ np.diag(frequencies) @ matrix.T
    covariance: Floats = inverse @ reports @ inverse.T / users
    return covariance


def test_without_smoothing_the_spread_is_that_of_the_unbiased_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shufflegram.design.expected_error.STRENGTHS", np.array([0.0]))
    wave = SquareWave(12, 2, Fraction(9))
    frequencies = np.arange(1.0, 13.0) / 78
    found = expected_error(square_wave_channel(wave), frequencies, 10_000)
    noise = covariance_of_noise(square_wave_channel(wave).dense(), frequencies, 10_000)
    running = np.tril(np.ones((12, 12)))
    assert found.spread @ found.spread.T == pytest.approx(running @ noise @ running.T, abs=1e-12)
    assert found.bias == pytest.approx(0, abs=1e-12)


def test_the_formula_in_closed_form_is_the_mean_of_its_normal_numbers() -> None:
    """Against 40,000 draws: each mean within 6 standard errors, a chance of 2e-9."""
    chance = np.random.default_rng(1)
    cells = 20
    frequencies = chance.dirichlet(np.ones(cells))
    # small beside the distance of quantiles' edges, and nothing beyond the ends
    spread = np.vstack([chance.normal(size=(cells - 1, 5)) * 3e-3, np.zeros((1, 5))])
    bias = np.concatenate([chance.normal(size=cells - 1) * 3e-3, [0.0]])
    expected = ExpectedError(frequencies, bias, spread)
    drawn = bias + chance.normal(size=(40_000, 5)) @ spread.T
    absolute = np.abs(drawn).mean(axis=1)
    assert expected.wasserstein == pytest.approx(absolute.mean(), abs=6 * absolute.std() / 200)
    at_edges = np.concatenate((np.zeros((40_000, 1)), drawn), axis=1)
    # a quarter of 20 cells are five
    ranges = np.abs(at_edges[:, 5:] - at_edges[:, :-5]).mean(axis=1)
    assert expected.ranges(0.25) == pytest.approx(ranges.mean(), abs=6 * ranges.std() / 200)


def test_quantiles_move_where_the_cdf_does() -> None:
    """On uniform users a CDF that is too high by .01 everywhere has all quantiles .01 too low."""
    cells = 100
    shifted = np.full(cells, 0.01)
    shifted[-1] = 0
    expected = ExpectedError(np.full(cells, 1 / cells), shifted, np.zeros((cells, 1)))
    assert expected.quantiles() == pytest.approx(0.01, rel=1e-6)


@pytest.mark.parametrize("circular", [False, True])
def test_what_is_grouped_is_the_channel_of_evenly_spread_values(circular: bool) -> None:
    wave = SquareWave(64, 6, Fraction(20), circular)
    channel = square_wave_channel(wave)
    assert grouped(channel, 64) == pytest.approx(channel.dense())
    coarse = grouped(channel, 16)
    assert coarse.sum(axis=0) == pytest.approx(1)
    assert coarse.shape == (wave.report_cells // 4, 16)
    assert coarse[:, 3] == pytest.approx(channel.dense()[:, 12:16].mean(axis=1).reshape(-1, 4).sum(axis=1))


SETTINGS = [
    ("smooth", 0.1, 100_000, 8),
    ("skewed", 0.1, 100_000, 8),
    ("skewed", 0.5, 20_000, 8),
    ("spiky", 0.5, 1_000_000, 1),
]


@pytest.mark.parametrize(("shape", "epsilon", "users", "half_width"), SETTINGS)
def test_the_best_of_the_estimators_is_near_what_is_expected(
    shape: str, epsilon: float, users: int, half_width: int
) -> None:
    """Means of eight seeded runs, the same everywhere but for the last bits: half to double is a wide margin."""
    wave = at_largest_ratio(128, half_width, circular=False, budget=Budget(epsilon, 1e-6, users))
    channel = square_wave_channel(wave)
    histogram = np.random.default_rng(5).multinomial(users, shape_of(shape, 128))
    truth = histogram / users
    expected = expected_error(channel, truth, users).to_dict()
    measured: dict[str, float] = {}
    for estimator in (EM, EMAS):
        runs = []
        for seed in range(8):
            tally = simulate_tally_through(channel, histogram, np.random.default_rng(seed))
            runs.append(errors(truth, norm_sub(estimator.solve(channel, tally).frequencies), circular=False))
        for name in expected:
            mean = float(np.mean([run[name] for run in runs]))
            measured[name] = min(mean, measured.get(name, mean))
    for name in ("wasserstein", "range_0.2", "range_0.4"):
        assert 0.5 < measured[name] / expected[name] < 2, name


def test_more_users_or_more_epsilon_have_less_error() -> None:
    def expected(users: int, epsilon: float) -> float:
        wave = exact_least_error(128, circular=False, budget=Budget(epsilon, 1e-6, users))
        return expected_error(square_wave_channel(wave), shape_of("smooth", 128), users).wasserstein

    falling = [expected(20_000, 0.2), expected(200_000, 0.2), expected(200_000, 0.5), expected(2_000_000, 0.5)]
    assert all(one > 1.2 * other for one, other in pairwise(falling))


def test_the_design_is_better_than_its_neighbours_and_than_information() -> None:
    budget = Budget(0.5, 1e-6, 100_000)
    best = exact_least_error(256, circular=False, budget=budget)

    def score(half_width: int) -> float:
        wave = at_largest_ratio(256, half_width, circular=False, budget=budget)
        channel = square_wave_channel(wave)
        return float(
            np.mean([np.log(expected_error(channel, shape_of(name, 128), 100_000).wasserstein) for name in SHAPES])
        )

    near = [score(h) for h in (best.half_width - 1, best.half_width + 1)]
    assert score(best.half_width) <= min(near)
    informative = exact_asp(256, circular=False, budget=budget)
    assert informative.half_width < best.half_width
    assert score(best.half_width) < score(informative.half_width) - 0.2


def test_a_public_guess_takes_the_place_of_the_family() -> None:
    budget = Budget(0.5, 1e-6, 1_000_000)
    guess = np.zeros(64)
    guess[[3, 20, 50]] = (0.5, 0.2, 0.3)
    wide, narrow = (
        exact_least_error(64, circular=False, budget=budget, expected=each) for each in (np.ones(64), guess)
    )
    assert narrow.half_width < wide.half_width


@pytest.mark.parametrize("cells", [2, 5, 128, 300])
@pytest.mark.parametrize("name", list(SHAPES))
def test_a_shape_is_a_distribution_of_any_number_of_cells(name: str, cells: int) -> None:
    shape = shape_of(name, cells)
    assert shape.shape == (cells,)
    assert shape.sum() == pytest.approx(1)
    assert np.all(shape >= 0)


def test_a_histogram_is_moved_to_other_bins() -> None:
    assert shape_of([1, 2, 3, 4], 2) == pytest.approx([0.3, 0.7])
    assert shape_of([3, 7], 4) == pytest.approx([0.15, 0.15, 0.35, 0.35])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("flat", "a shape must be a histogram or one of uniform, smooth, skewed, spiky, got 'flat'"),
        ([1.0], "at least 2 finite numbers"),
        ([1.0, -1.0], "no bin below 0"),
        ([[1.0], [2.0]], "a flat list"),
        (["x", "y"], "a flat list of numbers"),
    ],
)
def test_what_is_no_shape_is_refused(given: object, said: str) -> None:
    with pytest.raises(ValuesError, match=said):
        shape_of(given, 16)  # type: ignore[arg-type]
