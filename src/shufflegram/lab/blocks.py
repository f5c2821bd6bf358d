"""A block: some repetitions of one cell, in a small Parquet file that is there as a whole or does not count.

The file says which cell, which data and which versions its numbers come from. One that says anything else than what is
asked for now, or that is damaged, is no block.
"""

import json
import platform
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..files import whole_file
from .cell import Cell
from .contenders import libraries_of
from .measurements import MEASUREMENTS

STAMP = b"shufflegram.block"
LIBRARIES = ("shufflegram", "numpy", "scipy", "numba")
# Writing a block takes milliseconds: a file that was begun this many seconds ago is nobody's any more.
ABANDONED = 60.0


@dataclass(frozen=True)
class Block:
    """The repetitions first, ..., stop - 1 of a cell."""

    cell: Cell
    first: int
    stop: int

    @property
    def repetitions(self) -> range:
        return range(self.first, self.stop)

    def path(self, folder: Path) -> Path:
        """Where it is kept in a folder of results."""
        return folder_of(self.cell, folder) / f"{self.first:07}-{self.stop:07}.parquet"


@dataclass(frozen=True)
class Finished:
    """A block's numbers: those of each repetition in the order of the measurement, or why there are none."""

    block: Block
    values: tuple[tuple[float | None, ...], ...]
    infeasible: str | None = None


def folder_of(cell: Cell, folder: Path) -> Path:
    """The folder of a cell's blocks."""
    # numbers of other data stand beside them and are found again when those data are
    return folder / "blocks" / f"{cell.key}-{cell.fingerprint[:12]}"


@cache
def versions(*more: str) -> dict[str, str]:
    """What the last bits of a number may depend on, beside the cell; with what some take beyond that."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for name in (*LIBRARIES, *more):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def stamp(cell: Cell) -> dict[str, Any]:
    """All that a cell's numbers come from."""
    return {"cell": asdict(cell), "data": cell.fingerprint, "versions": versions(*libraries_of(cell.protocol))}


def write(finished: Finished, folder: Path) -> None:
    """Afterwards the block is there, whole, even if everything ends the moment after."""
    import pyarrow
    from pyarrow import parquet

    block, metrics = finished.block, tuple(MEASUREMENTS[finished.block.cell.measurement].metrics)
    record = {
        **stamp(block.cell),
        "first": block.first,
        "stop": block.stop,
        "infeasible": finished.infeasible,
    }
    table = pyarrow.table(
        {
            "repetition": pyarrow.array([each for each in block.repetitions for _ in metrics], pyarrow.int32()),
            "metric": pyarrow.array([name for _ in block.repetitions for name in metrics], pyarrow.string()),
            "value": pyarrow.array([value for row in finished.values for value in row], pyarrow.float64()),
        }
    ).replace_schema_metadata({STAMP: json.dumps(record)})
    path = block.path(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path, overwrite=True) as part:
        # with checksums, so that a changed bit is noticed
        parquet.write_table(table, part, write_page_checksum=True)


def read(path: Path, cell: Cell) -> Finished | None:
    """The block in this file, or None if it is damaged or its numbers are not those asked for."""
    import pyarrow
    from pyarrow import parquet

    metrics = tuple(MEASUREMENTS[cell.measurement].metrics)
    try:
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            table = file.read()
        record = json.loads(table.schema.metadata[STAMP])
        block = Block(cell, record.pop("first"), record.pop("stop"))
        infeasible = record.pop("infeasible")
        columns = {name: table.column(name).to_pylist() for name in ("repetition", "metric", "value")}
    except (pyarrow.ArrowException, OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    expected = [(each, name) for each in block.repetitions for name in metrics]
    if record != stamp(cell) or list(zip(columns["repetition"], columns["metric"], strict=True)) != expected:
        return None
    values = columns["value"]
    if any((value is None) != (infeasible is not None) for value in values):
        return None
    rows = tuple(tuple(values[start : start + len(metrics)]) for start in range(0, len(values), len(metrics)))
    return Finished(block, rows, infeasible)


def read_all(cell: Cell, folder: Path) -> Iterator[tuple[Path, Finished | None]]:
    """Every file among a cell's blocks, in order, and what is in it."""
    for path in sorted(folder_of(cell, folder).glob("*.parquet")):
        yield path, read(path, cell)


def clear_away(folder: Path) -> None:
    """Removes what a killed run had begun to write."""
    for path in folder.glob("blocks/*/.shufflegram-*.part"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > ABANDONED:
                path.unlink()
