"""Where a privacy loss crosses what is allowed: searches that know on which side they are.

Every answer is a pair of close points, one that was tested to be private and one that was tested not to be, so that a
caller takes the side that it needs: the private one for a guarantee, the other for what cannot be avoided.
"""

import math
import sys
from collections.abc import Callable
from fractions import Fraction

from ..errors import InfeasibleError
from .budget import LARGEST_EPSILON

# Larger density ratios than this say no more about a value and do not fit 64-bit weights.
LARGEST_RATIO = 1e12
# Above this epsilon one rounding can be more than all of delta: there, bounds are true but may say nothing.
FAR = 20.0
# Searches end when the unknown is known this well, relative to itself.
PRECISION = 1e-8


def epsilons_around(delta_at: Callable[[float], float], delta: float, local_epsilon: float) -> tuple[float, float]:
    """Two close epsilons: the first is too small for delta (or 0), the second is not."""
    if local_epsilon == 0 or delta_at(0.0) <= delta:
        return 0.0, 0.0
    largest = min(local_epsilon, LARGEST_EPSILON)
    if local_epsilon > LARGEST_EPSILON and delta_at(LARGEST_EPSILON) > delta:
        # delta never grows with epsilon: where this one is enough the largest is too, whatever the bound there says
        if delta_at(FAR) > delta:
            raise InfeasibleError(f"no epsilon up to {LARGEST_EPSILON:g} gives delta {delta:g}; ask for a larger one")
        largest = FAR
    top = math.log(largest)

    def excess(log_epsilon: float) -> float:
        # at the local epsilon delta is 0, though rounding may say otherwise; so that end is safe
        return _excess(0.0 if log_epsilon == top else delta_at(math.exp(log_epsilon)), delta)

    safe, unsafe = _boundary(excess, safe=top, direction=-1, furthest=60.0)
    # above the local epsilon by what a logarithm may be off
    enough = largest * (1 + 4 * sys.float_info.epsilon) if safe == top else math.exp(safe)
    return 0.0 if unsafe == safe else math.exp(unsafe), enough


def ratios_around(
    delta_at: Callable[[Fraction], float], epsilon: float, delta: float, start: float | None = None
) -> tuple[float, float]:
    """Two close density ratios: the first is private, the second is not, unless both are the largest that there is."""
    # k = exp(epsilon) is private with delta 0, for any window and under every bound, and a little less is so whatever
    # the rounding; the search is for log(k - 1), which is smooth at both ends
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
