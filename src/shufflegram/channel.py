"""What a mechanism does to a histogram.

A column of a square wave's channel is a constant with a window on top, and in the continuous case a few cells that
the window covers in part. Products with it and with its transpose therefore need prefix sums only: O(m + T) instead of
O(mT). `WindowChannel` holds that structure as plain arrays; the estimators' compiled loops read the same arrays.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .mechanism import ContinuousSquareWave, SquareWave

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class WindowChannel:
    """M[j, i] = outside + rise * [start_i <= j < stop_i on the cycle of T report cells] + partial extras.

    `start` is in 0 .. T - 1 and `stop` may pass T: such a window wraps. The extras belong to cells that a continuous
    window covers in part: the `partial_extra[e]` of input `partial_input[e]` at report cell `partial_report[e]`.
    """

    report_cells: int
    outside: float
    rise: float
    start: Indices
    stop: Indices
    partial_input: Indices
    partial_report: Indices
    partial_extra: Floats

    @property
    def cells(self) -> int:
        return int(self.start.size)

    def forward(self, frequencies: Floats) -> Floats:
        """M f: the distribution of reports when values have the given distribution."""
        # Each window adds f_i on start_i <= j < stop_i; as differences, laid out flat to twice round the cycle.
        steps = np.bincount(self.start, weights=frequencies, minlength=2 * self.report_cells + 1)
        steps -= np.bincount(self.stop, weights=frequencies, minlength=2 * self.report_cells + 1)
        covered = np.cumsum(steps)[:-1].reshape(2, self.report_cells).sum(axis=0)
        reports: Floats = self.outside * frequencies.sum() + self.rise * covered
        if self.partial_extra.size:
            reports += np.bincount(
                self.partial_report,
                weights=self.partial_extra * frequencies[self.partial_input],
                minlength=self.report_cells,
            )
        return reports

    def backward(self, weights: Floats) -> Floats:
        """M^T g: for each input cell, the expectation of g at its report."""
        running = np.concatenate(([0.0], np.cumsum(np.concatenate((weights, weights)))))
        expectation: Floats = self.outside * weights.sum() + self.rise * (running[self.stop] - running[self.start])
        if self.partial_extra.size:
            expectation += np.bincount(
                self.partial_input,
                weights=self.partial_extra * weights[self.partial_report],
                minlength=self.cells,
            )
        return expectation

    @cached_property
    def squared(self) -> "WindowChannel":
        """The channel of entrywise squares, M[j, i]^2, which has the same structure."""
        inside = self.outside + self.rise
        partial = self.outside + self.partial_extra
        return WindowChannel(
            self.report_cells,
            self.outside**2,
            inside**2 - self.outside**2,
            self.start,
            self.stop,
            self.partial_input,
            self.partial_report,
            partial**2 - self.outside**2,
        )

    def dense(self) -> Floats:
        """The T x m matrix itself: for reading, drawing and checking."""
        matrix = np.full((self.report_cells, self.cells), self.outside)
        for cell, (start, stop) in enumerate(zip(self.start, self.stop, strict=True)):
            matrix[np.arange(start, stop) % self.report_cells, cell] += self.rise
        np.add.at(matrix, (self.partial_report, self.partial_input), self.partial_extra)
        return matrix


def square_wave_channel(mechanism: SquareWave) -> WindowChannel:
    """The channel of the discrete square wave: exactly a constant and a window."""
    total = mechanism.total_weight
    start = (np.arange(mechanism.cells) + mechanism.shift) % mechanism.report_cells
    return WindowChannel(
        report_cells=mechanism.report_cells,
        outside=mechanism.outside_weight / total,
        rise=(mechanism.inside_weight - mechanism.outside_weight) / total,
        start=start,
        stop=start + mechanism.window,
        partial_input=np.zeros(0, dtype=np.int64),
        partial_report=np.zeros(0, dtype=np.int64),
        partial_extra=np.zeros(0),
    )


def continuous_square_wave_channel(mechanism: ContinuousSquareWave, cells: int, report_cells: int) -> WindowChannel:
    """The paper's channel: reports on [-b, 1 + b] counted in equal cells, values spread evenly within their bin.

    M[j, i] is the mean over x in bin i of the probability that its report falls into report cell j. The overlap of a
    window [x - b, x + b] with a cell, averaged over the bin, is a second difference of a piecewise quadratic.
    """
    b = float(mechanism.half_width)
    q = float(mechanism.outside_density)
    p = float(mechanism.inside_density)
    bin_width = 1.0 / cells
    cell_width = (1.0 + 2.0 * b) / report_cells
    # Most report cells lie fully inside or fully outside the window of every x in the bin; few are `partial`.
    bin_low = np.arange(cells) * bin_width
    start = np.ceil((bin_low + bin_width) / cell_width - 1e-9).astype(np.int64)
    start = np.minimum(start, report_cells - 1)
    stop = np.floor((bin_low + 2 * b) / cell_width + 1e-9).astype(np.int64)
    stop = np.maximum(start, stop)
    inputs: list[int] = []
    reports: list[int] = []
    extras: list[float] = []
    first = np.floor(bin_low / cell_width + 1e-9).astype(np.int64)
    last = np.minimum(np.ceil((bin_low + bin_width + 2 * b) / cell_width - 1e-9).astype(np.int64), report_cells)
    for i in range(cells):
        touched = np.r_[first[i] : min(start[i], last[i]), max(stop[i], first[i]) : last[i]]
        cell_low = touched * cell_width - b
        overlap = _mean_overlap(bin_low[i], bin_width, cell_low, cell_width, b)
        inputs.extend([i] * touched.size)
        reports.extend(touched.tolist())
        extras.extend(((p - q) * overlap).tolist())
    return WindowChannel(
        report_cells=report_cells,
        outside=q * cell_width,
        rise=(p - q) * cell_width,
        start=start,
        stop=stop,
        partial_input=np.array(inputs, dtype=np.int64),
        partial_report=np.array(reports, dtype=np.int64),
        partial_extra=np.array(extras, dtype=np.float64),
    )


def _mean_overlap(bin_low: float, bin_width: float, cell_low: Floats, cell_width: float, b: float) -> Floats:
    """The mean over x in the bin of the length of [x - b, x + b] inside each cell."""

    def ramp_integral(u: Floats) -> Floats:
        # integral of max(u, 0), whose second differences are overlaps integrated over both intervals
        return np.where(u > 0, u * u / 2, 0.0)

    def integrated(edge_of_window: float) -> Floats:
        # integral over x in the bin of the part of the cell below x + edge_of_window
        high, low = bin_low + bin_width + edge_of_window, bin_low + edge_of_window
        cell_high = cell_low + cell_width
        return (ramp_integral(high - cell_low) - ramp_integral(low - cell_low)) - (
            ramp_integral(high - cell_high) - ramp_integral(low - cell_high)
        )

    return (integrated(b) - integrated(-b)) / bin_width
