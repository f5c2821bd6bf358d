"""One cell of an experiment: everything that its numbers depend on, and the seeds that follow from it."""

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from ..domain import Domain
from .data import Integers, fingerprint, histogram_of
from .names import NO_ACCOUNTING, OWN_ESTIMATOR

# Raised when the same words come to mean something else, so that numbers of before are not taken for those of now.
MEANING = 2


@dataclass(frozen=True)
class Cell:
    """One combination of the axes, and what is measured of it."""

    seed: int
    data: str
    protocol: str
    accounting: str
    epsilon: float
    delta: float
    users: int
    bins: int
    circular: bool
    measurement: str
    estimator: str = OWN_ESTIMATOR

    @cached_property
    def key(self) -> str:
        """Its name among all cells of all experiments: it depends on nothing but the cell itself."""
        record = json.dumps({"meaning": MEANING, **asdict(self)}, sort_keys=True)
        return hashlib.sha256(record.encode()).hexdigest()[:32]

    @property
    def crowd(self) -> tuple[Domain, Integers]:
        """The domain, and the histogram of those who take part; of joint data one histogram for each column."""
        return histogram_of(self.data, self.bins, self.users, self.circular)

    @property
    def fingerprint(self) -> str:
        """What its numbers depend on of the data: the bins of those who take part."""
        return fingerprint(self.data, self.bins, self.users, self.circular)

    def seed_of(self, repetition: int) -> int:
        """The seed of one repetition, whichever others are run, in whatever order and wherever."""
        words = (int(self.key[start : start + 8], 16) for start in range(0, len(self.key), 8))
        sequence = np.random.SeedSequence(self.seed, spawn_key=(*words, repetition))
        return int(sequence.generate_state(1, np.uint64)[0])

    def __str__(self) -> str:
        accounting = "" if self.accounting == NO_ACCOUNTING else f" ({self.accounting})"
        estimator = "" if self.estimator == OWN_ESTIMATOR else f" with {self.estimator}"
        return (
            f"{self.protocol}{accounting}{estimator} on {self.data}, epsilon {self.epsilon:g}, delta {self.delta:g}, "
            f"{self.users:,} users, {self.bins} bins"
        )
