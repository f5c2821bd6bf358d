"""What is certainly lost: explicit neighbouring datasets, and the law of how well they are told apart.

All other users hold x0 and the target holds x1 or x2. Relative to the output when everyone holds x0, the density of
the shuffled output is (1/n) sum_j u_x1(y_j) / u_x0(y_j), so its hockey-stick divergence has the form of every law
here, with N = n and all reports drawn from x0. No upper bound may fall below it: that is the test of every upper
bound.

The target's windows are at the two ends of the report cells, and the others' window ends where the second one begins.
It misses both windows if they leave it room. Else it reaches into the first, by as little as it can: the second moment
of X at E = 1, which decides the Gaussian limit, falls with the cells that it shares with either.
"""

from fractions import Fraction
from functools import singledispatch

from ..errors import MechanismError
from ..mechanism import ContinuousSquareWave, Flip, Pure, SquareWave
from .laws import Atom, PrivacyLaw, dummy_law, flip_law


@singledispatch
def explicit_laws(mechanism: object) -> tuple[PrivacyLaw, ...]:
    """Laws of explicit pairs of neighbouring datasets: each one's delta over `explicit_terms` is a lower bound."""
    raise MechanismError(f"no explicit datasets are known for a {type(mechanism).__name__}")


@explicit_laws.register(SquareWave)
@explicit_laws.register(ContinuousSquareWave)
def _(mechanism: SquareWave | ContinuousSquareWave) -> tuple[PrivacyLaw, ...]:
    return explicit_window_laws(mechanism.density_ratio, mechanism.window_share)


@explicit_laws.register(Flip)
def _(mechanism: Flip) -> tuple[PrivacyLaw, ...]:
    # All others hold a third value. What they send there says nothing of the two bits that differ, so their own vectors
    # hide the target's as well as dummies do.
    return (flip_law(mechanism.flip_probability),)


@explicit_laws.register(Pure)
def _(mechanism: Pure) -> tuple[PrivacyLaw, ...]:
    return (dummy_law(mechanism.chunks),)


@singledispatch
def explicit_terms(mechanism: object, users: int) -> int:
    """How many terms of `explicit_laws` the explicit datasets with so many honest users have."""
    return users


@explicit_terms.register(Flip)
def _(mechanism: Flip, users: int) -> int:
    return mechanism.messages * users


@explicit_terms.register(Pure)
def _(mechanism: Pure, users: int) -> int:
    # Whoever knows the others' points takes them out of the multiset: no dataset does better or worse.
    return mechanism.dummies * users + 1


def explicit_window_laws(ratio: Fraction, share: Fraction) -> tuple[PrivacyLaw, ...]:
    """The laws of explicit datasets of a square wave, in both orders."""
    # x1's window is [0, share), x2's [1 - share, 1) and x0's [1 - 2 share, 1 - share), of report cells of length 1.
    shared = max(Fraction(0), 3 * share - 1)
    q = 1 / (1 + share * (ratio - 1))
    pieces = (
        # u_x1 / u_x0, u_x2 / u_x0, and the mass under R(x0)
        (Fraction(1), 1 / ratio, ratio * q * shared),  # in x1's window and x0's
        (ratio, Fraction(1), q * (share - shared)),  # in x1's only
        (Fraction(1), ratio, q * share),  # in x2's
        (1 / ratio, 1 / ratio, ratio * q * (share - shared)),  # in x0's only
        (Fraction(1), Fraction(1), q * (1 - 3 * share + shared)),  # in none
    )
    one = PrivacyLaw(tuple(Atom(*piece) for piece in pieces if piece[2]), Fraction(1))
    if shared == 0:
        # the others are out of reach of both windows, so both orders are the same law
        return (one,)
    return one, PrivacyLaw(tuple(Atom(a.loss, a.gain, a.probability) for a in one.atoms), Fraction(1))
