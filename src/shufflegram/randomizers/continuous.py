"""The paper's continuous square wave, for reproduction only.

It draws with floats, whose rounding no privacy law covers: never randomize a real person's value with it. Its source
has no default for that reason; reproductions pass a `SeededSource`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import is_whole
from ..domain import Domain
from ..errors import MechanismError
from ..mechanism import ContinuousSquareWave
from ..randomness import Source

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# A float between 0 and 1 has this many evenly spaced values.
STEPS_OF_A_FLOAT = 2**53


@dataclass(frozen=True)
class ContinuousSquareWaveRandomizer:
    """Each user's value to a point of [-b, 1 + b], reported as one of T equal cells of that interval."""

    domain: Domain
    mechanism: ContinuousSquareWave
    report_cells: int

    def __post_init__(self) -> None:
        if self.domain.circular:
            raise MechanismError("the continuous square wave is for domains with two ends; this one is circular")
        if not is_whole(self.report_cells):
            raise MechanismError(f"report_cells must be a whole number, got {self.report_cells!r}")
        if self.report_cells < 2:
            raise MechanismError(f"report_cells must be at least 2, got {self.report_cells}")

    def randomize(self, values: ArrayLike, source: Source) -> Integers:
        """The report cell, 0 .. T - 1, of each value's random point."""
        distances = self._distances(values, source)
        cells = np.floor(distances * (self.report_cells / (1 + 2 * float(self.mechanism.half_width))))
        return np.minimum(cells, self.report_cells - 1).astype(np.int64)

    def randomize_points(self, values: ArrayLike, source: Source) -> Floats:
        """Each value's random point itself, in [-b, 1 + b]."""
        return self._distances(values, source) - float(self.mechanism.half_width)

    def _distances(self, values: ArrayLike, source: Source) -> Floats:
        """Each random point's distance from the low end -b, in [0, 1 + 2b]."""
        x = self.domain.unit_coordinates(values)
        b = float(self.mechanism.half_width)
        # The window [x - b, x + b] has the mass 2bp. Beyond it lie two tails with the lengths x and 1 - x: a point
        # t of [0, 1] falls into the first with probability x, and skips the window otherwise.
        in_window = _uniform(source, x.size) < float(2 * self.mechanism.half_width * self.mechanism.inside_density)
        t = _uniform(source, x.size)
        return np.where(in_window, x + 2 * b * t, np.where(t < x, t, t + 2 * b))


def _uniform(source: Source, size: int) -> Floats:
    return source.integers_below(STEPS_OF_A_FLOAT, size) / STEPS_OF_A_FLOAT
