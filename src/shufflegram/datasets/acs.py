"""Rows of the person files of the American Community Survey, filtered as in the paper."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import TableError
from ..files import PathLike
from .reading import columns_of

# The national files of a year are psam_pusa.csv and psam_pusb.csv.
PERSON_FILES = "psam_pus*.csv"
EXPECTED = "an ACS PUMS person file"
PERSONAL_INCOME = "PINCP"
# "smaller than 524288", in dollars
BELOW = 524_288


def acs_rows(paths: Sequence[PathLike], columns: Sequence[str]) -> NDArray[np.int64]:
    """The persons of all files with all these amounts, each from 0 to below 524,288 dollars, one row a person."""
    import pyarrow

    if not paths:
        raise TableError(f"there is no file to read; give at least one, {EXPECTED} with {', '.join(columns)}")
    read = [np.column_stack(columns_of(path, columns, pyarrow.float64(), EXPECTED)) for path in paths]
    rows = in_range(np.concatenate(read)).astype(np.int64)
    if rows.size == 0:
        raise TableError(f"{paths[0]} has no person with {', '.join(columns)} from 0 to below {BELOW:,} dollars")
    return rows


def in_range(rows: NDArray[Any]) -> NDArray[Any]:
    """The rows whose amounts are all from 0 to below 524,288: a loss has no bin."""
    return rows[np.all((rows >= 0) & (rows < BELOW), axis=1)]
