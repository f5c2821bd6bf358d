"""One column of numbers out of a file, reports into a file.

Files are CSV (UTF-8, commas, a first row of names) or Parquet, or a folder of Parquet files. They are read in batches,
so their size does not matter. An error names the row and the rule, never what stands there: it may be somebody's value.
"""

import csv
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import TableError
from .files import PathLike, whole_file

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CSV, PARQUET = ".csv", ".parquet"
REPORT = "report"
# The key under which a Parquet file of reports says which plan they were made for.
PLAN_DIGEST = b"shufflegram.plan_digest"

BATCH_ROWS = 1 << 18
BATCH_BYTES = 1 << 20
MOST_NAMES = 10

# What is shown as a column's name; anything else may be a value in the first row of a file without names.
NAME = re.compile(r"[A-Za-z_][\w .-]*")
MONTH = (
    "(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|"
    "dec(ember)?)"
)
DATE = re.compile(rf"\b{MONTH}[ .-]*\d|\d[ .-]*{MONTH}\b", re.IGNORECASE)
NOTHING = {"na", "null", "none", "nil"}


@dataclass(frozen=True)
class Batch:
    """Finite numbers of consecutive rows, and how much of the column's `size` has been read with them."""

    values: Floats
    before: int
    source: str
    read: int

    def row(self, index: int) -> str:
        """Where the value at this place stands, in words."""
        return f"row {self.before + index + 1:,} {self.source}"


@dataclass(frozen=True)
class Column:
    """One column of numbers. `size` is its extent (rows or bytes), `digests` are those of the plans its files name.

    `whose` is for messages: " of 'income'" where somebody asked for that name. Any other may be a value.
    """

    path: Path
    whose: str
    size: int
    digests: frozenset[str]
    read: Callable[[], Iterator[Batch]]

    def batches(self) -> Iterator[Batch]:
        """All of it, from the first row on; a row that holds no finite number is an error."""
        rows = 0
        for batch in self.read():
            _require_finite(batch, self.whose)
            rows += batch.values.size
            if batch.values.size:
                yield batch
        if rows == 0:
            raise TableError(f"{self.path} has no rows below its names; at least one is needed")


def open_column(path: PathLike, name: str | None = None) -> Column:
    """The named column, or without a name the only one there is."""
    place = Path(path)
    if not place.exists():
        raise TableError(f"there is no file {place}")
    if place.is_dir():
        files = files_of(place)
        if not files:
            raise TableError(f"the folder {place} holds no {PARQUET} files; give a file, or a folder that does")
        return _open_parquet(place, files, name)
    if kind_of(place) == CSV:
        return _open_csv(place, name)
    return _open_parquet(place, [place], name)


def files_of(path: PathLike) -> list[Path]:
    """What is read of a table: the file itself, or all Parquet files of a folder and of the folders in it."""
    place = Path(path)
    if not place.is_dir():
        return [place]
    return sorted(file for file in place.rglob(f"*{PARQUET}") if not _hidden(file.relative_to(place)))


def kind_of(path: PathLike) -> str:
    """The file's format, which its name ends in."""
    suffix = Path(path).suffix.lower()
    if suffix not in (CSV, PARQUET):
        raise TableError(f"the name of a table ends in {CSV} or {PARQUET}, got {os.fspath(path)}")
    return suffix


@contextmanager
def report_writer(path: PathLike, digest: str, *, overwrite: bool = False) -> Iterator[Callable[[Integers], None]]:
    """A function that appends reports to a new file, which appears when all are written and not if something fails."""
    writer = _csv_writer if kind_of(path) == CSV else _parquet_writer
    with whole_file(path, overwrite=overwrite) as part, writer(part, digest) as write:
        yield write


def _open_csv(path: Path, name: str | None) -> Column:
    above, header, first = _csv_begin(path)
    names = [each.strip() for each in header]
    # Above rows without a number it may be such a row itself.
    speakable = names if any(map(_is_a_number, first)) else []
    chosen = header[_choose(path, names, speakable, name)]
    return Column(
        path, _whose(name), path.stat().st_size, frozenset(), lambda: _read_csv(path, chosen, len(names), above, name)
    )


def _csv_begin(path: Path) -> tuple[int, list[str], list[str]]:
    """How many empty lines are above the names, the names, and the first row below them."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.reader(file)
            for above, header in enumerate(rows):
                if header:
                    return above, header, next(filter(None, rows), [])
    except UnicodeDecodeError as problem:
        raise TableError(f"{path} is not UTF-8 text, so it cannot be read as CSV") from problem
    except (OSError, csv.Error) as problem:
        raise TableError(f"{path} cannot be read as CSV") from problem
    raise TableError(f"{path} is empty; it needs a first row of names and rows of numbers")


def _choose(path: Path, names: list[str], speakable: list[str], name: str | None) -> int:
    """Where the wanted column stands, if there is exactly one such column; `speakable` are names that may be shown."""
    if name is not None and (found := names.count(name.strip())):
        if found > 1:
            raise TableError(f"{path} has {found} columns called {name.strip()!r}; give each a name of its own")
        return names.index(name.strip())
    if name is None and len(names) == 1 and _looks_like_a_name(names[0]):
        return 0
    # Without a header the first row holds somebody's values, which are no names to show.
    # An empty one shows nothing: some programs leave it so above the numbers of the rows.
    spoken = [each for each in speakable if each]
    if not spoken or not all(map(_looks_like_a_name, spoken)):
        header = "first row" if path.suffix.lower() == CSV else "schema"
        raise TableError(
            f"the {header} of {path} does not look like names above numbers; it has to name the columns, separated by "
            f"commas, or one of them must be asked for by exactly its name"
        )
    shown = ", ".join(spoken[:MOST_NAMES]) + (", ..." if len(spoken) > MOST_NAMES else "")
    if name is None:
        raise TableError(f"{path} has {len(names)} columns, so one must be named: {shown}")
    raise TableError(f"{path} has no column {name!r}; it has {shown}")


def _whose(name: str | None) -> str:
    return "" if name is None else f" of {name!r}"


def _read_csv(path: Path, column: str, width: int, above: int, name: str | None) -> Iterator[Batch]:
    import pyarrow
    import pyarrow.compute
    from pyarrow import csv as arrow_csv

    broken: list[tuple[int, int]] = []

    def note(row: Any) -> str:
        broken.append((row.number or 0, row.actual_columns))
        return "error"

    before = 0
    try:
        with path.open("rb") as file:
            reader = arrow_csv.open_csv(
                file,
                # with one thread, a broken row is known by its number
                read_options=arrow_csv.ReadOptions(use_threads=False, block_size=BATCH_BYTES, skip_rows=above),
                # an empty line is a row without a number: it counts, and it must not vanish
                parse_options=arrow_csv.ParseOptions(
                    invalid_row_handler=note, newlines_in_values=True, ignore_empty_lines=False
                ),
                # as text, so that what is no number can be found without being shown
                convert_options=arrow_csv.ConvertOptions(
                    include_columns=[column], column_types={column: pyarrow.string()}, strings_can_be_null=True
                ),
            )
            for batch in reader:
                words = pyarrow.compute.utf8_trim_whitespace(batch.column(0))
                read = Batch(np.zeros(0), before, "below the header", file.tell())
                yield Batch(_numbers(words, read, _whose(name)), before, read.source, read.read)
                before += batch.num_rows
    except pyarrow.ArrowException as problem:
        if broken:
            number, entries = broken[0]
            raise TableError(
                f"row {number - 1 - above:,} below the header of {path} has not one entry for each name "
                f"(entries: {entries}, names: {width}); an entry that holds commas needs quotes around it"
            ) from None
        raise TableError(f"{path} cannot be read as CSV: {_rule(problem)}") from None


def _rule(problem: Exception) -> str:
    # The library's own words may quote the file.
    return "it holds text that is not UTF-8" if "UTF8" in str(problem) else "commas and quotes do not make a table"


def _open_parquet(path: Path, files: list[Path], name: str | None) -> Column:
    """The column of all files together; each must have it."""
    import pyarrow
    from pyarrow import parquet

    rows, digests, found = 0, set(), name
    for file in files:
        try:
            with parquet.ParquetFile(file) as opened:
                schema, rows = opened.schema_arrow, rows + opened.metadata.num_rows
        except (pyarrow.ArrowException, OSError) as problem:
            raise TableError(f"{file} cannot be read as Parquet; it may be damaged or of another format") from problem
        place = _choose(file, schema.names, schema.names, found)
        found, kind = schema.names[place], schema.field(place).type
        of_numbers = (pyarrow.types.is_integer, pyarrow.types.is_floating, pyarrow.types.is_decimal)
        if not any(fits(kind) for fits in of_numbers):
            raise TableError(f"the column{_whose(name)} in {file} must hold numbers, but holds {kind}")
        if schema.metadata and PLAN_DIGEST in schema.metadata:
            digests.add(schema.metadata[PLAN_DIGEST].decode("ascii", "replace"))
    column = str(found)
    return Column(path, _whose(name), rows, frozenset(digests), lambda: _read_parquet(files, column, name))


def _read_parquet(files: list[Path], column: str, name: str | None) -> Iterator[Batch]:
    import pyarrow
    from pyarrow import parquet

    rows = 0
    for file in files:
        before = 0
        try:
            with parquet.ParquetFile(file) as opened:
                for batch in opened.iter_batches(BATCH_ROWS, columns=[column]):
                    rows += batch.num_rows
                    read = Batch(np.zeros(0), before, f"of {file.name}", rows)
                    yield Batch(_numbers(batch.column(0), read, _whose(name)), before, read.source, rows)
                    before += batch.num_rows
        except (pyarrow.ArrowException, OSError) as problem:
            raise TableError(f"{file} cannot be read as Parquet; it may be damaged") from problem


def _numbers(entries: Any, batch: Batch, whose: str) -> Floats:
    """Arrow entries as floats; the first that is missing or no number is an error."""
    import pyarrow

    if entries.null_count:
        missing = _as_array(entries.is_null().cast(pyarrow.int8()))
        raise TableError(f"there is no value{whose} in {batch.row(int(np.argmax(missing)))}; leave such rows out")
    try:
        floats: Floats = _as_array(entries.cast(pyarrow.float64(), safe=False))
    except pyarrow.ArrowInvalid:
        # Not chained: the library's message quotes the entry.
        row = batch.row(_first_that_is_no_number(entries))
        raise TableError(f"the entry{whose} in {row} is no number such as 1234.5") from None
    return floats


def _as_array(entries: Any) -> Any:
    # Arrow's own to_numpy imports pandas where there is one, and an interruption meanwhile would be lost.
    return np.from_dlpack(entries)


def _first_that_is_no_number(entries: Any) -> int:
    """By halving: the first half is to blame unless it can be converted."""
    import pyarrow

    begin, end = 0, len(entries)
    while end - begin > 1:
        middle = (begin + end) // 2
        try:
            entries.slice(begin, middle - begin).cast(pyarrow.float64())
        except pyarrow.ArrowInvalid:
            end = middle
        else:
            begin = middle
    return begin


def _require_finite(batch: Batch, whose: str) -> None:
    infinite = ~np.isfinite(batch.values)
    if infinite.any():
        row = batch.row(int(np.argmax(infinite)))
        raise TableError(f"the entry{whose} in {row} is not a finite number; leave such rows out")


@contextmanager
def _csv_writer(path: Path, digest: str) -> Iterator[Callable[[Integers], None]]:
    """CSV has no place for the plan's digest."""
    with path.open("w", encoding="ascii", newline="") as file:
        file.write(f"{REPORT}\n")
        yield lambda reports: file.writelines(f"{report}\n" for report in reports.tolist())


@contextmanager
def _parquet_writer(path: Path, digest: str) -> Iterator[Callable[[Integers], None]]:
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([(REPORT, pyarrow.int32())], metadata={PLAN_DIGEST: digest.encode("ascii")})

    def as_column(reports: Integers) -> Any:
        # without pandas, as in `_as_array`
        buffer = pyarrow.py_buffer(reports.astype(np.int32))
        return pyarrow.Array.from_buffers(pyarrow.int32(), reports.size, [None, buffer])

    with parquet.ParquetWriter(path, schema) as writer:
        yield lambda reports: writer.write_batch(pyarrow.record_batch([as_column(reports)], schema=schema))


def _looks_like_a_name(text: str) -> bool:
    """Neither a number ("nan" is one too), nor a date, nor an amount, nor a word for a missing value."""
    if _is_a_number(text) or text.lower() in NOTHING:
        return False
    return NAME.fullmatch(text) is not None and DATE.search(text) is None


def _is_a_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _hidden(path: Path) -> bool:
    # other programs leave files of theirs under such names
    return any(part.startswith((".", "_")) for part in path.parts)
