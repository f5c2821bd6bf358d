"""Expectation maximization on the counts of reports, with a refinement step after each M-step."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..channel import WindowChannel
from ..checks import is_finite, is_whole
from ..errors import InputError, ReportError
from .rates import Rates, estimated_rates
from .smoothing import NoSmoothing, Refinement, SmoothingTable

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

MOST_ITERATIONS = 10_000


class Stop(Enum):
    """Why the rounds ended."""

    CONVERGED = "converged"
    ITERATION_LIMIT = "iteration_limit"


@dataclass(frozen=True)
class Outcome:
    """How a run ended: the rule that stopped it, after how many rounds, and how good and how settled its result is.

    `rates` says how fast it still converges, estimated and observed; None where the weights are not fixed. `chosen`
    says by what the estimator found to fit and by how much of each, where it chooses; None where it does not.
    """

    stop: Stop
    rounds: int
    log_likelihood: float
    last_change: float
    rates: Rates | None = None
    chosen: dict[str, float] | None = None

    def __str__(self) -> str:
        if self.chosen is not None:
            largest_first = sorted(self.chosen.items(), key=lambda item: -item[1])
            return "chosen by evidence: " + ", ".join(f"{name} {weight:.1%}" for name, weight in largest_first)
        ended = "converged" if self.stop is Stop.CONVERGED else "stopped at the iteration limit"
        rates = "" if self.rates is None else f", rate {self.rates.observed:.4f}, in the end {self.rates.gamma:.4f}"
        return f"{ended} after {self.rounds:,} rounds (last L1 change {self.last_change:.2g}{rates})"

    def to_dict(self) -> dict[str, Any]:
        """A readable record."""
        record: dict[str, Any] = {
            "stop": self.stop.value,
            "rounds": self.rounds,
            "log_likelihood": self.log_likelihood,
            "last_change": self.last_change,
        }
        if self.rates is not None:
            record["rates"] = {"gamma": self.rates.gamma, "observed": self.rates.observed}
        if self.chosen is not None:
            record["chosen"] = dict(self.chosen)
        return record


@dataclass(frozen=True, eq=False)
class Solution:
    """The estimated frequencies, which sum to one, and how the run ended."""

    frequencies: Floats
    outcome: Outcome


class Estimator(Protocol):
    """Counts of reports in, frequencies out. An estimator is a value, which an assembly of parts can name."""

    def solve(self, channel: WindowChannel, counts: ArrayLike, *, circular: bool = False) -> Solution:
        """The frequencies that these counts of reports speak for."""
        ...


@dataclass(frozen=True)
class ExpectationMaximization:
    """EM with a refinement step and a limit, as a value."""

    refinement: Refinement = field(default_factory=NoSmoothing)
    max_iterations: int = MOST_ITERATIONS
    tolerance: float | None = None

    def solve(self, channel: WindowChannel, counts: ArrayLike, *, circular: bool = False) -> Solution:
        return expectation_maximization(
            channel,
            counts,
            self.refinement,
            circular=circular,
            max_iterations=self.max_iterations,
            tolerance=self.tolerance,
        )


def expectation_maximization(
    channel: WindowChannel,
    counts: ArrayLike,
    refinement: Refinement,
    *,
    circular: bool = False,
    max_iterations: int = MOST_ITERATIONS,
    tolerance: float | None = None,
    start: ArrayLike | None = None,
) -> Solution:
    """Rounds of E-step, M-step and refinement, until the L1 change is below `tolerance` (1 / n if left out).

    `counts` says how many reports fell into each report cell. The start is uniform unless given.
    """
    tally = checked_counts(channel, counts)
    check_limits(max_iterations, tolerance)
    frequencies = _checked_start(channel, start)
    table = refinement.table(channel, tally).fitted(channel.cells, circular)
    limit = 1 / tally.sum() if tolerance is None else tolerance
    rounds, change = advance(channel, tally, frequencies, table, circular, max_iterations, limit)
    stop = Stop.CONVERGED if change < limit else Stop.ITERATION_LIMIT

    def advanced(start: Floats, more: int) -> tuple[Floats, float]:
        moved = start.copy()
        return moved, advance(channel, tally, moved, table, circular, more, 0.0)[1]

    rates = estimated_rates(frequencies, advanced) if table.is_fixed else None
    return Solution(frequencies, Outcome(stop, rounds, log_likelihood(channel, tally, frequencies), change, rates))


def advance(
    channel: WindowChannel,
    tally: Floats,
    frequencies: Floats,
    table: SmoothingTable,
    circular: bool,
    rounds: int,
    tolerance: float,
    groups: Indices | None = None,
) -> tuple[int, float]:
    """Advance `frequencies` in place by up to `rounds` rounds: how many were done, and the last L1 change."""
    # The compiler is imported here, at the first estimate, and not with the package.
    from .compiled import run_rounds

    # A window that passes the last report cell stops among the first ones, and is open where the cycle begins.
    wraps = channel.stop > channel.report_cells
    group = np.zeros(0, dtype=np.int64) if groups is None else groups
    done, change = run_rounds(
        frequencies,
        tally / tally.sum(),
        float(channel.outside),
        float(channel.rise),
        _contiguous(channel.start, np.int64),
        _contiguous(channel.stop - wraps * channel.report_cells, np.int64),
        wraps.astype(np.float64),
        _contiguous(channel.partial_input, np.int64),
        _contiguous(channel.partial_report, np.int64),
        _contiguous(channel.partial_extra, np.float64),
        group,
        np.bincount(group).astype(np.float64),
        table.position,
        table.frequency_scale,
        circular,
        rounds,
        tolerance,
    )
    return int(done), float(change)


def log_likelihood(channel: WindowChannel, tally: Floats, frequencies: Floats) -> float:
    """sum_j n_j ln (M f)_j, over the report cells that were seen."""
    seen = tally > 0
    return float(tally[seen] @ np.log(channel.forward(frequencies)[seen]))


def checked_counts(channel: WindowChannel, counts: ArrayLike) -> Floats:
    """Counts over this channel's report cells as floats, or an error that says what is wrong with them."""
    try:
        tally = np.array(counts, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise ReportError("counts must be numbers, one for each report cell") from problem
    if tally.shape != (channel.report_cells,):
        raise ReportError(
            f"counts must be {channel.report_cells} numbers, one for each report cell, got shape {tally.shape}"
        )
    if not np.all(np.isfinite(tally)) or np.any(tally < 0):
        raise ReportError("counts must be finite and at least 0")
    if not tally.sum() > 0:
        raise ReportError("there are no reports; at least one is needed")
    if np.any(channel.forward(np.ones(channel.cells))[tally > 0] <= 0):
        raise ReportError("there are reports in cells that no value can lead to; they belong to another mechanism")
    return tally


def check_limits(max_iterations: int, tolerance: float | None) -> None:
    if not is_whole(max_iterations) or max_iterations < 1:
        raise InputError(f"max_iterations must be a whole number, at least 1, got {max_iterations!r}")
    if tolerance is not None and not (is_finite(tolerance) and tolerance >= 0):
        raise InputError(f"tolerance must be a finite number, at least 0, got {tolerance!r}")


def _checked_start(channel: WindowChannel, start: ArrayLike | None) -> Floats:
    if start is None:
        return np.full(channel.cells, 1 / channel.cells)
    frequencies: Floats = np.array(start, dtype=np.float64)
    if frequencies.shape != (channel.cells,):
        raise InputError(f"start must be {channel.cells} frequencies, got shape {frequencies.shape}")
    if not np.all(np.isfinite(frequencies)) or np.any(frequencies < 0) or not frequencies.sum() > 0:
        raise InputError("start must be frequencies that are finite, at least 0 and not all 0")
    frequencies /= frequencies.sum()
    return frequencies


def _contiguous(array: NDArray[np.int64] | Floats, kind: type) -> NDArray[np.int64] | Floats:
    """The array as the compiled signature wants it: contiguous, of that kind, and not marked read-only."""
    return np.require(array, kind, ["C", "W"])
