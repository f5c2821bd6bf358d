"""Kernel density by locality-sensitive hashing, with a shuffle protocol for the value of each hash function.

Two points have the same value of a function with probability k(distance), the kernel. So with f_l the frequencies of
the values of function l among all users' points x_i,

    (1/L) sum_l f_l[h_l(y)]   has the mean   (1/n) sum_i k(|x_i - y|),   the kernel density at y.

Hash values are whole numbers in order, neighbours being neighbouring strips of space: a domain like any other. The
paper says no more than that ASP is to recover the distribution of the L values. The hash functions, one bin for each
value, and how the budget is spent on L collections are ours. A density is the mean kernel, between 0 and 1.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import is_whole
from ..domain import Domain
from ..errors import InputError
from ..estimators.estimate import Estimate
from ..privacy.budget import Budget
from ..protocol import Protocol, run_protocol
from ..protocols.registry import Accounting
from ..randomness import SECURE_SOURCE, SeededSource, Source
from .budget_split import Split, split_budget
from .hashing import HashFamily, Integers, as_points, collision_probability

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HashedDensity:
    """A kernel density that is known through the frequencies of each function's values, a row a function."""

    hashes: HashFamily
    frequencies: Floats = field(repr=False)

    def at(self, points: ArrayLike) -> Floats:
        """The density at each of these points: (1/L) sum_l f_l[h_l(y)]."""
        found = self.hashes.values(points)
        return np.asarray(self.frequencies[np.arange(self.hashes.functions), found].mean(axis=1))


@dataclass(frozen=True)
class KernelCollections:
    """A collection for the value of each hash function, shuffled on its own.

    Of G groups of users, told apart by their public number modulo G, group g answers functions g, g + G, g + 2G, ...
    With one group everybody answers every function, with as many as functions everybody answers one. Each user is in
    one group only, so `split` is the budget of a group: its statement is about the honest reports of the user's group.
    """

    hashes: HashFamily
    groups: int
    split: Split

    @property
    def protocol(self) -> Protocol:
        """The protocol of every collection: all functions have the same domain."""
        return self.split.protocols[0]

    def run(self, points: ArrayLike, source: Source = SECURE_SOURCE) -> HashedDensity:
        """Everything that the collections do, from the points of users in the order of their numbers."""
        return self._density(run_protocol(self.protocol, answers, source) for answers in self._answers(points))

    def simulate(self, points: ArrayLike, simulation_seed: int) -> HashedDensity:
        """The same in law, by simulated tallies."""
        seeds = SeededSource(simulation_seed).integers_below(2**62, self.hashes.functions)
        return self._density(
            self.protocol.analyzer.estimate(self.protocol.simulate(self.protocol.domain.histogram(answers), int(seed)))
            for answers, seed in zip(self._answers(points), seeds, strict=True)
        )

    def _answers(self, points: ArrayLike) -> Iterator[Integers]:
        """What the users whom each function asks have to answer: a hash value is the low end of its own bin."""
        values = self.hashes.values(points)
        for function in range(self.hashes.functions):
            yield values[function % self.groups :: self.groups, function]

    def _density(self, estimates: Iterable[Estimate]) -> HashedDensity:
        return HashedDensity(self.hashes, np.array([estimate.frequencies for estimate in estimates]))


def kernel_collections(
    hashes: HashFamily, budget: Budget, protocol: str = "asp", accounting: Accounting = "exact", groups: int = 1
) -> KernelCollections:
    """The named protocol on each hash value, with the budget split over the functions that one user answers."""
    if not is_whole(groups) or groups < 1 or hashes.functions % groups:
        raise InputError(f"groups must be a whole number that divides the {hashes.functions} functions, got {groups!r}")
    domain = Domain(0, hashes.bins, hashes.bins)
    group = replace(budget, users=budget.users // groups)
    return KernelCollections(
        hashes, groups, split_budget(protocol, [domain] * (hashes.functions // groups), group, accounting)
    )


def hashed_density(hashes: HashFamily, points: ArrayLike) -> HashedDensity:
    """The density through the true frequencies, without privacy: what is left is the chance of the hash functions."""
    values = hashes.values(points)
    counts = np.array([np.bincount(column, minlength=hashes.bins) for column in values.T])
    return HashedDensity(hashes, counts / len(values))


def exact_density(points: ArrayLike, queries: ArrayLike, width: float) -> Floats:
    """The kernel density itself, (1/n) sum_i k(|x_i - y|), at each of the queries y."""
    users = as_points(points)
    asked = as_points(queries, users.shape[1])
    return np.array(
        [collision_probability(np.linalg.norm(users - query, axis=1), width).mean() for query in asked],
        dtype=np.float64,
    )
