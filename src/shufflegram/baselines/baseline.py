"""What a baseline is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol as Interface

from numpy.typing import ArrayLike

from ..domain import Domain
from ..estimators.estimate import Estimate
from ..privacy.budget import Budget


class Baseline(Interface):
    """Built for a domain and a budget; like a protocol it can be simulated from a histogram of true values."""

    @property
    def resolution(self) -> int:
        """How many equal parts of the domain the estimate can tell apart."""
        ...

    def simulate(self, histogram: ArrayLike, simulation_seed: int) -> Estimate:
        """An estimate as users with this histogram of true values would give."""
        ...


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """A baseline's name, what it is for people, and how it is built."""

    name: str
    title: str
    build: Callable[[Domain, Budget], Baseline]
