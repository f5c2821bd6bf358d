"""Every protocol, once. Contract tests, command line choices and tables read this list."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ..domain import Domain
from ..errors import InputError
from ..privacy.budget import Budget
from ..protocol import Protocol
from . import asp, ssw

Accounting = Literal["published", "exact"]
Builder = Callable[[Domain, Budget], Protocol]
Loader = Callable[[Domain, Mapping[str, Any]], Protocol]


@dataclass(frozen=True, slots=True)
class Entry:
    """A protocol's name, a title for people, how each kind of accounting builds it, and how a plan brings it back."""

    name: str
    title: str
    published: Builder
    exact: Builder
    load: Loader


PROTOCOLS: tuple[Entry, ...] = (
    Entry(asp.NAME, "ASP (square wave with tuned half width and ratio, EMAS)", asp.published, asp.exact, asp.load),
    Entry(ssw.NAME, "SSW (square wave with SW's parameters, EMS)", ssw.published, ssw.exact, ssw.load),
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


def build(name: str, domain: Domain, budget: Budget, accounting: Accounting = "exact") -> Protocol:
    """The named protocol for this domain and budget."""
    if accounting not in get_args(Accounting):
        raise InputError(f"accounting must be one of {', '.join(get_args(Accounting))}, got {accounting!r}")
    builder = entry(name).exact if accounting == "exact" else entry(name).published
    return builder(domain, budget)
