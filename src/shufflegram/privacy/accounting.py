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
PRECISION = 1e-8


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
    lower = _largest_lost_epsilon(
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

    _, impossible = _largest_ratio(unavoidable, epsilon, delta, start=guaranteed)
    return Bracket(guaranteed, max(guaranteed, impossible))


def largest_guaranteed_ratio(share: Fraction, users: int, epsilon: float, delta: float) -> float:
    """The largest density ratio that the exact blanket allows for a window of the given share of the report cells."""
    exact.check_crowd(users)
    exact.check_epsilon(epsilon)
    check_delta(delta)

    def guaranteed(k: Fraction) -> float:
        return exact.delta(window_law(k, share), users, epsilon).upper

    return _largest_ratio(guaranteed, epsilon, delta)[0]


def largest_ratio_under(bound: Callable[[float], float], epsilon: float, delta: float) -> float:
    """The largest density ratio at which some other bound, a function of the ratio, stays within delta."""
    exact.check_epsilon(epsilon)
    check_delta(delta)
    return _largest_ratio(lambda k: bound(float(k)), epsilon, delta)[0]


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
    if isinstance(honest_fraction, bool) or not isinstance(honest_fraction, (int, float)):
        raise BudgetError(f"honest_fraction must be a number, got {honest_fraction!r}")
    if not 0 < honest_fraction <= 1:
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
    return _epsilons_around(delta_at, delta, local_epsilon)[1]


def _largest_lost_epsilon(delta_at: Callable[[float], float], delta: float, local_epsilon: float) -> float:
    """An epsilon with delta_at(epsilon) > delta, as large as the search finds; 0 if there is none."""
    return _epsilons_around(delta_at, delta, local_epsilon)[0]


def _epsilons_around(delta_at: Callable[[float], float], delta: float, local_epsilon: float) -> tuple[float, float]:
    """Two close epsilons: the first is too small for delta (or 0), the second is not."""
    if local_epsilon == 0 or delta_at(0.0) <= delta:
        return 0.0, 0.0
    top = math.log(local_epsilon)

    def excess(log_epsilon: float) -> float:
        # at the local epsilon delta is 0, though rounding may say otherwise; so that end is safe
        return _excess(0.0 if log_epsilon == top else delta_at(math.exp(log_epsilon)), delta)

    safe, unsafe = _boundary(excess, safe=top, direction=-1, furthest=60.0)
    # above the local epsilon by what a logarithm may be off
    enough = local_epsilon * (1 + 4 * sys.float_info.epsilon) if safe == top else math.exp(safe)
    return 0.0 if unsafe == safe else math.exp(unsafe), enough


def _largest_ratio(
    delta_at: Callable[[Fraction], float], epsilon: float, delta: float, start: float | None = None
) -> tuple[float, float]:
    """Two close density ratios: the first is private, the second is not, unless both are the largest that there is."""
    # k = exp(epsilon) is private with delta 0, for any window, and a little less is so whatever the rounding; the
    # search is for log(k - 1), which is smooth at both ends
    smallest = math.log(max(math.expm1(epsilon) * (1 - 1e-14) - 1e-15, 1e-12))
    largest = math.log(LARGEST_RATIO)
    if smallest >= largest:
        return LARGEST_RATIO, LARGEST_RATIO

    def excess(log_ratio: float) -> float:
        return _excess(delta_at(Fraction(1 + math.exp(log_ratio))), delta)

    safe = smallest if start is None else max(smallest, math.log(start - 1))
    private, too_large = _boundary(excess, safe=safe, direction=1, furthest=largest - safe)
    return 1 + math.exp(private), 1 + math.exp(too_large)


def _excess(reached: float, allowed: float) -> float:
    """Positive where too much is lost: log(-log delta) is nearly linear in the logarithm of ratio and of epsilon."""
    loss = math.log(-math.log(allowed)) - math.log(-math.log(min(max(reached, sys.float_info.min), 1 - 1e-15)))
    # rounding must not decide on which side it is
    return min(loss, 0.0) if reached <= allowed else max(loss, sys.float_info.min)


def _boundary(excess: Callable[[float], float], *, safe: float, direction: int, furthest: float) -> tuple[float, float]:
    """Where a monotone excess changes sign: the last point where it is not positive, the first where it is.

    Growing steps find the other side; then the ITP method: secant steps that lean towards the middle, never slower than
    halving. Only tested values are returned; twice the same one if the sign does not change.
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
            return unsafe, unsafe
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
    return safe, unsafe
