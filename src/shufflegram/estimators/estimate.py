"""An estimated distribution, and what one asks of it. A bin's mass is spread evenly, so the CDF is piecewise linear."""

import csv
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..domain import Domain, as_numbers
from ..errors import InputError, TableError, ValuesError
from .em import Outcome
from .plausible import Evidence
from .uncertainty import FEWEST_REPORTS, Band, Kind, cdf_band, plausible_cdfs, share_between

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

# On a circle, the mean of frequencies that pull in all directions alike is rounding error and nothing else.
NO_DIRECTION = 1e-12


@dataclass(frozen=True, eq=False)
class Estimate:
    """The share of users in each bin of a domain.

    `users` is the number of reports it rests on, `outcome` how the estimator ended (None if it does not iterate),
    `evidence` what was seen, for `band` (None if only the frequencies are known).
    """

    domain: Domain
    frequencies: Floats = field(repr=False)
    users: int
    outcome: Outcome | None = None
    evidence: Evidence | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        frequencies = np.array(self.frequencies, dtype=np.float64)
        if frequencies.shape != (self.domain.bins,):
            raise InputError(
                f"an estimate needs {self.domain.bins} frequencies, one for each bin, got shape {frequencies.shape}"
            )
        if not np.all(np.isfinite(frequencies)) or np.any(frequencies < 0) or abs(frequencies.sum() - 1) > 1e-9:
            raise InputError("frequencies must be at least 0 and sum to 1; norm_sub makes them so")
        frequencies.setflags(write=False)
        object.__setattr__(self, "frequencies", frequencies)

    @overload
    def cdf(self, values: float) -> float: ...
    @overload
    def cdf(self, values: ArrayLike) -> float | Floats: ...
    def cdf(self, values: ArrayLike) -> float | Floats:
        """The share of users at or below each value; on a circle, from the low end onwards."""
        where = self._inside_circle(_numbers(values))
        return _like(values, np.interp(where, self.domain.edges, self._cumulative()))

    @overload
    def quantile(self, shares: float, cut: float | None = None) -> float: ...
    @overload
    def quantile(self, shares: ArrayLike, cut: float | None = None) -> float | Floats: ...
    def quantile(self, shares: ArrayLike, cut: float | None = None) -> float | Floats:
        """The least value with at least the given share of users at or below it.

        A circle has no lowest value: there the count begins at `cut`, the domain's low end unless another is given.
        """
        wanted = _numbers(shares)
        if np.any((wanted < 0) | (wanted > 1)):
            raise ValuesError("shares must be between 0 and 1, such as 0.5 for the median")
        if cut is not None and not self.domain.circular:
            raise InputError("a cut point is for circular domains; on a line quantiles count from the low end")
        edges, cumulative = self.domain.edges, self._cumulative()
        if cut is None:
            return _like(shares, _inverse(cumulative, edges, wanted))
        # Twice round: start the count at the cut, and come back into the domain at the end.
        begin = float(self._inside_circle(as_numbers(cut))[0])
        before = np.interp(begin, edges, cumulative)
        twice = np.concatenate((cumulative, 1 + cumulative[1:]))
        unrolled = np.concatenate((edges, self.domain.period + edges[1:]))
        found = np.maximum(_inverse(twice, unrolled, before + wanted), begin)
        return _like(shares, np.where(found > self.domain.high, found - self.domain.period, found))

    def probability(self, low: float, high: float) -> float:
        """The share of users between two values; on a circle a range with low > high passes through the cut."""
        low, high = (float(end) for end in as_numbers([low, high]))
        if low > high and not self.domain.circular:
            raise ValuesError(f"low must not exceed high, got low={low:g} and high={high:g}")
        share = self.cdf(high) - self.cdf(low)
        return share if low <= high else 1 + share

    def mean(self) -> float:
        """The mean; on a circle the direction in which the mass pulls, NaN where it pulls nowhere."""
        if not self.domain.circular:
            middles = (self.domain.edges[:-1] + self.domain.edges[1:]) / 2
            return float(self.frequencies @ middles)
        # Each bin centre as an angle: the mean is the angle of  sum_i f_i exp(2 pi i x_i / period)
        turn = 2 * math.pi / self.domain.period
        resultant = complex(self.frequencies @ np.exp(1j * turn * (self.domain.centers - self.domain.low)))
        if abs(resultant) < NO_DIRECTION:
            return math.nan
        return self.domain.low + math.atan2(resultant.imag, resultant.real) % (2 * math.pi) / turn

    @property
    def has_band(self) -> bool:
        """Whether bands and intervals can be given: the tally is known, and has reports enough."""
        return self.evidence is not None and self.evidence.reports >= FEWEST_REPORTS

    def band(
        self,
        level: float = 0.9,
        kind: Kind = "pointwise",
        *,
        replicates: int = 1000,
        simulation_seed: int = 0,
        assume_smooth: bool = True,
    ) -> Band:
        """A confidence band for this crowd's CDF at the bins' edges; `uncertainty` says how often it holds.

        A pointwise band is right on average over the edges; a simultaneous one is meant to hold the whole CDF at once.
        Both suppose that the truth has no detail much finer than the mechanism's window; `assume_smooth=False` drops
        that and widens them. `replicates` plausible truths are drawn.
        """
        cdfs = self._plausible_cdfs(replicates, simulation_seed, assume_smooth)
        return cdf_band(cdfs, self.frequencies, self.domain.edges, level, kind)

    def probability_interval(
        self,
        low: float,
        high: float,
        level: float = 0.9,
        *,
        replicates: int = 1000,
        simulation_seed: int = 0,
        assume_smooth: bool = True,
    ) -> tuple[float, float]:
        """Between which two numbers the crowd's share from low to high lies, as surely as a pointwise band holds."""
        self.probability(low, high)  # asks what may not be asked there either
        cdfs = self._plausible_cdfs(replicates, simulation_seed, assume_smooth)
        return share_between(cdfs, self.domain.edges, float(low), float(high), level)

    def _plausible_cdfs(self, replicates: int, simulation_seed: int, assume_smooth: bool) -> Floats:
        if self.evidence is None:
            raise InputError(
                "this estimate does not hold its reports' tally, so no band can be given; estimate from a tally"
            )
        return plausible_cdfs(self.frequencies, self.evidence, replicates, simulation_seed, assume_smooth)

    def to_dict(self) -> dict[str, Any]:
        """A readable record: domain, users, frequencies, and how the estimator ended."""
        record: dict[str, Any] = {
            "domain": self.domain.to_dict(),
            "users": self.users,
            "edges": self.domain.edges.tolist(),
            "frequencies": self.frequencies.tolist(),
        }
        if self.outcome is not None:
            record["outcome"] = self.outcome.to_dict()
        return record

    def to_json(self, path: str | Path) -> None:
        """Write `to_dict` as a JSON file."""
        text = json.dumps(self.to_dict(), indent=2) + "\n"
        with _written(path) as file:
            file.write(text)

    def to_csv(self, path: str | Path) -> None:
        """Write one row for each bin: its ends, its share of users, and the share at or below its upper end."""
        edges = self.domain.edges.tolist()
        with _written(path) as file:
            table = csv.writer(file)
            table.writerow(["low", "high", "frequency", "cumulative"])
            table.writerows(
                zip(edges, edges[1:], self.frequencies.tolist(), self._cumulative()[1:].tolist(), strict=False)
            )

    def plot(self, ax: "Axes | None" = None, truth: ArrayLike | None = None, band: Band | None = None) -> "Axes":
        """The density, over the true frequencies if given; a band for the CDF gets a panel below.

        That panel shows the band less the true CDF, or else less the estimated one, in percentage points. Logarithmic
        bins look equally wide on their axis, so there the share in each bin is drawn.
        """
        from .drawing import draw

        return draw(self, ax, truth, band)

    def _cumulative(self) -> Floats:
        """The CDF at the edges: 0 at the low end, exactly 1 at the high end."""
        cumulative: Floats = np.concatenate(([0.0], np.cumsum(self.frequencies)))
        cumulative /= cumulative[-1]
        return cumulative

    def _inside_circle(self, values: Floats) -> Floats:
        """On a line any value has a share below it; a circle holds no other values than its own."""
        low, high = self.domain.low, self.domain.high
        if self.domain.circular and np.any((values < low) | (values > high)):
            raise ValuesError(
                f"values on this circle lie between {low:g} and {high:g}; take them modulo {high - low:g}"
            )
        return values


@contextmanager
def _written(path: str | Path) -> Iterator[TextIO]:
    """A file to write text to; what the system refuses is an error of ours."""
    try:
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            yield file
    except OSError as problem:
        raise TableError(
            f"the estimate cannot be written there: {problem.strerror or 'unknown reason'}; "
            f"name a file in a folder that can be written to"
        ) from problem


def _numbers(values: ArrayLike) -> Floats:
    """Numbers of any shape, one after the other."""
    try:
        flat = np.ravel(values)
    except ValueError as problem:
        raise ValuesError("values must be numbers in rows of one length") from problem
    return as_numbers(flat)


def _inverse(cumulative: Floats, edges: Floats, shares: Floats) -> Floats:
    """The least x whose piecewise-linear CDF reaches each share."""
    # cumulative[i - 1] < share <= cumulative[i], so bin i - 1 holds mass; a share of 0 is reached at the first edge.
    reached = np.clip(np.searchsorted(cumulative, shares, side="left"), 0, len(cumulative) - 1)
    begun = np.maximum(reached - 1, 0)
    rise = cumulative[reached] - cumulative[begun]
    part = np.divide(shares - cumulative[begun], rise, out=np.zeros(shares.size), where=rise > 0)
    return edges[begun] + np.minimum(part, 1.0) * (edges[reached] - edges[begun])


def _like(given: ArrayLike, answers: Floats) -> float | Floats:
    """One number for one number, an array of the same shape for an array."""
    shape = np.shape(given)
    return float(answers[0]) if shape == () else answers.reshape(shape)
