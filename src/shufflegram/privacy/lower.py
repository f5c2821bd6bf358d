"""What is certainly lost: explicit neighbouring datasets, and the law of how well they are told apart.

All other users hold x0 and the target holds x1 or x2. Relative to the output when everyone holds x0, the density of
the shuffled output is (1/n) sum_j u_x1(y_j) / u_x0(y_j), so its hockey-stick divergence has the form of every law
here, with N = n and all reports drawn from x0. No upper bound may fall below it: that is the test of every upper
bound.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from ..mechanism import ContinuousSquareWave, SquareWave
from .laws import Atom, PrivacyLaw

# How many places are tried for the others' value where none is out of reach of both of the target's windows.
PLACES = 20


def explicit_laws(mechanism: SquareWave | ContinuousSquareWave, k: Fraction | None = None) -> tuple[PrivacyLaw, ...]:
    """Laws of explicit pairs of neighbouring datasets, in both orders: each one's delta is a lower bound.

    `k` replaces the mechanism's density ratio, for searches.
    """
    ratio = mechanism.density_ratio if k is None else k
    share = mechanism.window_share
    circular = isinstance(mechanism, SquareWave) and mechanism.circular
    # Windows [start, start + share) of a report interval of length 1. The target is at the two ends of the line; on the
    # circle its two windows touch, which leaves most room for a third.
    first, second = Fraction(0), share if circular else 1 - share
    others = _places(mechanism, share, circular)

    def law(x1: Fraction, x2: Fraction, x0: Fraction) -> PrivacyLaw:
        return _pair_law(ratio, share, x1, x2, x0)

    def signal(x0: Fraction) -> Fraction:
        # the second moment of X at E = 1 decides the Gaussian limit
        return sum(((a.gain - a.loss) ** 2 * a.probability for a in law(first, second, x0).atoms), Fraction(0))

    worst = others[0] if len(others) == 1 else max(others, key=signal)
    one, other = law(first, second, worst), law(second, first, worst)
    # both orders are the same law where the others are as far from the one value as from the other
    return (one,) if set(one.atoms) == set(other.atoms) else (one, other)


def _places(mechanism: SquareWave | ContinuousSquareWave, share: Fraction, circular: bool) -> Sequence[Fraction]:
    """Where the others' window may start: one place out of reach of both windows, or some that are not."""
    if 3 * share <= 1:
        middle = 2 * share if circular else (1 - share) / 2
        candidates = [middle]
    else:
        candidates = [(1 - share) * i / (PLACES if circular else 2 * PLACES) for i in range(PLACES + 1)]
    if isinstance(mechanism, ContinuousSquareWave):
        return candidates
    cells = mechanism.report_cells
    return sorted({Fraction(int(place * cells), cells) for place in candidates})


def _pair_law(k: Fraction, share: Fraction, x1: Fraction, x2: Fraction, x0: Fraction) -> PrivacyLaw:
    """The law of (u_x1 - E u_x2) / u_x0 under R(x0), from the pieces that the three windows cut."""
    q = 1 / (1 + share * (k - 1))
    cuts = sorted({Fraction(0), Fraction(1), *(start + end for start in (x1, x2, x0) for end in (0, share))})
    masses: dict[tuple[Fraction, Fraction], Fraction] = {}
    for low, high in pairwise(cuts):
        u1, u2, u0 = (k if start <= low < start + share else Fraction(1) for start in (x1, x2, x0))
        masses[u1 / u0, u2 / u0] = masses.get((u1 / u0, u2 / u0), Fraction(0)) + u0 * q * (high - low)
    return PrivacyLaw(tuple(Atom(gain, loss, mass) for (gain, loss), mass in masses.items()), Fraction(1))
