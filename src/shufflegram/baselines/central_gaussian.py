"""The central model: a trusted server adds Gaussian noise to the counts of c chunks. And Norm-Sub."""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import ArrayLike

from ..domain import Domain
from ..estimators import norm_sub
from ..estimators.estimate import Estimate
from ..privacy.budget import Budget
from ..randomizers.chunks import chunk_histogram, require_bins, spread_over_bins

# Replacing one user's value takes one from a count and adds one to another: an L2 sensitivity of sqrt(2).
SENSITIVITY = 2**0.5
# How finely privacy losses are told apart: what is found is an upper bound whatever this is.
INTERVAL = 1e-5


@dataclass(frozen=True)
class CentralGaussian:
    """Counts of c chunks plus independent normal noise: the least that keeps the budget, with any number of users."""

    domain: Domain
    chunks: int
    budget: Budget

    def __post_init__(self) -> None:
        require_bins(self.domain, self.chunks)

    @cached_property
    def sigma(self) -> float:
        """The noise's standard deviation. Finding it takes seconds, so that is left until somebody asks."""
        return SENSITIVITY * least_deviation(self.budget.epsilon, self.budget.delta)

    @property
    def resolution(self) -> int:
        return self.chunks

    @property
    def messages_per_user(self) -> float:
        return 1.0

    @property
    def bits_per_user(self) -> float:
        """Each user hands the server the bin of their true value, and nothing hides it there."""
        return float(math.ceil(math.log2(self.domain.bins)))

    @property
    def promise(self) -> str:
        epsilon, delta = self.budget.epsilon, self.budget.delta
        return f"({epsilon}, {delta})-differential privacy towards everyone but the server, which sees every value"

    def simulate(self, histogram: ArrayLike, simulation_seed: int) -> Estimate:
        counts = chunk_histogram(histogram, self.chunks)
        noise = np.random.default_rng(simulation_seed).normal(0.0, self.sigma, size=self.chunks)
        # the number of users is no secret where one value replaces another
        users = int(counts.sum())
        return Estimate(self.domain, spread_over_bins(norm_sub((counts + noise) / users), self.domain.bins), users)


def central_gaussian(chunks: int, domain: Domain, budget: Budget) -> CentralGaussian:
    """With the least noise that privacy loss distributions allow at the budget."""
    return CentralGaussian(domain, chunks, budget)


@lru_cache(maxsize=256)
def least_deviation(epsilon: float, delta: float) -> float:
    """The noise, per unit of sensitivity, that privacy loss distributions show to keep (epsilon, delta)."""
    from dp_accounting import dp_event, mechanism_calibration
    from dp_accounting.pld import pld_privacy_accountant

    accountant = partial(pld_privacy_accountant.PLDAccountant, value_discretization_interval=INTERVAL)
    found: float = mechanism_calibration.calibrate_dp_mechanism(accountant, dp_event.GaussianDpEvent, epsilon, delta)
    return found
