"""Pure on c chunks, with Norm-Sub: every user's chunk as it is, among dummies drawn evenly from all chunks."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..design import chunks as design
from ..domain import Domain
from ..errors import ReportError
from ..estimators.estimate import Estimate
from ..mechanism import Pure
from ..privacy.budget import Budget
from ..protocol import Tally, as_reports
from ..randomizers.chunks import PureRandomizer, simulate_pure_tally
from .chunks import ChunkProtocol, estimated, users_of
from .entry import Entry


@dataclass(frozen=True)
class PureAnalyzer:
    """Sees nothing but how often each chunk was sent."""

    domain: Domain
    mechanism: Pure = field(repr=False)
    digest: str

    def tally(self, reports: ArrayLike) -> Tally:
        """Count points; refuse any that this protocol cannot have made."""
        points = as_reports(reports)
        chunks = self.mechanism.chunks
        if points.size and not (points.min() >= 0 and points.max() < chunks):
            raise ReportError(f"reports must be in 0..{chunks - 1}; some are from another plan, or forged")
        return Tally(np.bincount(points, minlength=chunks).astype(np.int64), int(points.size), self.digest)

    def estimate(self, tally: Tally) -> Estimate:
        """The distribution that a tally speaks for; refuse a tally of another protocol."""
        users = users_of(tally, self.mechanism, self.digest)
        # (1/n) (count - ns / c)
        dummies = users * self.mechanism.dummies / self.mechanism.chunks
        return estimated(self.domain, (tally.counts - dummies) / users, users)


@dataclass(frozen=True)
class PureProtocol(ChunkProtocol):
    mechanism: Pure

    @cached_property
    def randomizer(self) -> PureRandomizer:
        return PureRandomizer(self.domain, self.mechanism)

    @cached_property
    def analyzer(self) -> PureAnalyzer:
        return PureAnalyzer(self.domain, self.mechanism, self.digest)

    @property
    def bits_per_user(self) -> float:
        return float(self.mechanism.messages * math.ceil(math.log2(self.mechanism.chunks)))

    def simulate(self, histogram: ArrayLike, simulation_seed: int) -> Tally:
        """A tally as users with this histogram of true values would give, in one draw: for simulation only."""
        counts = simulate_pure_tally(self.mechanism, self.chunked(histogram), np.random.default_rng(simulation_seed))
        return self.stamped(counts, int(counts.sum()))


def entry(chunks: int) -> Entry:
    """Pure on so many chunks."""
    name = f"pure-{chunks}"

    def published(domain: Domain, budget: Budget) -> PureProtocol:
        return PureProtocol(name, domain, design.published_pure(chunks, budget))

    def exact(domain: Domain, budget: Budget) -> PureProtocol:
        return PureProtocol(name, domain, design.exact_pure(chunks, budget))

    def load(domain: Domain, record: Mapping[str, Any]) -> PureProtocol:
        return PureProtocol(name, domain, Pure.from_dict(record))

    return Entry(name, f"Pure on {chunks} chunks, Norm-Sub", published, exact, load)
