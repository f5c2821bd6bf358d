"""What a spec says, checked: each function gives what was meant, or refuses it in one line."""

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from ..checks import is_whole
from ..errors import BudgetError, ExperimentError
from ..privacy.budget import check_delta, check_epsilon

NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


def require_keys(record: Mapping[str, Any], known: tuple[str, ...], optional: set[str], where: str) -> None:
    """Refuses a key that is unknown, and a missing one that is not optional."""
    for kind, odd in (
        ("unknown", [key for key in record if key not in known]),
        ("missing", [key for key in known if key not in record and key not in optional]),
    ):
        if odd:
            raise ExperimentError(f"{kind} key{where}: {', '.join(map(shown, odd))}; the keys are {', '.join(known)}")


def shown(value: Any) -> str:
    """What was given, short and on one line."""
    return f"{value!r:.60}"


def refuse(name: str, rule: str, value: Any) -> NoReturn:
    raise ExperimentError(f"{name} must be {rule}, got {shown(value)}")


def whole(name: str, value: Any, least: int, most: int) -> int:
    if not is_whole(value) or not least <= value <= most:
        refuse(name, f"a whole number from {least} to {most}", value)
    return value


def truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        refuse(name, "true or false", value)
    return value


def slug(name: str, value: Any) -> str:
    if not isinstance(value, str) or not NAME.fullmatch(value):
        refuse(name, "a name of small letters, digits and hyphens such as 'figure-utility'", value)
    return value


def title(kind: str, value: Any) -> str:
    """A line of text."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        refuse(kind, "a line of text", value)
    return value


def delta(value: Any) -> float:
    try:
        check_delta(value)
    except BudgetError as problem:
        raise ExperimentError(str(problem)) from None
    return float(value)


def epsilon(value: Any) -> float:
    try:
        check_epsilon(value)
    except BudgetError as problem:
        raise ExperimentError(f"epsilons: {problem}") from None
    if value == 0:
        raise ExperimentError("epsilons must be above 0: at 0 a report can say nothing")
    return float(value)


def entries(name: str, value: Any) -> list[Any]:
    """A list that holds something, and nothing twice."""
    if not isinstance(value, list) or not value:
        refuse(name, "a list with at least one entry", value)
    if any(each in value[:place] for place, each in enumerate(value)):
        refuse(name, "a list that holds nothing twice", value)
    return value


def name(kind: str, value: Any, known: tuple[str, ...]) -> str:
    """One of those that are known."""
    if value not in known:
        refuse(kind, f"one of {', '.join(known)}", value)
    return str(value)


def names(name: str, value: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    for each in entries(name, value):
        if each not in known:
            raise ExperimentError(f"{name} must be some of {', '.join(known)}, got {shown(each)}")
    return tuple(value)


def sizes(name: str, value: Any) -> tuple[int | None, ...]:
    """Sizes, or those of the data where nothing is said."""
    return (None,) if value is None else tuple(whole(name, each, 1, 10**9) for each in entries(name, value))
