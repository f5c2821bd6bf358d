"""The numbers of an experiment as tables of text, whatever they are written as afterwards."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from .layout import Layout, Panel, layout_of, name_of, pages, panels, title_of_x
from .printed import Printed
from .summary import Point, Summary

NONE_FITS = "none fits"
# An error this small beside its mean is one of rounding.
ROUNDING = 1e-12


class Entry(NamedTuple):
    """A text, and whether it is the best of its row."""

    text: str
    best: bool = False


@dataclass(frozen=True)
class Table:
    """A caption, the names of the columns, and the rows."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]


def tables(summary: Summary) -> list[Table]:
    """The numbers of all panels of all figures."""
    layout = layout_of(summary)
    found = [
        _numbers(fixed | panel.shared, panel, layout)
        for fixed, page in pages(summary, layout)
        for row in panels(page, layout)
        for panel in row
    ]
    return [table for table in found if table is not None]


def _numbers(shared: dict[str, object], panel: Panel, layout: Layout) -> Table | None:
    """A panel's means and standard errors, or None if there are none."""
    points = panel.points
    if not points.points:
        return None
    caption = ", ".join(name_of(axis, value) for axis, value in shared.items())
    # One power of ten for the whole table, so that numbers can be compared at a glance.
    power = math.floor(math.log10(max((point.mean for point in points.points.values()), default=1.0) or 1.0))
    power = 0 if -1 <= power <= 3 else power
    lines = points.values(layout.line)
    rows = []
    for x in sorted(points.values(layout.x)):
        found = {getattr(place, layout.line): point for place, point in points.only(**{layout.x: x}).points.items()}
        # Only protocols are rivals.
        best = min((point.mean for point in found.values()), default=0.0) if layout.line == "protocol" else math.nan
        rows.append(
            (
                Entry(f"{x:,.6g}" if isinstance(x, float) else f"{x:,}"),
                *(_entry(found.get(line), power, best) for line in lines),
            )
        )
    unit = f", in units of 1e{power}" if power else ""
    return Table(
        f"{caption}{unit}".removeprefix(", "),
        (title_of_x(layout, panel), *(name_of(layout.line, line) for line in lines)),
        tuple(rows),
    )


def _entry(point: Point | None, power: int, best: float) -> Entry:
    if point is None:
        return Entry(NONE_FITS)
    scale = 10.0**power
    error = (
        "" if math.isnan(point.error) or point.error <= ROUNDING * abs(point.mean) else f" ± {point.error / scale:.3g}"
    )
    return Entry(f"{point.mean / scale:.4g}{error}", point.mean == best)


def beside_the_paper(summary: Summary) -> Table | None:
    """What the paper prints, what is measured here under each accounting, and the ratio; None if it prints nothing."""
    if not summary.paper:
        return None
    rows: list[tuple[Entry, ...]] = []
    for printed in summary.paper:
        rows.append(
            (Entry(printed.title), Entry("the paper"), *(Entry(_short(value)) for value in printed.values.values()))
        )
        for metric in printed.metrics:
            rows += _measured(summary.only(metric=metric, protocol=printed.protocol), len(printed.metrics) > 1, printed)
    header = ("", "", *(name_of("epsilon", each) for each in summary.paper[0].values))
    return Table("Beside the paper's numbers", header, tuple(rows))


def _measured(part: Summary, tells_scoring: bool, printed: Printed) -> list[tuple[Entry, ...]]:
    """Two rows for each accounting: the means, and their ratios to what is printed; what has none is told once."""
    found: dict[tuple[tuple[float, Point], ...], list[str]] = {}
    for accounting in part.values("accounting"):
        points = tuple((place.epsilon, point) for place, point in part.only(accounting=accounting).points.items())
        found.setdefault(points, []).append(name_of("accounting", accounting))
    scoring = [name_of("scoring", each) for each in part.values("scoring") if tells_scoring]
    rows: list[tuple[Entry, ...]] = []
    for points, accountings in found.items():
        words = ", ".join([accountings[0] if len(accountings) == 1 else "here", *scoring])
        means = {epsilon: point.mean for epsilon, point in points}
        rows.append(
            (
                Entry(""),
                Entry(words),
                *(Entry(_short(means[epsilon]) if epsilon in means else NONE_FITS) for epsilon in printed.values),
            )
        )
        ratios = (
            f"{means[epsilon] / value:.3g}" if epsilon in means else "" for epsilon, value in printed.values.items()
        )
        rows.append((Entry(""), Entry("ratio to the paper"), *map(Entry, ratios)))
    return rows


def _short(number: float) -> str:
    """4.34e-4"""
    mantissa, _, exponent = f"{number:.2e}".partition("e")
    return f"{mantissa}e{int(exponent)}"
