"""The figures of an experiment: which axis goes where, and how they are drawn."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from ..metrics import METRICS
from .summary import Place, Summary

ACCOUNTINGS = {"published": "as published", "exact": "equal accounting"}
TASKS = {each.name: each.title for each in METRICS}
TITLES = {"epsilon": "epsilon", "users": "users", "bins": "bins"}

# Colour, marker and line of each protocol: one hue a family, and no two alike when printed in grey.
STYLES: dict[str, dict[str, Any]] = {
    "asp": {"color": "#d62728", "marker": "o", "linestyle": "-", "linewidth": 2.2, "zorder": 5},
    "ssw": {"color": "#1f4fa3", "marker": "s", "linestyle": "-", "linewidth": 1.8, "zorder": 4},
    "combination-1": {"color": "#e69f00", "marker": "^", "linestyle": "--"},
    "combination-2": {"color": "#009e73", "marker": "v", "linestyle": "--"},
    "spm": {"color": "#7f7f7f", "marker": "P", "linestyle": "-."},
    "flip-16": {"color": "#a6d96a", "marker": "^", "linestyle": "--"},
    "flip-32": {"color": "#4dac26", "marker": "v", "linestyle": "--"},
    "flip-64": {"color": "#1b6b1b", "marker": "D", "linestyle": "--"},
    "pure-16": {"color": "#d7b5e8", "marker": "<", "linestyle": ":"},
    "pure-32": {"color": "#a55fc9", "marker": ">", "linestyle": ":"},
    "pure-64": {"color": "#5e2a84", "marker": "X", "linestyle": ":"},
}
# For lines that are no protocols.
COLOURS, MARKERS = ("#440154", "#21918c", "#e07b00", "#7f7f7f"), "osD^"
# How much room is left above and below the points, as a factor.
MARGIN = 1.5
# The same numbers give the same file.
FIXED: Any = {"svg.hashsalt": "shufflegram", "svg.fonttype": "path"}


@dataclass(frozen=True)
class Layout:
    """Which axis runs from left to right, which tells lines apart, and which rows, columns and pages."""

    x: str
    line: str
    row: str | None
    column: str | None
    pages: tuple[str, ...]


@dataclass(frozen=True)
class Panel:
    """The points of one pair of axes, and what all of them share."""

    shared: dict[str, Any]
    points: Summary


def layout_of(summary: Summary) -> Layout:
    """Sizes run from left to right where they vary, else epsilon; data sets stand below each other, tasks beside."""
    each_data = [summary.only(data=data) for data in summary.values("data")]

    def varies(axis: str) -> bool:
        # Data sets differ in their sizes, too.
        parts = each_data if axis in ("bins", "users") else [summary]
        return any(len(part.values(axis)) > 1 for part in parts)

    varied = [axis for axis in Place._fields if varies(axis)]
    x = next((axis for axis in ("bins", "users") if axis in varied), "epsilon")
    line = "epsilon" if x != "epsilon" and "epsilon" in varied and "protocol" not in varied else "protocol"
    left = [axis for axis in varied if axis not in (x, line)]
    row = left[-2] if len(left) > 1 else None
    column = left[-1] if left else None
    return Layout(x, line, row, column, tuple(left[:-2]))


def pages(summary: Summary, layout: Layout) -> Iterator[tuple[dict[str, Any], Summary]]:
    """What is fixed on each page, and its points."""
    for values in product(*(summary.values(axis) for axis in layout.pages)):
        fixed = dict(zip(layout.pages, values, strict=True))
        yield fixed, summary.only(**fixed)


def panels(page: Summary, layout: Layout) -> list[list[Panel]]:
    """A page's panels, row by row."""

    def choices(axis: str | None) -> list[dict[str, Any]]:
        return [{}] if axis is None else [{axis: value} for value in page.values(axis)]

    return [
        [Panel({**row, **column}, page.only(**row, **column)) for column in choices(layout.column)]
        for row in choices(layout.row)
    ]


def name_of(axis: str, value: Any) -> str:
    """A value on an axis as a reader is told it."""
    match axis:
        case "accounting":
            return str(ACCOUNTINGS.get(value, value))
        case "metric":
            return str(TASKS.get(value, value))
        case "epsilon":
            return f"epsilon {value:g}"
        case "users" | "bins":
            return f"{value:,} {axis}"
        case _:
            return str(value)


def draw(summary: Summary, page: Summary, layout: Layout, heading: str, stem: Path) -> tuple[Path, Path]:
    """Writes one page as SVG and PNG; panels of the same data and task have the same scale on every page."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(FIXED):
        grid = panels(page, layout)
        height, width = len(grid), len(grid[0])
        figure = Figure(figsize=(3.1 * width + 1.7, 2.5 * height + 0.9), layout="constrained")
        axes = figure.subplots(height, width, squeeze=False)
        for row, line in enumerate(grid):
            for column, panel in enumerate(line):
                _draw_panel(axes[row][column], summary, panel, layout)
                first = {axis: panel.shared[axis] for axis in (layout.row, layout.column) if axis}
                if row == 0 and layout.column:
                    words = name_of(layout.column, first[layout.column]).replace(" (", "\n(")
                    axes[row][column].set_title(words, fontsize=10)
                if row == height - 1:
                    axes[row][column].set_xlabel(TITLES[layout.x])
                if column == 0:
                    names = [name_of(layout.row, first[layout.row])] if layout.row else []
                    (task, *more) = page.values("metric")
                    names += [] if more else [name_of("metric", task)]
                    axes[row][column].set_ylabel("\n".join(names) or "error", fontsize=10)
        lines = {entry.get_label(): entry for each in axes.flat for entry in each.containers}
        figure.legend(lines.values(), lines.keys(), loc="outside right upper", frameon=False)
        figure.suptitle(heading, fontsize=12)
        svg, png = Path(f"{stem}.svg"), Path(f"{stem}.png")
        figure.savefig(svg, metadata={"Date": None})
        figure.savefig(png, dpi=110)
    return svg, png


def _draw_panel(axes: Any, summary: Summary, panel: Panel, layout: Layout) -> None:
    from matplotlib import ticker

    scale = [point.mean for place, point in summary.points.items() if _same_scale(place, panel)]
    # A mean of 0 has no place on a logarithmic axis: it is drawn on the lower edge.
    bottom = min((mean for mean in scale if mean > 0), default=1.0) / MARGIN
    top = max([*scale, bottom]) * MARGIN
    for number, value in enumerate(summary.values(layout.line)):
        points = panel.points.only(**{layout.line: value}).points
        if not points:
            continue
        x = [getattr(place, layout.x) for place in points]
        errors = [0.0 if math.isnan(point.error) else point.error for point in points.values()]
        style = STYLES.get(value) or {
            "color": COLOURS[number % len(COLOURS)],
            "marker": MARKERS[number % len(MARKERS)],
        }
        label = name_of(layout.line, value)
        means = [max(point.mean, bottom) for point in points.values()]
        axes.errorbar(
            x, means, errors, label=label, **{"linewidth": 1.3, **style}, markersize=5, capsize=2, elinewidth=0.8
        )
    axes.set_xscale("log")
    axes.set_yscale("log", nonpositive="clip")
    all_x = summary.values(layout.x)
    ticks = [value for value in all_x if layout.x != "epsilon" or math.log10(value) % 1 == 0] or list(all_x)
    axes.set_xticks(ticks, [_short(tick) for tick in ticks])
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_ylim(bottom, top)
    parts = (1, 2, 5) if top / bottom < 100 else (1,)
    axes.yaxis.set_major_locator(ticker.LogLocator(base=10, subs=parts, numticks=12))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:.0e}".replace("e-0", "e-")))
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axes.tick_params(labelsize=8)


def _same_scale(place: Place, panel: Panel) -> bool:
    shared = panel.shared
    return all(getattr(place, axis) == shared[axis] for axis in ("data", "metric") if axis in shared)


def _short(number: float) -> str:
    """20000 as 20k, which fits below a tick."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number >= size and number % (size // 10) == 0:
            return f"{number / size:g}{letter}"
    return f"{number:g}"
