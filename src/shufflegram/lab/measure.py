"""What is measured in a cell. A measurement turns a cell and the seed of one repetition into named numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..metrics import METRICS, errors
from ..privacy.budget import Budget
from ..protocol import Protocol
from ..protocols import registry
from .cell import Cell

Floats = NDArray[np.float64]

# The end of a metric's name when it is taken on the chunks that a protocol can tell apart, and not on the bins.
ON_CHUNKS = "_on_chunks"


@dataclass(frozen=True, slots=True)
class Measurement:
    """The names of the numbers it gives, in order, and the function that gives them."""

    metrics: tuple[str, ...]
    measure: Callable[[Cell, int], dict[str, float]]


@lru_cache(maxsize=4)
def built(cell: Cell) -> Protocol:
    """The cell's protocol; all repetitions of a cell share it."""
    domain, _ = cell.crowd
    return registry.build(cell.protocol, domain, Budget(cell.epsilon, cell.delta, cell.users), cell.accounting)


def estimation_errors(cell: Cell, seed: int) -> dict[str, float]:
    """How far the estimate of one simulated collection is from the truth, on the bins and on the protocol's chunks."""
    domain, histogram = cell.crowd
    protocol = built(cell)
    truth = histogram / histogram.sum()
    found = protocol.analyzer.estimate(protocol.simulate(histogram, seed)).frequencies
    # A protocol that tells fewer chunks apart than there are bins says so.
    chunks = getattr(protocol, "resolution", domain.bins)
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


MEASUREMENTS: dict[str, Measurement] = {
    "errors": Measurement(
        (*(metric.name for metric in METRICS), *(f"{metric.name}{ON_CHUNKS}" for metric in METRICS)),
        estimation_errors,
    ),
}


def metric_names() -> tuple[str, ...]:
    """All numbers that an experiment can ask for."""
    return tuple(name for each in MEASUREMENTS.values() for name in each.metrics)


def measurement_of(metric: str) -> str:
    """The measurement that gives this number."""
    return next(name for name, each in MEASUREMENTS.items() if metric in each.metrics)
