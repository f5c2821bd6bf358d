"""How the figures of an experiment are drawn."""

import io
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..files import whole_file
from .layout import Layout, Panel, layout_of, name_of, pages, panels, title_of_x
from .summary import Place, Summary

# Colour, marker and line of each protocol: one hue a family, and no two alike when printed in grey.
STYLES: dict[str, dict[str, Any]] = {
    "asp": {"color": "#d62728", "marker": "o", "linestyle": "-", "linewidth": 2.2, "zorder": 5},
    "ssw": {"color": "#1f4fa3", "marker": "s", "linestyle": "-", "linewidth": 1.8, "zorder": 4},
    "combination-1": {"color": "#e69f00", "marker": "^", "linestyle": "--"},
    "combination-2": {"color": "#009e73", "marker": "v", "linestyle": "--"},
    "spm": {"color": "#7f7f7f", "marker": "P", "linestyle": "-."},
    "flip-16": {"color": "#8cc540", "marker": "^", "linestyle": "--"},
    "flip-32": {"color": "#4dac26", "marker": "v", "linestyle": "--"},
    "flip-64": {"color": "#1b6b1b", "marker": "D", "linestyle": "--"},
    "pure-16": {"color": "#c792e0", "marker": "<", "linestyle": ":"},
    "pure-32": {"color": "#a55fc9", "marker": ">", "linestyle": ":"},
    "pure-64": {"color": "#5e2a84", "marker": "X", "linestyle": ":"},
    "local-sw": {"color": "#8c564b", "marker": "h", "linestyle": "-."},
    "gaussian-16": {"color": "#9ecae1", "marker": "^", "linestyle": "--"},
    "gaussian-32": {"color": "#4292c6", "marker": "v", "linestyle": "--"},
    "gaussian-64": {"color": "#084594", "marker": "D", "linestyle": "--"},
    "trim-5": {"color": "#fdd0a2", "marker": "<", "linestyle": ":"},
    "trim-10": {"color": "#fdae6b", "marker": ">", "linestyle": ":"},
    "trim-15": {"color": "#f16913", "marker": "d", "linestyle": ":"},
    "trim-20": {"color": "#d94801", "marker": "p", "linestyle": ":"},
    "trim-30": {"color": "#7f2704", "marker": "X", "linestyle": ":"},
}
# For lines that are no protocols.
COLOURS, MARKERS = ("#440154", "#21918c", "#e07b00", "#7f7f7f", "#3b6fb6", "#c2185b"), "osD^vP"
# How much room is left above and below the points, as a factor.
MARGIN = 1.5
# The same numbers give the same file.
FIXED: Any = {"svg.hashsalt": "shufflegram", "svg.fonttype": "path"}
# An axis is logarithmic where its largest value is so many times its smallest.
WIDE = 8
PRINTED = "as the paper prints"
# So many ticks have room below a panel.
FEW_TICKS = 6
# Dots to the inch of a picture in dots.
DOTS = 100


class Drawn(NamedTuple):
    """A figure: its heading, and its files by the ends of their names."""

    heading: str
    files: dict[str, Path]


def write_figures(summary: Summary, folder: Path, forms: tuple[str, ...] = ("svg", "png")) -> list[Drawn]:
    """Writes every page of figures into the folder, in these forms."""
    layout = layout_of(summary)
    summary = summary.relative()
    drawn = []
    for fixed, page in pages(summary, layout):
        words = ", ".join(name_of(axis, value) for axis, value in fixed.items())
        heading = f"{summary.title}: {words}" if words else summary.title
        stem = "-".join([summary.experiment, *(str(value) for value in fixed.values())])
        files = {form: folder / f"{stem}.{form}" for form in forms}
        _draw(summary, page, layout, heading, files)
        drawn.append(Drawn(heading, files))
    return drawn


def _draw(summary: Summary, page: Summary, layout: Layout, heading: str, files: dict[str, Path]) -> None:
    """Writes one page; panels of the same data and task have the same scale on every page."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    with matplotlib.rc_context(FIXED):
        grid = panels(page, layout)
        height, width = len(grid), len(grid[0])
        labels = [name_of(layout.line, value) for value in page.values(layout.line)]
        longest = max(map(len, [*labels, PRINTED if summary.paper else ""]))
        # A panel is at least so wide, and the legend beside them as its longest label takes.
        across = max(3.1 * width, 4.5) + 1.0 + 0.085 * longest
        figure = Figure(figsize=(across, 2.5 * height + 0.9), layout="constrained")
        axes = figure.subplots(height, width, squeeze=False)
        for row, line in enumerate(grid):
            for column, panel in enumerate(line):
                _draw_panel(axes[row][column], summary, panel, layout)
                first = {axis: panel.shared[axis] for axis in (layout.row, layout.column) if axis}
                if row == 0 and layout.column:
                    words = name_of(layout.column, first[layout.column]).replace(" (", "\n(")
                    axes[row][column].set_title(words, fontsize=10)
                if row == height - 1:
                    axes[row][column].set_xlabel(title_of_x(layout, panel))
                if column == 0:
                    names = [name_of(layout.row, first[layout.row])] if layout.row else []
                    (task, *more) = page.values("task")
                    names += [] if more else [name_of("task", task)]
                    names += (
                        [] if summary.relative_to is None else [f"as a share of {name_of('task', summary.relative_to)}"]
                    )
                    broken = [part for name in names for part in textwrap.wrap(name.replace(" (", "\n("), 26)]
                    axes[row][column].set_ylabel("\n".join(broken), fontsize=10)
        lines = {entry.get_label(): entry for each in axes.flat for entry in each.containers}
        marks = [mark for each in axes.flat for mark in each.collections if mark.get_label() == PRINTED]
        if marks:
            lines[PRINTED] = Line2D([], [], color="#555555", marker="x", linestyle="none")
        figure.legend(lines.values(), lines.keys(), loc="outside right upper", frameon=False)
        figure.suptitle("\n".join(textwrap.wrap(heading, round(9 * across))), fontsize=12)
        for form, path in files.items():
            with whole_file(path, overwrite=True) as part:
                if form == "svg":
                    figure.savefig(part, format="svg", metadata={"Date": None})
                else:
                    _save_small(figure, part, _styles(summary, layout))


def _save_small(figure: Any, path: Path, styles: dict[Any, dict[str, Any]]) -> None:
    """As a PNG with a palette of the lines' colours on their way to white, and greys: a third as large."""
    from PIL import Image

    whole = io.BytesIO()
    figure.savefig(whole, format="png", dpi=DOTS)
    palette = Image.new("P", (1, 1))
    palette.putpalette(_palette([str(style["color"]) for style in styles.values()]))
    picture = Image.open(whole).convert("RGB").quantize(palette=palette, dither=Image.Dither.NONE)
    picture.save(path, format="png", optimize=True)


def _palette(colours: Sequence[str]) -> list[int]:
    """256 colours, three numbers each."""
    from matplotlib.colors import to_rgb

    greys = [(round(255 * step / 31),) * 3 for step in range(32)]
    steps = max(1, (256 - len(greys)) // max(1, len(colours)))
    blends = [
        tuple(round(255 * (1 - (1 - part) * (steps - step) / steps)) for part in to_rgb(colour))
        for colour in colours
        for step in range(min(steps, 12))
    ]
    found = (greys + blends)[:256]
    return [part for colour in found + [(255, 255, 255)] * (256 - len(found)) for part in colour]


def _draw_panel(axes: Any, summary: Summary, panel: Panel, layout: Layout) -> None:
    printed = _printed(summary, panel, layout)
    scale = [point.mean for place, point in summary.points.items() if _same_scale(place, panel)]
    scale += [value for _, _, value in printed]
    # A mean of 0 has no place on a logarithmic axis: it is drawn on the lower edge.
    bottom = min((mean for mean in scale if mean > 0), default=1.0) / MARGIN
    top = max([*scale, bottom]) * MARGIN
    styles = _styles(summary, layout)
    for value in summary.values(layout.line):
        points = panel.points.only(**{layout.line: value}).points
        if not points:
            continue
        along = sorted((getattr(place, layout.x), point) for place, point in points.items())
        axes.errorbar(
            [x for x, _ in along],
            [max(point.mean, bottom) for _, point in along],
            [0.0 if math.isnan(point.error) else point.error for _, point in along],
            label=name_of(layout.line, value),
            **{"linewidth": 1.3, **styles[value]},
            markersize=5,
            capsize=2,
            elinewidth=0.8,
        )
    for line in dict.fromkeys(line for line, _, _ in printed):
        marks = [(epsilon, value) for name, epsilon, value in printed if name == line]
        axes.scatter(*zip(*marks, strict=True), color=styles[line]["color"], marker="x", s=45, label=PRINTED, zorder=6)
    _scale_x(axes, panel, summary, layout)
    if summary.relative_to is None:
        _scale_y(axes, bottom, top)
    else:
        axes.set_ylim(0, 1.05 * max(scale))
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axes.tick_params(labelsize=8)


def _styles(summary: Summary, layout: Layout) -> dict[Any, dict[str, Any]]:
    """How each line is drawn."""
    return {
        value: STYLES.get(value) or {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
        for number, value in enumerate(summary.values(layout.line))
    }


def _printed(summary: Summary, panel: Panel, layout: Layout) -> list[tuple[Any, float, float]]:
    """What the paper prints of what the panel shows: the line it belongs to, epsilon, and the number."""
    if layout.x != "epsilon":
        return []
    found = {
        (getattr(place, layout.line), row.title, place.epsilon): row.values[place.epsilon]
        for place in panel.points.points
        for row in summary.paper
        if place.protocol == row.protocol and place.metric in row.metrics
    }
    return [(line, epsilon, value) for (line, _, epsilon), value in found.items()]


def _scale_x(axes: Any, panel: Panel, summary: Summary, layout: Layout) -> None:
    """Ticks where the points are, or at powers of ten of epsilon."""
    from matplotlib import ticker

    # Options of an estimator have little in common; anything else has one axis on all panels.
    values = sorted((panel.points if layout.x == "value" else summary).values(layout.x))
    if min(values) > 0 and (layout.x != "value" or max(values) >= WIDE * min(values)):
        axes.set_xscale("log")
    powers = [value for value in values if layout.x == "epsilon" and math.log10(value) % 1 == 0]
    # each point where there is room, else powers of ten
    ticks = powers if powers and len(values) > FEW_TICKS else values
    axes.set_xticks(ticks, [_short(tick) for tick in ticks])
    axes.xaxis.set_minor_locator(ticker.NullLocator())


def _scale_y(axes: Any, bottom: float, top: float) -> None:
    from matplotlib import ticker

    axes.set_yscale("log", nonpositive="clip")
    axes.set_ylim(bottom, top)
    parts = (1, 2, 5) if top / bottom < 100 else (1,)
    axes.yaxis.set_major_locator(ticker.LogLocator(base=10, subs=parts, numticks=12))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: _plain(value)))


def _same_scale(place: Place, panel: Panel) -> bool:
    shared = panel.shared
    return all(getattr(place, axis) == shared[axis] for axis in ("data", "task") if axis in shared)


def _plain(number: float) -> str:
    """0.02, 1, 500 as they are, smaller and larger ones with their power of ten."""
    return f"{number:g}" if 0.01 <= number < 10_000 else f"{number:.0e}".replace("e-0", "e-").replace("e+0", "e")


def _short(number: float) -> str:
    """20000 as 20k, which fits below a tick."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number >= size and number % (size // 10) == 0:
            return f"{number / size:g}{letter}"
    return f"{number:.2g}" if number < 100 else f"{number:g}"
