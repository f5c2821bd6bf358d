"""SW itself, without a shuffler: each user spends the whole epsilon on their own report. And EMS."""

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ..design.square_wave import continuous, sw_half_width
from ..domain import Domain
from ..errors import MechanismError
from ..estimators import EMS
from ..estimators.estimate import Estimate
from ..privacy.budget import Budget
from ..protocols import SquareWaveProtocol


@dataclass(frozen=True)
class LocalSquareWave:
    """(epsilon, 0)-local differential privacy: it needs nobody's trust, and the crowd hides nothing."""

    protocol: SquareWaveProtocol
    budget: Budget

    @property
    def resolution(self) -> int:
        return self.protocol.resolution

    @property
    def messages_per_user(self) -> float:
        return self.protocol.messages_per_user

    @property
    def bits_per_user(self) -> float:
        return self.protocol.bits_per_user

    @property
    def promise(self) -> str:
        return f"({self.budget.epsilon}, 0)-local differential privacy, whoever sees the report"

    def simulate(self, histogram: ArrayLike, simulation_seed: int) -> Estimate:
        return self.protocol.analyzer.estimate(self.protocol.simulate(histogram, simulation_seed))


def local_square_wave(domain: Domain, budget: Budget) -> LocalSquareWave:
    """SW at the budget's epsilon; its delta and its number of users play no part."""
    if domain.circular:
        raise MechanismError("SW is for a line, and this domain is circular; cut it open at its low end")
    # k = e^epsilon, rounded down
    wave = continuous(sw_half_width(budget.epsilon), math.exp(budget.epsilon) * (1 - 1e-12))
    return LocalSquareWave(SquareWaveProtocol("local-sw", domain, wave, EMS), budget)
