"""What is promised, in words and in numbers."""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from typing import Any

from ..errors import CertificationError
from .budget import check_crowd, check_delta, check_epsilon
from .certify import Certificate, certify, scientific
from .laws import PrivacyLaw

# Two datasets are neighbours if one user's value is replaced by another.
ADJACENCY = "replace one"
# From here on what was thought to be one percent likely of a user can come out as more likely than not.
LARGE_EPSILON = 5.0
# Telling everything about everybody, this often, is too often for any crowd.
LARGE_DELTA = 0.01


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A certified promise about a privacy law; `promise` makes one.

    Epsilon and delta are no less than the certificate proves. That so many users give so many terms, and what is left
    without a shuffler, is the word of whoever makes it: `privacy.guarantee_of` takes both from the mechanism, and a
    `Plan` accepts no others than its protocol's.
    """

    epsilon: float
    delta: float
    users: int
    local_epsilon: float
    certificate: Certificate

    def __post_init__(self) -> None:
        check_crowd(self.users)
        if not self.local_epsilon >= 0:
            raise CertificationError(f"a local epsilon is at least 0 (or infinite), got {self.local_epsilon}")
        proven = self.certificate
        if proven.epsilon != as_written(self.epsilon) or proven.delta_upper > as_written(self.delta):
            raise CertificationError(
                f"the parameters do not give ({self.epsilon}, {self.delta}) with {self.users:,} honest reports: "
                f"the proven delta is {float(proven.delta_upper):.6g} at epsilon {float(proven.epsilon)}"
            )

    @property
    def law(self) -> PrivacyLaw:
        """The law that the certificate is about."""
        return self.certificate.law

    @property
    def adjacency(self) -> str:
        """Which datasets are neighbours."""
        return ADJACENCY

    def statement(self) -> str:
        """The promise as a person would want to read it, with whom it binds and what it rests on."""
        proven = f"proven delta {scientific(self.certificate.delta_upper)}"
        if self.certificate.delta_upper == 0:
            proven = "proven with delta 0, as at this epsilon the local guarantee alone suffices"
        left = f"what is left is local differential privacy with epsilon {rounded_up(self.local_epsilon)}"
        if math.isinf(self.local_epsilon):
            left = "nothing is left"
        return (
            f"The shuffled reports are ({self.epsilon}, {self.delta})-differentially private when one user's value is "
            f"replaced by any other ({proven}): whatever anyone concludes from them, even knowing all other users' "
            f"values, is at most {rounded_up(math.exp(self.epsilon), 6)} times as likely, plus {self.delta}, as if the "
            f"user held any other value. "
            f"This holds if at least {self.users:,} honest reports are shuffled together, the user's own included; "
            f"fake, colluding or non-randomizing users do not count. If shuffler and analyst collude, {left}."
        )

    def warnings(self) -> tuple[str, ...]:
        """What a careful reader should be told."""
        warnings = []
        share = as_written(self.delta) * self.users
        if share >= 1:
            warnings.append(
                f"delta {self.delta} is {'above' if share > 1 else 'exactly'} 1/n = {1 / self.users:.3g}: publishing "
                f"one random user in full would meet it too; choose a delta well below 1/n"
            )
        elif self.delta > LARGE_DELTA:
            warnings.append(
                f"delta {self.delta} is large: publishing everyone in full, with that probability, would meet it too; "
                f"choose a delta well below 1/n = {1 / self.users:.3g}"
            )
        if self.epsilon > LARGE_EPSILON:
            # odds of 1 to 99 times exp(epsilon)
            after = 100 / (1 + 99 * math.exp(-self.epsilon))
            warnings.append(
                f"epsilon {self.epsilon} is large: what was thought to be 1% likely of a user can come out as "
                f"{after:.3g}% likely; about 1 or less is usual"
            )
        return tuple(warnings)

    def to_dict(self) -> dict[str, Any]:
        """A readable record, proof and words included; an infinite local epsilon is None, since JSON has none."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "users": self.users,
            "adjacency": self.adjacency,
            "local_epsilon": self.local_epsilon if math.isfinite(self.local_epsilon) else None,
            "certificate": self.certificate.to_dict(),
            "statement": self.statement(),
            "warnings": list(self.warnings()),
        }


def promise(
    law: PrivacyLaw, *, terms: int, users: int, epsilon: float, delta: float, local_epsilon: float
) -> Guarantee:
    """Certify that the law with this many terms stays within (epsilon, delta), or raise CertificationError."""
    check_crowd(users)
    check_epsilon(epsilon)
    check_delta(delta)
    # NumPy's numbers are no JSON
    certificate = certify(law, int(terms), as_written(epsilon))
    return Guarantee(float(epsilon), float(delta), int(users), float(local_epsilon), certificate)


def rounded_up(loss: float, digits: int = 3) -> str:
    """A loss in a few digits, never too small."""
    return f"{Context(prec=digits, rounding=ROUND_CEILING).create_decimal(loss):g}"


def as_written(number: float) -> Fraction:
    """The decimal number that a person wrote: 0.1 is one tenth, not its binary neighbour."""
    if not math.isfinite(number):
        raise CertificationError(f"a finite number is needed, got {number}")
    return Fraction(repr(float(number)))
