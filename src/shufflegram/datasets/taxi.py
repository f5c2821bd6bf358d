"""When New Yorkers get into a taxi: the second of the day of 260,000 rides."""

from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from ..checks import is_whole
from ..domain import Domain
from ..errors import InputError
from .dataset import Dataset

Integers = NDArray[np.int64]
SECONDS_A_DAY = 86_400


def taxi(users: int | None = None) -> Dataset:
    """The rides of this many users (all if left out): the first ones in a mixed order that is the same everywhere."""
    rides = _rides()
    if users is not None and not is_whole(users):
        raise InputError(f"users must be a whole number, got {users!r}")
    if users is not None and not 1 <= users <= rides.size:
        raise InputError(f"the taxi data holds 1 to {rides.size:,} users, got {users:,}")
    return Dataset(
        name="taxi",
        values=rides[:users],
        unit="seconds",
        domain=Domain(0, SECONDS_A_DAY, bins=512, circular=True, unit="seconds"),
        source=(
            "New York City Taxi and Limousine Commission, yellow taxi trip records, pickup times of 10,000 trips of "
            "each month from 2018-01 to 2020-02, as carried by the Python package great_expectations 1.24.1"
        ),
        licence="Apache-2.0",
        note="a sample spread over 26 months; the trips of 2018-01 alone, 2,189,968 of them, are another selection",
    )


@cache
def _rides() -> Integers:
    """All pickup times in their mixed order."""
    with files(__package__).joinpath("taxi.npz").open("rb") as file, np.load(file) as archive:
        counts = archive["rides_per_second"]
    rides = np.repeat(np.arange(SECONDS_A_DAY, dtype=np.int64), counts)
    mixed: Integers = rides[np.argsort(_mixing_keys(rides.size))]
    mixed.setflags(write=False)
    return mixed


def _mixing_keys(size: int) -> NDArray[np.uint64]:
    """Distinct numbers without visible order: SplitMix64, as NumPy's own streams may change with its version."""
    state = (np.arange(size, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))
