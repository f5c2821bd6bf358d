"""Every protocol, once. Contract tests, command line choices and tables read this list."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from ..domain import Domain
from ..errors import InputError
from ..estimators.em import Estimator
from ..privacy.budget import Budget
from . import asp, ssw
from .square_wave import SquareWaveProtocol

Accounting = Literal["published", "exact"]
Builder = Callable[[Domain, Budget], SquareWaveProtocol]


@dataclass(frozen=True, slots=True)
class Entry:
    """A protocol's name, a title for people, and how it is built under each kind of accounting."""

    name: str
    title: str
    estimator: Estimator
    published: Builder
    exact: Builder


PROTOCOLS: tuple[Entry, ...] = (
    Entry(asp.NAME, "ASP (square wave with tuned half width and ratio, EMAS)", asp.ESTIMATOR, asp.published, asp.exact),
    Entry(ssw.NAME, "SSW (square wave with SW's parameters, EMS)", ssw.ESTIMATOR, ssw.published, ssw.exact),
)


def names() -> tuple[str, ...]:
    """The registered names, in order."""
    return tuple(each.name for each in PROTOCOLS)


def entry(name: str) -> Entry:
    """The named protocol's entry."""
    for each in PROTOCOLS:
        if each.name == name:
            return each
    raise InputError(f"protocol must be one of {', '.join(names())}, got {name!r}")


def build(name: str, domain: Domain, budget: Budget, accounting: Accounting = "exact") -> SquareWaveProtocol:
    """The named protocol for this domain and budget."""
    if accounting not in get_args(Accounting):
        raise InputError(f"accounting must be one of {', '.join(get_args(Accounting))}, got {accounting!r}")
    builder = entry(name).exact if accounting == "exact" else entry(name).published
    return builder(domain, budget)
