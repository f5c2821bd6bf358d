"""Flip on c chunks, with Norm-Sub: one-hot vectors among dummy vectors, all bits flipped with probability q."""

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
from ..mechanism import Flip
from ..privacy.budget import Budget
from ..protocol import Tally
from ..randomizers.chunks import FlipRandomizer, simulate_flip_tally
from .chunks import ChunkProtocol, estimated, users_of
from .entry import Entry


@dataclass(frozen=True)
class FlipAnalyzer:
    """Sees nothing but how many vectors there are and how often each bit is 1."""

    domain: Domain
    mechanism: Flip = field(repr=False)
    digest: str

    def tally(self, reports: ArrayLike) -> Tally:
        """Count vectors, one a row; refuse any that this protocol cannot have made."""
        chunks = self.mechanism.chunks
        try:
            vectors = np.asarray(reports)
        except ValueError as problem:
            raise ReportError("reports must be vectors of one length, one a row") from problem
        if vectors.size == 0:
            return Tally(np.zeros(chunks, dtype=np.int64), 0, self.digest)
        if vectors.ndim != 2 or vectors.shape[1] != chunks or vectors.dtype.kind not in "iu":
            raise ReportError(f"reports must be vectors of {chunks} bits, one a row, each bit 0 or 1")
        if np.any((vectors != 0) & (vectors != 1)):
            raise ReportError("a report holds something else than bits; it is from another plan, or forged")
        return Tally(vectors.sum(axis=0, dtype=np.int64), len(vectors), self.digest)

    def estimate(self, tally: Tally) -> Estimate:
        """The distribution that a tally speaks for; refuse a tally of another protocol."""
        users = users_of(tally, self.mechanism, self.digest)
        # (1/n) sum over the vectors of (bit - q) / (1 - 2q)
        q = float(self.mechanism.flip_probability)
        return estimated(self.domain, (tally.counts - tally.reports * q) / (users * (1 - 2 * q)), users)


@dataclass(frozen=True)
class FlipProtocol(ChunkProtocol):
    mechanism: Flip

    @cached_property
    def randomizer(self) -> FlipRandomizer:
        return FlipRandomizer(self.domain, self.mechanism)

    @cached_property
    def analyzer(self) -> FlipAnalyzer:
        return FlipAnalyzer(self.domain, self.mechanism, self.digest)

    @property
    def bits_per_user(self) -> float:
        return float(self.mechanism.messages * self.mechanism.chunks)

    def simulate(self, histogram: ArrayLike, simulation_seed: int) -> Tally:
        """A tally as users with this histogram of true values would give, in one draw: for simulation only."""
        held = self.chunked(histogram)
        counts = simulate_flip_tally(self.mechanism, held, np.random.default_rng(simulation_seed))
        return self.stamped(counts, int(held.sum()) * self.mechanism.messages)


def entry(chunks: int) -> Entry:
    """Flip on so many chunks."""
    name = f"flip-{chunks}"

    def published(domain: Domain, budget: Budget) -> FlipProtocol:
        return FlipProtocol(name, domain, design.published_flip(chunks, budget))

    def exact(domain: Domain, budget: Budget) -> FlipProtocol:
        return FlipProtocol(name, domain, design.exact_flip(chunks, budget))

    def load(domain: Domain, record: Mapping[str, Any]) -> FlipProtocol:
        return FlipProtocol(name, domain, Flip.from_dict(record))

    return Entry(name, f"Flip on {chunks} chunks, Norm-Sub", published, exact, load)
