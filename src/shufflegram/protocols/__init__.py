"""Assemblies: a randomizer, an analyzer and the facts of a guarantee, one file each, and the registry of all."""

from .entry import Entry
from .facts import Facts, Unavailable, facts_of
from .registry import PROTOCOLS, build, entry, names
from .square_wave import SquareWaveProtocol

__all__ = [
    "PROTOCOLS",
    "Entry",
    "Facts",
    "SquareWaveProtocol",
    "Unavailable",
    "build",
    "entry",
    "facts_of",
    "names",
]
