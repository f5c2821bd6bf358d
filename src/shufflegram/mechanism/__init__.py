"""Mechanisms as frozen records of integers and rationals.

They stand at the bottom of everything: the randomizer draws from one, the channel is computed from it, the privacy law
is derived from it. A mechanism knows nothing of the user's units; it speaks of cells and chunks.
"""

from .flip import Flip
from .pure import Pure
from .ratios import WEIGHT_LIMIT
from .square_wave import ContinuousSquareWave, SquareWave, widest_half_width

Wave = SquareWave | ContinuousSquareWave
# Every mechanism there is: a new protocol adds its own.
Mechanism = Wave | Flip | Pure

__all__ = [
    "WEIGHT_LIMIT",
    "ContinuousSquareWave",
    "Flip",
    "Mechanism",
    "Pure",
    "SquareWave",
    "Wave",
    "widest_half_width",
]
