"""The exact value of a law's delta, between two ends, in about a millisecond at any number of terms.

With M(s) = E exp(sX), S = X_1 + ... + X_N and any tilt lambda > 0,

    E[S_+] = (1 / 2 pi) * integral over t of M(s)^N / s^2,   s = lambda + it.

The infinite trapezoidal sum with a given step equals, by Poisson summation,

    sum over all whole l of  exp(lambda y_l) E[(S - y_l)_+],   y_l = 2 pi l / step,

whose term l = 0 is the answer and whose other terms are not negative. So the sum is an upper bound as it stands; what
it adds ("aliasing") is bounded and taken off for the lower end. `contour` says which points are summed and bounds the
rest. Rounding is bounded by a running estimate and given to both ends.

This is the fast path in floating point; `certify` proves the same upper end in ball arithmetic.
"""

import decimal
import math
import sys
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..errors import MechanismError
from .bracket import Bracket
from .budget import check_crowd, check_epsilon
from .contour import (
    ALIASING,
    Contour,
    Floats,
    TiltedAtoms,
    choose_contour,
    find_tilt,
    one_minus_cosine_and_sine,
    remainder,
)
from .laws import Atom, PrivacyLaw

ROUNDING = 16 * float(np.finfo(np.float64).eps)
# Digits enough for the difference of two 64-bit numbers that agree in all but their last places.
PRECISE = decimal.Context(prec=60)
# Squares of what is larger overflow.
LARGEST_DENSITY = 10**150
# Beyond this exponent floating point overflows.
LARGEST_EXPONENT = 700.0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A bracket for delta, and the contour that gave it (None where no integral was needed)."""

    delta: Bracket
    contour: Contour | None


def delta(law: PrivacyLaw, terms: int, epsilon: float) -> Bracket:
    """(1/N) E[(X_1 + ... + X_N)_+] between two ends."""
    return evaluate(law, terms, epsilon).delta


def evaluate(law: PrivacyLaw, terms: int, epsilon: float) -> Evaluation:
    """As `delta`, with the contour for whoever wants to prove it again."""
    check_crowd(terms)
    check_epsilon(epsilon)
    values = law_values(law, epsilon)
    masses = [float(atom.probability) for atom in law.atoms]
    if max(values, default=0.0) <= 0:
        return Evaluation(Bracket(0.0, 0.0), None)
    # (sum X)_+ <= sum of X_+: with one term this is the local guarantee
    at_most = sum(mass * value for mass, value in zip(masses, values, strict=True) if value > 0) * (1 + ROUNDING)
    if min(masses) < sys.float_info.min:
        # a probability that floating point cannot hold would be missing from the integral
        gains = zip(law.atoms, values, strict=True)
        exactly = sum((atom.probability * Fraction(value) for atom, value in gains if value > 0), Fraction(0))
        return Evaluation(Bracket(0.0, min(float(exactly) * (1 + ROUNDING) + sys.float_info.min, 1.0)), None)
    tilt = find_tilt(values, masses, terms)
    rest = float(1 - sum((atom.probability for atom in law.atoms), Fraction(0)))
    return _trapezoid(np.array(values), np.array(masses), rest, int(terms), tilt, min(at_most, 1.0))


def law_values(law: PrivacyLaw, epsilon: float) -> list[float]:
    """gain - E * loss of every atom, each to a few units in its last place, however much cancels."""
    if any(max(atom.gain, atom.loss) > LARGEST_DENSITY for atom in law.atoms):
        raise MechanismError(
            f"densities above {LARGEST_DENSITY:.0e} cannot be accounted for; take a smaller density ratio"
        )
    excess = math.expm1(epsilon)
    values = []
    for atom in law.atoms:
        # (gain - loss) - loss (E - 1), which does not cancel for small epsilon
        spread, cost = float(atom.gain - atom.loss), float(atom.loss) * excess
        value = spread - cost
        # where gain is close to E * loss it does, and a bound must not lose that difference
        values.append(value if 2 * abs(value) >= abs(spread) + cost else _precise(atom, epsilon))
    return values


def _precise(atom: Atom, epsilon: float) -> float:
    with decimal.localcontext(PRECISE):
        gain = decimal.Decimal(atom.gain.numerator) / atom.gain.denominator
        loss = decimal.Decimal(atom.loss.numerator) / atom.loss.denominator
        return float(gain - decimal.Decimal(float(epsilon)).exp() * loss)


def _trapezoid(values: Floats, masses: Floats, rest: float, terms: int, tilt: float, at_most: float) -> Evaluation:
    log_moment, at_tilt = moment_logarithm(values, masses, rest, tilt)
    tilted = masses * np.exp(tilt * values - log_moment)
    resting = math.exp(min(-log_moment, LARGEST_EXPONENT)) * rest
    atoms = TiltedAtoms(np.append(values, 0.0), np.append(tilted, resting) * (1 - 1e-9), terms)
    contour = choose_contour(atoms, tilt)
    total, rounding = summed(values, tilted, terms, contour)
    left_out = remainder(atoms, contour)
    rounding += (abs(total) + left_out + rounding) * math.expm1(min(ROUNDING + terms * at_tilt, 1e2))
    scale = contour.step / (2 * math.pi * terms) * math.exp(terms * log_moment)
    # what floating point cannot hold is still not zero
    upper = min(max(scale * (total + left_out + rounding), sys.float_info.min), at_most)
    lower = scale * (total - left_out - rounding) - _aliasing(values, masses, rest, terms, tilt, upper)
    return Evaluation(Bracket(min(max(lower, 0.0), upper), upper), contour)


def summed(values: Floats, tilted: Floats, terms: int, contour: Contour) -> tuple[float, float]:
    """The sum of M(s)^N / s^2 over the contour's points, relative to M(lambda)^N, and what rounding can do to it."""
    t = contour.step * contour.points()
    phase = np.multiply.outer(values, t)
    # M(lambda + it) / M(lambda) - 1 = sum of tilted masses times (exp(itv) - 1), free of cancellation
    short_of_one, sine = one_minus_cosine_and_sine(phase)
    real = -(tilted @ short_of_one)
    imaginary = tilted @ sine
    distance_from_zero = np.hypot(1.0 + real, imaginary)
    log_size = 0.5 * np.log1p(np.maximum(2 * real + real * real + imaginary * imaginary, -0.99))
    far_from_one = distance_from_zero < 0.5
    log_size[far_from_one] = np.log(np.maximum(distance_from_zero[far_from_one], 1e-300))
    log_size = np.minimum(log_size, 0.0)
    # M^N / s^2 relative to M(lambda)^N
    most = 1 / (contour.tilt**2 + t * t)
    size = np.exp(terms * log_size) * most
    argument = terms * np.arctan2(imaginary, 1.0 + real) - 2 * np.arctan2(t, contour.tilt)
    total = 1.0 / contour.tilt**2 + 2 * float(size @ np.cos(argument))
    # What rounding can do to M^N, relative to it: N times what it does to log M
    shaken = ROUNDING * (1.0 + terms * (tilted @ np.abs(phase)) / np.maximum(distance_from_zero, 1e-300))
    astray = np.where(shaken < 1.0, 2 * shaken * size, 2 * most)
    return total, 2 * float(astray.sum())


def moment_logarithm(values: Floats, masses: Floats, rest: float, tilt: float) -> tuple[float, float]:
    """log M(tilt), without loss where M is near 1 and where it is near 0, and what rounding can do to it."""
    exponents = tilt * values
    moved = float(masses @ np.expm1(exponents))
    if moved > -0.5:
        growth = np.maximum(1.0, np.exp(exponents))
        return math.log1p(moved), ROUNDING * float((masses * growth) @ np.abs(exponents))
    moments = masses * np.exp(exponents)
    moment = rest + float(moments.sum())
    return math.log(moment), ROUNDING * (1.0 + float(moments @ np.abs(exponents)) / moment)


def _aliasing(values: Floats, masses: Floats, rest: float, terms: int, tilt: float, upper: float) -> float:
    """At most this much of the trapezoidal sum (over N) is not the answer.

    Below: E[(S + y)_+] <= E[S_+] + y. Above: E[(S - y)_+] <= exp(-theta y) M(theta)^N / (e theta) for any theta.
    """
    spacing = ALIASING / tilt
    fading = math.exp(-ALIASING)
    below = (upper + spacing / terms) * fading / (1 - fading) ** 2
    above = math.inf
    for factor in (1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0):
        theta = factor * tilt
        if theta * float(values.max()) < LARGEST_EXPONENT:
            log_bound = terms * moment_logarithm(values, masses, rest, theta)[0] - (factor - 1) * ALIASING
            if log_bound < LARGEST_EXPONENT:
                repeat = -math.expm1(-(factor - 1) * ALIASING)
                above = min(above, math.exp(log_bound) / (math.e * theta * terms * repeat))
    return below + above
