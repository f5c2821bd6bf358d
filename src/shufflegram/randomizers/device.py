"""The draw a user's device makes. Integers and the operating system's secure source only; standard library only.

This file is complete in itself so that a package for small devices can carry it as it is.

The report cells form a cycle of length T. (On the line too: its T = m + 2h report cells are the cycle cut open.) Walk
the cycle from the start of the true cell's window: the first w cells carry `inside` units of weight each, the other
T - w cells `outside` units each. One integer below the total weight, drawn uniformly, points at one unit, and so at one
cell. Nothing is rounded, and no tail is chosen before its length is known.
"""

import secrets

__all__ = ["draw_report", "report_at"]


def draw_report(cell: int, *, cells: int, half_width: int, inside: int, outside: int, circular: bool) -> int:
    """One randomized report for the true `cell`, from the operating system's secure source."""
    window = 2 * half_width + 1
    report_cells = cells if circular else cells + 2 * half_width
    total_weight = window * inside + (report_cells - window) * outside
    return report_at(
        secrets.randbelow(total_weight),
        cell,
        cells=cells,
        half_width=half_width,
        inside=inside,
        outside=outside,
        circular=circular,
    )


def report_at(unit: int, cell: int, *, cells: int, half_width: int, inside: int, outside: int, circular: bool) -> int:
    """The report cell that owns the given unit of weight, 0 <= unit < w * inside + (T - w) * outside."""
    if not 0 <= cell < cells:
        raise ValueError(f"the true cell must be one of 0..{cells - 1}")
    window = 2 * half_width + 1
    report_cells = cells if circular else cells + 2 * half_width
    start = cell - half_width if circular else cell
    inside_units = window * inside
    steps = unit // inside if unit < inside_units else window + (unit - inside_units) // outside
    return (start + steps) % report_cells
