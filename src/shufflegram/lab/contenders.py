"""What is tried in a cell: a protocol of the registry, perhaps with another estimator, or a baseline."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from .. import baselines
from ..errors import ExperimentError
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


@lru_cache(maxsize=4)
def contender_of(cell: Cell) -> Contender:
    """What is tried in the cell; all of its repetitions share it."""
    if cell.protocol in baselines.names():
        domain, _ = cell.crowd
        baseline = baselines.build(cell.protocol, domain, Budget(cell.epsilon, cell.delta, cell.users))
        return Contender(baseline.simulate, baseline.resolution)
    protocol = protocol_of(cell)

    def estimate(histogram: NDArray[np.int64], seed: int) -> Estimate:
        return protocol.analyzer.estimate(protocol.simulate(histogram, seed))

    return Contender(estimate, protocol.resolution)


@lru_cache(maxsize=4)
def protocol_of(cell: Cell) -> Protocol:
    """The cell's protocol, with its parameters for the budget."""
    if cell.protocol in baselines.names():
        raise ExperimentError(f"{cell.protocol} is no shuffle protocol; take one of {', '.join(registry.names())}")
    domain, _ = cell.crowd
    accounting = cast(registry.Accounting, cell.accounting)
    protocol = registry.build(cell.protocol, domain, Budget(cell.epsilon, cell.delta, cell.users), accounting)
    if cell.estimator == OWN_ESTIMATOR:
        return protocol
    if not isinstance(protocol, SquareWaveProtocol):
        raise ExperimentError(f"{cell.protocol} has an estimator of its own and takes no other; leave estimators out")
    return replace(protocol, estimator=estimator_of(cell.estimator))
