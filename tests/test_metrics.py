"""Metrics by hand-computed cases, against SciPy, and against brute force on the circle."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from shufflegram.errors import InputError
from shufflegram.metrics import LEVELS, quantile_error, range_query_error, wasserstein

TRUTH = np.array([0.1, 0.2, 0.3, 0.4])
ESTIMATE = np.array([0.4, 0.3, 0.2, 0.1])

pairs = st.integers(2, 30).flatmap(
    lambda bins: st.tuples(*[st.lists(st.floats(0.001, 1), min_size=bins, max_size=bins)] * 2)
)


def distributions(pair: tuple[list[float], list[float]]) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.array(pair[0]), np.array(pair[1])
    return first / first.sum(), second / second.sum()


def test_wasserstein_by_hand() -> None:
    # cumulative: .1 .3 .6 1 against .4 .7 .9 1, differences .3 .4 .3 0
    assert wasserstein(TRUTH, ESTIMATE) == pytest.approx(1.0 / 4)
    assert wasserstein(TRUTH, TRUTH) == 0
    # all mass from the first bin to the last: 3 bins of 4
    assert wasserstein([1, 0, 0, 0], [0, 0, 0, 1]) == pytest.approx(0.75)
    # on a circle the first and the last are neighbours
    assert wasserstein([1, 0, 0, 0], [0, 0, 0, 1], circular=True) == pytest.approx(0.25)
    assert wasserstein([1, 0, 0, 0], [0, 0, 1, 0], circular=True) == pytest.approx(0.5)


@given(pairs)
def test_wasserstein_agrees_with_scipy(pair: tuple[list[float], list[float]]) -> None:
    first, second = distributions(pair)
    places = np.arange(first.size) / first.size
    assert wasserstein(first, second) == pytest.approx(wasserstein_distance(places, places, first, second), abs=1e-12)


@given(pairs)
def test_wasserstein_on_a_circle_is_the_best_rotation(pair: tuple[list[float], list[float]]) -> None:
    first, second = distributions(pair)
    rotations = [wasserstein(np.roll(first, cut), np.roll(second, cut)) for cut in range(first.size)]
    assert wasserstein(first, second, circular=True) == pytest.approx(min(rotations), abs=1e-12)


def test_range_query_by_hand() -> None:
    # ranges of two bins from edges 0, 1/4, 1/2: .3 .5 .7 against .7 .5 .3
    assert range_query_error(TRUTH, ESTIMATE, 0.5) == pytest.approx((0.4 + 0.0 + 0.4) / 3)
    # from 1/8 to 5/8: .05 + .2 + .15 against .2 + .3 + .1
    assert range_query_error(TRUTH, ESTIMATE, 0.5, starts=[1 / 8]) == pytest.approx(0.2)
    # on a circle, also from 3/4: .4 + .1 against .1 + .4
    assert range_query_error(TRUTH, ESTIMATE, 0.5, circular=True) == pytest.approx((0.4 + 0.0 + 0.4 + 0.0) / 4)
    # a range that is no whole number of bins: from 0, 1/4, 1/2 (3/4 is past 1 - .3), .3 = 1.2 bins
    by_hand = [abs(0.1 + 0.2 * 0.2 - 0.4 - 0.2 * 0.3), abs(0.2 + 0.2 * 0.3 - 0.3 - 0.2 * 0.2)]
    by_hand.append(abs(0.3 + 0.2 * 0.4 - 0.2 - 0.2 * 0.1))
    assert range_query_error(TRUTH, ESTIMATE, 0.3) == pytest.approx(sum(by_hand) / 3)


@given(pairs, st.floats(0.05, 0.95))
def test_range_query_is_the_mean_over_its_starts(pair: tuple[list[float], list[float]], share: float) -> None:
    first, second = distributions(pair)
    bins = first.size
    starts = [i / bins for i in range(bins + 1) if i / bins + share <= 1 + 1e-12]
    errors = [range_query_error(first, second, share, starts=start) for start in starts]
    assert range_query_error(first, second, share) == pytest.approx(float(np.mean(errors)), abs=1e-12)


def test_quantile_error_by_hand() -> None:
    # at level 0.5 the cumulative .1 .3 | .6 1 leaves edge 2/4, and .4 | .7 .9 1 leaves edge 1/4
    assert quantile_error(TRUTH, ESTIMATE, [0.5]) == pytest.approx(0.25)
    # at level 0.05 both stay at the low end; at 0.95 both are at edge 3/4
    assert quantile_error(TRUTH, ESTIMATE, [0.05, 0.95]) == 0
    assert quantile_error(TRUTH, ESTIMATE, [0.3]) == pytest.approx(0.5)
    assert quantile_error([1, 0, 0, 0], [0, 0, 0, 1]) == pytest.approx(0.75)


def test_levels_that_fall_on_an_edge_are_met_in_spite_of_rounding() -> None:
    uniform = np.full(20, 0.05)
    assert np.cumsum(uniform)[2] > 0.15
    # every level is an edge of the uniform distribution: level 0.15 is edge 3 of 20
    point = np.zeros(20)
    point[0] = 1.0
    for level in LEVELS:
        assert quantile_error(uniform, point, [level]) == pytest.approx(level)


def test_what_is_no_pair_of_distributions_is_refused() -> None:
    for wrong in ([0.5, 0.5], [0.1, 0.2, 0.3, 0.5], [1.1, -0.1, 0, 0], [math.nan] * 4, [[0.25] * 4], [], ["a"] * 4):
        for metric in (wasserstein, quantile_error, lambda truth, estimate: range_query_error(truth, estimate, 0.2)):
            with pytest.raises(InputError):
                metric(TRUTH, wrong)
            with pytest.raises(InputError):
                metric(wrong, TRUTH)


def test_questions_that_mean_nothing_are_refused() -> None:
    text: Any = "half"
    for share in (0, 1, -0.2, math.nan, text):
        with pytest.raises(InputError, match="share"):
            range_query_error(TRUTH, ESTIMATE, share)
    for starts in ([0.9], [-0.1], [], [math.nan], text, [text], [[0.1]]):
        with pytest.raises(InputError, match="starts"):
            range_query_error(TRUTH, ESTIMATE, 0.2, starts=starts)
    for levels in ([0.0], [1.0], [], [math.nan], text, [text], [[0.1]]):
        with pytest.raises(InputError, match="levels"):
            quantile_error(TRUTH, ESTIMATE, levels)
