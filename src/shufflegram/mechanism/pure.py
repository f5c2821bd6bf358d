"""Pure: every user sends their chunk as it is, among dummy points drawn evenly from all chunks."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import MechanismError
from .ratios import checked_record, require_whole


@dataclass(frozen=True, slots=True)
class Pure:
    """A user sends s + 1 chunks: their own, and s dummies that are uniform on all c."""

    chunks: int
    dummies: int

    def __post_init__(self) -> None:
        require_whole(self, "chunks", "dummies")
        if self.chunks < 2:
            raise MechanismError(f"Pure needs at least 2 chunks, not {self.chunks}")
        if self.dummies < 1:
            raise MechanismError(f"Pure hides a value among dummies and needs at least 1, got {self.dummies}")

    @property
    def messages(self) -> int:
        """How many points a user sends."""
        return self.dummies + 1

    @property
    def local_epsilon(self) -> float:
        """Infinite: a user's own chunk is always among their messages."""
        return math.inf

    def __str__(self) -> str:
        return f"{self.messages} points of {self.chunks} a user, all but one of them dummies"

    def to_dict(self) -> dict[str, Any]:
        """A readable record, which `from_dict` turns back into the same mechanism."""
        return {"kind": "pure", "chunks": self.chunks, "dummies": self.dummies}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Pure":
        """The mechanism that `to_dict` recorded; anything missing, unknown or of another kind is an error."""
        checked_record(record, "pure", {"chunks": int, "dummies": int})
        return cls(record["chunks"], record["dummies"])
