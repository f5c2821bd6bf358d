"""Assemblies: a randomizer, an analyzer and the facts of a guarantee, one file each, and the registry of all."""

from .entry import Entry
from .registry import PROTOCOLS, build, entry, names
from .square_wave import SquareWaveProtocol

__all__ = ["PROTOCOLS", "Entry", "SquareWaveProtocol", "build", "entry", "names"]
