"""What a protocol of the registry costs, and how much of a budget it really spends.

Whoever chose the parameters, and by whatever formula: what they spend is told by exact accounting, from both sides.
"""

from dataclasses import dataclass
from typing import Any

from .. import privacy
from ..domain import Domain
from ..errors import InfeasibleError, MechanismError
from ..mechanism import Mechanism
from ..privacy.bracket import Bracket
from ..privacy.budget import Budget
from .registry import Accounting, build


@dataclass(frozen=True, slots=True)
class Facts:
    """Of one protocol under one accounting: its parameters, its costs, and what it spends of the budget."""

    name: str
    accounting: Accounting
    budget: Budget
    mechanism: Mechanism
    messages_per_user: float
    bits_per_user: float
    # at the budget's epsilon
    delta: Bracket
    # at the budget's delta; None if none that means anything can be promised there
    epsilon: Bracket | None

    @property
    def local_epsilon(self) -> float:
        """What is left without the shuffler; infinite if nothing is."""
        return self.mechanism.local_epsilon

    @property
    def share_of_delta(self) -> float:
        """The guaranteed delta over the budget's: far below 1, more noise is added than the budget asks for."""
        return self.delta.upper / self.budget.delta

    @property
    def kept(self) -> bool | None:
        """Whether the budget is kept; None where it lies within the bracket and nobody knows."""
        if self.delta.upper <= self.budget.delta:
            return True
        return False if self.delta.lower > self.budget.delta else None

    def to_dict(self) -> dict[str, Any]:
        """A readable record; the budget is not repeated in it."""
        return {
            "name": self.name,
            "accounting": self.accounting,
            "mechanism": self.mechanism.to_dict(),
            "messages_per_user": self.messages_per_user,
            "bits_per_user": self.bits_per_user,
            "local_epsilon": self.local_epsilon,
            "delta": self.delta.to_dict(),
            "share_of_delta": self.share_of_delta,
            "epsilon": None if self.epsilon is None else self.epsilon.to_dict(),
            "kept": self.kept,
        }


@dataclass(frozen=True, slots=True)
class Unavailable:
    """No parameters of this protocol fit the domain and the budget, and why."""

    name: str
    accounting: Accounting
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "accounting": self.accounting, "reason": self.reason}


def facts_of(name: str, domain: Domain, budget: Budget, accounting: Accounting) -> Facts | Unavailable:
    """The facts of the named protocol, or why there are none."""
    try:
        protocol = build(name, domain, budget, accounting)
    except (InfeasibleError, MechanismError) as problem:
        return Unavailable(name, accounting, str(problem))
    mechanism = protocol.mechanism
    return Facts(
        name,
        accounting,
        budget,
        mechanism,
        protocol.messages_per_user,
        protocol.bits_per_user,
        privacy.delta(mechanism, budget.users, budget.epsilon),
        _epsilon(mechanism, budget),
    )


def _epsilon(mechanism: Mechanism, budget: Budget) -> Bracket | None:
    try:
        return privacy.epsilon(mechanism, budget.users, budget.delta)
    except InfeasibleError:
        return None
