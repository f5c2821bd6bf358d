"""What error to expect of a protocol before anything is collected, and what a wished-for error takes."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from .design.expected_error import CELLS, ExpectedError, expected_error
from .design.shapes import SHAPES, shape_of
from .domain import Domain
from .errors import BudgetError, InfeasibleError, MechanismError
from .privacy.budget import LARGEST_CROWD, Budget
from .protocol import Protocol
from .protocols import SquareWaveProtocol, registry

# A search for users or epsilon ends when they are known to this factor.
CLOSE = 1.02
FEWEST_USERS = 100
LEAST_EPSILON = 1e-3
# Beyond this epsilon a promise is hardly one.
WEAKEST_EPSILON = 5.0


def predicted_errors(protocol: Protocol, users: int, shape: str | ArrayLike = "smooth") -> dict[str, float]:
    """The expected errors, by the names of the metrics, if the crowd has this shape.

    A shape is one of the family (`uniform`, `smooth`, `skewed`, `spiky`) or a histogram, on equal bins of the domain.
    Errors are shares of the domain (W1 and quantiles) and of the users (ranges).
    """
    return _expected(protocol, users, shape).to_dict()


def hardest_error(protocol: Protocol, users: int) -> float:
    """The largest expected W1 over the family of shapes."""
    return max(_expected(protocol, users, each).wasserstein for each in SHAPES)


def _expected(protocol: Protocol, users: int, shape: str | ArrayLike) -> ExpectedError:
    if not isinstance(protocol, SquareWaveProtocol):
        raise MechanismError(f"errors are predicted of square waves, and {protocol.name} is none; simulate it instead")
    domain = protocol.domain
    frequencies = shape_of(shape, min(domain.bins, CELLS))
    return expected_error(protocol.channel, frequencies, users, circular=domain.circular)


@dataclass(frozen=True)
class Wish:
    """An expected W1, a share of the domain, that a collection should keep for every shape of the family."""

    error: float
    domain: Domain
    protocol: str
    max_local_epsilon: float | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.error, int | float) and 0 < self.error < 1):
            raise BudgetError(f"error is a share of the domain between 0 and 1, got {self.error!r}")

    def users(self, epsilon: float, delta: float) -> int:
        """The fewest users that keep it at this epsilon and delta."""
        found = self._least(
            lambda users: Budget(epsilon, delta, max(FEWEST_USERS, round(users)), self.max_local_epsilon),
            FEWEST_USERS,
            LARGEST_CROWD,
            f"at epsilon {epsilon:g} no crowd up to {LARGEST_CROWD:,} users",
        )
        return math.ceil(found)

    def epsilon(self, users: int, delta: float) -> float:
        """The least epsilon that keeps it with so many users."""
        found = self._least(
            lambda epsilon: Budget(epsilon, delta, users, self.max_local_epsilon),
            LEAST_EPSILON,
            WEAKEST_EPSILON,
            f"with {users:,} users no epsilon up to {WEAKEST_EPSILON:g}",
        )
        # three digits, rounded up
        unit = 10.0 ** (math.floor(math.log10(found)) - 2)
        return float(f"{math.ceil(found / unit) * unit:.3g}")

    def _least(self, budget_of: Callable[[float], Budget], low: float, high: float, nothing: str) -> float:
        """The least of what is asked for, to a factor of CLOSE, or an error that says what the most would do."""

        def expected(value: float) -> float:
            budget = budget_of(value)
            try:
                protocol = registry.build(self.protocol, self.domain, budget, "exact")
            except InfeasibleError:
                # so few tell nothing
                return math.inf
            return hardest_error(protocol, budget.users)

        def keeps(value: float) -> bool:
            return expected(value) <= self.error

        # The most is dear to look at and hardly ever asked for: first up in steps until it is enough.
        reached = low
        while not keeps(reached):
            if reached >= high:
                raise InfeasibleError(
                    f"{nothing} is expected to have an error of {self.error:g}; the last has {expected(high):.2g}, so "
                    f"ask for no less"
                )
            low, reached = reached, min(reached * 8, high)
        if reached == low:
            return low
        while reached / low > CLOSE:
            middle = math.sqrt(low * reached)
            low, reached = (low, middle) if keeps(middle) else (middle, reached)
        return reached
