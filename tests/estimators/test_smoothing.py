"""The refinement step: its weights, and what it does to a bin that stands out (the paper's Theorem 6)."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflegram.errors import InputError
from shufflegram.estimators import AdaptiveSmoothing, BinomialSmoothing, GaussianSmoothing, NoSmoothing
from shufflegram.estimators.em import advance
from shufflegram.estimators.merging import MixtureReduction
from shufflegram.estimators.smoothing import SmoothingTable

from .dense_reference import smooth
from .settings import SETTINGS, Floats, discrete

LINE = SETTINGS["line"]


def test_em_changes_nothing() -> None:
    frequencies = np.array([0.1, 0.5, 0.4])
    assert np.array_equal(smooth(frequencies, NoSmoothing().table(LINE.channel, LINE.counts), 0), frequencies)


def test_ems_by_hand() -> None:
    table = BinomialSmoothing().table(LINE.channel, LINE.counts)
    # At the ends of the line the weights are 1/2 and 1/4, divided by their sum 3/4.
    on_line = smooth(np.array([0.6, 0.0, 0.4, 0.0]), table, 0)
    assert on_line == pytest.approx([0.4, 0.25, 0.2, 0.4 / 3])
    on_circle = smooth(np.array([0.6, 0.0, 0.4, 0.0]), table, 0, circular=True)
    assert on_circle == pytest.approx([0.3, 0.25, 0.2, 0.25])


def test_emas_by_hand() -> None:
    table = SmoothingTable(np.array([[1.0, 0.5]]), 0.2)
    # weights between 0.5 and 0.3: 0.5 exp(-0.2^2 / (2 * 0.2^2)); between 0.3 and 0.2: 0.5 exp(-0.1^2 / (2 * 0.2^2))
    first, second = 0.5 * math.exp(-1 / 2), 0.5 * math.exp(-1 / 8)
    expected = [
        (0.5 + first * 0.3) / (1 + first),
        (0.3 + first * 0.5 + second * 0.2) / (1 + first + second),
        (0.2 + second * 0.3) / (1 + second),
    ]
    assert smooth(np.array([0.5, 0.3, 0.2]), table, 0) == pytest.approx(expected)


def test_sigma_2_follows_the_cosine() -> None:
    sigmas = AdaptiveSmoothing().sigmas()
    assert sigmas.size == 50
    assert sigmas[0] == pytest.approx(1 / 3)
    assert sigmas[25] == pytest.approx(2 / 3)
    assert np.all(np.diff(sigmas) > 0)
    back_and_forth = AdaptiveSmoothing(restart=False).sigmas()
    assert back_and_forth.size == 100
    assert back_and_forth[50] == pytest.approx(1.0)
    assert back_and_forth[75] == pytest.approx(back_and_forth[25])


def test_equal_sigmas_are_one_constant_row() -> None:
    table = AdaptiveSmoothing(sigma_min=0.7, sigma_max=0.7).table(LINE.channel, LINE.counts)
    assert table.position.shape == (1, 4)
    assert table.position[0] == pytest.approx(np.exp(-(np.arange(4) ** 2) / (2 * 0.7**2)))
    assert not table.is_fixed
    assert GaussianSmoothing(sigma=0.7).table(LINE.channel, LINE.counts).is_fixed


def test_whole_numbers_of_numpy_will_do() -> None:
    radius: Any = np.int64(3)
    assert AdaptiveSmoothing(radius=radius, period=radius) == AdaptiveSmoothing(radius=3, period=3)
    assert MixtureReduction(rounds_between_merges=radius) == MixtureReduction(rounds_between_merges=3)


def test_the_window_never_meets_a_bin_twice() -> None:
    table = AdaptiveSmoothing(radius=3).table(LINE.channel, LINE.counts)
    assert table.fitted(7, True).radius == 3
    assert table.fitted(6, True).radius == 2
    assert table.fitted(3, False).radius == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"radius": -1},
        {"radius": 1.5},
        {"sigma_min": 0.0},
        {"sigma_min": math.nan},
        {"sigma_max": math.inf},
        {"sigma_min": 2.0},
        {"period": 0},
        {"period": True},
        {"sigma_min": "a"},
        {"sigma_max": None},
    ],
)
def test_parameters_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        AdaptiveSmoothing(**wrong)


frequencies_on_bins = st.lists(st.floats(1e-6, 1.0), min_size=2, max_size=40).map(lambda raw: np.array(raw) / sum(raw))


@settings(max_examples=300, deadline=None)
@given(
    frequencies=frequencies_on_bins,
    radius=st.integers(1, 5),
    sigma_2=st.floats(0.3, 3.0),
    sigma_1=st.one_of(st.just(math.inf), st.floats(0.3, 10.0)),
    circular=st.booleans(),
)
def test_the_largest_bin_of_its_window_does_not_grow(
    frequencies: Floats, radius: int, sigma_2: float, sigma_1: float, circular: bool
) -> None:
    """Theorem 6, on the written-out step: it gets smaller, unless all bins that the window reaches are as large."""
    table = SmoothingTable(np.exp(-(np.arange(radius + 1)[None] ** 2) / (2 * sigma_2**2)), sigma_1)
    table = table.fitted(frequencies.size, circular)
    refined = smooth(frequencies, table, 0, circular)
    for i in range(frequencies.size):
        reach = np.arange(i - table.radius, i + table.radius + 1)
        reach = reach % frequencies.size if circular else reach[(reach >= 0) & (reach < frequencies.size)]
        window = frequencies[reach]
        if frequencies[i] == window.max():
            assert refined[i] <= frequencies[i] * (1 + 1e-15 * window.size)
            # The nearest weight that a smaller bin can have: the strict fall it causes is far above rounding.
            if window.min() < 0.9 * frequencies[i] and table.radius and table.position[0, -1] > 1e-6:
                assert refined[i] < frequencies[i]


def test_unnormalised_weights_break_the_theorem() -> None:
    """The theorem needs weights that sum to one: with the kernels as printed a peak can grow."""

    def kernel(difference: Floats, sigma: float) -> Floats:
        density: Floats = np.exp(-(difference**2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))
        return density

    frequencies = np.array([0.2, 0.6, 0.2])
    weights = kernel(0.6 - frequencies, 0.05) * kernel(np.arange(-1.0, 2.0), 1 / 3)
    assert weights @ frequencies > frequencies[1]
    assert (weights / weights.sum()) @ frequencies < frequencies[1]


def test_the_compiled_step_keeps_a_peak_from_growing() -> None:
    """Theorem 6 for the compiled loop: one round after an M-step that leaves a peak, the peak has fallen."""
    setting = discrete(32, 0, 1000, False, spiky=True)
    for refinement in (BinomialSmoothing(), GaussianSmoothing(), AdaptiveSmoothing()):
        plain = np.full(32, 1 / 32)
        advance(
            setting.channel, setting.counts, plain, NoSmoothing().table(setting.channel, setting.counts), False, 1, 0.0
        )
        refined = np.full(32, 1 / 32)
        table = refinement.table(setting.channel, setting.counts)
        advance(setting.channel, setting.counts, refined, table, False, 1, 0.0)
        expected = smooth(plain, table, 0)
        assert refined == pytest.approx(expected / expected.sum(), abs=1e-14)
        # Normalisation follows the step and rescales all bins alike, so the theorem is checked before it.
        peak = int(np.argmax(plain))
        assert refined[peak] * expected.sum() < plain[peak]
