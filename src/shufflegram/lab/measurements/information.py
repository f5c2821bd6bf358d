"""What one report of a square wave tells of the value: the two bounds a design may maximise, and the exact value."""

from fractions import Fraction
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ...design.information import mutual_information, paper_bound, prior_bound
from ...mechanism import ContinuousSquareWave, Wave
from ..cell import Cell
from ..contenders import is_square_wave, protocol_of
from .measurement import Measurement

Floats = NDArray[np.float64]

# How many times the users of another cell those at the ends have; whichever tells most is taken.
PILES = (1, 1.5, 2, 3, 5, 8, 13, 25, 50, 100, 1000)


def information(cell: Cell, seed: int) -> dict[str, float]:
    """In nats. Nothing is drawn: every repetition would be the same."""
    _, histogram = cell.crowd
    wave = _continuous(cast(Wave, protocol_of(cell).mechanism))
    b, k = float(wave.half_width), float(wave.density_ratio)
    return {
        "prior_bound": prior_bound(b, k),
        "paper_bound": paper_bound(b, k),
        "information_uniform": mutual_information(wave),
        "information": mutual_information(wave, histogram),
        "information_ends": max(mutual_information(wave, piled_at_the_ends(weight)) for weight in PILES),
    }


def piled_at_the_ends(weight: float) -> Floats:
    """The first and the last of 64 cells have so many times the users of each other one."""
    histogram = np.ones(64)
    histogram[[0, -1]] = weight
    return histogram


def _continuous(wave: Wave) -> ContinuousSquareWave:
    """The bounds are about the continuous wave: the one whose window is as long."""
    if isinstance(wave, ContinuousSquareWave):
        return wave
    return ContinuousSquareWave(Fraction(wave.window, 2 * wave.cells), wave.density_ratio)


INFORMATION = Measurement(
    {
        "prior_bound": "the prior bound",
        "paper_bound": "the paper's bound",
        "information_uniform": "a report of a uniform value",
        "information": "a report of these data",
        "information_ends": "a report of values piled at both ends",
    },
    information,
    of=is_square_wave,
)
