"""What a collection may lose, and how many honest reports hide it."""

import math
from dataclasses import dataclass

from ..errors import BudgetError
from .accounting import check_delta
from .exact import check_crowd, check_epsilon


@dataclass(frozen=True, slots=True)
class Budget:
    """(epsilon, delta) with at least `users` honest reports; `max_local_epsilon` caps the loss without a shuffler."""

    epsilon: float
    delta: float
    users: int
    max_local_epsilon: float | None = None

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        if self.epsilon == 0:
            raise BudgetError("epsilon must be above 0: at 0 a report can say nothing")
        check_delta(self.delta)
        check_crowd(self.users)
        cap = self.max_local_epsilon
        if cap is not None and not (math.isfinite(cap) and cap > 0):
            raise BudgetError(f"max_local_epsilon must be a positive number, got {cap!r}")

    def capped(self, ratio: float) -> float:
        """The density ratio, or less where the local epsilon is capped: ln k <= max_local_epsilon."""
        return ratio if self.max_local_epsilon is None else min(ratio, math.exp(min(self.max_local_epsilon, 300.0)))
