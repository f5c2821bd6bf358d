"""The numbers of an experiment as tables of text, whatever they are written as afterwards."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from .layout import Layout, Panel, layout_of, name_of, pages, panels, title_of_x
from .printed import Printed
from .summary import Place, Point, Summary


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
        rows.append((Entry(f"{x:,}"), *(_entry(found.get(line), power, best) for line in lines)))
    unit = f", in units of 1e{power}" if power else ""
    return Table(
        f"{caption}{unit}".removeprefix(", "),
        (title_of_x(layout, panel), *(name_of(layout.line, line) for line in lines)),
        tuple(rows),
    )


def _entry(point: Point | None, power: int, best: float) -> Entry:
    if point is None:
        return Entry("none fits")
    scale = 10.0**power
    error = "" if math.isnan(point.error) or point.error == 0 else f" ± {point.error / scale:.3g}"
    return Entry(f"{point.mean / scale:.4g}{error}", point.mean == best)


def beside_the_paper(summary: Summary) -> Table | None:
    """What the paper prints, what is measured here under each accounting, and the ratio; None if it prints nothing."""
    if not summary.paper:
        return None
    epsilons = summary.values("epsilon")
    rows: list[tuple[Entry, ...]] = []
    for printed in summary.paper:
        rows.append((Entry(printed.title), Entry("the paper"), *(Entry(_short(printed.values[e])) for e in epsilons)))
        for metric, accounting in product(printed.metrics, summary.values("accounting")):
            rows += _measured(summary, printed, metric, accounting, epsilons)
    header = ("", "", *(name_of("epsilon", each) for each in epsilons))
    return Table("Beside the paper's numbers", header, tuple(rows))


def _measured(
    summary: Summary, printed: Printed, metric: str, accounting: str, epsilons: Iterable[float]
) -> list[tuple[Entry, ...]]:
    """Two rows: the means, and their ratios to what is printed."""
    part = summary.only(metric=metric, accounting=accounting, protocol=printed.protocol)
    found = {place.epsilon: point for place, point in part.points.items()}
    if not found:
        return []
    place: Place = next(iter(part.points))
    several = len(printed.metrics) > 1
    words = ", ".join([name_of("accounting", accounting), *([name_of("scoring", place.scoring)] if several else [])])
    points = [found.get(epsilon) for epsilon in epsilons]
    ratios = [
        "" if point is None else f"{point.mean / printed.values[epsilon]:.3g}"
        for epsilon, point in zip(epsilons, points, strict=True)
    ]
    return [
        (Entry(""), Entry(words), *(Entry("none fits" if point is None else _short(point.mean)) for point in points)),
        (Entry(""), Entry("ratio to the paper"), *map(Entry, ratios)),
    ]


def _short(number: float) -> str:
    """4.34e-4"""
    mantissa, _, exponent = f"{number:.2e}".partition("e")
    return f"{mantissa}e{int(exponent)}"
