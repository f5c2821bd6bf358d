"""Every protocol, once. Contract tests, command line choices and tables read this list."""

from typing import Literal, get_args

from ..domain import Domain
from ..errors import InputError
from ..privacy.budget import Budget
from ..protocol import Protocol
from . import asp, combinations, flip, pure, spm, ssw, tuned
from .entry import Entry

Accounting = Literal["published", "exact"]

# Into how many chunks Flip and Pure cut the domain.
CHUNKS = (16, 32, 64)

PROTOCOLS: tuple[Entry, ...] = (
    asp.ENTRY,
    tuned.ENTRY,
    ssw.ENTRY,
    combinations.ONE,
    combinations.TWO,
    spm.ENTRY,
    *map(flip.entry, CHUNKS),
    *map(pure.entry, CHUNKS),
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
