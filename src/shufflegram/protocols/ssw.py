"""SSW: the shuffled square wave with SW's parameters, which follow from one local epsilon, and EMS."""

from collections.abc import Mapping
from typing import Any

from ..design import square_wave as design
from ..domain import Domain
from ..errors import MechanismError
from ..estimators import EMS
from ..mechanism import SquareWave
from ..privacy.budget import Budget
from .square_wave import SquareWaveProtocol

NAME = "ssw"
ESTIMATOR = EMS


def published(domain: Domain, budget: Budget) -> SquareWaveProtocol:
    """The paper's SSW: continuous wave, the largest local epsilon that the corrected Hoeffding bound allows."""
    if domain.circular:
        raise MechanismError("published SSW is for a line; on a circular domain use exact accounting")
    return SquareWaveProtocol(NAME, domain, design.published_ssw(budget), ESTIMATOR)


def exact(domain: Domain, budget: Budget) -> SquareWaveProtocol:
    """SSW in whole cells at its own limit under exact accounting."""

    def choose(budget: Budget) -> SquareWave:
        return design.in_cells(design.exact_ssw(budget), domain.bins, circular=domain.circular, budget=budget)

    return SquareWaveProtocol(NAME, domain, design.informative(choose, budget), ESTIMATOR)


def load(domain: Domain, record: Mapping[str, Any]) -> SquareWaveProtocol:
    """SSW around the mechanism that a plan recorded."""
    return SquareWaveProtocol(NAME, domain, SquareWave.from_dict(record), ESTIMATOR)
