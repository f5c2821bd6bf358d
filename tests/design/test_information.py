"""The paper's bounds and the exact mutual information, against direct sums and integrals."""

from fractions import Fraction

import numpy as np
import pytest

from shufflegram.channel import square_wave_channel
from shufflegram.design.information import mutual_information, paper_bound, prior_bound
from shufflegram.errors import ValuesError
from shufflegram.mechanism import ContinuousSquareWave, SquareWave


def test_the_paper_objective_at_its_optimum() -> None:
    # n = 1e5, eps = .01, delta = 1e-5: the optimum on the corrected constraint, and the paper's own point
    assert paper_bound(0.271, 2.239) == pytest.approx(0.0706, abs=5e-5)
    assert 0.95 * paper_bound(0.271, 2.239) < paper_bound(0.215, 2.198) < paper_bound(0.271, 2.239)


@pytest.mark.parametrize("circular", [False, True])
@pytest.mark.parametrize("half_width", [0, 1, 3])
def test_discrete_information_is_the_double_sum(half_width: int, circular: bool) -> None:
    wave = SquareWave(16, half_width, Fraction(7, 2), circular)
    weights = np.random.default_rng(5).random(16)
    frequencies = weights / weights.sum()
    joint = square_wave_channel(wave).dense() * frequencies
    reports = joint.sum(axis=1, keepdims=True)
    by_hand = float(np.sum(joint * np.log(joint / (reports * frequencies))))
    assert mutual_information(wave, weights) == pytest.approx(by_hand, rel=1e-12)


def test_continuous_information_is_the_integral() -> None:
    wave = ContinuousSquareWave(Fraction(3, 10), Fraction(5, 2))
    weights = np.array([1.0, 4.0, 0.5, 2.0])
    b, p, q = 0.3, float(wave.inside_density), float(wave.outside_density)
    # midpoint rule on a fine grid of outputs; the density is q + (p - q)(F(y + b) - F(y - b))
    cumulative = np.concatenate(([0.0], np.cumsum(weights / weights.sum())))
    y = np.linspace(-b, 1 + b, 2_000_001)
    y = (y[1:] + y[:-1]) / 2
    edges = np.linspace(0, 1, 5)
    density = q + (p - q) * (np.interp(y + b, edges, cumulative) - np.interp(y - b, edges, cumulative))
    entropy = -np.mean(density * np.log(density)) * (1 + 2 * b)
    by_hand = entropy + 2 * b * p * np.log(p) + q * np.log(q)
    assert mutual_information(wave, weights) == pytest.approx(by_hand, rel=1e-8)


@pytest.mark.parametrize("b", [0.01, 0.1, 0.25, 0.5])
@pytest.mark.parametrize("k", [1.001, 2.0, 50.0, 1e4])
def test_bounds_are_in_order(b: float, k: float) -> None:
    wave = ContinuousSquareWave(Fraction(b), Fraction(k))
    exact = mutual_information(wave)
    assert 0 <= exact <= paper_bound(b, k) * (1 + 1e-9)
    assert paper_bound(b, k) <= prior_bound(b, k) * (1 + 1e-9)


# much at both ends, and nothing but the ends
ONLY_UNIFORM = [
    ("0.2715", "2.239", [25, *[1] * 62, 25], 1.09),
    ("0.5", "2", [1, *[0] * 62, 1], 1.3),
]


@pytest.mark.parametrize(("b", "k", "histogram", "beyond"), ONLY_UNIFORM)
def test_the_paper_bound_holds_for_a_uniform_input_only(b: str, k: str, histogram: list[int], beyond: float) -> None:
    wave = ContinuousSquareWave(Fraction(b), Fraction(k))
    objective = paper_bound(float(b), float(k))
    assert mutual_information(wave) < objective
    assert beyond * objective < mutual_information(wave, histogram) < prior_bound(float(b), float(k))


def test_a_ratio_of_one_tells_nothing() -> None:
    assert mutual_information(SquareWave(10, 1, Fraction(1))) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("histogram", [[1.0, 2.0], [0.0] * 8, [-1.0] + [1.0] * 7, [np.nan] * 8])
def test_a_histogram_must_fit(histogram: list[float]) -> None:
    with pytest.raises(ValuesError, match="histogram"):
        mutual_information(SquareWave(8, 1, Fraction(2)), histogram)
