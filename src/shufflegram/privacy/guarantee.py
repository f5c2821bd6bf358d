"""What is promised, in words and in numbers."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import CertificationError
from .budget import check_crowd, check_delta, check_epsilon
from .certify import Certificate, certify, scientific
from .laws import PrivacyLaw


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A certified promise. Only `promise` makes one, and only when its certificate proves it."""

    epsilon: float
    delta: float
    users: int
    local_epsilon: float
    certificate: Certificate

    @property
    def adjacency(self) -> str:
        """Two datasets are neighbours if one user's value is replaced by another."""
        return "replace one"

    def statement(self) -> str:
        """The promise as a person would want to read it, with whom it binds and what it rests on."""
        return (
            f"Whoever sees the shuffled reports, even knowing everything about all other users, can hardly tell which "
            f"value a user holds: the reports are ({self.epsilon:g}, {self.delta:g})-differentially private when one "
            f"user's value is replaced by any other (proven delta {scientific(self.certificate.delta_upper)}). "
            f"This holds if at least {self.users:,} honest reports are shuffled together, the user's own included; "
            f"fake, colluding or non-randomizing users do not count. If shuffler and analyst collude, what remains is "
            f"local differential privacy with epsilon {self.local_epsilon:.3g}."
        )

    def warnings(self) -> tuple[str, ...]:
        """What a careful reader should be told."""
        warnings = []
        if self.delta > 1 / self.users:
            warnings.append(
                f"delta {self.delta:g} is above 1/n = {1 / self.users:.3g}: publishing one random user in full would "
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
    if certificate.delta_upper > as_written(delta):
        raise CertificationError(
            f"the parameters do not give ({epsilon:g}, {delta:g}) with {users:,} honest reports: "
            f"the proven delta is {float(certificate.delta_upper):.6g}"
        )
    return Guarantee(float(epsilon), float(delta), users, local_epsilon, certificate)


def as_written(number: float) -> Fraction:
    """The decimal number that a person wrote: 0.1 is one tenth, not its binary neighbour."""
    if not math.isfinite(number):
        raise CertificationError(f"a finite number is needed, got {number}")
    return Fraction(repr(float(number)))
