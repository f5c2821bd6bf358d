"""The crowds that experiments are about, by name."""

import hashlib
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
    """One value a user, in an order that makes the first n of them a fair sample, and the domain that suits them.

    `note` says where they come from.

    Joint data have a row a user: several values, all in that domain.
    """

    values: Floats
    domain: Domain
    note: str


def _paper(name: str, place: str | None) -> Crowd:
    """One of the paper's data sets, with as many users as the paper has."""
    data = datasets.load(name, data_dir=place, paper_size=True)
    note = f"{data.users:,} users; {data.source}. {data.note}."
    return Crowd(data.values.astype(np.float64), data.domain, note)


def _uniform(place: str | None) -> Crowd:
    """20,000 users spread evenly; the order jumps about, so that the first n are spread evenly too."""
    # Steps by the golden ratio never crowd.
    golden = (5**0.5 - 1) / 2
    return Crowd(np.arange(20_000, dtype=np.float64) * golden % 1.0, Domain(0, 1, bins=64), "20,000 users, made")


PAPER = ("normal", "taxi", "retirement", "income")
# Rows of several values.
JOINT = ("income_types",)
DATA: dict[str, Callable[[str | None], Crowd]] = {
    **{name: partial(_paper, name) for name in (*PAPER, *JOINT)},
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
    """The domain in so many bins, and how many of the first `users` users are in each; of joint data a row a column."""
    return _histogram_of(name, bins, users, circular, folder())


def rows_of(name: str, bins: int, users: int, circular: bool) -> tuple[Domain, Integers]:
    """The domain in so many bins, and the bin of each value of the first `users` users of joint data."""
    domain, values = _first(name, bins, users, circular, folder())
    return domain, np.stack([domain.cells(column) for column in values.T], axis=1)


def fingerprint(name: str, bins: int, users: int, circular: bool) -> str:
    """What two crowds have in common if no protocol with so many bins can tell them apart."""
    return _fingerprint(name, bins, users, circular, folder())


@lru_cache(maxsize=8)
def _crowd(name: str, place: str | None) -> Crowd:
    return DATA[name](place)


@lru_cache(maxsize=256)
def _histogram_of(name: str, bins: int, users: int, circular: bool, place: str | None) -> tuple[Domain, Integers]:
    domain, values = _first(name, bins, users, circular, place)
    if values.ndim == 1:
        histogram = domain.histogram(values)
    else:
        histogram = np.stack([domain.histogram(column) for column in values.T])
    histogram.setflags(write=False)
    return domain, histogram


@lru_cache(maxsize=256)
def _fingerprint(name: str, bins: int, users: int, circular: bool, place: str | None) -> str:
    joint = name in JOINT
    _, seen = rows_of(name, bins, users, circular) if joint else _histogram_of(name, bins, users, circular, place)
    return hashlib.sha256(seen.tobytes()).hexdigest()


def _first(name: str, bins: int, users: int, circular: bool, place: str | None) -> tuple[Domain, Floats]:
    """The domain in so many bins, and the values of the first users."""
    values, own, _ = _crowd(name, place)
    if not 1 <= users <= len(values):
        raise ExperimentError(f"users must be from 1 to {len(values):,}, which is all of {name!r}, got {users:,}")
    return replace(own, bins=bins, circular=circular), values[:users]
