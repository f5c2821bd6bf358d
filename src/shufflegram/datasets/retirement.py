"""What is paid for retirement in a year: bundled pensions, or San Francisco's contributions for its employees."""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import TableError
from ..files import PathLike
from .dataset import Dataset
from .income import CPS
from .mixing import in_mixed_order
from .reading import bundled_arrays, columns_of, from_folder, table_columns

PAPER_SIZE = 178_012
BELOW = 60_000
# Downloads have their date in the name: the last is the newest.
OFFICIAL = "Employee_Compensation*.csv"
SAMPLE = "sf_employee_compensation_sample.npz"
COLUMN = "Retirement"


def retirement(data_dir: PathLike | None = None) -> Dataset:
    """Bundled CPS-based pensions, or what the folder holds: San Francisco's official file, else a sample of it."""
    if data_dir is None:
        return _cps_based()
    return from_folder(
        data_dir,
        {
            OFFICIAL: lambda found: san_francisco_retirement(found[-1]),
            SAMPLE: lambda found: _from_sample(found[0]),
        },
    )


def san_francisco_retirement(path: PathLike) -> Dataset:
    """The column Retirement of the official file "Employee Compensation", CSV or Parquet."""
    import pyarrow

    expected = "San Francisco's Employee Compensation"
    (dollars,) = columns_of(path, [COLUMN], pyarrow.float64(), expected)
    kept = dollars[(dollars >= 0) & (dollars < BELOW)]
    if kept.size == 0:
        raise TableError(f"{path} has no row with {COLUMN} from 0 to below {BELOW:,} dollars; it has to be {expected}")
    return _san_francisco(
        kept,
        source=f"City and County of San Francisco, Employee Compensation, column Retirement of {Path(path).name}",
        licence="as the City and County of San Francisco publishes it",
        note="0 <= Retirement < 60,000 as in the paper; which of the years its 178,012 are from is not said",
    )


def _from_sample(path: Path) -> Dataset:
    paid = table_columns(path, "cents", [COLUMN])[:, 0] / 100
    return _san_francisco(
        paid[(paid >= 0) & (paid < BELOW)],
        source="City and County of San Francisco, Employee Compensation 2013-2016, 10,000 rows of it",
        licence="not stated with the sample; not to be passed on",
        note="the paper's column and filter, 0 <= Retirement < 60,000, on 9,987 rows where the paper has 178,012",
    )


def _san_francisco(dollars: NDArray[np.float64], *, source: str, licence: str, note: str) -> Dataset:
    return _dataset(in_mixed_order(dollars), source=source, licence=licence, note=note)


def _dataset(dollars: NDArray[np.float64] | NDArray[np.int64], *, source: str, licence: str, note: str) -> Dataset:
    return Dataset(
        name="retirement",
        values=dollars,
        unit="dollars",
        domain=Domain(0, BELOW, bins=512, unit="dollars"),
        source=source,
        licence=licence,
        note=note,
        paper_size=PAPER_SIZE,
    )


@cache
def _pensions() -> NDArray[np.int64]:
    arrays = bundled_arrays("retirement.npz")
    return in_mixed_order(np.repeat(arrays["dollars"].astype(np.int64), arrays["people"]))


def _cps_based() -> Dataset:
    return _dataset(
        _pensions(),
        source=f"{CPS}, column e01500",
        licence="CC0-1.0",
        note=(
            "CPS-based pensions that people draw and not what San Francisco pays towards them: spikier; those who draw "
            "one, below 60,000 dollars as in the paper"
        ),
    )
