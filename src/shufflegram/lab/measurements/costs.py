"""What a user sends: known before anything is drawn."""

from .. import contenders
from ..cell import Cell
from .measurement import Measurement


def costs(cell: Cell, seed: int) -> dict[str, float]:
    """On average over users. Every repetition would be the same."""
    tried = contenders.built(cell)
    return {"messages": tried.messages_per_user, "bits": tried.bits_per_user}


COSTS = Measurement({"messages": "messages a user", "bits": "bits a user"}, costs)
