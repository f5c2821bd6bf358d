"""What a user sends: known before anything is drawn."""

from ..cell import Cell
from ..contenders import protocol_of
from .measurement import Measurement


def costs(cell: Cell, seed: int) -> dict[str, float]:
    """On average over users. Every repetition would be the same."""
    protocol = protocol_of(cell)
    return {"messages": protocol.messages_per_user, "bits": protocol.bits_per_user}


COSTS = Measurement({"messages": "messages a user", "bits": "bits a user"}, costs)
