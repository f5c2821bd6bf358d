"""Arrays and columns out of the files that data sets are made of.

A message names the file and the columns that it should have, never what stands in it.
"""

import zipfile
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import TableError
from ..files import PathLike
from ..tables import CSV, kind_of
from .dataset import Dataset

Arrays = dict[str, NDArray[Any]]


def bundled_arrays(name: str) -> Arrays:
    """All arrays of a file that comes with the package."""
    with files(__package__).joinpath(name).open("rb") as file, np.load(file) as archive:
        return dict(archive)


def arrays_of(path: Path, *names: str) -> list[NDArray[Any]]:
    """The named arrays of an .npz file."""
    try:
        with np.load(path) as archive:
            missing = [name for name in names if name not in archive]
            if not missing:
                return [archive[name] for name in names]
    except (OSError, ValueError, TypeError, zipfile.BadZipFile):
        raise TableError(f"{path} cannot be read; it has to be an .npz file with {', '.join(names)}") from None
    raise TableError(f"{path} has no array {', '.join(missing)}; it has to hold {', '.join(names)}")


def table_columns(path: Path, table: str, names: Sequence[str]) -> NDArray[Any]:
    """These columns of a table in an .npz file that names them in its array `columns`."""
    rows, columns = arrays_of(path, table, "columns")
    there = columns.tolist()
    if missing := [name for name in names if name not in there]:
        raise TableError(f"{path} has no column {', '.join(missing)}; it has to hold {', '.join(names)}")
    return rows[:, [there.index(name) for name in names]]


def from_folder(folder: PathLike, readers: Mapping[str, Callable[[list[Path]], Dataset]]) -> Dataset:
    """What the first pattern with files in the folder makes of them."""
    place = Path(folder)
    if not place.is_dir():
        raise TableError(f"there is no folder {place}; the data folder has to hold {' or '.join(readers)}")
    for pattern, read in readers.items():
        if found := sorted(place.glob(pattern)):
            return read(found)
    raise TableError(f"{place} does not hold {' or '.join(readers)}; put one there, or leave the folder out")


def columns_of(path: PathLike, names: Sequence[str], kind: Any, expected: str) -> list[NDArray[Any]]:
    """These columns of a CSV or Parquet file as arrays of this Arrow type, without the rows where one is blank.

    Upper and lower case are the same; `expected` says in words which file this should be.
    """
    import pyarrow

    place, format_ = Path(path), kind_of(path)
    wanted = f"it has to be {expected} with {', '.join(names)}"
    if not place.is_file():
        raise TableError(f"there is no file {place}; {wanted}")
    try:
        there = {name.strip().lower(): name for name in _header(place, format_)}
        missing = [name for name in names if name.lower() not in there]
        if not missing:
            return _columns(place, format_, [there[name.lower()] for name in names], kind)
    except (pyarrow.ArrowException, OSError):
        # Not chained: the library's message may quote an entry.
        raise TableError(f"{place} cannot be read, or holds something else than a {kind}; {wanted}") from None
    raise TableError(f"{place} has no column {', '.join(missing)}; {wanted}")


def _header(path: Path, format_: str) -> list[str]:
    from pyarrow import csv, parquet

    if format_ == CSV:
        with csv.open_csv(path) as reader:
            return list(reader.schema.names)
    return list(parquet.read_schema(path).names)


def _columns(path: Path, format_: str, names: list[str], kind: Any) -> list[NDArray[Any]]:
    import pyarrow
    from pyarrow import csv, parquet

    if format_ == CSV:
        types = dict.fromkeys(names, kind)
        table = csv.read_csv(path, convert_options=csv.ConvertOptions(include_columns=names, column_types=types))
    else:
        table = parquet.read_table(path, columns=names)
        # Not safe: fractions of a second may be lost.
        table = table.cast(pyarrow.schema([(name, kind) for name in table.column_names]), safe=False)
    whole = table.drop_null()
    columns = [whole.column(name) for name in names]
    if pyarrow.types.is_timestamp(kind):
        columns = [column.cast(pyarrow.int64()) for column in columns]
    # Arrow's own to_numpy imports pandas where there is one.
    return [np.from_dlpack(column.combine_chunks()) for column in columns]
