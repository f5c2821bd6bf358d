"""Closed forms and looser laws: what is published, corrected, and what can be checked by hand.

Each is an upper bound on delta, looser than the exact blanket; they serve comparison and sanity checks. The one
function whose name says `as_printed` is not an upper bound at all and exists to show that. `BOUNDS` lists them all, as
functions of a mechanism.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..mechanism import Wave
from . import exact
from .contour import find_tilt
from .laws import PrivacyLaw, blanket_law, clone_law


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound for square waves: its name, its title for people, delta, and whether it is a bound at all."""

    name: str
    title: str
    delta: Callable[[Wave, int, float], float]
    is_guarantee: bool = True


def hoeffding(k: float, share: float, users: int, epsilon: float) -> float:
    """Theorems 1 and 2 of the paper, corrected: the range of L is (1 + 2b)(p - q)(1 + E) = gamma (k - 1)(1 + E).

    Where k <= E no L is positive, so delta is 0, which the formula does not know.
    """
    if k < math.exp(epsilon) * (1 - 2 * sys.float_info.epsilon):
        return 0.0
    return math.exp(min(0.0, log_hoeffding(k, share, users, epsilon)))


def hoeffding_as_printed(k: float, share: float, users: int, epsilon: float) -> float:
    """Theorems 1 and 2 as the paper prints them. NOT an upper bound: L is divided by (1 + 2b)^2 too often."""
    # share = 2b / (1 + 2b), so 1 + 2b = 1 / (1 - share)
    return math.exp(min(0.0, log_hoeffding(k, share, users, epsilon, narrowing=(1 - share) ** 2)))


def log_hoeffding(k: float, share: float, users: int, epsilon: float, narrowing: float = 1.0) -> float:
    """log of r^2 / (4 gamma n a) exp(-gamma n (1 - exp(-2 a^2 / r^2))), a = E - 1, r = range of L times `narrowing`."""
    a = math.expm1(epsilon)
    blanket = 1 / (1 + share * (k - 1))
    spread = blanket * (k - 1) * (1 + math.exp(epsilon)) * narrowing
    if spread == 0:
        return -math.inf
    if a == 0:
        return 0.0
    exponent = blanket * users * math.expm1(-2 * a * a / (spread * spread))
    return 2 * math.log(spread) - math.log(4 * blanket * users * a) + exponent


def bennett(k: float, share: float, users: int, epsilon: float) -> float:
    """b+ / (gamma n log(1 + a b+ / c)) (1 - gamma + gamma exp(-(c / b+^2) phi(a b+ / c)))^n

    with c = E L^2, b+ = max L, a = E - 1 and phi(u) = (1 + u) log(1 + u) - u.
    """
    gain = math.exp(epsilon)
    a = math.expm1(epsilon)
    blanket = 1 / (1 + share * (k - 1))
    most = blanket * (k - gain)
    if most <= 0:
        return 0.0
    if a == 0:
        return 1.0
    # the atoms k - E, 1 - kE, 1 - E within the blanket, scaled by gamma
    square = blanket**2 * (share * (k - gain) ** 2 + share * (1 - k * gain) ** 2 + (1 - 2 * share) * a * a)
    u = a * most / square
    # for small u the difference cancels; u^2 / 2 - u^3 / 6 is below it
    phi = (1 + u) * math.log1p(u) - u if u > 1e-4 else u * u / 2 * (1 - u / 3)
    shrink = blanket * math.expm1(-square / (most * most) * phi)
    return min(1.0, most / (blanket * users * math.log1p(u)) * math.exp(users * math.log1p(shrink)))


def chernoff(law: PrivacyLaw, terms: int, epsilon: float) -> float:
    """min over theta of M(theta)^N / (e theta N): anyone can check it by hand at any theta > 0."""
    values = exact.law_values(law, epsilon)
    masses = [float(atom.probability) for atom in law.atoms]
    if max(values) <= 0:
        return 0.0
    theta = find_tilt(values, masses, terms, power=1.0)
    rest = float(1 - sum(atom.probability for atom in law.atoms))
    log_moment, _ = exact.moment_logarithm(np.array(values), np.array(masses), rest, theta)
    return math.exp(min(0.0, terms * log_moment - math.log(math.e * theta * terms)))


def clones(mechanism: Wave, users: int, epsilon: float) -> float:
    """The clone argument with weight 1/k, for every pair of values."""
    k = mechanism.density_ratio
    return 0.0 if k == 1 else exact.delta(clone_law(k, 1 / k), users, epsilon).upper


def stronger_clones(mechanism: Wave, users: int, epsilon: float) -> float:
    """The clone argument with weight 2/(k+1), for values whose windows are disjoint, which is the worst case."""
    k = mechanism.density_ratio
    return 0.0 if k == 1 else exact.delta(clone_law(k, 2 / (k + 1)), users, epsilon).upper


def _of_window(formula: Callable[[float, float, int, float], float]) -> Callable[[Wave, int, float], float]:
    """A function of (k, share, users, epsilon) as one of a mechanism."""
    return lambda mechanism, users, epsilon: formula(
        float(mechanism.density_ratio), float(mechanism.window_share), users, epsilon
    )


def _chernoff_of_blanket(mechanism: Wave, users: int, epsilon: float) -> float:
    return chernoff(blanket_law(mechanism), users, epsilon)


BOUNDS: tuple[Bound, ...] = (
    Bound("stronger_clones", "clones, weight 2/(k+1)", stronger_clones),
    Bound("chernoff", "Chernoff, by hand", _chernoff_of_blanket),
    Bound("clones", "clones, weight 1/k", clones),
    Bound("bennett", "Bennett", _of_window(bennett)),
    Bound("hoeffding_corrected", "Hoeffding, corrected", _of_window(hoeffding)),
    Bound(
        "hoeffding_as_printed",
        "Hoeffding as printed in the paper",
        _of_window(hoeffding_as_printed),
        is_guarantee=False,
    ),
)
