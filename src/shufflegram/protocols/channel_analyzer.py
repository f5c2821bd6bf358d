"""The analyst of a protocol whose users send one report cell each: count, then estimate through the channel."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ..channel import WindowChannel
from ..domain import Domain
from ..errors import ReportError
from ..estimators.em import Estimator
from ..estimators.estimate import Estimate
from ..estimators.plausible import WindowEvidence
from ..protocol import Tally, as_reports, require_own


@dataclass(frozen=True)
class ChannelAnalyzer:
    """Sees nothing but counts over the channel's report cells."""

    domain: Domain
    channel: WindowChannel = field(repr=False)
    estimator: Estimator
    digest: str

    def tally(self, reports: ArrayLike) -> Tally:
        """Count reports; refuse any that this protocol cannot have made."""
        cells = as_reports(reports)
        foreign = (cells < 0) | (cells >= self.channel.report_cells)
        if foreign.any():
            first = int(np.argmax(foreign))
            raise ReportError(
                f"{int(foreign.sum()):,} of {cells.size:,} reports are not in 0..{self.channel.report_cells - 1} "
                f"(first in row {first}); they are from another plan, or forged"
            )
        counts = np.bincount(cells, minlength=self.channel.report_cells)
        return Tally(counts.astype(np.int64), int(cells.size), self.digest)

    def estimate(self, tally: Tally) -> Estimate:
        """The distribution that a tally speaks for; refuse a tally of another protocol.

        It does not know how many reports were planned: compare `tally.reports` with the plan's `fewest_reports`.
        """
        require_own(tally, self.digest)
        circular = self.domain.circular
        counts = tally.counts.astype(np.float64)
        solution = self.estimator.solve(self.channel, counts, circular=circular)
        evidence = WindowEvidence(self.channel, counts, circular)
        return Estimate(self.domain, solution.frequencies, tally.reports, solution.outcome, evidence)
