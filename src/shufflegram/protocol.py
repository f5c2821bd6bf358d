"""The three roles, the shuffle, and a whole protocol from end to end.

A randomizer knows one user's value and nothing of accounting. A shuffler knows reports and nothing of users. An
analyzer sees a tally, which is all that the shuffle model lets anyone see, and nothing else.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Protocol as Interface

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .domain import Domain
from .errors import ReportError
from .estimators.estimate import Estimate
from .mechanism import Mechanism
from .privacy.laws import PrivacyLaw
from .randomness import SECURE_SOURCE, Source

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts over report cells and how many reports there were, stamped with the digest of the protocol that made them.

    A report that is one cell adds one to it; a report that is a vector adds one to each cell whose bit it has. Tallies
    of one protocol add up, so a list, a folder of files, a stream or a cluster are counted by the same code; tallies of
    different protocols refuse each other.
    """

    counts: Integers
    reports: int
    digest: str

    def __post_init__(self) -> None:
        counts = np.array(self.counts)
        counts.setflags(write=False)
        object.__setattr__(self, "counts", counts)

    def __add__(self, other: "Tally") -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        if other.digest != self.digest:
            raise ReportError("these tallies belong to different plans; only tallies of one plan can be added")
        return Tally(self.counts + other.counts, self.reports + other.reports, self.digest)

    def __radd__(self, other: object) -> "Tally":
        """`sum` begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return (
            self.digest == other.digest and self.reports == other.reports and np.array_equal(self.counts, other.counts)
        )

    def __hash__(self) -> int:
        return hash((self.digest, self.reports, self.counts.tobytes()))


def digest_of(name: str, domain: Domain, mechanism: Mechanism) -> str:
    """The stamp of a protocol's tallies: what a report means is fixed by the domain and the mechanism."""
    record = {"protocol": name, "domain": domain.to_dict(), "mechanism": mechanism.to_dict()}
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def require_own(tally: Tally, digest: str) -> None:
    """Refuse what is no tally, a tally of another protocol, and one of no reports."""
    if not isinstance(tally, Tally):
        raise ReportError(
            "an estimate is made from a tally; count the reports first: estimate(analyzer.tally(reports))"
        )
    if tally.digest != digest:
        raise ReportError("this tally belongs to another plan; count the reports with this plan's analyzer")
    if tally.reports == 0:
        raise ReportError("there are no reports to estimate from; at least one is needed")


class Randomizer(Interface):
    """Runs on a user's device. Its input is one user's value; its output is all that leaves the device."""

    def randomize(self, values: ArrayLike, source: Source) -> Integers:
        """The reports of users with these values, each independent of all others."""
        ...


class DeviceRandomizer(Randomizer, Interface):
    """A randomizer that real devices may run: unless told otherwise it draws from the secure source."""

    def randomize(self, values: ArrayLike, source: Source = SECURE_SOURCE) -> Integers: ...


class Analyzer(Interface):
    """Runs after the shuffler, on shuffled reports."""

    def tally(self, reports: ArrayLike) -> Tally:
        """Count reports; refuse any that this protocol cannot have made."""
        ...

    def estimate(self, tally: Tally) -> Estimate:
        """The distribution that a tally speaks for; refuse a tally of another protocol.

        It does not know how many reports were planned: compare `tally.reports` with the plan's `fewest_reports`.
        """
        ...


class Protocol(Interface):
    """An assembly: a randomizer, an analyzer, and the facts that a guarantee is made from."""

    @property
    def name(self) -> str:
        """The name in the registry."""
        ...

    @property
    def domain(self) -> Domain: ...

    @property
    def mechanism(self) -> Mechanism:
        """The numbers that everything else follows from."""
        ...

    @property
    def report_cells(self) -> int:
        """How many counts a tally has: one for each different report, or for each bit of a report."""
        ...

    @property
    def resolution(self) -> int:
        """How many equal parts of the domain the estimate can tell apart: all bins, or fewer."""
        ...

    @property
    def deployable(self) -> bool:
        """Whether real devices may run it: its draw is in integers, and by default from the secure source."""
        ...

    @property
    def digest(self) -> str:
        """The stamp of its tallies: what a report means."""
        ...

    @property
    def randomizer(self) -> Randomizer: ...

    @property
    def analyzer(self) -> Analyzer: ...

    @property
    def messages_per_user(self) -> float:
        """How many messages a user sends, on average."""
        ...

    @property
    def bits_per_user(self) -> float:
        """How many bits these messages take, without transport."""
        ...

    @property
    def law(self) -> PrivacyLaw:
        """The privacy law of one term."""
        ...

    def terms(self, users: int) -> int:
        """The number of terms of the law when this many honest users take part."""
        ...

    def simulate(self, histogram: ArrayLike, simulation_seed: int) -> Tally:
        """A tally as users with this histogram of true values would give, in one draw: for simulation only."""
        ...


def shuffle(reports: ArrayLike, source: Source = SECURE_SOURCE) -> Integers:
    """The same reports in a uniformly random order, so that nothing of who sent which is left; vectors move as rows."""
    mixed = _whole_numbers(reports)
    if mixed.ndim not in (1, 2):
        raise ReportError(f"reports must be whole numbers or vectors, one a row, got {mixed.ndim} dimensions")
    return mixed[source.order(len(mixed))]


def as_reports(reports: ArrayLike) -> Integers:
    """Reports as one flat array of 64-bit integers, or an error that says why they cannot be reports."""
    given = _whole_numbers(reports)
    if given.ndim != 1:
        raise ReportError(f"reports must be one flat list of whole numbers, got {given.ndim} dimensions")
    return given


def _whole_numbers(reports: ArrayLike) -> Integers:
    try:
        given = np.asarray(reports)
    except ValueError as problem:
        raise ReportError("reports must be one flat list of whole numbers, got rows of different lengths") from problem
    if given.size and given.dtype.kind not in "iu":
        raise ReportError(f"reports must be whole numbers, got {given.dtype}")
    return given.astype(np.int64, copy=False)


def run_protocol(protocol: Protocol, values: ArrayLike, source: Source = SECURE_SOURCE) -> Estimate:
    """Everything a collection does, in the order in which it happens."""
    reports = protocol.randomizer.randomize(values, source)  # every user, on their own device
    shuffled = shuffle(reports, source)  # the shuffler
    tally = protocol.analyzer.tally(shuffled)  # the analyst counts ...
    return protocol.analyzer.estimate(tally)  # ... and estimates
