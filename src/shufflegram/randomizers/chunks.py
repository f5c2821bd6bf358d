"""What the devices of Flip and Pure do, and the tally of a whole crowd at once for simulation.

A value's chunk is known from its bin: bin i of m belongs to chunk floor(i c / m) of c.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..domain import Domain
from ..errors import MechanismError
from ..mechanism import Flip, Pure
from ..randomness import SECURE_SOURCE, Source
from .simulation import as_histogram

Integers = NDArray[np.int64]

# Bits that are drawn at once, so that memory stays small however many dummies there are.
BLOCK = 1 << 20


@dataclass(frozen=True)
class FlipRandomizer:
    """Each user's value to s + 1 vectors of c bits, one row each: flipped one-hot and flipped zeros, 0 or 1."""

    domain: Domain
    mechanism: Flip

    def __post_init__(self) -> None:
        require_bins(self.domain, self.mechanism.chunks)

    def randomize(self, values: ArrayLike, source: Source = SECURE_SOURCE) -> Integers:
        """The vectors of all users, those of one user one after another, the true one first."""
        wave = self.mechanism
        chunks = chunk_of(self.domain.cells(values), self.domain.bins, wave.chunks)
        vectors = np.zeros((chunks.size * wave.messages, wave.chunks), dtype=np.int64)
        vectors[np.arange(chunks.size) * wave.messages, chunks] = 1
        flat = vectors.reshape(-1)
        # A bit flips if a uniform integer below the denominator of q is below its numerator.
        for begin in range(0, flat.size, BLOCK):
            block = flat[begin : begin + BLOCK]
            drawn = source.integers_below(wave.flip_probability.denominator, block.size)
            block ^= drawn < wave.flip_probability.numerator
        return vectors


@dataclass(frozen=True)
class PureRandomizer:
    """Each user's value to s + 1 chunks: their own, then dummies."""

    domain: Domain
    mechanism: Pure

    def __post_init__(self) -> None:
        require_bins(self.domain, self.mechanism.chunks)

    def randomize(self, values: ArrayLike, source: Source = SECURE_SOURCE) -> Integers:
        """The points of all users, those of one user one after another, the true one first."""
        pure = self.mechanism
        chunks = chunk_of(self.domain.cells(values), self.domain.bins, pure.chunks)
        points = np.empty((chunks.size, pure.messages), dtype=np.int64)
        points[:, 0] = chunks
        points[:, 1:] = source.integers_below(pure.chunks, chunks.size * pure.dummies).reshape(chunks.size, -1)
        return points.reshape(-1)


def simulate_flip_tally(mechanism: Flip, histogram: ArrayLike, generator: np.random.Generator) -> Integers:
    """How often each bit is 1 in all vectors, when histogram[j] users hold chunk j."""
    # of the bits of one chunk, those that began as ones and those that began as zeros: a binomial each
    ones = as_histogram(histogram)
    vectors = int(ones.sum()) * mechanism.messages
    q = float(mechanism.flip_probability)
    kept: Integers = generator.binomial(ones, 1 - q) + generator.binomial(vectors - ones, q)
    return kept


def simulate_pure_tally(mechanism: Pure, histogram: ArrayLike, generator: np.random.Generator) -> Integers:
    """How often each chunk is sent, when histogram[j] users hold chunk j: their own points and one multinomial."""
    own = as_histogram(histogram)
    dummies = generator.multinomial(int(own.sum()) * mechanism.dummies, np.full(own.size, 1 / own.size))
    sent: Integers = own + dummies
    return sent


def chunk_of(cells: Integers, bins: int, chunks: int) -> Integers:
    """The chunk of each bin."""
    found: Integers = cells * chunks // bins
    return found


def chunk_histogram(histogram: ArrayLike, chunks: int) -> Integers:
    """How many users hold each chunk, from how many hold each bin."""
    counts = as_histogram(histogram)
    held = np.zeros(chunks, dtype=np.int64)
    np.add.at(held, chunk_of(np.arange(counts.size), counts.size, chunks), counts)
    return held


def spread_over_bins(shares: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    """Each chunk's share, evenly over its bins."""
    owner = chunk_of(np.arange(bins), bins, shares.size)
    spread: NDArray[np.float64] = shares[owner] / np.bincount(owner, minlength=shares.size)[owner]
    return spread


def require_bins(domain: Domain, chunks: int) -> None:
    """A chunk holds at least one bin."""
    if domain.bins < chunks:
        raise MechanismError(f"{chunks} chunks need at least as many bins, the domain has {domain.bins}")
