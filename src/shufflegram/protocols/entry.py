"""What the registry holds of a protocol."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..domain import Domain
from ..privacy.budget import Budget
from ..protocol import Protocol

Builder = Callable[[Domain, Budget], Protocol]
Loader = Callable[[Domain, Mapping[str, Any]], Protocol]


@dataclass(frozen=True, slots=True)
class Entry:
    """A protocol's name, a title for people, how each kind of accounting builds it, and how a plan brings it back.

    A `square_wave` is a `SquareWaveProtocol`, whose reports any estimator can read.
    """

    name: str
    title: str
    published: Builder
    exact: Builder
    load: Loader
    square_wave: bool = False
