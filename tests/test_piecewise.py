"""The piecewise mechanism is a square wave: by its own definition, draw by draw and number by number."""

import math
from fractions import Fraction

import numpy as np
import pytest

from shufflegram.design import square_wave as design
from shufflegram.design.information import mutual_information
from shufflegram.mechanism import ContinuousSquareWave
from shufflegram.privacy.budget import Budget
from shufflegram.privacy.laws import window_law

BUDGET = Budget(0.1, 1e-5, 100_000)


def piecewise_density(x: float, y: float, local_epsilon: float) -> float:
    """PM's density at report y in [-C, C] for a value x in [-1, 1], as its authors define it."""
    root = math.exp(local_epsilon / 2)
    C = (root + 1) / (root - 1)
    low = (C + 1) / 2 * x - (C - 1) / 2
    p = (math.exp(local_epsilon) - root) / (2 * root + 2)
    return p if low <= y <= low + C - 1 else p / math.exp(local_epsilon)


@pytest.mark.parametrize("local_epsilon", [0.3, 1.0, 2.5, 6.0])
def test_its_density_is_a_square_waves(local_epsilon: float) -> None:
    root = math.exp(local_epsilon / 2)
    C = (root + 1) / (root - 1)
    b = design.piecewise_half_width(local_epsilon)
    wave = ContinuousSquareWave(Fraction(b), Fraction(math.exp(local_epsilon)))
    inside, outside = float(wave.inside_density), float(wave.outside_density)
    generator = np.random.default_rng(7)
    for unit_value, place in generator.random((500, 2)):
        report = -b + place * (1 + 2 * b)
        square = inside if abs(report - unit_value) <= b else outside
        # values of [0, 1] are (1 + x) / 2, and reports of [-b, 1 + b] are (y + C) / (C + 1) - b
        own = piecewise_density(2 * unit_value - 1, (report + b) * (C + 1) - C, local_epsilon)
        assert own * (C + 1) == pytest.approx(square, rel=1e-9)
    # with half the width, the densities would differ
    assert wave.with_density_ratio(Fraction(2)).inside_density != wave.inside_density


@pytest.mark.parametrize("local_epsilon", [0.3, 2.5])
def test_its_blanket_law_is_that_of_its_own_density(local_epsilon: float) -> None:
    root = math.exp(local_epsilon / 2)
    C = (root + 1) / (root - 1)
    k = math.exp(local_epsilon)
    low_density = (k - root) / (2 * root + 2) / k
    law = window_law(Fraction(k), Fraction(design._share_by(design.piecewise_half_width, k)))
    # the blanket is the lower density on all of [-C, C]; the window of length C - 1 is hit with that density too
    assert float(law.blanket_mass) == pytest.approx(2 * C * low_density)
    assert [float(atom.probability) for atom in law.atoms[:2]] == pytest.approx([(C - 1) * low_density] * 2)


def test_tuning_it_by_information_leads_to_asp() -> None:
    # freed from its one parameter, its window and ratio are those of any square wave: the best is ASP's
    own, tuned = design.published_by(design.piecewise_half_width, BUDGET), design.published_asp(BUDGET)
    assert mutual_information(own) < mutual_information(tuned)
    limited = design.exact_by_in_cells(design.piecewise_half_width, 256, circular=False, budget=BUDGET)
    best = design.exact_asp(256, circular=False, budget=BUDGET)
    assert mutual_information(limited) < mutual_information(best)
