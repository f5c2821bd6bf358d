"""What a user's device does: a value goes in, a random report comes out."""

from .chunks import FlipRandomizer, PureRandomizer, simulate_flip_tally, simulate_pure_tally
from .continuous import ContinuousSquareWaveRandomizer
from .simulation import simulate_continuous_tally, simulate_tally, simulate_tally_through
from .square_wave import SquareWaveRandomizer

__all__ = [
    "ContinuousSquareWaveRandomizer",
    "FlipRandomizer",
    "PureRandomizer",
    "SquareWaveRandomizer",
    "simulate_continuous_tally",
    "simulate_flip_tally",
    "simulate_pure_tally",
    "simulate_tally",
    "simulate_tally_through",
]
