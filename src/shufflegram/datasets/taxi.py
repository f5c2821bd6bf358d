"""When New Yorkers get into a taxi: the second of the day of 260,000 rides, or of those in the official files."""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import TableError
from ..files import PathLike
from .dataset import Dataset
from .mixing import in_mixed_order
from .reading import arrays_of, bundled_arrays, columns_of, from_folder

Integers = NDArray[np.int64]
SECONDS_A_DAY = 86_400
PAPER_SIZE = 2_189_968

PICKUP = "tpep_pickup_datetime"
TRIPS = "yellow_tripdata_2018-01.*"
SAMPLE = "taxi_yellow_pickup_seconds.npz"
# Later months have the shape of the pandemic.
LAST_MONTH = 202002

SAMPLE_SOURCE = (
    "New York City Taxi and Limousine Commission, yellow taxi trip records, pickup times of 10,000 trips of "
    "each month from 2018-01 to 2020-02, as carried by the Python package great_expectations 1.24.1"
)
SAMPLE_NOTE = (
    "a sample spread over 26 months; the paper has 2,189,968 trips, which is a quarter of the 8,759,874 of 2018-01, "
    "rounded down"
)


def taxi(users: int | None = None, data_dir: PathLike | None = None) -> Dataset:
    """The rides of this many users (all if left out): the first ones in a mixed order that is the same everywhere.

    A folder has to hold the trip records of 2018-01 (yellow_tripdata_2018-01.parquet or .csv) or the sample by month.
    """
    if data_dir is None:
        rides = _sampled(_rides())
    else:
        rides = from_folder(
            data_dir, {TRIPS: lambda found: taxi_trips(found[0]), SAMPLE: lambda found: _from_sample(found[0])}
        )
    return rides if users is None else rides.first(users)


def taxi_trips(path: PathLike) -> Dataset:
    """All rides of one official file of yellow taxi trip records, CSV or Parquet, of whatever month."""
    import pyarrow

    expected = "a file of TLC yellow taxi trip records"
    (moments,) = columns_of(path, [PICKUP], pyarrow.timestamp("s"), expected)
    if moments.size == 0:
        raise TableError(f"{path} has no rides; it has to be {expected} with {PICKUP}")
    return _dataset(
        in_mixed_order(moments % SECONDS_A_DAY),
        source=f"New York City Taxi and Limousine Commission, yellow taxi trip records, the file {Path(path).name}",
        licence="as the New York City Taxi and Limousine Commission publishes them",
        note=(
            "every ride of the file with a pickup time; the paper's 2,189,968 are a quarter of the 8,759,874 of "
            "2018-01, and which quarter is not said"
        ),
    )


def _sampled(rides: Integers) -> Dataset:
    return _dataset(rides, source=SAMPLE_SOURCE, licence="Apache-2.0", note=SAMPLE_NOTE)


def _dataset(rides: Integers, *, source: str, licence: str, note: str) -> Dataset:
    return Dataset(
        name="taxi",
        values=rides,
        unit="seconds",
        domain=Domain(0, SECONDS_A_DAY, bins=512, circular=True, unit="seconds"),
        source=source,
        licence=licence,
        note=note,
        paper_size=PAPER_SIZE,
    )


def _from_sample(path: Path) -> Dataset:
    """What the bundled data were counted from, in the same order."""
    seconds, months = arrays_of(path, "sec", "month")
    return _sampled(in_mixed_order(np.sort(seconds[months <= LAST_MONTH]).astype(np.int64)))


@cache
def _rides() -> Integers:
    """All pickup times in their mixed order."""
    counts = bundled_arrays("taxi.npz")["rides_per_second"]
    return in_mixed_order(np.repeat(np.arange(SECONDS_A_DAY, dtype=np.int64), counts))
