"""ASP: a square wave whose half width and density ratio are both chosen for information, and EMAS."""

from collections.abc import Mapping
from typing import Any

from ..design import square_wave as design
from ..domain import Domain
from ..errors import MechanismError
from ..estimators import EMAS
from ..mechanism import SquareWave
from ..privacy.budget import Budget
from .square_wave import SquareWaveProtocol

NAME = "asp"
ESTIMATOR = EMAS


def published(domain: Domain, budget: Budget) -> SquareWaveProtocol:
    """The paper's ASP: continuous wave, corrected Hoeffding bound, the paper's objective."""
    if domain.circular:
        raise MechanismError("published ASP is for a line; on a circular domain use exact accounting")
    return SquareWaveProtocol(NAME, domain, design.published_asp(budget), ESTIMATOR)


def exact(domain: Domain, budget: Budget) -> SquareWaveProtocol:
    """ASP in whole cells under exact accounting."""

    def choose(budget: Budget) -> SquareWave:
        return design.exact_asp(domain.bins, circular=domain.circular, budget=budget)

    return SquareWaveProtocol(NAME, domain, design.informative(choose, budget), ESTIMATOR)


def load(domain: Domain, record: Mapping[str, Any]) -> SquareWaveProtocol:
    """ASP around the mechanism that a plan recorded."""
    return SquareWaveProtocol(NAME, domain, SquareWave.from_dict(record), ESTIMATOR)
