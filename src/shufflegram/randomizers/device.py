"""The draw a user's device makes. Integers and the operating system's secure source only; standard library only.

This file is complete in itself so that a package for small devices can carry it as it is.

The report cells form a cycle of length T. (On the line too: its T = m + 2h report cells are the cycle cut open.) Walk
the cycle from the start of the true cell's window: the first w cells carry `inside` units of weight each, the other
T - w cells `outside` units each. One integer below the total weight, drawn uniformly, points at one unit, and so at
one cell. Nothing is rounded, and no tail is chosen before its length is known.
"""

import operator
import secrets
from typing import SupportsIndex

__all__ = ["draw_report", "report_at", "total_weight"]


def draw_report(
    cell: SupportsIndex,
    *,
    cells: SupportsIndex,
    half_width: SupportsIndex,
    inside: SupportsIndex,
    outside: SupportsIndex,
    circular: bool,
) -> int:
    """One randomized report for the true `cell`, from the operating system's secure source."""
    shape = {"cells": cells, "half_width": half_width, "inside": inside, "outside": outside}
    unit = secrets.randbelow(total_weight(**shape, circular=circular))
    return report_at(unit, cell, **shape, circular=circular)


def total_weight(
    *,
    cells: SupportsIndex,
    half_width: SupportsIndex,
    inside: SupportsIndex,
    outside: SupportsIndex,
    circular: bool,
) -> int:
    """W = w * inside + (T - w) * outside"""
    window, report_cells = _window_and_report_cells(cells, half_width, circular)
    return window * _whole(inside, 1) + (report_cells - window) * _whole(outside, 1)


def report_at(
    unit: SupportsIndex,
    cell: SupportsIndex,
    *,
    cells: SupportsIndex,
    half_width: SupportsIndex,
    inside: SupportsIndex,
    outside: SupportsIndex,
    circular: bool,
) -> int:
    """The report cell that owns the given unit of weight, 0 <= unit < W."""
    window, report_cells = _window_and_report_cells(cells, half_width, circular)
    inside, outside = _whole(inside, 1), _whole(outside, 1)
    inside_units = window * inside
    true_cell, given = _whole(cell, 0), _whole(unit, 0)
    if true_cell >= _whole(cells, 1):
        raise ValueError(f"the true cell must be one of 0..{_whole(cells, 1) - 1}")
    if given >= inside_units + (report_cells - window) * outside:
        raise ValueError("the unit of weight must be below the total weight")
    start = true_cell - _whole(half_width, 0) if circular else true_cell
    steps = given // inside if given < inside_units else window + (given - inside_units) // outside
    return (start + steps) % report_cells


def _window_and_report_cells(cells: SupportsIndex, half_width: SupportsIndex, circular: bool) -> tuple[int, int]:
    """w = 2h + 1, and T = m on the circle, m + 2h on the line"""
    reach = 2 * _whole(half_width, 0)
    report_cells = _whole(cells, 2) if circular else _whole(cells, 2) + reach
    if reach + 1 >= report_cells:
        raise ValueError("the window must be narrower than the report cells")
    return reach + 1, report_cells


def _whole(number: SupportsIndex, least: int) -> int:
    """A plain integer, so that nothing wraps around and no fraction of a true value gets into a report."""
    if isinstance(number, bool):
        raise TypeError("a whole number is needed, got a truth value")
    whole = operator.index(number)
    if whole < least:
        raise ValueError(f"a whole number of at least {least} is needed")
    return whole
