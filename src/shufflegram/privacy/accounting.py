"""The questions a person asks: how private is this, what would be, and what is lost when fewer take part.

Every answer is a bracket. One end follows from the exact blanket, which holds for every pair of neighbouring
datasets; the other from explicit datasets, which nothing can beat. In between lies what nobody knows yet (often
nothing visible).
"""

import math
from collections.abc import Callable
from fractions import Fraction

from ..errors import BudgetError, CertificationError
from ..mechanism import Mechanism, Wave
from . import exact
from .bracket import Bracket
from .budget import LARGEST_CROWD, check_crowd, check_delta, check_epsilon, check_share
from .laws import blanket_law, blanket_terms, window_law
from .lower import explicit_laws, explicit_terms, explicit_window_laws
from .search import epsilons_around, ratios_around

# How far, relative to themselves, two ends may be on the wrong sides of each other by rounding.
CROSSING = 1e-9


def delta(mechanism: Mechanism, users: int, epsilon: float) -> Bracket:
    """The delta at this epsilon, with `users` honest reports: `upper` is guaranteed, `lower` unavoidable."""
    check_crowd(users)
    upper = guaranteed_delta(mechanism, users, epsilon)
    return _agreeing(unavoidable_delta(mechanism, users, epsilon), upper)


def guaranteed_delta(mechanism: Mechanism, users: int, epsilon: float) -> float:
    """No neighbouring datasets lose more than this at this epsilon."""
    return exact.delta(blanket_law(mechanism), blanket_terms(mechanism, users), epsilon).upper


def unavoidable_delta(mechanism: Mechanism, users: int, epsilon: float) -> float:
    """Some neighbouring datasets lose at least this at this epsilon."""
    terms = explicit_terms(mechanism, users)
    return max(exact.delta(law, terms, epsilon).lower for law in explicit_laws(mechanism))


def epsilon(mechanism: Mechanism, users: int, delta: float) -> Bracket:
    """The epsilon at this delta, with `users` honest reports: `upper` is guaranteed, `lower` unavoidable."""
    check_crowd(users)
    check_delta(delta)
    local = mechanism.local_epsilon
    upper = smallest_epsilon(lambda value: guaranteed_delta(mechanism, users, value), delta, local)
    lower, _ = epsilons_around(lambda value: unavoidable_delta(mechanism, users, value), delta, local)
    return _agreeing(lower, upper)


def largest_density_ratio(mechanism: Wave, users: int, epsilon: float, delta: float) -> Bracket:
    """The largest density ratio for the mechanism's window: `lower` is guaranteed to be private, above `upper` none is.

    The mechanism's own density ratio plays no part.
    """
    guaranteed = largest_guaranteed_ratio(mechanism.window_share, users, epsilon, delta)

    def unavoidable(k: Fraction) -> float:
        laws = explicit_window_laws(k, mechanism.window_share)
        return max(exact.delta(law, users, epsilon).lower for law in laws)

    _, impossible = ratios_around(unavoidable, epsilon, delta, start=guaranteed)
    return Bracket(guaranteed, max(guaranteed, impossible))


def largest_guaranteed_ratio(share: Fraction, users: int, epsilon: float, delta: float) -> float:
    """The largest density ratio that the exact blanket allows for a window of the given share of the report cells."""
    check_crowd(users)
    check_epsilon(epsilon)
    check_delta(delta)

    def guaranteed(k: Fraction) -> float:
        return exact.delta(window_law(k, share), users, epsilon).upper

    return ratios_around(guaranteed, epsilon, delta)[0]


def largest_ratio_under(bound: Callable[[float], float], epsilon: float, delta: float) -> float:
    """The largest density ratio at which some other bound, a function of the ratio, stays within delta."""
    check_epsilon(epsilon)
    check_delta(delta)
    return ratios_around(lambda k: bound(float(k)), epsilon, delta)[0]


def smallest_users(mechanism: Mechanism, epsilon: float, delta: float) -> int:
    """The fewest honest reports for which the guarantee holds: what a shuffler has to wait for."""
    check_epsilon(epsilon)
    check_delta(delta)

    def holds(users: int) -> bool:
        return guaranteed_delta(mechanism, users, epsilon) <= delta

    few, enough = 0, 1
    while not holds(enough):
        few, enough = enough, 2 * enough
        if enough > LARGEST_CROWD:
            raise BudgetError(f"no crowd is large enough for epsilon {epsilon:g} and delta {delta:g}; ask for less")
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if holds(middle) else (middle, enough)
    return enough


def honest_reports(users: int, honest_fraction: float) -> int:
    """How many of the users count: the honest, randomizing ones, the target's report included."""
    check_crowd(users)
    check_share("honest_fraction", honest_fraction)
    # a fraction such as 0.29 must not lose a user to its binary rounding, nor gain one
    honest = math.floor(users * Fraction(repr(float(honest_fraction))))
    if honest < 1:
        raise BudgetError(f"{honest_fraction:g} of {users:,} users is not one honest report; more users are needed")
    return honest


def _agreeing(lower: float, upper: float) -> Bracket:
    """Both ends as a bracket; they come from different arguments, and may cross by rounding but no further."""
    if lower > upper * (1 + CROSSING):
        raise CertificationError(
            f"upper and lower bounds contradict each other ({lower!r} > {upper!r}); please report this"
        )
    return Bracket(min(lower, upper), upper)


def smallest_epsilon(delta_at: Callable[[float], float], delta: float, local_epsilon: float) -> float:
    """The smallest epsilon with delta_at(epsilon) <= delta, approached from above; never more than the local one."""
    return epsilons_around(delta_at, delta, local_epsilon)[1]
