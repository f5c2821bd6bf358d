"""The tally simulation as a whole: not only each count, but all of them together, for crowds with mixed values."""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shufflegram.channel import square_wave_channel
from shufflegram.domain import Domain
from shufflegram.errors import MechanismError, ValuesError
from shufflegram.mechanism import ContinuousSquareWave, SquareWave
from shufflegram.randomizers import (
    SquareWaveRandomizer,
    simulate_continuous_tally,
    simulate_tally,
    simulate_tally_through,
)
from shufflegram.randomness import SeededSource

from .audit import continuous_law, findings, law, sum_findings

Integers = NDArray[np.int64]
Simulation = Callable[[SquareWave, Integers, np.random.Generator], Integers]

# Windows of width 3 and 5 on the line and over the seam of a circle; some users hold the same value, others overlap.
TINY_CROWDS = [
    (SquareWave(4, 1, Fraction(8)), [2, 1, 0, 1]),
    (SquareWave(6, 2, Fraction(20)), [0, 2, 1, 0, 0, 0]),
    (SquareWave(6, 1, Fraction(8), circular=True), [3, 0, 0, 0, 0, 1]),
    (SquareWave(10, 2, Fraction(20), circular=True), [1, 0, 0, 0, 0, 0, 0, 0, 0, 2]),
    (SquareWave(3, 0, Fraction(3)), [4, 0, 3]),
]


def the_long_way_round(mechanism: SquareWave, histogram: Integers, generator: np.random.Generator) -> Integers:
    """A report for everybody, and counting."""
    domain = Domain(0, 1, mechanism.cells, circular=mechanism.circular)
    source = SeededSource(int(generator.integers(2**62)))
    cells = np.repeat(np.arange(mechanism.cells), histogram)
    reports = SquareWaveRandomizer(domain, mechanism).randomize_cells(cells, source)
    return np.bincount(reports, minlength=mechanism.report_cells)


class EvenSplitter:
    """Planted: halves are as equal as can be. Every count keeps its mean; only how they vary together is wrong."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def multinomial(self, users: int, chances: NDArray[np.float64]) -> Integers:
        return self.generator.multinomial(users, chances)

    def binomial(self, users: Any, chance: Any) -> Any:
        if np.ndim(chance) == 0 and chance == 0.5:
            return users // 2 + self.generator.binomial(users % 2, 0.5)
        return self.generator.binomial(users, chance)


def with_even_splits(mechanism: SquareWave, histogram: Integers, generator: np.random.Generator) -> Integers:
    return simulate_tally(mechanism, histogram, EvenSplitter(generator))  # type: ignore[arg-type]


def joint_law(laws: list[list[Fraction]], histogram: list[int]) -> dict[tuple[int, ...], Fraction]:
    """The probability of every possible tally, adding one user after another; laws[i] is that of users in cell i."""
    tallies = {(0,) * len(laws[0]): Fraction(1)}
    for cell, users in enumerate(histogram):
        for _ in range(users):
            longer: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
            for tally, probability in tallies.items():
                for report, chance in enumerate(laws[cell]):
                    grown = (*tally[:report], tally[report] + 1, *tally[report + 1 :])
                    longer[grown] += probability * chance
            tallies = longer
    return tallies


def joint_findings(
    simulate: Callable[[np.random.Generator], Integers], laws: list[list[Fraction]], histogram: list[int]
) -> list[str]:
    """Every tally is one outcome with a known probability: the audit of a die with that many faces."""
    exact = joint_law(laws, histogram)
    index = {tally: position for position, tally in enumerate(exact)}
    generator = np.random.default_rng(6)
    seen = [index[tuple(simulate(generator).tolist())] for _ in range(6_000)]
    return findings(np.bincount(seen, minlength=len(exact)), list(exact.values()))


@pytest.mark.parametrize(("mechanism", "histogram"), TINY_CROWDS)
def test_every_tally_of_a_tiny_crowd_has_its_probability(mechanism: SquareWave, histogram: list[int]) -> None:
    laws = [law(mechanism, cell) for cell in range(mechanism.cells)]
    crowd = np.array(histogram)
    assert joint_findings(lambda generator: simulate_tally(mechanism, crowd, generator), laws, histogram) == []
    assert joint_findings(lambda generator: the_long_way_round(mechanism, crowd, generator), laws, histogram) == []
    # With windows of one cell there is nothing to split.
    if mechanism.half_width > 0:
        assert joint_findings(lambda generator: with_even_splits(mechanism, crowd, generator), laws, histogram)


@pytest.mark.parametrize(
    ("half_width", "report_cells", "histogram"),
    [
        (Fraction(1, 4), 5, [2, 0, 2]),
        (Fraction(1, 2), 9, [0, 1, 0, 0, 0, 2]),  # windows of several cells that are covered in full
        (Fraction(1, 50), 3, [0, 3, 1, 1]),  # and of none
    ],
)
def test_every_continuous_tally_of_a_tiny_crowd_has_its_probability(
    half_width: Fraction, report_cells: int, histogram: list[int]
) -> None:
    mechanism = ContinuousSquareWave(half_width, Fraction(30))
    cells = len(histogram)
    laws = [
        continuous_law(mechanism, Fraction(cell, cells), Fraction(cell + 1, cells), report_cells)
        for cell in range(cells)
    ]
    assert not joint_findings(
        lambda generator: simulate_continuous_tally(mechanism, histogram, generator, report_cells=report_cells),
        laws,
        histogram,
    )


def law_of_a_sum(mechanism: SquareWave, histogram: Integers, reports: list[int]) -> NDArray[np.float64]:
    """The distribution of how many users report one of the given cells: one coin for each user, by convolution."""
    pmf = np.array([1.0])
    for cell, users in enumerate(histogram.tolist()):
        chance = float(sum(law(mechanism, cell)[report] for report in reports))
        for _ in range(users):
            pmf = np.convolve(pmf, [1 - chance, chance])
    return pmf


@pytest.mark.parametrize("mechanism", [SquareWave(16, 3, Fraction(30)), SquareWave(16, 3, Fraction(30), circular=True)])
@pytest.mark.parametrize("simulate", [simulate_tally, the_long_way_round, with_even_splits])
def test_sums_over_windows_vary_as_sums_of_independent_users_do(mechanism: SquareWave, simulate: Simulation) -> None:
    histogram = np.array([90, 0, 5, 80, 0, 0, 0, 120, 3, 0, 0, 0, 0, 0, 60, 130])
    generator = np.random.default_rng(5)
    tallies = np.array([simulate(mechanism, histogram, generator) for _ in range(2_000)])
    assert (tallies.sum(axis=1) == histogram.sum()).all()
    # single cells, half a window, a whole one, and cells that lie apart
    groups = [[2], [3, 4, 5], list(range(3, 10)), [0, 15], [4, 6, 8, 10], list(range(8))]
    found = [
        finding
        for reports in groups
        for finding in sum_findings(tallies[:, reports].sum(axis=1), law_of_a_sum(mechanism, histogram, reports))
    ]
    assert bool(found) == (simulate is with_even_splits)


def test_covariances_are_those_of_a_sum_of_multinomials() -> None:
    mechanism = SquareWave(12, 2, Fraction(9))
    histogram = np.arange(12) * 100
    generator = np.random.default_rng(8)
    repetitions = 4_000
    tallies = np.array([simulate_tally(mechanism, histogram, generator) for _ in range(repetitions)])
    columns = np.array([[float(p) for p in law(mechanism, cell)] for cell in range(12)])
    exact = sum(
        users * (np.diag(column) - np.outer(column, column)) for users, column in zip(histogram, columns, strict=True)
    )
    # Sums of thousands of users are close to normal, for which a sample covariance has this variance; ten standard
    # deviations are beyond 1e-20 there, which leaves room for the 256 of them and for the difference from a normal law.
    spread = np.sqrt((np.outer(np.diag(exact), np.diag(exact)) + exact**2) / repetitions)
    assert (np.abs(np.cov(tallies.T) - exact) < 10 * spread).all()
    uneven = np.array([with_even_splits(mechanism, histogram, generator) for _ in range(repetitions)])
    assert (np.abs(np.cov(uneven.T) - exact) > 10 * spread).any()


def test_the_continuous_tally_when_windows_and_report_cells_are_narrow_or_wide() -> None:
    mechanism = ContinuousSquareWave(Fraction(1, 100), Fraction(50))
    for cells, report_cells in ((5, 7), (64, 9), (7, 300)):
        histogram = np.zeros(cells, dtype=np.int64)
        histogram[cells // 2] = 1_000_000
        tally = simulate_continuous_tally(mechanism, histogram, np.random.default_rng(cells), report_cells=report_cells)
        low = Fraction(cells // 2, cells)
        assert findings(tally, continuous_law(mechanism, low, low + Fraction(1, cells), report_cells)) == []


def test_everybody_is_counted_once() -> None:
    generator = np.random.default_rng(0)
    for mechanism in (
        SquareWave(512, 255, Fraction(3)),
        SquareWave(512, 0, Fraction(1)),
        SquareWave(9, 1, Fraction(2)),
    ):
        histogram = generator.integers(0, 10_000, size=mechanism.cells)
        tally = simulate_tally(mechanism, histogram, generator)
        assert tally.shape == (mechanism.report_cells,)
        assert tally.dtype == np.int64
        assert tally.min() >= 0
        assert tally.sum() == histogram.sum()
    for b, m, t in ((Fraction(1, 1000), 2, 3), (Fraction(1, 2), 512, 512), (Fraction(1, 4), 3, 1000)):
        histogram = generator.integers(0, 10_000, size=m)
        for k in (1, 20):
            continuous = ContinuousSquareWave(b, Fraction(k))
            tally = simulate_continuous_tally(continuous, histogram, generator, report_cells=t)
            assert tally.shape == (t,)
            assert tally.sum() == histogram.sum()
    assert simulate_tally(SquareWave(4, 1, Fraction(2)), [0, 0, 0, 0], generator).tolist() == [0] * 6


def test_a_seed_repeats_a_simulation_and_leaves_the_histogram_alone() -> None:
    mechanism = SquareWave(20, 3, Fraction(5))
    histogram = np.full(20, 1_000)
    first, second = (simulate_tally(mechanism, histogram, np.random.default_rng(4)) for _ in range(2))
    assert (first == second).all()
    assert (histogram == 1_000).all()


@pytest.mark.parametrize(
    ("histogram", "words"),
    [
        ([1, 2, 3], "must have 4 cells"),
        ([1, 2, 3, -1], "negative"),
        ([1.0, 2.0, 3.0, 4.0], "whole numbers"),
        ([[1, 2, 3, 4]], "flat list"),
        ([], "flat list"),
        (["a", "b", "c", "d"], "whole numbers"),
    ],
)
def test_histograms_that_cannot_be(histogram: Any, words: str) -> None:
    mechanism = SquareWave(4, 1, Fraction(2))
    with pytest.raises(ValuesError, match=words):
        simulate_tally(mechanism, histogram, np.random.default_rng(0))
    with pytest.raises(ValuesError, match=words):
        simulate_tally_through(square_wave_channel(mechanism), histogram, np.random.default_rng(0))


def test_randomizers_that_fit_no_domain() -> None:
    with pytest.raises(MechanismError, match="equally many"):
        SquareWaveRandomizer(Domain(0, 1, 8), SquareWave(9, 1, Fraction(2)))
    with pytest.raises(MechanismError, match="both be circular"):
        SquareWaveRandomizer(Domain(0, 1, 8, circular=True), SquareWave(8, 1, Fraction(2)))


@pytest.mark.parametrize("cells", [[8], [-1], [0.0], [[1]], ["a"], [True], []])
def test_true_cells_that_cannot_be(cells: Any) -> None:
    randomizer = SquareWaveRandomizer(Domain(0, 1, 8), SquareWave(8, 1, Fraction(2)))
    with pytest.raises(ValuesError, match="true cells must be"):
        randomizer.randomize_cells(cells, SeededSource(simulation_seed=0))
