"""The contour's fast steps beside what they stand for: sine and cosine by the tangent, all points in one go."""

import numpy as np
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from shufflegram.privacy.contour import Contour, one_minus_cosine_and_sine
from shufflegram.privacy.exact import ROUNDING

Floats = NDArray[np.float64]


def angles() -> Floats:
    """Of all sizes, and right beside the multiples of pi and pi / 2, where a tangent vanishes or has no bound."""
    generator = np.random.default_rng(12)
    multiples = np.pi * generator.integers(1, 10**5, size=1_000)
    return np.concatenate(
        [
            10 ** generator.uniform(-9, 7, size=4_000),
            multiples,
            multiples * (1 + 1e-9 * generator.standard_normal(multiples.size)),
            np.pi / 2 * np.arange(0, 1_000),
        ]
    )


def worst_turn(one_minus_cosine: Floats, sine: Floats) -> float:
    """The largest error relative to the angle, against 200 bits: the share of ROUNDING that it takes."""
    worst = 0.0
    with ctx.workprec(200):
        for angle, short, found in zip(angles(), one_minus_cosine, sine, strict=True):
            true = arb(float(angle))
            error = max(
                abs(float(arb(float(short)) - (1 - true.cos()))),
                abs(float(arb(float(found)) - true.sin())),
            )
            worst = max(worst, error / (ROUNDING * float(angle)) if angle else error)
    return worst


def test_a_turn_errs_by_a_small_part_of_what_the_evaluator_allows_for() -> None:
    assert worst_turn(*one_minus_cosine_and_sine(angles())) < 0.25


def test_a_tangent_in_single_precision_would_be_seen() -> None:
    short, sine = one_minus_cosine_and_sine(angles().astype(np.float32))
    assert worst_turn(short, sine) > 0.25


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(-1, 40)), min_size=1, max_size=12))
def test_points_are_those_of_every_range_in_order(pieces: list[tuple[int, int]]) -> None:
    # each range begins some way behind the one before; a length of -1 makes it empty, as where cores touch
    ranges, end = [], 0
    for gap, length in pieces:
        ranges.append((end + gap, end + gap + length))
        end = max(end, end + gap + length)
    one_by_one = [j for first, last in ranges for j in range(first, last + 1)]
    assert Contour(1.0, 1.0, tuple(ranges), None).points().tolist() == one_by_one
