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

    @property
    def messages_per_user(self) -> float:
        """How many messages a user sends, to a shuffler or to whoever stands in its place."""
        ...

    @property
    def bits_per_user(self) -> float:
        """How many bits these messages take, without transport."""
        ...

    @property
    def promise(self) -> str:
        """What is promised to each user, and towards whom, in one line of plain words."""
        ...

    def simulate(self, histogram: ArrayLike, simulation_seed: int) -> Estimate:
        """An estimate as users with this histogram of true values would give."""
        ...


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """A baseline's name, what it is for people, whom its users have to trust, and how it is built.

    `accounting` is how its privacy is accounted for where that is a choice, as for the reports of published ASP;
    `library` is what it takes beyond what this package installs.
    """

    name: str
    title: str
    trust: str
    build: Callable[[Domain, Budget], Baseline]
    accounting: str | None = None
    library: str | None = None
