"""How many dummies Flip and Pure send, and how often Flip flips: as published, and under exact accounting."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ..errors import InfeasibleError
from ..mechanism import Flip, Pure
from ..privacy import exact
from ..privacy.accounting import guaranteed_delta
from ..privacy.budget import Budget
from ..privacy.laws import flip_law
from .square_wave import PROVABLE

# Decimals of a proposed flip probability; it is rounded up, to the private side.
DECIMALS = 9
# What is published asks for no certain number of dummies: at its threshold the estimate divides by zero.
BEYOND_THRESHOLD = 2
# On the frontier, an error this close to the least one is as good: then fewer messages decide.
AS_GOOD = 1.05
# The largest numbers of dummies that are searched.
MOST_DUMMIES = 10**9


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """A number of messages, the mechanism that is private with it, and the deviation of one chunk's estimated share."""

    messages: int
    mechanism: Flip
    deviation: float


def published_flip(chunks: int, budget: Budget) -> Flip:
    """Flip as published: twice its threshold of dummies, and the flip probability that its formula asks for."""
    # X = ((E + 1) / (E - 1))^2 ln(4 / delta),  s = max(132 X / (5n), 2 ln(20c) / n - 1),  q (1 - q) = 33 X / (5ns)
    odds = 1 / math.tanh(budget.epsilon / 2)
    loss = odds * odds * math.log(4 / budget.delta)
    threshold = max(132 * loss / (5 * budget.users), 2 * math.log(20 * chunks) / budget.users - 1)
    dummies = max(1, math.ceil(BEYOND_THRESHOLD * threshold))
    product = 33 * loss / (5 * budget.users * dummies)
    return _flip(chunks, dummies, _flip_probability_of(product), budget)


def published_pure(chunks: int, budget: Budget) -> Pure:
    """Pure as published: the fewest whole dummies with sqrt(14 c ln(2 / delta) / (ns - 1)) <= epsilon."""
    _require_no_cap(budget)
    total = 14 * chunks * math.log(2 / budget.delta) / budget.epsilon**2 + 1
    return Pure(chunks, max(1, math.ceil(total / budget.users)))


def exact_flip(chunks: int, budget: Budget) -> Flip:
    """The fewest messages on the frontier whose error is as good as the least."""
    points = frontier(chunks, budget)
    least = min(point.deviation for point in points)
    return next(point.mechanism for point in points if point.deviation <= AS_GOOD * least)


def exact_pure(chunks: int, budget: Budget) -> Pure:
    """The fewest dummies that the exact law allows: they are both the fewest messages and the least noise."""
    _require_no_cap(budget)
    allowed = budget.delta * PROVABLE

    def is_private(dummies: int) -> bool:
        return guaranteed_delta(Pure(chunks, dummies), budget.users, budget.epsilon) <= allowed

    return Pure(chunks, _first_private(is_private, budget))


def frontier(chunks: int, budget: Budget) -> list[FrontierPoint]:
    """Numbers of dummies, doubling up to the published one, each with its smallest safe flip probability."""
    most = published_flip(chunks, budget).dummies
    numbers = sorted({most, *(1 << power for power in range(most.bit_length()) if 1 << power <= most)})
    points = []
    for dummies in numbers:
        probability = smallest_flip_probability(dummies, budget)
        mechanism = _flip(chunks, dummies, probability, budget)
        points.append(FrontierPoint(dummies + 1, mechanism, flip_deviation(mechanism, budget.users)))
    return points


def smallest_flip_probability(dummies: int, budget: Budget) -> Fraction:
    """The smallest flip probability that the exact law allows with so many dummies a user, rounded up."""
    terms = dummies * budget.users + 1
    allowed = budget.delta * PROVABLE
    # Between 0, where nothing is hidden, and 1/2, where nothing is told; halved on a logarithmic scale.
    unsafe, safe = 1e-15, 0.5 - 1e-9
    while safe / unsafe > 1 + 1e-7:
        middle = math.sqrt(safe * unsafe)
        loss = exact.delta(flip_law(Fraction(middle)), terms, budget.epsilon).upper
        unsafe, safe = (unsafe, middle) if loss <= allowed else (middle, safe)
    return Fraction(safe)


def flip_deviation(mechanism: Flip, users: int) -> float:
    """The standard deviation of one chunk's estimated share, through the flips of all vectors."""
    # sqrt(n (s+1) q (1-q)) / (n (1 - 2q))
    q = float(mechanism.flip_probability)
    return math.sqrt(mechanism.messages * q * (1 - q) / users) / (1 - 2 * q)


def pure_deviation(mechanism: Pure, users: int) -> float:
    """The standard deviation of one chunk's estimated share, through everyone's dummies."""
    # sqrt(ns (1/c) (1 - 1/c)) / n
    share = 1 / mechanism.chunks
    return math.sqrt(mechanism.dummies * share * (1 - share) / users)


def _flip(chunks: int, dummies: int, probability: Fraction | float, budget: Budget) -> Flip:
    """The mechanism at this probability, raised to what the cap on the local epsilon asks for and to short digits."""
    cap = budget.max_local_epsilon
    if cap is not None:
        # 2 ln((1 - q) / q) <= cap
        probability = max(Fraction(probability), Fraction(1 / (1 + math.exp(min(cap, 300.0) / 2)) * (1 + 1e-12)))
    unit = 10**DECIMALS
    # enough digits of what is small, too
    while Fraction(probability) * unit < 10**5:
        unit *= 10
    rounded = Fraction(math.ceil(Fraction(probability) * unit), unit)
    if rounded >= Fraction(1, 2):
        raise InfeasibleError(
            f"with {budget.users:,} honest reports, epsilon {budget.epsilon:g} and delta {budget.delta:g} Flip would "
            f"have to flip every second bit, which tells nothing; raise one of them"
        )
    return Flip(chunks, dummies, rounded)


def _flip_probability_of(product: float) -> float:
    """q with q (1 - q) = product, q < 1/2."""
    return 2 * product / (1 + math.sqrt(max(0.0, 1 - 4 * product)))


def _first_private(is_private: Callable[[int], bool], budget: Budget) -> int:
    """The fewest dummies that are private: more of them always are."""
    few, enough = 0, 1
    while not is_private(enough):
        few, enough = enough, 2 * enough
        if enough > MOST_DUMMIES:
            raise InfeasibleError(
                f"no {MOST_DUMMIES:,} dummies a user are enough for epsilon {budget.epsilon:g} and delta "
                f"{budget.delta:g} with {budget.users:,} honest reports; raise one of them"
            )
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if is_private(middle) else (middle, enough)
    return enough


def _require_no_cap(budget: Budget) -> None:
    if budget.max_local_epsilon is not None:
        raise InfeasibleError(
            "Pure sends every value as it is among dummies, so nothing is left if shuffler and analyst collude; leave "
            "max_local_epsilon out, or take another protocol"
        )
