"""How far the estimate of one simulated collection is from the truth, on the bins and on a protocol's own chunks."""

import numpy as np
from numpy.typing import NDArray

from ...metrics import METRICS, errors
from ..cell import Cell
from ..contenders import contender_of
from ..names import ON_CHUNKS
from .measurement import Measurement

Floats = NDArray[np.float64]


def estimation_errors(cell: Cell, seed: int) -> dict[str, float]:
    """Every metric of one simulated collection; what tells all bins apart has the same ones on its chunks."""
    domain, histogram = cell.crowd
    contender = contender_of(cell)
    truth = histogram / histogram.sum()
    found = contender.estimate(histogram, seed).frequencies
    chunks = contender.resolution
    on_chunks = errors(in_chunks(truth, chunks), in_chunks(found, chunks), circular=domain.circular)
    return {
        **errors(truth, found, circular=domain.circular),
        **{f"{name}{ON_CHUNKS}": error for name, error in on_chunks.items()},
    }


def in_chunks(frequencies: Floats, chunks: int) -> Floats:
    """The share in each of so many equal parts of the domain; bins that lie in two are spread evenly."""
    bins = frequencies.size
    if chunks == bins:
        return frequencies
    cumulative = np.concatenate(([0.0], np.cumsum(frequencies)))
    return np.diff(np.interp(np.arange(chunks + 1) * (bins / chunks), np.arange(bins + 1), cumulative))


ERRORS = Measurement(
    {
        **{metric.name: metric.title for metric in METRICS},
        **{f"{metric.name}{ON_CHUNKS}": f"{metric.title}, on its own chunks" for metric in METRICS},
    },
    estimation_errors,
)
