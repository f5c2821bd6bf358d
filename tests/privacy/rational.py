"""The readable reference: a law's delta in rational arithmetic, by convolving the law of one term with itself."""

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

from shufflegram.privacy.laws import Atom, PrivacyLaw


def exponential(epsilon: float) -> Fraction:
    """exp(epsilon) to 60 digits: its error is far below anything that a test compares."""
    with localcontext(Context(prec=60)):
        return Fraction(Decimal(epsilon).exp())


def rational_delta(law: PrivacyLaw, terms: int, gain: Fraction) -> Fraction:
    """(1/N) E[(X_1 + ... + X_N)_+] at E = gain, exactly: integer values with integer weights."""
    masses = [atom.probability for atom in law.atoms]
    values = [atom.gain - gain * atom.loss for atom in law.atoms]
    masses.append(1 - sum(masses, Fraction(0)))
    values.append(Fraction(0))
    unit = math.lcm(*(value.denominator for value in values))
    whole = math.lcm(*(mass.denominator for mass in masses))
    steps = [(int(value * unit), int(mass * whole)) for value, mass in zip(values, masses, strict=True) if mass]
    sums = {0: 1}
    for _ in range(terms):
        longer: dict[int, int] = {}
        for total, weight in sums.items():
            for value, mass in steps:
                longer[total + value] = longer.get(total + value, 0) + weight * mass
        sums = longer
    positive = sum(total * weight for total, weight in sums.items() if total > 0)
    return Fraction(positive, terms * unit * whole**terms)


def with_mass_scaled(law: PrivacyLaw, factor: Fraction) -> PrivacyLaw:
    """A mutant: the first atom has the wrong mass."""
    first, *others = law.atoms
    return PrivacyLaw((Atom(first.gain, first.loss, first.probability * factor), *others), law.blanket_mass)
