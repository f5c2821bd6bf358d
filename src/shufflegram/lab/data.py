"""The crowds that experiments are about, by name."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import datasets
from ..domain import Domain
from ..errors import ExperimentError

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

# A variable of the surroundings that names the folder to read data from instead of the bundled ones.
FOLDER = "SHUFFLEGRAM_DATA_DIR"


class Crowd(NamedTuple):
    """One value a user, in an order that makes the first n of them a fair sample, and the domain that suits them."""

    values: Floats
    domain: Domain


def _paper(name: str, place: str | None) -> Crowd:
    """One of the paper's data sets, with as many users as the paper has."""
    data = datasets.load(name, data_dir=place, paper_size=True)
    return Crowd(data.values.astype(np.float64), data.domain)


def _uniform(place: str | None) -> Crowd:
    """20,000 users spread evenly; the order jumps about, so that the first n are spread evenly too."""
    # Steps by the golden ratio never crowd.
    golden = (5**0.5 - 1) / 2
    return Crowd(np.arange(20_000, dtype=np.float64) * golden % 1.0, Domain(0, 1, bins=64))


PAPER = ("normal", "taxi", "retirement", "income")
DATA: dict[str, Callable[[str | None], Crowd]] = {
    **{name: partial(_paper, name) for name in PAPER},
    "uniform": _uniform,
}


def folder() -> str | None:
    """Where data are read from; None where they are the bundled ones."""
    return os.environ.get(FOLDER)


def read_from(place: str | None) -> None:
    """From now on, in this process, data are read from there."""
    if place is None:
        os.environ.pop(FOLDER, None)
    else:
        os.environ[FOLDER] = place


def crowd(name: str) -> Crowd:
    """The named data set: the one place where experiments look one up."""
    return _crowd(name, folder())


def histogram_of(name: str, bins: int, users: int, circular: bool) -> tuple[Domain, Integers]:
    """The domain in so many bins, and how many of the first `users` users are in each."""
    return _histogram_of(name, bins, users, circular, folder())


@lru_cache(maxsize=8)
def _crowd(name: str, place: str | None) -> Crowd:
    return DATA[name](place)


@lru_cache(maxsize=256)
def _histogram_of(name: str, bins: int, users: int, circular: bool, place: str | None) -> tuple[Domain, Integers]:
    values, own = _crowd(name, place)
    if not 1 <= users <= values.size:
        raise ExperimentError(f"users must be from 1 to {values.size:,}, which is all of {name!r}, got {users:,}")
    domain = replace(own, bins=bins, circular=circular)
    histogram = domain.histogram(values[:users])
    histogram.setflags(write=False)
    return domain, histogram
