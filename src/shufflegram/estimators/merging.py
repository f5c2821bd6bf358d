"""Mixture reduction: EM in which low and similar neighbours are merged, after Ye et al.

Bins that few reports speak for are what makes EM slow and noisy: their share could as well belong to the next bin.
Mixture reduction gives such neighbours one common frequency. The paper names the method and not its rule; ours is in
`MixtureReduction`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..channel import WindowChannel
from ..checks import is_finite, is_whole
from ..errors import InputError
from .em import (
    MOST_ITERATIONS,
    Outcome,
    Solution,
    Stop,
    advance,
    check_limits,
    checked_counts,
    log_likelihood,
)
from .smoothing import NoSmoothing, frequency_deviation

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class MixtureReduction:
    """EM with merging, as a value.

    A group of bins is one component of the mixture, spread evenly over its bins: after each M-step every bin of a
    group takes the group's mean. At first every bin is a group of its own, and the start is uniform. After every
    `rounds_between_merges` rounds, or earlier if the L1 change falls below the tolerance (1 / n if left out), the
    groups are passed once from low to high. A group and the next one merge if the means of both are below `low` *
    sigma_1 (`frequency_deviation`) and below the uniform 1 / m: too low to be told from nothing, and so from one
    another. A group joins at most one other in a pass. On a circle the last group and the first are neighbours too.
    Groups never part. The run has converged when the change is below the tolerance and a pass merges nothing.

    The defaults are those of a comparison on dense, spiky and sparse data: merging earlier or more freely flattened
    what EM had not yet separated and raised the error up to tenfold.
    """

    rounds_between_merges: int = 1000
    low: float = 0.5
    max_iterations: int = MOST_ITERATIONS
    tolerance: float | None = None

    def __post_init__(self) -> None:
        rounds = self.rounds_between_merges
        if not is_whole(rounds) or rounds < 1:
            raise InputError(f"rounds_between_merges must be a whole number, at least 1, got {rounds!r}")
        if not is_finite(self.low) or self.low < 0:
            raise InputError(f"low is a share of sigma_1 and must be finite and at least 0, got {self.low!r}")

    def solve(self, channel: WindowChannel, counts: ArrayLike, *, circular: bool = False) -> Solution:
        tally = checked_counts(channel, counts)
        check_limits(self.max_iterations, self.tolerance)
        limit = 1 / tally.sum() if self.tolerance is None else self.tolerance
        low = min(self.low * frequency_deviation(channel, tally), 1 / channel.cells)
        table = NoSmoothing().table(channel, tally)
        frequencies = np.full(channel.cells, 1 / channel.cells)
        groups = np.arange(channel.cells)
        stop, rounds, change = Stop.ITERATION_LIMIT, 0, np.inf
        while rounds < self.max_iterations:
            stage = min(self.rounds_between_merges, self.max_iterations - rounds)
            done, change = advance(channel, tally, frequencies, table, circular, stage, limit, groups)
            rounds += done
            merged = merge_neighbours(frequencies, groups, low, circular)
            if change < limit and merged is groups:
                stop = Stop.CONVERGED
                break
            groups = merged
        return Solution(frequencies, Outcome(stop, rounds, log_likelihood(channel, tally, frequencies), change))


def merge_neighbours(frequencies: Floats, groups: Indices, low: float, circular: bool) -> Indices:
    """One pass of merges over groups numbered along the bins; the very same array if nothing merges."""
    means = np.bincount(groups, weights=frequencies) / np.bincount(groups)
    count = means.size
    both_low = (means < low) & (np.roll(means, -1) < low)
    last_pair = count if circular and count > 2 else count - 1
    joined = np.zeros(count, dtype=bool)
    partner = np.arange(count)
    for group in np.flatnonzero(both_low[:last_pair]):
        following = (group + 1) % count
        if not joined[group] and not joined[following]:
            joined[[group, following]] = True
            # The later number gives way, so that the numbers still rise along the bins.
            partner[max(group, following)] = min(group, following)
    if not joined.any():
        return groups
    kept = np.cumsum(partner == np.arange(count)) - 1
    return kept[partner][groups]
