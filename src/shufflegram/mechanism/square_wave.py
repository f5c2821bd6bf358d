"""The square wave, discrete and continuous: a report is k times as likely near the value as elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import MechanismError
from .ratios import WEIGHT_LIMIT, checked_record, logarithm_above, parsed_ratio, require_ratios, require_whole


@dataclass(frozen=True, slots=True)
class SquareWave:
    """The discrete square wave: a report is k times as likely inside a window around the true cell as outside it.

    There are m input cells and T report cells. The window of an input covers w = 2h + 1 report cells, h to either side.
    On the line the report cells extend h beyond each end, T = m + 2h, so report cell c stands at input cell c - h; on
    the circle they wrap, T = m. `half_width` 0 is k-ary randomized response.
    """

    cells: int
    half_width: int
    density_ratio: Fraction
    circular: bool = False

    def __post_init__(self) -> None:
        require_whole(self, "cells", "half_width")
        if self.cells < 2:
            raise MechanismError(f"a square wave needs at least 2 cells, not {self.cells}")
        if self.half_width < 0:
            raise MechanismError(f"half_width counts cells and cannot be negative, got {self.half_width}")
        require_ratios(self, "density_ratio")
        if not isinstance(self.circular, bool):
            raise MechanismError(f"circular must be True or False, got {self.circular!r}")
        if self.density_ratio < 1:
            raise MechanismError(f"density_ratio must be at least 1 (inside over outside), got {self.density_ratio}")
        # Two disjoint windows must fit: the worst pair of the privacy law has them, and wider windows tell hardly more.
        if 2 * self.window > self.report_cells:
            widest = widest_half_width(self.cells, circular=self.circular)
            raise MechanismError(
                f"half_width {self.half_width} leaves no room for two disjoint windows among {self.cells} cells; "
                f"at most {widest} does"
            )
        if self.total_weight >= WEIGHT_LIMIT:
            raise MechanismError(
                f"density_ratio {self.density_ratio} needs weights beyond 62 bits; give it a smaller denominator"
            )

    @property
    def window(self) -> int:
        """w = 2h + 1"""
        return 2 * self.half_width + 1

    @property
    def report_cells(self) -> int:
        """T = m + 2h on the line, m on the circle"""
        return self.cells if self.circular else self.cells + 2 * self.half_width

    @property
    def window_share(self) -> Fraction:
        """w / T: with the density ratio, all that the privacy law depends on."""
        return Fraction(self.window, self.report_cells)

    @property
    def shift(self) -> int:
        """The window of input cell i starts at report cell i + shift (modulo T)."""
        return -self.half_width if self.circular else 0

    @property
    def inside_weight(self) -> int:
        """The integer weight of one report cell inside the window: k = inside_weight / outside_weight."""
        return self.density_ratio.numerator

    @property
    def outside_weight(self) -> int:
        """The integer weight of one report cell outside the window."""
        return self.density_ratio.denominator

    @property
    def total_weight(self) -> int:
        """W = w * inside + (T - w) * outside: a device draws one integer below it."""
        return self.window * self.inside_weight + (self.report_cells - self.window) * self.outside_weight

    @property
    def blanket_mass(self) -> Fraction:
        """gamma = T q: the share of reports that do not depend on the value at all."""
        return Fraction(self.report_cells * self.outside_weight, self.total_weight)

    @property
    def local_epsilon(self) -> float:
        """eps_l = ln k: what is left if the shuffler and the server collude. Never below it."""
        return logarithm_above(self.density_ratio)

    def with_density_ratio(self, density_ratio: Fraction) -> "SquareWave":
        """The same window at another density ratio."""
        return SquareWave(self.cells, self.half_width, density_ratio, self.circular)

    def __str__(self) -> str:
        shape = "circle" if self.circular else "line"
        ratio = f"density ratio {float(self.density_ratio):g}"
        return f"half width {self.half_width} of {self.cells} cells on a {shape}, {ratio}"

    def to_dict(self) -> dict[str, Any]:
        """A readable record of integers and a ratio, which `from_dict` turns back into the same mechanism."""
        return {
            "kind": "square_wave",
            "cells": self.cells,
            "half_width": self.half_width,
            "density_ratio": str(self.density_ratio),
            "circular": self.circular,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "SquareWave":
        """The mechanism that `to_dict` recorded; anything missing, unknown or of another kind is an error."""
        checked_record(
            record,
            "square_wave",
            {"cells": int, "half_width": int, "density_ratio": str, "circular": bool},
        )
        ratio = parsed_ratio("density_ratio", record["density_ratio"])
        return cls(record["cells"], record["half_width"], ratio, record["circular"])


@dataclass(frozen=True, slots=True)
class ContinuousSquareWave:
    """The paper's square wave on [0, 1] with reports in [-b, 1 + b]: for reproduction and analysis.

    Its density is p = k / (2bk + 1) within b of the value and q = 1 / (2bk + 1) elsewhere. Drawing it takes floats,
    whose rounding no privacy law covers; a deployed collection uses `SquareWave`.
    """

    half_width: Fraction
    density_ratio: Fraction

    def __post_init__(self) -> None:
        require_ratios(self, "half_width", "density_ratio")
        if not 0 < self.half_width <= Fraction(1, 2):
            raise MechanismError(f"half_width is a share of the domain in (0, 1/2], got {float(self.half_width):g}")
        if self.density_ratio < 1:
            raise MechanismError(
                f"density_ratio must be at least 1 (inside over outside), got {float(self.density_ratio):g}"
            )

    @property
    def window_share(self) -> Fraction:
        """2b / (1 + 2b): with the density ratio, all that the privacy law depends on."""
        return 2 * self.half_width / (1 + 2 * self.half_width)

    @property
    def outside_density(self) -> Fraction:
        """q = 1 / (2bk + 1)"""
        return 1 / (2 * self.half_width * self.density_ratio + 1)

    @property
    def inside_density(self) -> Fraction:
        """p = kq"""
        return self.density_ratio * self.outside_density

    @property
    def blanket_mass(self) -> Fraction:
        """gamma = (1 + 2b) q"""
        return (1 + 2 * self.half_width) * self.outside_density

    @property
    def local_epsilon(self) -> float:
        """eps_l = ln k: what is left if the shuffler and the server collude. Never below it."""
        return logarithm_above(self.density_ratio)

    def with_density_ratio(self, density_ratio: Fraction) -> "ContinuousSquareWave":
        """The same window at another density ratio."""
        return ContinuousSquareWave(self.half_width, density_ratio)

    def __str__(self) -> str:
        width = f"half width {float(self.half_width):g} of the domain (continuous)"
        return f"{width}, density ratio {float(self.density_ratio):g}"

    def to_dict(self) -> dict[str, Any]:
        """A readable record of two ratios."""
        return {
            "kind": "continuous_square_wave",
            "half_width": str(self.half_width),
            "density_ratio": str(self.density_ratio),
        }


def widest_half_width(cells: int, *, circular: bool) -> int:
    """The largest half width that leaves room for two disjoint windows: 2w <= T."""
    # line: 2(2h + 1) <= m + 2h;  circle: 2(2h + 1) <= m
    return (cells - 2) // 4 if circular else (cells - 2) // 2
