"""One column of numbers out of a file, reports into a file.

Files are CSV (UTF-8, commas, a first row of names) or Parquet, or a folder of Parquet files. They are read in batches,
so their size does not matter. An error names the row and the rule, never what stands there: it may be somebody's value.
"""

import csv
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import TableError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
PathLike = str | os.PathLike[str]

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
    """One column of numbers. `size` is its extent (rows or bytes), `digests` are those of the plans its files name."""

    path: Path
    name: str
    size: int
    digests: frozenset[str]
    read: Callable[[], Iterator[Batch]]

    def batches(self) -> Iterator[Batch]:
        """All of it, from the first row on; a row that holds no finite number is an error."""
        rows = 0
        for batch in self.read():
            _require_finite(batch, self.name)
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
        files = sorted(file for file in place.rglob(f"*{PARQUET}") if not _hidden(file.relative_to(place)))
        if not files:
            raise TableError(f"the folder {place} holds no {PARQUET} files; give a file, or a folder that does")
        return _open_parquet(place, files, name)
    if kind_of(place) == CSV:
        return _open_csv(place, name)
    return _open_parquet(place, [place], name)


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


@contextmanager
def whole_file(path: PathLike, *, overwrite: bool = False) -> Iterator[Path]:
    """A path to write to, renamed to `path` when the block ends well and removed when it does not."""
    target = Path(path)
    part = target.with_name(f".shufflegram-{secrets.token_hex(8)}.part")
    try:
        require_writable(target, overwrite=overwrite)
        # While it is not whole, nobody else may read it.
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        yield part
        # Somebody else may have written there in the meantime.
        require_writable(target, overwrite=overwrite)
        part.chmod(0o666 & ~_umask())
        part.replace(target)
    except OSError as problem:
        # Not its own words: they may name the temporary file.
        reason = os.strerror(problem.errno) if problem.errno else "unknown reason"
        raise TableError(f"{target} cannot be written: {reason}") from problem
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def require_writable(path: PathLike, *, overwrite: bool) -> None:
    """Refuse a place where no file can be put, or where one would be lost."""
    target = Path(path)
    if target.is_dir():
        raise TableError(f"{target} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise TableError(f"there is no folder {target.parent}; make it first")
    if not os.access(target.parent, os.W_OK):
        raise TableError(f"{target} cannot be written: the folder {target.parent} is not yours to write in")
    if target.exists() and not overwrite:
        raise TableError(f"{target} exists already; choose another name, or say that it may be replaced (--force)")


def require_apart(path: PathLike, inputs: Iterable[PathLike]) -> None:
    """Refuse to write over anything that is read, by whatever name or link, even where files may be replaced."""
    for source in map(Path, inputs):
        for file in source.rglob(f"*{PARQUET}") if source.is_dir() else (source,):
            # What does not exist cannot be lost.
            with suppress(OSError):
                if os.path.samefile(path, file):
                    raise TableError(f"{os.fspath(path)} is one of the inputs and would be lost; choose another name")


def counted(number: int, noun: str) -> str:
    """1 row, 2 rows."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _open_csv(path: Path, name: str | None) -> Column:
    before, names = _csv_names(path)
    chosen = _choose(path, names, name)
    return Column(path, chosen, path.stat().st_size, frozenset(), lambda: _read_csv(path, chosen, len(names), before))


def _csv_names(path: Path) -> tuple[int, list[str]]:
    """The names, and how many empty lines are above them."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            found = next(((before, row) for before, row in enumerate(csv.reader(file)) if row), None)
    except UnicodeDecodeError as problem:
        raise TableError(f"{path} is not UTF-8 text, so it cannot be read as CSV") from problem
    except (OSError, csv.Error) as problem:
        raise TableError(f"{path} cannot be read as CSV") from problem
    if found is None:
        raise TableError(f"{path} is empty; it needs a first row of names and rows of numbers")
    return found


def _choose(path: Path, names: list[str], name: str | None) -> str:
    """The wanted column's name, if there is exactly one such column."""
    wanted = names[0] if name is None and len(names) == 1 else name
    if wanted in names and (wanted == name or _looks_like_a_name(wanted)):
        if names.count(wanted) > 1:
            raise TableError(f"{path} has {names.count(wanted)} columns called {wanted!r}; give each a name of its own")
        return wanted
    # Without a header the first row holds somebody's values, which are no names to show.
    # An empty one shows nothing: some programs leave it so above the numbers of the rows.
    spoken = [each for each in names if each]
    if not spoken or not all(map(_looks_like_a_name, spoken)):
        header = "first row" if path.suffix.lower() == CSV else "schema"
        raise TableError(
            f"{path} has {counted(len(names), 'column')}, and its {header} does not look like names; "
            f"it has to name the columns, or --column one of them exactly"
        )
    shown = ", ".join(spoken[:MOST_NAMES]) + (", ..." if len(spoken) > MOST_NAMES else "")
    if wanted is None:
        raise TableError(f"{path} has {len(names)} columns, so one must be named: {shown}")
    raise TableError(f"{path} has no column {wanted!r}; it has {shown}")


def _read_csv(path: Path, name: str, width: int, skipped: int) -> Iterator[Batch]:
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
                read_options=arrow_csv.ReadOptions(use_threads=False, block_size=BATCH_BYTES, skip_rows=skipped),
                # an empty line is a row without a number: it counts, and it must not vanish
                parse_options=arrow_csv.ParseOptions(
                    invalid_row_handler=note, newlines_in_values=True, ignore_empty_lines=False
                ),
                # as text, so that what is no number can be found without being shown
                convert_options=arrow_csv.ConvertOptions(
                    include_columns=[name], column_types={name: pyarrow.string()}, strings_can_be_null=True
                ),
            )
            for batch in reader:
                words = pyarrow.compute.utf8_trim_whitespace(batch.column(0))
                read = Batch(np.zeros(0), before, "below the header", file.tell())
                yield Batch(_numbers(words, read, name), before, read.source, read.read)
                before += batch.num_rows
    except pyarrow.ArrowException as problem:
        if broken:
            number, columns = broken[0]
            named = "there is 1 name" if width == 1 else f"there are {width} names"
            raise TableError(
                f"row {number - 1 - skipped:,} below the header of {path} has {counted(columns, 'column')}, but {named}"
            ) from None
        raise TableError(f"{path} cannot be read as CSV: {_rule(problem)}") from None


def _rule(problem: Exception) -> str:
    # The library's own words may quote the file.
    return "it holds text that is not UTF-8" if "UTF8" in str(problem) else "commas and quotes do not make a table"


def _open_parquet(path: Path, files: list[Path], name: str | None) -> Column:
    """The column of all files together; each must have it."""
    import pyarrow
    from pyarrow import parquet

    rows, digests, chosen = 0, set(), name
    for file in files:
        try:
            with parquet.ParquetFile(file) as opened:
                schema, rows = opened.schema_arrow, rows + opened.metadata.num_rows
        except (pyarrow.ArrowException, OSError) as problem:
            raise TableError(f"{file} cannot be read as Parquet; it may be damaged or of another format") from problem
        chosen = _choose(file, schema.names, chosen)
        kind = schema.field(chosen).type
        of_numbers = (pyarrow.types.is_integer, pyarrow.types.is_floating, pyarrow.types.is_decimal)
        if not any(fits(kind) for fits in of_numbers):
            raise TableError(f"the column {chosen!r} of {file} must hold numbers, but holds {kind}")
        if schema.metadata and PLAN_DIGEST in schema.metadata:
            digests.add(schema.metadata[PLAN_DIGEST].decode("ascii", "replace"))
    found = str(chosen)
    return Column(path, found, rows, frozenset(digests), lambda: _read_parquet(files, found))


def _read_parquet(files: list[Path], name: str) -> Iterator[Batch]:
    import pyarrow
    from pyarrow import parquet

    rows = 0
    for file in files:
        before = 0
        try:
            with parquet.ParquetFile(file) as opened:
                for batch in opened.iter_batches(BATCH_ROWS, columns=[name]):
                    rows += batch.num_rows
                    read = Batch(np.zeros(0), before, f"of {file.name}", rows)
                    yield Batch(_numbers(batch.column(0), read, name), before, read.source, rows)
                    before += batch.num_rows
        except (pyarrow.ArrowException, OSError) as problem:
            raise TableError(f"{file} cannot be read as Parquet; it may be damaged") from problem


def _numbers(entries: Any, batch: Batch, name: str) -> Floats:
    """Arrow entries as floats; the first that is missing or no number is an error."""
    import pyarrow
    import pyarrow.compute

    if entries.null_count:
        row = batch.row(int(np.argmax(entries.is_null().to_numpy(zero_copy_only=False))))
        raise TableError(f"the column {name!r} has no value in {row}; leave such rows out")
    try:
        floats: Floats = entries.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
    except pyarrow.ArrowInvalid:
        # Not chained: the library's message quotes the entry.
        row = batch.row(_first_that_is_no_number(entries))
        raise TableError(f"the column {name!r} has an entry that is no number in {row}") from None
    return floats


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


def _require_finite(batch: Batch, name: str) -> None:
    infinite = ~np.isfinite(batch.values)
    if infinite.any():
        row = batch.row(int(np.argmax(infinite)))
        raise TableError(f"the column {name!r} has an entry that is not a finite number in {row}")


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
    with parquet.ParquetWriter(path, schema) as writer:
        yield lambda reports: writer.write_table(
            pyarrow.table([pyarrow.array(reports, pyarrow.int32())], schema=schema)
        )


def _looks_like_a_name(text: str) -> bool:
    """Neither a number ("nan" is one too), nor a date, nor an amount."""
    try:
        float(text)
    except ValueError:
        return NAME.fullmatch(text) is not None and DATE.search(text) is None
    return False


def _umask() -> int:
    """The permissions that new files do not get, which can only be read by setting them."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _hidden(path: Path) -> bool:
    # other programs leave files of theirs under such names
    return any(part.startswith((".", "_")) for part in path.parts)
