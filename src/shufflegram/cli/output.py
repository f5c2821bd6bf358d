"""What commands say, and where: results to the standard output, everything else to the standard error."""

import json
import math
import sys
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console


def complain(kind: str, message: str) -> None:
    """One line on the standard error, whatever the message looks like."""
    click.echo(f"shufflegram: {kind}: {' '.join(message.split())}", err=True)


def warn(messages: Iterable[str]) -> None:
    """A line for each warning."""
    for message in messages:
        complain("warning", message)


def show_json(record: Any) -> None:
    """The one document of `--json`. What is no finite number is null there."""
    # Other letters are escaped: every terminal and every pipe can hold it.
    click.echo(json.dumps(_finite(record), indent=2, allow_nan=False))


def _finite(record: Any) -> Any:
    match record:
        case dict():
            return {key: _finite(entry) for key, entry in record.items()}
        case list() | tuple():
            return [_finite(entry) for entry in record]
        case float() if not math.isfinite(record):
            return None
        case _:
            return record


def counted(number: int, noun: str) -> str:
    """1 row, 2 rows."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def rounded_up(number: float, digits: int = 5) -> str:
    """So many digits that are not below the number."""
    return _rounded(number, digits, ROUND_CEILING)


def rounded_down(number: float, digits: int = 5) -> str:
    """So many digits that are not above the number."""
    return _rounded(number, digits, ROUND_FLOOR)


def _rounded(number: float, digits: int, rounding: str) -> str:
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal_from_float(number)):.{digits}g}"


def terminal() -> "Console":
    """Text for people on the standard output, in the width of their terminal."""
    from rich.console import Console

    # A unit or a column's name is shown as it is, brackets and all.
    return Console(file=sys.stdout, markup=False, highlight=False, emoji=False)


def show_facts(console: "Console", facts: Iterable[tuple[str, str]]) -> None:
    """Names on the left, what they are on the right, wrapped to the terminal."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, fact in facts:
        grid.add_row(name, fact)
    console.print(grid)


def show_table(console: "Console", title: str, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """A table of numbers: the first column to the left, all others to the right."""
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(header):
        table.add_column(name, justify="right" if place else "left")
    for row in rows:
        table.add_row(*row)
    console.print(table)
