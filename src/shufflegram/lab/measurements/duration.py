"""How long an estimate takes. This is the one measurement that is another one each time."""

import time

from ..cell import Cell
from ..contenders import is_protocol, protocol_of
from .measurement import Measurement


def duration(cell: Cell, seed: int) -> dict[str, float]:
    """From a tally to the estimate, after one that may have waited for the compiler."""
    _, histogram = cell.crowd
    protocol = protocol_of(cell)
    tally = protocol.simulate(histogram, seed)
    protocol.analyzer.estimate(tally)
    began = time.perf_counter()
    found = protocol.analyzer.estimate(tally)
    seconds = time.perf_counter() - began
    # what does not iterate is done in one round
    return {"seconds": seconds, "rounds": 1.0 if found.outcome is None else float(found.outcome.rounds)}


DURATION = Measurement(
    {"seconds": "seconds for an estimate", "rounds": "rounds until it stopped"}, duration, of=is_protocol
)
