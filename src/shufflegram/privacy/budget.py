"""What a collection may lose, and how many honest reports hide it."""

import math
from dataclasses import dataclass

from ..checks import is_finite, is_whole
from ..errors import BudgetError

# Beyond this epsilon no guarantee means anything: the odds of what is learnt may change by a factor of 5e21.
LARGEST_EPSILON = 50.0
# The contour's arithmetic is tested up to this many terms.
LARGEST_CROWD = 10**15


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
        if cap is not None and not (is_finite(cap) and cap > 0):
            raise BudgetError(f"max_local_epsilon must be a positive number, got {cap!r}")

    def capped(self, ratio: float) -> float:
        """The density ratio, or less where the local epsilon is capped: ln k <= max_local_epsilon."""
        return ratio if self.max_local_epsilon is None else min(ratio, math.exp(min(self.max_local_epsilon, 300.0)))


def check_crowd(users: int) -> None:
    """One clear error for a crowd that means nothing."""
    if not is_whole(users):
        raise BudgetError(f"the number of users must be a whole number, got {users!r}")
    if users < 1:
        raise BudgetError(f"the number of users must be at least 1, got {users}")
    if users > LARGEST_CROWD:
        raise BudgetError(f"the number of users must be at most 1e15, got {users}")


def check_epsilon(epsilon: float) -> None:
    """One clear error for an epsilon that means nothing."""
    if not (is_finite(epsilon) and 0 <= epsilon <= LARGEST_EPSILON):
        raise BudgetError(f"epsilon must be between 0 and {LARGEST_EPSILON:g}, got {epsilon!r}")


def check_delta(delta: float) -> None:
    """One clear error for a delta that means nothing."""
    if not (is_finite(delta) and 0 < delta < 1):
        raise BudgetError(f"delta must be a number between 0 and 1, both excluded, got {delta!r}")


def check_share(name: str, share: float) -> None:
    """One clear error for a share that means nothing."""
    if not (is_finite(share) and 0 < share <= 1):
        raise BudgetError(f"{name} must be a number above 0 and at most 1, got {share!r}")
