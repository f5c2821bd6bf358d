"""What a measurement is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..cell import Cell


@dataclass(frozen=True, slots=True)
class Measurement:
    """The numbers it gives, by name, in order, with words for people; and the function from a cell and a seed to them.

    Most are about one number a user; one for `joint` data is about rows of several.
    """

    metrics: Mapping[str, str]
    measure: Callable[[Cell, int], dict[str, float]]
    joint: bool = False
