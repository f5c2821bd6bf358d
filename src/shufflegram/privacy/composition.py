"""Several rounds about the same users: a privacy loss distribution that is an upper bound throughout.

delta as a function of exp(epsilon) is convex, so straight lines between its values on a grid of epsilons ("connect
the dots") lie above it, and they are the curve of a discrete distribution of privacy losses. Rounds add their losses,
so distributions convolve. What the grid leaves out above becomes an infinite loss, what it leaves out below moves up
to its lowest point, and what rounding can do to the Fourier transforms is added to delta.

Rounds must be shuffled separately. Several values sent linked in one message are one randomizer, not a composition.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from ..checks import is_whole
from ..errors import BudgetError, InfeasibleError
from ..mechanism import Mechanism
from . import exact
from .accounting import smallest_epsilon
from .budget import LARGEST_EPSILON, check_crowd, check_delta, check_epsilon
from .laws import Atom, PrivacyLaw, blanket_law, blanket_terms

# What each round may lose beyond its grid, and how many grid points it has to either side of zero.
BEYOND_GRID = 1e-15
POINTS = 1000
# The composed grid has at most this many points; many rounds get a coarser one.
MOST_POINTS = 2**23
# Fewest points to either side of zero, and the number of rounds for which that still fits.
FEWEST_POINTS = 10
MOST_ROUNDS = MOST_POINTS // (2 * FEWEST_POINTS)
# Masses are raised by this, relative to themselves. A single mass may be off by more, being a second difference of the
# curve; but such errors cancel in the sums that make up the curve, and what is left there is far below this.
MARGIN = 1e-10
UNIT_ROUNDOFF = 2.0**-53

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Round:
    """One mechanism, run `times` times with `users` honest reports each."""

    law: PrivacyLaw
    terms: int
    local_epsilon: float
    times: int = 1


@dataclass(frozen=True, slots=True)
class LossDistribution:
    """Masses of privacy losses on a grid; with the infinite loss and the rounding they bound delta from above."""

    lowest: float
    spacing: float
    masses: Floats
    infinite: float
    rounding: float

    def delta(self, epsilon: float) -> float:
        first = max(0, math.floor((epsilon - self.lowest) / self.spacing))
        losses = self.lowest + self.spacing * np.arange(first, self.masses.size)
        # sum of p_j (1 - exp(epsilon - loss_j))_+
        reached = float(self.masses[first:] @ np.maximum(-np.expm1(epsilon - losses), 0.0))
        return min(1.0, (reached + self.infinite + self.rounding) * (1 + 1e-12))


@dataclass(frozen=True, slots=True)
class ComposedLoss:
    """The privacy loss of all rounds together, for both orders of the neighbours."""

    orders: tuple[LossDistribution, ...]

    def delta(self, epsilon: float) -> float:
        """At this epsilon, delta is at most this."""
        check_epsilon(epsilon)
        return max(order.delta(epsilon) for order in self.orders)

    def epsilon(self, delta: float) -> float:
        """At this delta, epsilon is at most this."""
        check_delta(delta)
        highest = max(order.lowest + order.spacing * order.masses.size for order in self.orders)
        highest = min(highest, LARGEST_EPSILON)
        if self.delta(highest) > delta:
            raise InfeasibleError(
                f"delta {delta:g} is below what this composition can resolve ({self.delta(highest):.3g}); "
                f"ask for a larger one"
            )
        return smallest_epsilon(self.delta, delta, highest)


def compose(rounds: Sequence[Round]) -> ComposedLoss:
    """The privacy loss of all rounds together."""
    if not rounds:
        raise BudgetError("there are no rounds to compose; at least one is needed")
    for each in rounds:
        check_crowd(each.terms)
        if not is_whole(each.times) or each.times < 1:
            raise BudgetError(f"a round must be run a whole number of times, at least once, got {each.times!r}")
    # NumPy's whole numbers wrap round; Python's do not
    rounds = [replace(each, times=int(each.times)) for each in rounds]
    if sum(each.times for each in rounds) > MOST_ROUNDS:
        raise BudgetError(f"at most {MOST_ROUNDS:,} rounds can be composed, got {sum(each.times for each in rounds):,}")
    if all(_swapped(each.law) == each.law for each in rounds):
        return ComposedLoss((_convolve(rounds),))
    other_order = [replace(each, law=_swapped(each.law)) for each in rounds]
    return ComposedLoss((_convolve(rounds), _convolve(other_order)))


def composed_epsilon(mechanism: Mechanism, users: int, rounds: int, delta: float) -> float:
    """The epsilon of `rounds` separately shuffled rounds of one mechanism about the same users: an upper bound."""
    return compose([_rounds_of(mechanism, users, rounds)]).epsilon(delta)


def composed_delta(mechanism: Mechanism, users: int, rounds: int, epsilon: float) -> float:
    """The delta of `rounds` separately shuffled rounds of one mechanism about the same users: an upper bound."""
    return compose([_rounds_of(mechanism, users, rounds)]).delta(epsilon)


def _rounds_of(mechanism: Mechanism, users: int, rounds: int) -> Round:
    check_crowd(users)
    return Round(blanket_law(mechanism), blanket_terms(mechanism, users), mechanism.local_epsilon, rounds)


def _swapped(law: PrivacyLaw) -> PrivacyLaw:
    """The law of the neighbours in the other order, its atoms in a fixed order so that laws can be compared."""
    flipped = {Atom(atom.loss, atom.gain, atom.probability) for atom in law.atoms}
    return law if flipped == set(law.atoms) else PrivacyLaw(tuple(flipped), law.blanket_mass)


def _convolve(rounds: Sequence[Round]) -> LossDistribution:
    """The distribution of the sum of all rounds' losses."""
    total_times = sum(each.times for each in rounds)
    reaches = [
        max(smallest_epsilon(partial(single_delta, each.law, each.terms), BEYOND_GRID, each.local_epsilon), 1e-9)
        for each in rounds
    ]
    spacing = max(reaches) / max(FEWEST_POINTS, min(POINTS, MOST_POINTS // (2 * total_times)))
    singles = [
        _connect_the_dots(each, math.ceil(reach / spacing), spacing)
        for each, reach in zip(rounds, reaches, strict=True)
    ]
    length = 1 + sum(each.times * (single.masses.size - 1) for each, single in zip(rounds, singles, strict=True))
    # A transform at least as long as the sum's support wraps nothing around.
    size = 1 << (length - 1).bit_length()
    transform = np.ones(size // 2 + 1, dtype=np.complex128)
    infinite, error, norm, growth = 0.0, 0.0, 0.0, 1.0
    roundoff = 8 * math.log2(size) * UNIT_ROUNDOFF
    for each, single in zip(rounds, singles, strict=True):
        transform *= np.fft.rfft(single.masses, size) ** each.times
        # any round may lose without bound, and masses may add up to a little more than 1
        infinite += each.times * single.infinite
        growth *= max(1.0, float(single.masses.sum())) ** each.times
        # In the 2-norm a transform errs by its roundoff times ||a||; a power of numbers of size <= 1 multiplies that.
        norm = max(norm, float(np.linalg.norm(single.masses)))
        error += each.times * (roundoff + 4 * UNIT_ROUNDOFF)
    masses = np.maximum(np.fft.irfft(transform, size)[:length], 0.0)
    # ||error||_1 <= sqrt(size) ||error||_2
    rounding = math.sqrt(size) * norm * (error + roundoff) * growth * 2
    lowest = sum(each.times * single.lowest for each, single in zip(rounds, singles, strict=True))
    return LossDistribution(lowest, spacing, masses, infinite * growth, rounding)


def _connect_the_dots(each: Round, count: int, spacing: float) -> LossDistribution:
    """The discrete distribution on count points to either side of 0 whose delta curve joins the exact one's dots."""
    epsilons = spacing * np.arange(count + 1)
    above = np.array([single_delta(each.law, each.terms, epsilon) for epsilon in epsilons])
    swapped = _swapped(each.law)
    same = swapped == each.law
    mirrored = above if same else np.array([single_delta(swapped, each.terms, epsilon) for epsilon in epsilons])
    # H at exp(-eps) for one order is 1 - exp(-eps) + exp(-eps) H at exp(eps) for the other
    below = -np.expm1(-epsilons) + np.exp(-epsilons) * mirrored
    curve = np.concatenate((below[:0:-1], above))
    grid = spacing * np.arange(-count, count + 1)
    gains = np.exp(grid)
    # What the dots lie above is convex, so it lies below their convex hull too. The hull's line before corner j has
    # slope -Q_j = -sum over j and later of p exp(-eps); the first goes up to H = 1 at exp(epsilon) = 0, and after the
    # last corner the curve stays where it is.
    corners = _lower_hull(gains, curve, spacing)
    left, right = corners[:-1], corners[1:]
    lengths = gains[left] * np.expm1(spacing * (right - left))
    slopes = np.concatenate(([(1 - curve[0]) / gains[0]], (curve[left] - curve[right]) / lengths, [0.0]))
    # p_j = exp(eps_j) (Q_j - Q_{j+1}); rounding that would make one negative is cut off, which only raises the curve
    masses = np.zeros(grid.size)
    masses[corners] = np.maximum(gains[corners] * (slopes[:-1] - slopes[1:]), 0.0) * (1 + MARGIN)
    return LossDistribution(float(grid[0]), spacing, masses, float(curve[-1]) * (1 + MARGIN), 0.0)


def _lower_hull(gains: Floats, curve: Floats, spacing: float) -> NDArray[np.int64]:
    """The dots, from the first to the last, at which the slope of the greatest convex curve below all dots changes."""
    corners: list[int] = []

    def slope(one: int, other: int) -> float:
        return float((curve[other] - curve[one]) / (gains[one] * math.expm1(spacing * (other - one))))

    for dot in range(curve.size):
        while len(corners) > 1 and slope(corners[-1], dot) <= slope(corners[-2], corners[-1]):
            corners.pop()
        corners.append(dot)
    return np.array(corners, dtype=np.int64)


@lru_cache(maxsize=2**14)
def single_delta(law: PrivacyLaw, terms: int, epsilon: float) -> float:
    return exact.delta(law, terms, epsilon).upper
