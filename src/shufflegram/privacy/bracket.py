"""A number known from both sides."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bracket:
    """The true value is at least `lower` and at most `upper`."""

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise ArithmeticError(f"a bracket must be ordered, got lower={self.lower!r} and upper={self.upper!r}")

    def to_dict(self) -> dict[str, float]:
        return {"lower": self.lower, "upper": self.upper}

    def __str__(self) -> str:
        return f"between {self.lower:.6g} and {self.upper:.6g}"
