"""Which axis of an experiment goes where in its figures, and what a reader is told of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from .measurements import metric_titles
from .names import NO_ACCOUNTING
from .summary import Summary

ACCOUNTINGS = {"published": "as published", "exact": "equal accounting", NO_ACCOUNTING: "no accounting"}
SCORINGS = {
    "bins": "scored on the bins",
    "chunks": "scored on each protocol's own chunks",
    "sixteen": "scored on 16 equal parts",
}
# What the options of an estimator are called in the paper.
OPTIONS = {
    "radius": "radius R",
    "sigma": "fixed sigma_2",
    "sigma_max": "largest sigma_2, from 1/3",
    "sigma_min": "smallest sigma_2",
    "period": "period of sigma_2",
    "rounds": "most rounds",
}
# In this order they take their places: those that vary and are left over become pages, then rows, then columns.
AXES = ("scoring", "accounting", "data", "task", "epsilon", "users", "bins", "protocol", "option")
SIZES = ("value", "bins", "users")


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

    x = next((axis for axis in SIZES if varies(axis)), "epsilon")
    own = "epsilon" if x != "epsilon" and varies("epsilon") and not varies("protocol") else "protocol"
    line = {None: own, "metric": "task"}.get(summary.lines, summary.lines) or own
    left = [axis for axis in AXES if axis not in (x, line) and varies(axis)]
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
            return ACCOUNTINGS.get(value, str(value))
        case "scoring":
            return SCORINGS.get(value, str(value))
        case "task" | "metric":
            return metric_titles().get(value, str(value))
        case "option":
            return OPTIONS.get(value, str(value))
        case "epsilon":
            return f"epsilon {value:g}"
        case "users" | "bins":
            return f"{value:,} {axis}"
        case _:
            return str(value)


def title_of_x(layout: Layout, panel: Panel) -> str:
    """What runs from left to right."""
    if layout.x != "value":
        return layout.x
    (option,) = panel.points.values("option") or (None,)
    return name_of("option", option)
