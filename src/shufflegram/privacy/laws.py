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
from ..mechanism import ContinuousSquareWave, SquareWave


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
    """The law whose delta is an upper bound for every pair of neighbouring datasets."""
    raise MechanismError(f"no privacy law is known for a {type(mechanism).__name__}")


@blanket_law.register(SquareWave)
@blanket_law.register(ContinuousSquareWave)
def _(mechanism: SquareWave | ContinuousSquareWave) -> PrivacyLaw:
    return window_law(mechanism.density_ratio, mechanism.window_share)


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
