"""What is tried in a cell: a protocol of the registry, perhaps with another estimator, or a baseline."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from .. import baselines
from ..baselines import Baseline
from ..estimators.estimate import Estimate
from ..privacy.budget import Budget
from ..protocol import Protocol
from ..protocols import SquareWaveProtocol, registry
from .cell import Cell
from .estimator_names import estimator_of
from .names import OWN_ESTIMATOR


@dataclass(frozen=True, slots=True)
class Contender:
    """An estimate from a histogram of true values and a seed, and how many parts of the domain it can tell apart."""

    estimate: Callable[[NDArray[np.int64], int], Estimate]
    resolution: int


def names() -> tuple[str, ...]:
    """Everything that can be tried, protocols first."""
    return (*registry.names(), *baselines.names())


def is_protocol(name: str) -> bool:
    return name in registry.names()


def is_square_wave(name: str) -> bool:
    """Whether its report is one cell of a square wave, which any estimator can read."""
    return is_protocol(name) and registry.entry(name).square_wave


def libraries_of(name: str) -> tuple[str, ...]:
    """The libraries that its numbers come from beyond those of all others."""
    library = None if is_protocol(name) else baselines.entry(name).library
    return () if library is None else (library,)


def contender_of(cell: Cell) -> Contender:
    """What is tried in the cell, ready for any histogram."""
    tried = built(cell)
    if not is_protocol(cell.protocol):
        return Contender(cast(Baseline, tried).simulate, tried.resolution)
    protocol = cast(Protocol, tried)

    def estimate(histogram: NDArray[np.int64], seed: int) -> Estimate:
        return protocol.analyzer.estimate(protocol.simulate(histogram, seed))

    return Contender(estimate, protocol.resolution)


def protocol_of(cell: Cell) -> Protocol:
    """What is tried in a cell that is about a protocol."""
    return cast(Protocol, built(cell))


@lru_cache(maxsize=4)
def built(cell: Cell) -> Protocol | Baseline:
    """The protocol or the baseline, with its parameters for the budget; all repetitions of a cell share it."""
    domain, _ = cell.crowd
    budget = Budget(cell.epsilon, cell.delta, cell.users)
    if not is_protocol(cell.protocol):
        return baselines.build(cell.protocol, domain, budget)
    protocol = registry.build(cell.protocol, domain, budget, cast(registry.Accounting, cell.accounting))
    if cell.estimator == OWN_ESTIMATOR:
        return protocol
    # a spec asks for another estimator of square waves only
    return replace(cast(SquareWaveProtocol, protocol), estimator=estimator_of(cell.estimator))
