"""What a user's device does: a value goes in, a random report comes out."""

from .continuous import ContinuousSquareWaveRandomizer
from .simulation import simulate_continuous_tally, simulate_tally, simulate_tally_through
from .square_wave import SquareWaveRandomizer

__all__ = [
    "ContinuousSquareWaveRandomizer",
    "SquareWaveRandomizer",
    "simulate_continuous_tally",
    "simulate_tally",
    "simulate_tally_through",
]
