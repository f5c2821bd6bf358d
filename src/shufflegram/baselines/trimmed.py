"""Trim: leave out the lowest and the highest reports, and take the rest for the values.

The paper does not say what is estimated from the reports that are left. Here it is their own histogram, with reports
beyond an end of the domain counted at that end: nothing undoes the randomizer's noise.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..domain import Domain
from ..errors import MechanismError
from ..estimators.estimate import Estimate
from ..mechanism import SquareWave
from ..privacy.budget import Budget
from ..protocols import SquareWaveProtocol, build

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trimmed:
    """A square wave's reports without this share of them at either end."""

    protocol: SquareWaveProtocol
    share: float
    budget: Budget

    @property
    def resolution(self) -> int:
        return self.protocol.resolution

    @property
    def messages_per_user(self) -> float:
        """Every user reports: which reports are left out is known only when all are there."""
        return self.protocol.messages_per_user

    @property
    def bits_per_user(self) -> float:
        return self.protocol.bits_per_user

    @property
    def promise(self) -> str:
        epsilon, delta = self.budget.epsilon, self.budget.delta
        return f"shuffle model, as published ASP: ({epsilon}, {delta})-differential privacy of the shuffled reports"

    def simulate(self, histogram: ArrayLike, simulation_seed: int) -> Estimate:
        tally = self.protocol.simulate(histogram, simulation_seed)
        kept = trimmed(tally.counts, math.floor(self.share * tally.reports))
        bins = self.protocol.domain.bins
        # where the edges of the report cells lie, in units of the domain: from -b to 1 + b
        b = self._reach()
        edges = np.linspace(-b, 1 + b, kept.size + 1)
        below = np.interp(np.linspace(0, 1, bins + 1), edges, np.concatenate(([0.0], np.cumsum(kept))))
        below[0], below[-1] = 0.0, kept.sum()
        return Estimate(self.protocol.domain, np.diff(below) / kept.sum(), int(kept.sum()))

    def _reach(self) -> float:
        """How far reports reach beyond the domain, as a share of it."""
        wave = self.protocol.mechanism
        return wave.half_width / wave.cells if isinstance(wave, SquareWave) else float(wave.half_width)


def trimmed(counts: NDArray[np.int64], left_out: int) -> Floats:
    """The counts without so many of the lowest reports and as many of the highest."""
    below = np.concatenate(([0], np.cumsum(counts)))
    kept: Floats = np.diff(np.clip(below, left_out, below[-1] - left_out)).astype(np.float64)
    return kept


def trimmed_asp(share: float, domain: Domain, budget: Budget) -> Trimmed:
    """The reports of the published ASP, trimmed."""
    protocol = build("asp", domain, budget, "published")
    if not isinstance(protocol, SquareWaveProtocol):
        raise MechanismError(f"trimming is for reports on a line, and {protocol.name} has none; take a square wave")
    return Trimmed(protocol, share, budget)
