"""The truth, from nothing but the mechanism's weights: every pair of neighbouring datasets of small collections.

The law of the shuffled output (a multiset of reports) is computed in integers, and from it the hockey-stick divergence
of every pair of neighbouring datasets. The blanket must not be below the largest, explicit datasets not above.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from shufflegram.mechanism import SquareWave, widest_half_width
from shufflegram.privacy import exact
from shufflegram.privacy.laws import PrivacyLaw, blanket_law
from shufflegram.privacy.lower import explicit_laws

from .rational import rational_delta, with_mass_scaled

RATIOS = (Fraction(2), Fraction(7, 2), Fraction(9))
GAINS = (Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(5, 2))
MOST_CELLS = 5
MOST_USERS = 4

MECHANISMS = [
    (cells, half_width, circular)
    for circular in (False, True)
    for cells in range(2, MOST_CELLS + 1)
    for half_width in range(widest_half_width(cells, circular=circular) + 1)
]
# the smallest circle on which a window wraps
MECHANISMS.append((6, 1, True))

Weights = NDArray[np.int64]


def report_weights(wave: SquareWave) -> Weights:
    """Row by row, the integer weight of every report of every cell, from the distance between them."""
    rows = []
    for cell in range(wave.cells):
        row = []
        for report in range(wave.report_cells):
            if wave.circular:
                apart = min((report - cell) % wave.cells, (cell - report) % wave.cells)
            else:
                apart = abs(report - wave.half_width - cell)
            row.append(wave.inside_weight if apart <= wave.half_width else wave.outside_weight)
        rows.append(row)
    return np.array(rows, dtype=np.int64)


def shuffled_laws(weights: Weights, users: int) -> tuple[list[Weights], int]:
    """For each multiset of the others' values: the weight of every shuffled output, one row for each target value.

    The second number is the total weight of one law.
    """
    cells, reports = weights.shape
    outputs = {multiset: at for at, multiset in enumerate(combinations_with_replacement(range(reports), users))}
    shorter = list(combinations_with_replacement(range(reports), users - 1))
    # where the target's report takes each multiset of the others' reports
    joined = np.array([[outputs[tuple(sorted((*rest, report)))] for report in range(reports)] for rest in shorter])
    laws = []
    for others in combinations_with_replacement(range(cells), users - 1):
        hidden: Counter[tuple[int, ...]] = Counter({(): 1})
        for cell in others:
            longer: Counter[tuple[int, ...]] = Counter()
            for multiset, weight in hidden.items():
                for report in range(reports):
                    longer[tuple(sorted((*multiset, report)))] += weight * int(weights[cell, report])
            hidden = longer
        hidden_weights = np.array([hidden[rest] for rest in shorter], dtype=np.int64)
        table = np.zeros((cells, len(outputs)), dtype=np.int64)
        for report in range(reports):
            for target in range(cells):
                np.add.at(table[target], joined[:, report], hidden_weights * weights[target, report])
        laws.append(table)
    return laws, int(weights[0].sum()) ** users


def largest_divergence(laws: list[Weights], total: int, gain: Fraction) -> Fraction:
    """max over neighbours of sum over outputs of (P - E P')_+"""
    above, below = gain.numerator, gain.denominator
    # all sums stay in 64 bits
    assert total * (above + below) < 2**62
    most = 0
    for table in laws:
        for one in table:
            excess = np.maximum(below * one - above * table, 0).sum(axis=1)
            most = max(most, int(excess.max()))
    return Fraction(most, below * total)


@pytest.fixture(scope="module")
def truths() -> dict[tuple[SquareWave, int, Fraction], Fraction]:
    """The true delta of every small collection."""
    found = {}
    for cells, half_width, circular in MECHANISMS:
        for ratio in RATIOS:
            wave = SquareWave(cells, half_width, ratio, circular)
            weights = report_weights(wave)
            for users in range(1, MOST_USERS + 1):
                laws, total = shuffled_laws(weights, users)
                for gain in GAINS:
                    found[wave, users, gain] = largest_divergence(laws, total, gain)
    return found


def test_laws_have_the_right_total_and_number() -> None:
    wave = SquareWave(4, 1, Fraction(7, 2))
    laws, total = shuffled_laws(report_weights(wave), 3)
    assert len(laws) == comb(4 + 2 - 1, 2)
    assert {int(row.sum()) for table in laws for row in table} == {total} == {wave.total_weight**3}


def test_the_enumeration_is_complete() -> None:
    # line: half widths 0 for 2 and 3 cells, 0 and 1 for 4 and 5; circle: 0 up to 5, and the one of 6
    assert len(MECHANISMS) == 6 + 4 + 1


def test_no_pair_of_neighbours_is_told_apart_better_than_the_blanket_says(
    truths: dict[tuple[SquareWave, int, Fraction], Fraction],
) -> None:
    assert len(truths) == len(MECHANISMS) * len(RATIOS) * MOST_USERS * len(GAINS)
    for (wave, users, gain), truth in truths.items():
        law = blanket_law(wave)
        value = rational_delta(law, users, gain)
        assert truth <= value, (wave, users, gain)
        if users == 1:
            assert truth == value, (wave, gain)
        check_bracket(law, users, gain, value)


def test_explicit_datasets_are_no_worse_than_the_worst(
    truths: dict[tuple[SquareWave, int, Fraction], Fraction],
) -> None:
    attained = 0
    for (wave, users, gain), truth in truths.items():
        values = [rational_delta(law, users, gain) for law in explicit_laws(wave)]
        assert max(values) <= truth, (wave, users, gain)
        attained += max(values) == truth
        for law, value in zip(explicit_laws(wave), values, strict=True):
            check_bracket(law, users, gain, value)
    # the chosen datasets are often the worst of all
    assert attained > len(truths) / 2


def test_a_blanket_that_is_a_little_too_thin_is_caught(
    truths: dict[tuple[SquareWave, int, Fraction], Fraction],
) -> None:
    caught = sum(
        truth > rational_delta(with_mass_scaled(blanket_law(wave), Fraction(9, 10)), users, gain)
        for (wave, users, gain), truth in truths.items()
    )
    assert caught > len(truths) / 3


def check_bracket(law: PrivacyLaw, users: int, gain: Fraction, value: Fraction) -> None:
    """The fast path holds the rational value. Its epsilon is log(gain) as a float, hence the last digits."""
    bracket = exact.delta(law, users, math.log(gain))
    assert bracket.lower <= float(value) * (1 + 1e-12)
    assert bracket.upper >= float(value) * (1 - 1e-12)
