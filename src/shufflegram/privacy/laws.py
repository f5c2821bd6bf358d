"""Privacy laws: what accounting knows of a mechanism.

Every bound of this package has one form: with E = exp(epsilon),

    delta(epsilon) = (1/N) E[ (X_1 + ... + X_N)_+ ],    X_i independent, X_i = gain - E * loss on a few atoms, else 0.

`gain` and `loss` are the densities of one report under the two values that are to be told apart, divided by the
density of what hides it. They and their probabilities are rational, so a law is exact, and epsilon enters last.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch

from ..errors import MechanismError
from ..mechanism import ContinuousSquareWave, Flip, Pure, SquareWave


@dataclass(frozen=True, slots=True)
class Atom:
    """One value of X, gain - E * loss, and its probability."""

    gain: Fraction
    loss: Fraction
    probability: Fraction


@dataclass(frozen=True, slots=True)
class PrivacyLaw:
    """The law of one term X. The mass that the atoms leave is at 0.

    `blanket_mass` is the probability that a report comes from the part of the law that hides others; outside it X = 0.
    """

    atoms: tuple[Atom, ...]
    blanket_mass: Fraction

    def __post_init__(self) -> None:
        mass = sum((atom.probability for atom in self.atoms), Fraction(0))
        if not mass <= self.blanket_mass <= 1:
            raise MechanismError(
                "the atoms of a privacy law must have no more mass than its blanket, and that at most 1"
            )


@singledispatch
def blanket_law(mechanism: object) -> PrivacyLaw:
    """The law whose delta, over `blanket_terms` terms, is an upper bound for every pair of neighbouring datasets."""
    raise MechanismError(f"no privacy law is known for a {type(mechanism).__name__}")


@blanket_law.register(SquareWave)
@blanket_law.register(ContinuousSquareWave)
def _(mechanism: SquareWave | ContinuousSquareWave) -> PrivacyLaw:
    return window_law(mechanism.density_ratio, mechanism.window_share)


@blanket_law.register(Flip)
def _(mechanism: Flip) -> PrivacyLaw:
    return flip_law(mechanism.flip_probability)


@blanket_law.register(Pure)
def _(mechanism: Pure) -> PrivacyLaw:
    return dummy_law(mechanism.chunks)


@singledispatch
def blanket_terms(mechanism: object, users: int) -> int:
    """How many terms of `blanket_law` hide one of so many honest users."""
    # of a single message, every honest report is one
    return users


@blanket_terms.register(Flip)
@blanket_terms.register(Pure)
def _(mechanism: Flip | Pure, users: int) -> int:
    # Everyone's dummies and the message itself; what the others' own messages hide is given away, as whoever knows
    # their values can take most of it out.
    return mechanism.dummies * users + 1


def window_law(k: Fraction, share: Fraction) -> PrivacyLaw:
    """The blanket law of a square wave whose window is the given share of the report cells, discrete or continuous.

    The worst pair of values has disjoint windows; what is in neither hides least. With g = 1 / (1 + share (k - 1)):

        k - E with probability share * g,   1 - kE with share * g,   1 - E with (1 - 2 share) * g,   else 0.
    """
    one = Fraction(1)
    blanket = 1 / (1 + share * (k - 1))
    atoms = (
        Atom(k, one, share * blanket),
        Atom(one, k, share * blanket),
        Atom(one, one, (1 - 2 * share) * blanket),
    )
    return PrivacyLaw(tuple(atom for atom in atoms if atom.probability), blanket)


def clone_law(k: Fraction, weight: Fraction) -> PrivacyLaw:
    """The law of the clone arguments: with probability `weight` a user looks like one of the two values' reports.

    With weight 2/(k+1) it holds where the two windows are disjoint, with 1/k for every pair.
    """
    likely, unlikely = k / (k + 1), 1 / (k + 1)
    scale = 2 / weight
    atoms = (
        Atom(scale * likely, scale * unlikely, weight / 2),
        Atom(scale * unlikely, scale * likely, weight / 2),
    )
    return PrivacyLaw(atoms, weight)


def flip_law(q: Fraction) -> PrivacyLaw:
    """The law of Flip: the target's vector among vectors that began as zeros.

    Two values differ in two bits, and all others are flipped alike. Beside a flipped zero vector, a bit that began as
    one is r = (1 - q) / q times as likely to be sent as 1, and 1/r times as likely to be sent as 0. So X is

        r - E/r and 1/r - E r with q (1 - q) each,   r - E r with q^2,   1/r - E/r with (1 - q)^2.
    """
    one = Fraction(1)
    r = (1 - q) / q
    atoms = (
        Atom(r, 1 / r, q * (1 - q)),
        Atom(1 / r, r, q * (1 - q)),
        Atom(r, r, q * q),
        Atom(1 / r, 1 / r, (1 - q) * (1 - q)),
    )
    return PrivacyLaw(atoms, one)


def dummy_law(chunks: int) -> PrivacyLaw:
    """The law of Pure: the target's point among points that are uniform on c chunks.

    Beside a dummy, the target's own chunk is c times as likely, every other one impossible: X is c with probability
    1/c, -cE with 1/c, else 0.
    """
    nothing, all_of_it, each = Fraction(0), Fraction(chunks), Fraction(1, chunks)
    return PrivacyLaw((Atom(all_of_it, nothing, each), Atom(nothing, all_of_it, each)), 2 * each)
