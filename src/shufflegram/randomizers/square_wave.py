"""The discrete square wave for many users at once: `device.report_at`, vectorised.

It is the same integer rule, so whoever hands both the same unit of weight gets the same report; there is no float
between a cell and its report. Real values are randomized from the secure source, which is the default; a simulation
passes a `SeededSource` and says so by that name.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..domain import Domain
from ..errors import MechanismError, ValuesError
from ..mechanism import SquareWave
from ..randomness import SECURE_SOURCE, Source

Integers = NDArray[np.int64]

# Users per block: the block's few arrays then stay in the processor's cache.
BLOCK = 1 << 15


@dataclass(frozen=True)
class SquareWaveRandomizer:
    """Each user's value to one report cell, 0 .. T - 1, each user independently of all others.

    Reports are int64 although they are small: nothing done with them overflows, and counting them needs no copy.
    """

    domain: Domain
    mechanism: SquareWave

    def __post_init__(self) -> None:
        if self.domain.bins != self.mechanism.cells:
            raise MechanismError(
                f"the domain has {self.domain.bins} bins and the mechanism {self.mechanism.cells} cells; "
                "they must be equally many"
            )
        if self.domain.circular != self.mechanism.circular:
            raise MechanismError("domain and mechanism must both be circular, or neither")

    @property
    def report_cells(self) -> int:
        """T, the number of different reports."""
        return self.mechanism.report_cells

    def randomize(self, values: ArrayLike, source: Source = SECURE_SOURCE) -> Integers:
        """One report for each value, in the same order."""
        return self.randomize_cells(self.domain.cells(values), source)

    def randomize_cells(self, cells: ArrayLike, source: Source = SECURE_SOURCE) -> Integers:
        """One report for each true cell, in the same order."""
        true_cells = _as_cells(cells, self.mechanism.cells)
        reports = np.empty(true_cells.size, dtype=np.int64)
        for begin in range(0, true_cells.size, BLOCK):
            block = true_cells[begin : begin + BLOCK]
            units = source.integers_below(self.mechanism.total_weight, block.size)
            reports[begin : begin + block.size] = reports_at(units, block, self.mechanism)
        return reports


def reports_at(units: Integers, cells: Integers, mechanism: SquareWave) -> Integers:
    """The report cells that own the given units of weight, 0 <= unit < W, for users whose true cells are given."""
    window, report_cells = mechanism.window, mechanism.report_cells
    # steps = unit // inside                            for unit < w * inside: within the window
    #         w + (unit - w * inside) // outside        beyond it
    # As inside >= outside, the first is the larger one within the window and the second the larger one beyond it.
    beyond = (units - window * mechanism.inside_weight) // mechanism.outside_weight + window
    steps = np.maximum(units // mechanism.inside_weight, beyond)
    # Both summands are below T (a window that starts before cell 0 of a circle starts at its end): one round at most.
    starts = cells + mechanism.shift
    if mechanism.circular:
        starts = np.where(starts < 0, starts + report_cells, starts)
    reports = starts + steps
    return np.where(reports < report_cells, reports, reports - report_cells)


def _as_cells(cells: ArrayLike, below: int) -> Integers:
    array = np.asarray(cells)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValuesError(f"true cells must be one flat list of whole numbers in 0 .. {below - 1}")
    if array.size and not (array.min() >= 0 and array.max() < below):
        raise ValuesError(f"true cells must be in 0 .. {below - 1}, got {array.min()} .. {array.max()}")
    return array.astype(np.int64, copy=False)
