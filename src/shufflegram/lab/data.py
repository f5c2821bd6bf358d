"""The crowds that experiments are about, by name."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import datasets
from ..domain import Domain
from ..errors import ExperimentError

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Crowd(NamedTuple):
    """One value a user, in an order that makes the first n of them a fair sample, and the domain that suits them."""

    values: Floats
    domain: Domain


def _taxi() -> Crowd:
    rides = datasets.taxi()
    return Crowd(rides.values.astype(np.float64), rides.domain)


def _uniform() -> Crowd:
    """20,000 users spread evenly; the order jumps about, so that the first n are spread evenly too."""
    # Steps by the golden ratio never crowd.
    golden = (5**0.5 - 1) / 2
    return Crowd(np.arange(20_000, dtype=np.float64) * golden % 1.0, Domain(0, 1, bins=64))


DATA: dict[str, Callable[[], Crowd]] = {"taxi": _taxi, "uniform": _uniform}


@lru_cache(maxsize=8)
def crowd(name: str) -> Crowd:
    """The named data set: the one place where experiments look one up."""
    return DATA[name]()


@lru_cache(maxsize=256)
def histogram_of(name: str, bins: int, users: int, circular: bool) -> tuple[Domain, Integers]:
    """The domain in so many bins, and how many of the first `users` users are in each."""
    values, own = crowd(name)
    if not 1 <= users <= values.size:
        raise ExperimentError(f"users must be from 1 to {values.size:,}, which is all of {name!r}, got {users:,}")
    domain = replace(own, bins=bins, circular=circular)
    histogram = domain.histogram(values[:users])
    histogram.setflags(write=False)
    return domain, histogram
