"""Proof of one upper bound in ball arithmetic.

A certificate says: for this law, this number of terms and this epsilon, delta is at most `delta_upper`. The contour
comes from the floating point search and needs no trust: any tilt, step and choice of points give a valid bound, and
everything that enters the bound (exp(epsilon), the sum, the bound on the points left out) is computed here again as
an Arb ball, whose upper end is kept. The mathematics is told in `exact` and `contour`; the formulas are the same.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import acb, arb, ctx, fmpq

from ..errors import CertificationError
from . import exact
from .contour import CORES, Contour, Cores
from .laws import PrivacyLaw

METHOD = "exact blanket in ball arithmetic"
PRECISION = 192
DIGITS = 12
# What is proven to be less is told as this much: nobody needs to know better, and it could have millions of digits.
LEAST = Fraction(1, 10**300)


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proven statement: at this epsilon and this many terms, the law's delta is at most `delta_upper`."""

    law: PrivacyLaw
    epsilon: Fraction
    terms: int
    delta_upper: Fraction
    precision: int = PRECISION

    def to_dict(self) -> dict[str, Any]:
        return {
            "method": METHOD,
            "epsilon": str(self.epsilon),
            "terms": self.terms,
            "delta_upper": scientific(self.delta_upper),
            "precision_bits": self.precision,
        }


def certify(law: PrivacyLaw, terms: int, epsilon: Fraction) -> Certificate:
    """Prove an upper bound on the law's delta.

    For large crowds it is within about a millionth of the exact value. For less than a thousand terms it can be some
    percent above it, and for a handful nearly twice as large. Below `LEAST` it is `LEAST`.
    """
    evaluation = exact.evaluate(law, terms, float(epsilon))
    with ctx.workprec(PRECISION):
        gain = _ball(epsilon).exp()
        values = [_ball(atom.gain) - gain * _ball(atom.loss) for atom in law.atoms]
        masses = [_ball(atom.probability) for atom in law.atoms]
        bound = sum((mass * value for mass, value in zip(masses, values, strict=True) if not value <= 0), arb(0))
        if evaluation.contour is not None:
            integral = _Integral(values, masses, terms, evaluation.contour).upper_bound()
            bound = integral if integral < bound else bound
        proven = bound.upper()
        if not proven.is_finite() or not proven >= 0:
            raise CertificationError(
                "the bound could not be proven: the enclosure is not finite; choose other parameters"
            )
        # compared as balls, before any digit is written out
        negligible = proven > 0 and proven < _ball(LEAST)
        return Certificate(law, epsilon, terms, LEAST if negligible else _rounded_up(proven))


class _Integral:
    """The trapezoidal bound for one law on one contour, every number a ball."""

    def __init__(self, values: list[arb], masses: list[arb], terms: int, contour: Contour) -> None:
        self.values, self.masses, self.terms, self.contour = values, masses, terms, contour
        self.tilt, self.step = arb(contour.tilt), arb(contour.step)
        # M(lambda) = 1 + sum of p (exp(lambda v) - 1)
        growth = [(self.tilt * value).exp() for value in values]
        self.moment = 1 + sum((mass * (g - 1) for mass, g in zip(masses, growth, strict=True)), arb(0))
        tilted = [mass * g / self.moment for mass, g in zip(masses, growth, strict=True)]
        resting = (1 - sum(masses, arb(0))) / self.moment
        self.atoms = [*zip(values, tilted, strict=True), (arb(0), resting)]

    def upper_bound(self) -> arb:
        """step / (2 pi N) * (sum over the grid + what is left out), with M(lambda)^N taken out of the sum."""
        self.require_order()
        total = 1 / self.tilt**2
        for first, last in self.contour.ranges:
            for j in range(first, last + 1):
                total += 2 * self.term(j)
        left_out = self.plain_remainder() if self.contour.cores is None else self.remainder(self.contour.cores)
        return self.step / (2 * arb.pi() * self.terms) * self.moment**self.terms * (total + left_out)

    def term(self, j: int) -> arb:
        """The real part of M(s)^N / s^2 / M(lambda)^N at s = lambda + i j step."""
        s = acb(self.tilt, j * self.step)
        moment = 1 + sum((mass * ((s * v).exp() - 1) for v, mass in zip(self.values, self.masses, strict=True)), acb(0))
        return ((moment / self.moment) ** self.terms / (s * s)).real

    def plain_remainder(self) -> arb:
        # |M| <= M(lambda): 2 sum over j > J of 1/t_j^2 <= 2 / (step^2 J), if the points 1 .. J are summed
        ((first, last),) = self.contour.ranges
        _require(first == 1)
        return 2 / (self.step**2 * last)

    def remainder(self, cores: Cores) -> arb:
        rate, distance = self.pair(*cores.primary)
        reach = arb(cores.reach)
        pi = arb.pi()
        # cores must not overlap, and the primary pair must confine the integrand within half a period
        _require(reach * distance < pi)
        self.require_covered(cores, distance)
        core_sum = pi / distance * (pi / (2 * rate)).sqrt() / self.step + 1
        others = [self.pair(i, j) for i, j in self.pairs() if (i, j) != cores.primary]
        bounded = arb(0)
        for core in range(1, CORES + 1):
            if core not in cores.summed:
                center = 2 * pi * core / distance
                exponent = sum((r * self.least_dip(center, d, reach) for r, d in others), arb(0))
                bounded += core_sum * (-exponent).exp() / (center - reach) ** 2
        later = core_sum * (distance / pi) ** 2 / (4 * CORES)
        dead = (-rate * (1 - (reach * distance).cos())).exp() * pi / (2 * self.tilt * self.step)
        return 2 * (bounded + later + dead)

    def require_order(self) -> None:
        """No grid point may be summed twice: a term can be negative."""
        _require(self.tilt > 0 and self.step > 0)
        highest = 0
        for first, last in self.contour.ranges:
            _require(highest < first <= last + 1)
            highest = max(highest, last)

    def require_covered(self, cores: Cores, distance: arb) -> None:
        """The ranges must hold every grid point of core 0 and of every core that counts as summed."""
        reach = arb(cores.reach)
        joined = _joined(self.contour.ranges)
        for core in (0, *cores.summed):
            center = 2 * arb.pi() * core / distance
            # core 0 has no point below the first, j = 1
            _require(
                any(
                    (first == 1 if core == 0 else self.step * (first - 1) < center - reach)
                    and self.step * (last + 1) > center + reach
                    for first, last in joined
                )
            )

    def least_dip(self, center: arb, distance: arb, reach: arb) -> arb:
        """At least 1 - cos(t d) for every t within reach of the center."""
        angle = center * distance
        nearest = round(float(angle / (2 * arb.pi())))
        off = abs(angle - 2 * arb.pi() * nearest)
        # the distance to the nearest multiple of 2 pi, even if rounding chose its neighbour
        away = (off.min(2 * arb.pi() - off) - reach * distance).lower()
        return 1 - away.cos() if away > 0 else arb(0)

    def pair(self, i: int, j: int) -> tuple[arb, arb]:
        (left, left_mass), (right, right_mass) = self.atoms[i], self.atoms[j]
        return self.terms * left_mass * right_mass, abs(left - right)

    def pairs(self) -> list[tuple[int, int]]:
        count = len(self.atoms)
        return [(i, j) for i in range(count) for j in range(i + 1, count)]


def _joined(ranges: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Ranges that touch, as one."""
    joined = [ranges[0]]
    for first, last in ranges[1:]:
        if first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def _require(holds: bool) -> None:
    if not holds:
        raise CertificationError("the bound could not be proven: its contour does not fit; choose other parameters")


def _ball(number: Fraction) -> arb:
    return arb(fmpq(number.numerator, number.denominator))


def _rounded_up(value: arb) -> Fraction:
    """A short decimal that is certainly not below the value."""
    if value == 0:
        return Fraction(0)
    mantissa, exponent = value.man_exp()
    exact_value = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    scale = Fraction(10) ** (DIGITS - _decimal_exponent(exact_value))
    return Fraction(-((-exact_value * scale) // 1)) / scale


def _decimal_exponent(value: Fraction) -> int:
    """About the position of the first decimal digit; off by one does no harm."""
    return (value.numerator.bit_length() - value.denominator.bit_length()) * 30103 // 100000


def scientific(value: Fraction) -> str:
    """A decimal fraction of at most DIGITS + 2 digits, written out exactly, as in 9.9998e-6."""
    if value == 0:
        return "0"
    exponent = _decimal_exponent(value)
    digits = value * Fraction(10) ** (DIGITS + 2 - exponent)
    if digits.denominator != 1:
        raise CertificationError(f"{value} has more digits than a certificate writes")
    text = str(digits.numerator)
    shift = exponent - DIGITS - 2 + len(text) - 1
    mantissa = f"{text[0]}.{text[1:]}".rstrip("0").rstrip(".")
    return f"{mantissa}e{shift}"
