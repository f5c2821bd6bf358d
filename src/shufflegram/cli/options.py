"""Options that several commands share, and the kinds of values they take."""

import math
import os
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

if TYPE_CHECKING:
    from ..domain import Domain

Function = TypeVar("Function", bound=Callable[..., Any])

# Short enough for an exact ratio of sensible integers.
DECIMAL = re.compile(r"\d{1,20}(\.\d{0,20})?(e[+-]?\d{1,2})?", re.IGNORECASE)
RATIO = re.compile(r"\d{1,20}/\d{1,20}")


class FiniteRange(click.FloatRange):
    """Numbers between two ends; "nan" and "inf" are between none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


def exact_ratio(text: str) -> Fraction:
    """A decimal or a ratio of whole numbers, taken exactly as it is written."""
    if not (DECIMAL.fullmatch(text) or RATIO.fullmatch(text)) or re.fullmatch(r".*/0+", text):
        raise click.BadParameter(f"must be a decimal such as 3.5 or a ratio such as 7/2, got {text!r}")
    return Fraction(text)


def shares(text: str) -> tuple[float, ...]:
    """Numbers between 0 and 1, separated by commas."""
    try:
        numbers = tuple(float(word) for word in text.split(","))
    except ValueError:
        numbers = (-1.0,)
    if not all(0 <= number <= 1 for number in numbers):
        raise click.BadParameter(f"must be numbers between 0 and 1 such as 0.25,0.5,0.75, got {text!r}")
    return numbers


def protocol_name(text: str) -> str:
    """The name of a registered protocol; the registry is imported when there is a name to look up."""
    from ..protocols import registry

    if text not in registry.names():
        raise click.BadParameter(f"must be one of {', '.join(registry.names())}, got {text!r}")
    return text


HONEST_FRACTION = FiniteRange(0, 1, min_open=True)
LEVEL = FiniteRange(0, 1, min_open=True, max_open=True)
POSITIVE = FiniteRange(0, min_open=True)
INPUT = click.Path(path_type=Path)
OUTPUT = click.Path(path_type=Path)

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
force_option = click.option("--force", is_flag=True, help="Replace files that exist already.")


def domain_options(command: Function) -> Function:
    """Everything that says what the users' values can be."""
    options = (
        click.option("--low", type=float, help="The smallest value a user can have."),
        click.option("--high", type=float, help="The largest."),
        click.option("--bins", type=int, help="Into how many bins the domain is cut."),
        click.option("--circular", is_flag=True, help="The domain comes round again, as a time of day does."),
        click.option("--log", is_flag=True, help="Bins whose edges grow by a constant factor."),
        click.option("--edges", help="Bins of your own: edges such as 0,10,50,200 or a file of them."),
        click.option("--unit", help="What the values count, such as seconds."),
        click.option(
            "--outside",
            type=click.Choice(["error", "clamp", "wrap"]),
            default="error",
            show_default=True,
            help="What happens to a value that is not in the domain.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def domain_from(chosen: dict[str, Any], **beside: Any) -> "Domain":
    """The domain that the options of `domain_options` describe.

    `beside` are options that are needed too; all that is missing is told at once.
    """
    from ..domain import Domain, Outside

    low, high, bins, circular = chosen["low"], chosen["high"], chosen["bins"], chosen["circular"]
    unit, outside = chosen["unit"], chosen["outside"]
    if outside not in get_args(Outside):
        raise click.UsageError(f"--outside must be one of {', '.join(get_args(Outside))}")
    equal = {} if chosen["edges"] is not None else {"low": low, "high": high, "bins": bins}
    missing = [f"--{name}" for name, value in {**equal, **beside}.items() if value is None]
    if missing:
        needed = "a domain needs --low, --high and --bins (or --edges); " if None in equal.values() else ""
        raise click.UsageError(f"{needed}missing: {', '.join(missing)}")
    if chosen["edges"] is not None:
        if (low, high, bins) != (None, None, None) or circular or chosen["log"]:
            raise click.UsageError(
                "--edges says all of the bins; leave --low, --high, --bins, --circular and --log out"
            )
        return Domain.from_edges(_edges(chosen["edges"]), unit=unit, outside=outside)
    if not chosen["log"]:
        return Domain(low, high, bins, circular=circular, unit=unit, outside=outside)
    if circular:
        raise click.UsageError("a circular domain needs equal bins; leave --log or --circular out")
    return Domain.log(low, high, bins, unit=unit, outside=outside)


def names_a_domain(chosen: dict[str, Any]) -> bool:
    """Whether any option says something of the domain."""
    flags = chosen["circular"] or chosen["log"] or chosen["outside"] != "error"
    return flags or any(chosen[name] is not None for name in ("low", "high", "bins", "edges", "unit"))


def _edges(text: str) -> list[float]:
    """The numbers in the file of this name, or else in the text itself."""
    words = text
    # (unlike a Path's own question, this one bears a list that is too long for a name)
    if os.path.isfile(text):
        try:
            words = Path(text).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            raise click.UsageError(f"the file of edges {text} cannot be read") from problem
    try:
        return [float(word) for word in re.split(r"[,\s]+", words.strip()) if word]
    except ValueError as problem:
        if words == text and "," not in text:
            raise click.UsageError(
                f"there is no file of edges {text}; name one, or give edges as in 0,10,50,200"
            ) from problem
        raise click.UsageError(
            "--edges must be increasing numbers such as 0,10,50,200, or a file that holds such numbers"
        ) from problem
