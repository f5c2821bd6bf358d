"""Eight kinds of income of the same people, as joint rows."""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..files import PathLike
from .acs import BELOW, PERSON_FILES, PERSONAL_INCOME, acs_rows, in_range
from .dataset import Dataset
from .income import CPS
from .income import PAPER_SIZE as INCOME_SIZE
from .mixing import in_mixed_order
from .reading import arrays_of, bundled_arrays, from_folder, table_columns

SAMPLE = "acs_income_types_microdata.npz"
# Sources from this one on are full-time workers only, not a fair sample.
FULL_TIME = 2

# Our names, and the codes in the files; together they make up personal income.
ACS = {
    "wages": "WAGP",
    "self_employment": "SEMP",
    "interest": "INTP",
    "retirement": "RETP",
    "social_security": "SSP",
    "supplemental_security": "SSIP",
    "public_assistance": "PAP",
    "other": "OIP",
}
# In the order of the bundled file.
CPS_BASED = {
    "self_employment": "e00900p",
    "interest": "e00300",
    "dividends": "e00600",
    "pensions": "e01500",
    "supplemental_security": "ssi_ben",
    "family_assistance": "tanf_ben",
    "veterans": "vet_ben",
    "farm": "e02100",
}


def income_types(data_dir: PathLike | None = None) -> Dataset:
    """Bundled CPS-based rows, or what the folder holds: ACS person files, else a sample of them."""
    if data_dir is None:
        return _cps_based()
    return from_folder(
        data_dir,
        {
            PERSON_FILES: lambda found: acs_income_types(*found),
            SAMPLE: lambda found: _from_sample(found[0]),
        },
    )


def acs_income_types(*paths: PathLike) -> Dataset:
    """The eight kinds of income from the official person files of one year."""
    rows = acs_rows(paths, [PERSONAL_INCOME, *ACS.values()])
    names = ", ".join(Path(path).name for path in paths)
    return _dataset(
        in_mixed_order(rows[:, 1:]),
        tuple(ACS),
        source=f"US Census Bureau, ACS PUMS person files, columns {', '.join(ACS.values())}: {names}",
        licence="public use file of the US Census Bureau",
        note=(
            "persons whose income and each of its kinds are from 0 to below 524,288 dollars, not rescaled by ADJINC; "
            "the paper's year is 2017"
        ),
    )


def _from_sample(path: Path) -> Dataset:
    (source,) = arrays_of(path, "source")
    fair = table_columns(path, "table", [PERSONAL_INCOME, *ACS.values()])[source < FULL_TIME]
    rows = in_range(fair)[:, 1:]
    left_out = fair.shape[0] - rows.shape[0]
    return _dataset(
        in_mixed_order(rows),
        tuple(ACS),
        source=f"US Census Bureau, ACS PUMS, a sample of {fair.shape[0]:,} persons aged 15 and over of 2006-2016",
        licence="not stated with the sample; not to be passed on",
        note=(
            f"the paper's eight kinds for {rows.shape[0]:,} persons of several years ({left_out:,} "
            "with a loss or with 524,288 dollars or more are left out), where the paper has those of 2017"
        ),
    )


def _dataset(rows: NDArray[np.int64], columns: tuple[str, ...], *, source: str, licence: str, note: str) -> Dataset:
    return Dataset(
        name="income_types",
        values=rows,
        unit="dollars",
        domain=Domain(0, BELOW, bins=512, unit="dollars"),
        source=source,
        licence=licence,
        note=note,
        # The paper takes the kinds from Income and gives no other number.
        paper_size=INCOME_SIZE,
        columns=columns,
    )


@cache
def _rows() -> NDArray[np.int64]:
    arrays = bundled_arrays("income_types.npz")
    return in_mixed_order(np.repeat(arrays["dollars"].T, arrays["units"], axis=0))


def _cps_based() -> Dataset:
    return _dataset(
        _rows(),
        tuple(CPS_BASED),
        source=f"{CPS}, columns {', '.join(CPS_BASED.values())}",
        licence="CC0-1.0",
        note=(
            "CPS-based, of tax units and not of persons, and without wages and social security, which the paper's "
            "eight kinds include; half have none; units with a loss or with 524,288 dollars or more are left out"
        ),
    )
