"""Flip: every user sends their one-hot vector among dummy vectors, each bit of each flipped with probability q."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import MechanismError
from .ratios import WEIGHT_LIMIT, checked_record, logarithm_above, parsed_ratio, require_ratios, require_whole


@dataclass(frozen=True, slots=True)
class Flip:
    """A user sends s + 1 vectors of c bits: the one-hot vector of their chunk and s zero vectors, with flipped bits."""

    chunks: int
    dummies: int
    flip_probability: Fraction

    def __post_init__(self) -> None:
        require_whole(self, "chunks", "dummies")
        require_ratios(self, "flip_probability")
        # with two, each bit says what the other does not, and users could send one bit instead
        if self.chunks < 3:
            raise MechanismError(f"Flip needs at least 3 chunks, not {self.chunks}")
        if self.dummies < 0:
            raise MechanismError(f"dummies are counted and cannot be negative, got {self.dummies}")
        if not 0 < self.flip_probability < Fraction(1, 2):
            raise MechanismError(
                f"flip_probability must lie between 0 and 1/2, both excluded (at 1/2 nothing is told and the estimate "
                f"divides by zero), got {self.flip_probability}"
            )
        if self.flip_probability.denominator >= WEIGHT_LIMIT:
            raise MechanismError("flip_probability needs weights beyond 62 bits; give it a smaller denominator")

    @property
    def messages(self) -> int:
        """How many vectors a user sends."""
        return self.dummies + 1

    @property
    def bit_ratio(self) -> Fraction:
        """r = (1 - q) / q: how much likelier a bit is sent as it is."""
        return (1 - self.flip_probability) / self.flip_probability

    @property
    def local_epsilon(self) -> float:
        """2 ln r: two values differ in two bits of one vector. Never below it."""
        return logarithm_above(self.bit_ratio**2)

    def __str__(self) -> str:
        return (
            f"{self.messages} vectors of {self.chunks} bits a user, each bit flipped with probability "
            f"{float(self.flip_probability):g}"
        )

    def to_dict(self) -> dict[str, Any]:
        """A readable record, which `from_dict` turns back into the same mechanism."""
        return {
            "kind": "flip",
            "chunks": self.chunks,
            "dummies": self.dummies,
            "flip_probability": str(self.flip_probability),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Flip":
        """The mechanism that `to_dict` recorded; anything missing, unknown or of another kind is an error."""
        checked_record(record, "flip", {"chunks": int, "dummies": int, "flip_probability": str})
        probability = parsed_ratio("flip_probability", record["flip_probability"])
        return cls(record["chunks"], record["dummies"], probability)
