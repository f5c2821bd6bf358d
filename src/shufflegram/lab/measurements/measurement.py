"""What a measurement is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..cell import Cell


def everything(name: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Measurement:
    """The numbers it gives, by name, in order, with words for people; and the function from a cell and a seed to them.

    Most are about one number a user; one for `joint` data is about rows of several. `of` says which of what can be
    tried it can measure, where that is not everything.
    """

    metrics: Mapping[str, str]
    measure: Callable[[Cell, int], dict[str, float]]
    joint: bool = False
    of: Callable[[str], bool] = everything
