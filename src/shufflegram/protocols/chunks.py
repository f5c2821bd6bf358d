"""What Flip and Pure have in common: values in c chunks, s + 1 messages a user, an unbiased estimate and Norm-Sub."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..domain import Domain
from ..errors import ReportError
from ..estimators import norm_sub
from ..estimators.estimate import Estimate
from ..mechanism import Flip, Pure
from ..privacy.laws import PrivacyLaw, blanket_law, blanket_terms
from ..protocol import Tally, digest_of, require_own
from ..randomizers.chunks import chunk_histogram, require_bins, spread_over_bins

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class ChunkProtocol:
    """The facts that follow from the mechanism; `protocols.flip` and `protocols.pure` add what is their own."""

    name: str
    domain: Domain
    mechanism: Flip | Pure

    def __post_init__(self) -> None:
        require_bins(self.domain, self.mechanism.chunks)

    @property
    def report_cells(self) -> int:
        """A tally has a count for each chunk."""
        return self.mechanism.chunks

    @property
    def resolution(self) -> int:
        """How many parts of the domain the estimate can tell apart."""
        return self.mechanism.chunks

    @property
    def deployable(self) -> bool:
        return True

    @cached_property
    def digest(self) -> str:
        return digest_of(self.name, self.domain, self.mechanism)

    @property
    def messages_per_user(self) -> float:
        return float(self.mechanism.messages)

    @cached_property
    def law(self) -> PrivacyLaw:
        return blanket_law(self.mechanism)

    def terms(self, users: int) -> int:
        return blanket_terms(self.mechanism, users)

    def chunked(self, histogram: ArrayLike) -> Integers:
        """How many users hold each chunk."""
        return chunk_histogram(histogram, self.mechanism.chunks)

    def stamped(self, counts: Integers, messages: int) -> Tally:
        return Tally(counts, messages, self.digest)


def users_of(tally: Tally, mechanism: Flip | Pure, digest: str) -> int:
    """How many users a tally of this protocol speaks for; refuse any other tally."""
    require_own(tally, digest)
    users, left = divmod(tally.reports, mechanism.messages)
    if left:
        raise ReportError(
            f"{tally.reports:,} messages are not those of whole users, who send {mechanism.messages:,} each; count all"
        )
    return users


def estimated(domain: Domain, unbiased: ArrayLike, users: int) -> Estimate:
    """The nearest distribution to an unbiased estimate on chunks, each spread evenly over its bins."""
    return Estimate(domain, spread_over_bins(norm_sub(unbiased), domain.bins), users)
