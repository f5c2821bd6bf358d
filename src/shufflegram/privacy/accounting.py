"""The questions a person asks: how private is this, what would be, and what is lost when fewer take part.

Every answer is a bracket. One end follows from the exact blanket, which holds for every pair of neighbouring
datasets; the other from explicit datasets, which nothing can beat. In between lies what nobody knows yet (often
nothing visible).
"""

import math
import sys
from collections.abc import Callable
from fractions import Fraction

from ..errors import BudgetError, InfeasibleError
from ..mechanism import ContinuousSquareWave, SquareWave
from . import exact
from .bracket import Bracket
from .laws import blanket_law, window_law
from .lower import explicit_laws

Wave = SquareWave | ContinuousSquareWave
# Larger density ratios than this say no more about a value and do not fit 64-bit weights.
LARGEST_RATIO = 1e12
# Searches end when the unknown is known this well, relative to itself.
PRECISION = 1e-9


def delta(mechanism: Wave, users: int, epsilon: float) -> Bracket:
    """The delta at this epsilon, with `users` honest reports: `upper` is guaranteed, `lower` unavoidable."""
    upper = exact.delta(blanket_law(mechanism), users, epsilon).upper
    lower = max(exact.delta(law, users, epsilon).lower for law in explicit_laws(mechanism))
    return Bracket(min(lower, upper), upper)


def epsilon(mechanism: Wave, users: int, delta: float) -> Bracket:
    """The epsilon at this delta, with `users` honest reports: `upper` is guaranteed, `lower` unavoidable."""
    exact.check_crowd(users)
    check_delta(delta)
    blanket = blanket_law(mechanism)
    explicit = explicit_laws(mechanism)
    upper = smallest_epsilon(lambda value: exact.delta(blanket, users, value).upper, delta, mechanism.local_epsilon)
    lower = smallest_epsilon(
        lambda value: max(exact.delta(law, users, value).lower for law in explicit), delta, mechanism.local_epsilon
    )
    return Bracket(min(lower, upper), upper)


def largest_density_ratio(mechanism: Wave, users: int, epsilon: float, delta: float) -> Bracket:
    """The largest density ratio for the mechanism's window: `lower` is guaranteed to be private, above `upper` none is.

    The mechanism's own density ratio plays no part.
    """
    guaranteed = largest_guaranteed_ratio(mechanism.window_share, users, epsilon, delta)

    def unavoidable(k: Fraction) -> float:
        return max(exact.delta(law, users, epsilon).lower for law in explicit_laws(mechanism, k))

    possible = _largest_ratio(unavoidable, epsilon, delta, start=guaranteed)
    return Bracket(guaranteed, max(guaranteed, possible))


def largest_guaranteed_ratio(share: Fraction, users: int, epsilon: float, delta: float) -> float:
    """The largest density ratio that the exact blanket allows for a window of the given share of the report cells."""
    exact.check_crowd(users)
    exact.check_epsilon(epsilon)
    check_delta(delta)

    def guaranteed(k: Fraction) -> float:
        return exact.delta(window_law(k, share), users, epsilon).upper

    return _largest_ratio(guaranteed, epsilon, delta)


def largest_ratio_under(bound: Callable[[float], float], epsilon: float, delta: float) -> float:
    """The largest density ratio at which some other bound, a function of the ratio, stays within delta."""
    exact.check_epsilon(epsilon)
    check_delta(delta)
    return _largest_ratio(lambda k: bound(float(k)), epsilon, delta)


def smallest_users(mechanism: Wave, epsilon: float, delta: float) -> int:
    """The fewest honest reports for which the guarantee holds: what a shuffler has to wait for."""
    exact.check_epsilon(epsilon)
    check_delta(delta)
    law = blanket_law(mechanism)

    def holds(users: int) -> bool:
        return exact.delta(law, users, epsilon).upper <= delta

    few, enough = 0, 1
    while not holds(enough):
        few, enough = enough, 2 * enough
        if enough > 10**15:
            raise BudgetError(f"no crowd is large enough for epsilon {epsilon:g} and delta {delta:g}; ask for less")
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if holds(middle) else (middle, enough)
    return enough


def honest_reports(users: int, honest_fraction: float) -> int:
    """How many of the users count: the honest, randomizing ones, the target's report included."""
    exact.check_crowd(users)
    if not (math.isfinite(honest_fraction) and 0 < honest_fraction <= 1):
        raise BudgetError(f"honest_fraction must be above 0 and at most 1, got {honest_fraction:g}")
    # a fraction such as 0.29 must not lose a user to its binary rounding, nor gain one
    honest = math.floor(users * Fraction(repr(float(honest_fraction))))
    if honest < 1:
        raise BudgetError(f"{honest_fraction:g} of {users:,} users is not one honest report; more users are needed")
    return honest


def check_delta(delta: float) -> None:
    """One clear error for a delta that means nothing."""
    if isinstance(delta, bool) or not isinstance(delta, (int, float)) or not 0 < delta < 1:
        raise BudgetError(f"delta must be a number between 0 and 1, both excluded, got {delta!r}")


def smallest_epsilon(delta_at: Callable[[float], float], delta: float, local_epsilon: float) -> float:
    """The smallest epsilon with delta_at(epsilon) <= delta, approached from above; never more than the local one."""
    if local_epsilon == 0 or delta_at(0.0) <= delta:
        return 0.0
    # at the local epsilon delta is 0, so that end is safe
    top = math.log(local_epsilon)
    found = _boundary(
        lambda log_epsilon: _excess(delta_at(math.exp(min(log_epsilon, top))), delta),
        safe=top,
        direction=-1,
        furthest=60.0,
    )
    return math.exp(found)


def _largest_ratio(
    delta_at: Callable[[Fraction], float], epsilon: float, delta: float, start: float | None = None
) -> float:
    # k = exp(epsilon) is private with delta 0, for any window; search for log(k - 1), which is smooth at both ends
    smallest = math.log(max(math.expm1(epsilon), 1e-12))
    largest = math.log(LARGEST_RATIO)
    if smallest >= largest:
        return LARGEST_RATIO

    def excess(log_ratio: float) -> float:
        return _excess(delta_at(Fraction(1 + math.exp(log_ratio))), delta)

    safe = smallest if start is None else max(smallest, math.log(start - 1))
    return 1 + math.exp(_boundary(excess, safe=safe, direction=1, furthest=largest - safe))


def _excess(reached: float, allowed: float) -> float:
    """Positive where too much is lost: log(-log delta) is nearly linear in the logarithm of ratio and of epsilon."""
    return math.log(-math.log(allowed)) - math.log(-math.log(min(max(reached, sys.float_info.min), 1 - 1e-15)))


def _boundary(excess: Callable[[float], float], *, safe: float, direction: int, furthest: float) -> float:
    """Where a monotone excess changes sign, from the safe side, where it is not positive.

    Growing steps find the other side; then the ITP method: secant steps that lean towards the middle, never slower than
    halving. Only tested values are returned.
    """
    safe_value = excess(safe)
    if safe_value > 0:
        raise InfeasibleError("no parameters are private at this budget; ask for a larger epsilon or delta")
    # a first step to where the boundary would be if the excess had the slope 2 of the Gaussian limit
    reach = min(max(-safe_value / 2, 1e-3), 2.0)
    while True:
        unsafe = safe + direction * min(reach, furthest)
        unsafe_value = excess(unsafe)
        if unsafe_value > 0:
            break
        if reach >= furthest:
            return unsafe
        safe, safe_value, furthest = unsafe, unsafe_value, furthest - reach
        reach = min(2 * reach, 2.0)
    scale = 0.2 / abs(unsafe - safe)
    halvings = math.ceil(math.log2(max(abs(unsafe - safe) / PRECISION, 1.0))) + 1
    for step in range(halvings + 1):
        width = unsafe - safe
        if abs(width) <= PRECISION:
            break
        middle = safe + width / 2
        secant = safe - safe_value * width / (unsafe_value - safe_value)
        lean = math.copysign(min(scale * width * width, abs(middle - secant)), middle - secant)
        leaning = secant + lean
        allowed = PRECISION * 2.0 ** (halvings - step) - abs(width) / 2
        tried = leaning if abs(leaning - middle) <= allowed else middle - math.copysign(allowed, middle - secant)
        value = excess(tried)
        if value <= 0:
            safe, safe_value = tried, value
        else:
            unsafe, unsafe_value = tried, value
    return safe
