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


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A certified promise about a privacy law; `promise` makes one. It promises no more than its certificate proves."""

    epsilon: float
    delta: float
    users: int
    local_epsilon: float
    law: PrivacyLaw
    certificate: Certificate

    def __post_init__(self) -> None:
        proven = self.certificate
        if proven.epsilon != as_written(self.epsilon) or proven.delta_upper > as_written(self.delta):
            raise CertificationError(
                f"the parameters do not give ({self.epsilon}, {self.delta}) with {self.users:,} honest reports: "
                f"the proven delta is {float(proven.delta_upper):.6g} at epsilon {float(proven.epsilon)}"
            )

    @property
    def adjacency(self) -> str:
        """Two datasets are neighbours if one user's value is replaced by another."""
        return "replace one"

    def statement(self) -> str:
        """The promise as a person would want to read it, with whom it binds and what it rests on."""
        return (
            f"Whoever sees the shuffled reports, even knowing everything about all other users, can hardly tell which "
            f"value a user holds: the reports are ({self.epsilon}, {self.delta})-differentially private when one "
            f"user's value is replaced by any other (proven delta {scientific(self.certificate.delta_upper)}). "
            f"This holds if at least {self.users:,} honest reports are shuffled together, the user's own included; "
            f"fake, colluding or non-randomizing users do not count. If shuffler and analyst collude, what remains is "
            f"local differential privacy with epsilon {rounded_up(self.local_epsilon)}."
        )

    def warnings(self) -> tuple[str, ...]:
        """What a careful reader should be told."""
        warnings = []
        if self.delta > 1 / self.users:
            warnings.append(
                f"delta {self.delta} is above 1/n = {1 / self.users:.3g}: publishing one random user in full would "
                f"meet it too; choose a delta well below 1/n"
            )
        return tuple(warnings)

    def to_dict(self) -> dict[str, Any]:
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "users": self.users,
            "adjacency": self.adjacency,
            "local_epsilon": self.local_epsilon,
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
    certificate = certify(law, terms, as_written(epsilon))
    return Guarantee(float(epsilon), float(delta), users, local_epsilon, law, certificate)


def rounded_up(loss: float, digits: int = 3) -> str:
    """A loss in a few digits, never too small."""
    return f"{Context(prec=digits, rounding=ROUND_CEILING).create_decimal(loss):g}"


def as_written(number: float) -> Fraction:
    """The decimal number that a person wrote: 0.1 is one tenth, not its binary neighbour."""
    if not math.isfinite(number):
        raise CertificationError(f"a finite number is needed, got {number}")
    return Fraction(repr(float(number)))
