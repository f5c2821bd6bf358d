"""Columns out of files, reports into files; whatever is wrong is one line that shows no value."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import shufflegram as sg
from shufflegram import files, tables
from shufflegram.errors import TableError

SECRET = "48151623"
NO_NAMES = "^the first row of .* does not look like names above numbers"


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path, column: str | None = None) -> list[float]:
    return [value for batch in tables.open_column(path, column).batches() for value in batch.values.tolist()]


@pytest.mark.parametrize(
    "text",
    [
        "a\n1\n2.5\n-3e2\n",
        "a\r\n1\r\n2.5\r\n-3e2",
        "\ufeffa,b\n1,x\n2.5,y\n-3e2,z\n",
        'b,a\n"x, ""y""",1\n"two\nlines", 2.5 \n,-300\n',
        "\n\na\n1\n2.5\n-300\n",
        "\r\n\r\nb,a\r\n0,1\r\n0,2.5\r\n0,-300\r\n",
        "\ufeff\na\n1\n2.5\n-300\n",
        "b, a \nx,1\ny,2.5\nz,-300\n",
    ],
)
def test_a_column_of_a_csv_file(tmp_path: Path, text: str) -> None:
    assert read(written(tmp_path, "t.CSV", text), "a") == [1, 2.5, -300]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 2, 250], pa.uint8()),
        pa.array([1, 2, 250], pa.int64()),
        pa.array([1, 2, 250], pa.float32()),
        pa.array([1, 2, 250], pa.float16()),
        pa.array([1, 2, 250], pa.decimal128(10, 3)),
    ],
    ids=lambda column: str(column.type),
)
def test_a_column_of_a_parquet_file(tmp_path: Path, column: Any) -> None:
    parquet.write_table(pa.table({"b": ["x"] * 3, "a": column}), tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet", "a") == [1, 2, 250]


def test_a_name_with_a_dot_is_a_name(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a.b": [1.0], "a": [2.0]}), tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet", "a.b") == [1]
    assert read(tmp_path / "t.parquet", "a") == [2]


def test_a_folder_of_parquet_files_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    for name, values in (("deeper/c", [4]), ("b", [2, 3]), ("a", [1]), ("_hidden", [99])):
        parquet.write_table(pa.table({"v": values}), tmp_path / f"{name}.parquet")
    assert read(tmp_path) == [1, 2, 3, 4]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_long_column_comes_in_batches_and_counts_its_rows(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BATCH_BYTES", 1_000)
    monkeypatch.setattr(tables, "BATCH_ROWS", 100)
    values = np.arange(2_000)
    if name == "t.csv":
        written(tmp_path, name, "v\n" + "".join(f"{value}\n" for value in values))
    else:
        parquet.write_table(pa.table({"v": values}), tmp_path / name)
    column = tables.open_column(tmp_path / name)
    batches = list(column.batches())
    assert len(batches) > 5
    assert np.array_equal(np.concatenate([batch.values for batch in batches]), values)
    assert [batch.before for batch in batches] == np.cumsum([0, *(b.values.size for b in batches[:-1])]).tolist()
    assert batches[-1].read == column.size
    assert 0 < batches[0].read < column.size or name == "t.csv"


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("row", [1, 777, 1_999, 2_000])
def test_the_row_that_is_wrong_is_named_in_any_batch(
    tmp_path: Path, name: str, row: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BATCH_BYTES", 1_000)
    monkeypatch.setattr(tables, "BATCH_ROWS", 100)
    values = [float(value) for value in range(2_000)]
    values[row - 1] = float("inf")
    if name == "t.csv":
        words = ["word" if value == float("inf") else str(value) for value in values]
        written(tmp_path, name, "v\n" + "\n".join(words))
    else:
        parquet.write_table(pa.table({"v": values}), tmp_path / name)
    with pytest.raises(TableError, match=rf"^the entry in row {row:,} (below the header|of t\.parquet) is n"):
        read(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("", "a", "is empty"),
        ("\n\n", "a", "is empty"),
        ("a,b\n", "a", "has no rows below its names"),
        ("a,b\n1,2\n", None, "has 2 columns, so one must be named: a, b"),
        ("a,b\n1,2\n", "c", "has no column 'c'; it has a, b"),
        (",".join(f"c{i}" for i in range(30)) + "\n1\n", "x", r"it has c0, c1, .*, c9, \.\.\.$"),
        ("a,a\n1,2\n", "a", "has 2 columns called 'a'"),
        (
            f"a,b\n1,2\n{SECRET}\n",
            "a",
            r"row 2 below the header of .* has not one entry for each name \(entries: 1, names: 2\); an entry that",
        ),
        ("\n\na\n1\n2,2\n", "a", r"row 2 below the header of .* \(entries: 2, names: 1\)"),
        (f"a,b\n1,2\n3,4,{SECRET}\n", "a", r"row 2 below the header of .* \(entries: 3, names: 2\)"),
        (f"a,b\n1,2\n{SECRET}x,4\n", "a", r"the entry of 'a' in row 2 below the header is no number such as 1234\.5$"),
        (f"a\n1\n2\n3\n€{SECRET}\n", "a", "in row 4 below the header is no number"),
        ("a\n1\n1_000\n", "a", "in row 2 below the header is no number"),
        ('a\n"1,000"\n', "a", "in row 1 below the header is no number"),
        ("a\ntrue\n", "a", "in row 1 below the header is no number"),
        ("a,b\n1,1\n,2\n", "a", "there is no value of 'a' in row 2"),
        ("a\n1\nNA\n", "a", "there is no value of 'a' in row 2"),
        ("a\n1\nnan\n", "a", "there is no value of 'a' in row 2"),
        ("a\n1\ninf\n", "a", "in row 2 below the header is not a finite number"),
        ("a\n1\n1e999\n", "a", "in row 2 below the header is not a finite number"),
        ("a\n1\n\n2\n", None, "there is no value in row 2 below the header"),
        ("\na\n1\n2\n\n", "a", "there is no value of 'a' in row 3 below the header"),
        ("a\r\n\r\n1\r\n", "a", "there is no value of 'a' in row 1 below the header"),
        ("b,a\n1,2\n\n3,4\n", "a", "there is no value of 'a' in row 2 below the header"),
        (
            f"{SECRET}\n2\n",
            None,
            "does not look like names above numbers; it has to name the columns, separated by commas",
        ),
        (f"{SECRET},x\n2,y\n", "a", NO_NAMES),
        (f'alice,"${SECRET}"\nbob,2\n', None, NO_NAMES),
        (f'alice,"${SECRET}"\nbob,2\n', "a", NO_NAMES),
        (f"${SECRET}\n2\n", None, NO_NAMES),
        (f"May {SECRET}\n2\n", None, NO_NAMES),
        (f"x,3 May {SECRET}\n1,2\n", "a", NO_NAMES),
        ("nan\n2\n", None, NO_NAMES),
        # words in the first row, and no number in the second: either may be somebody's
        (f"x{SECRET},yes\ny,no\n", None, NO_NAMES),
        (f"x{SECRET},yes\ny,no\n", "age", NO_NAMES),
        (f"x{SECRET},NA\ny,3\n", "age", NO_NAMES),
        (f"x{SECRET}\ny\n", None, "the entry in row 1 below the header is no number"),
        (f"x{SECRET}\n\n", None, "there is no value in row 1 below the header"),
        ("id;income\n1;2\n", "income", "separated by commas"),
        (",a b-c.d,_x\n0,1,2\n", "a", "has no column 'a'; it has a b-c.d, _x$"),
        (b"\xff\xfea\n1\n", "a", "is not UTF-8"),
        (b"a\n1\n\xff\xfe\n", "a", "not UTF-8"),
    ],
)
def test_a_csv_file_that_will_not_do(tmp_path: Path, text: str | bytes, column: str | None, said: str) -> None:
    path = written(tmp_path, "t.csv", text)
    with pytest.raises(TableError, match=said) as caught:
        read(path, column)
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    # nor in what a traceback would show
    assert caught.value.__suppress_context__ or SECRET not in repr(caught.value.__context__)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_reading_and_writing_import_no_pandas(tmp_path: Path, name: str) -> None:
    # An interruption during that import is lost, and it takes a tenth of a second.
    program = f"""
import sys
import numpy as np
from shufflegram import tables
with tables.report_writer({name!r}, "digest") as write:
    write(np.arange(3))
assert [value for batch in tables.open_column({name!r}).batches() for value in batch.values] == [0, 1, 2]
with open("bad.csv", "w") as file:
    file.write("a\\n1\\n\\n")
try:
    list(tables.open_column("bad.csv").batches())
except ValueError as problem:
    assert "no value in row 2" in str(problem)
assert "pyarrow" in sys.modules
assert "pandas" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def table(**columns: Any) -> Callable[[Path], None]:
    return lambda path: parquet.write_table(pa.table(columns), path)


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda path: path.write_bytes(b""), "cannot be read as Parquet"),
        (lambda path: path.write_bytes(b"a,b\n1,2\n"), "cannot be read as Parquet"),
        (table(a=[1, None, 3]), "there is no value of 'a' in row 2 of t.parquet"),
        (table(a=[1.0, 2.0, float("nan")]), "the entry of 'a' in row 3 of t.parquet is not a finite number"),
        (table(a=[SECRET]), "must hold numbers, but holds string"),
        (table(a=[True]), "must hold numbers, but holds bool"),
        (table(a=pa.array([0], pa.timestamp("s"))), "must hold numbers, but holds timestamp"),
        (table(a=[[1]]), "must hold numbers, but holds list"),
        (table(b=[1], c=[2]), "no column 'a'; it has b, c"),
        (table(a=pa.array([], pa.int8())), "has no rows"),
    ],
)
def test_a_parquet_file_that_will_not_do(tmp_path: Path, write: Callable[[Path], None], said: str) -> None:
    write(tmp_path / "t.parquet")
    with pytest.raises(TableError, match=said) as caught:
        read(tmp_path / "t.parquet", "a")
    assert SECRET not in str(caught.value)


def test_a_damaged_page_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": np.arange(1_000)}), path, compression="gzip")
    content = bytearray(path.read_bytes())
    content[40:400] = bytes(360)
    path.write_bytes(content)
    with pytest.raises(TableError, match="cannot be read as Parquet; it may be damaged"):
        read(path, "a")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for path, said in (
        (tmp_path / "none.csv", "there is no file"),
        (written(tmp_path, "t.xlsx", "a\n1\n"), r"ends in \.csv or \.parquet"),
        (tmp_path, r"holds no \.parquet files"),
    ):
        with pytest.raises(TableError, match=said):
            tables.open_column(path)


@pytest.mark.parametrize("name", ["r.csv", "r.parquet"])
def test_reports_survive_their_file(tmp_path: Path, name: str) -> None:
    with tables.report_writer(tmp_path / name, "d1g357") as write:
        write(np.array([3, 0, 511]))
        write(np.array([7]))
        # nothing is there before all is
        assert not (tmp_path / name).exists()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    column = tables.open_column(tmp_path / name, tables.REPORT)
    assert read(tmp_path / name, "report") == [3, 0, 511, 7]
    assert column.digests == (frozenset() if name == "r.csv" else {"d1g357"})
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o666 & ~current_umask()


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("name", ["r.csv", "r.parquet"])
@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, name: str, failure: type[BaseException]) -> None:
    old = written(tmp_path, name, "old")

    def fail() -> None:
        with tables.report_writer(old, "digest", overwrite=True) as write:
            write(np.arange(10))
            raise failure

    with pytest.raises(failure):
        fail()
    assert old.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["$ 5,000", "2024", "Ärger"])
def test_a_column_of_any_name_is_found_by_it(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, "t.csv", f'"{name}"\n1\n2\n')
    assert read(path, name) == [1, 2]
    with pytest.raises(TableError, match="does not look like names") as caught:
        read(path)
    assert name not in str(caught.value)


@pytest.mark.parametrize("name", ["r.csv", "r.parquet"])
def test_nobody_else_may_read_an_unfinished_file(tmp_path: Path, name: str) -> None:
    before = os.umask(0o002)
    try:
        with tables.report_writer(tmp_path / name, "digest") as write:
            write(np.arange(3))
            (part,) = tmp_path.iterdir()
            assert part.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o664


@pytest.mark.parametrize("name", ["r.csv", "r.parquet"])
def test_a_failure_names_the_file_that_was_asked_for(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: object, *arguments: object) -> int:
        raise PermissionError(13, f"Failed to open local file '{path}'")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(TableError) as caught, tables.report_writer(tmp_path / name, "digest"):
        pass
    assert str(caught.value) == f"{tmp_path / name} cannot be written: Permission denied"


def test_a_folder_that_may_not_be_written_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(TableError, match="not yours to write in"):
        files.require_writable(tmp_path / "r.csv", overwrite=True)


def test_an_input_is_known_by_any_name(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "a")
    (tmp_path / "symbolic.csv").symlink_to(path)
    (tmp_path / "hard.csv").hardlink_to(path)
    (tmp_path / "parts").mkdir()
    part = written(tmp_path / "parts", "p.parquet", "p")
    for target, source in (
        (path, path),
        (tmp_path / "parts" / ".." / "a.csv", path),
        (tmp_path / "symbolic.csv", path),
        (path, tmp_path / "symbolic.csv"),
        (tmp_path / "hard.csv", path),
        (part, tmp_path / "parts"),
    ):
        with pytest.raises(TableError, match="is one of the inputs"):
            files.require_apart(target, [tmp_path / "none", *tables.files_of(source)])
    files.require_apart(tmp_path / "new.csv", [path, part, tmp_path / "none"])
    files.require_apart(part, [path])


def test_places_where_no_file_can_be_put(tmp_path: Path) -> None:
    written(tmp_path, "old.csv", "old")
    (tmp_path / "folder.csv").mkdir()
    for name, said in (
        ("old.csv", "exists already"),
        ("folder.csv", "is a folder"),
        ("none/r.csv", "there is no folder"),
        ("r.txt", "ends in"),
        ("x" * 300 + ".csv", "cannot be written: File name too long"),
    ):
        with pytest.raises(TableError, match=said), tables.report_writer(tmp_path / name, "digest") as write:
            write(np.arange(3))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.csv", "old.csv"]
    with tables.report_writer(tmp_path / "old.csv", "digest", overwrite=True) as write:
        write(np.arange(2))
    assert (tmp_path / "old.csv").read_text() == "report\n0\n1\n"


def test_a_file_that_appears_while_another_is_written_is_kept(tmp_path: Path) -> None:
    def race() -> None:
        with files.whole_file(tmp_path / "t") as part:
            part.write_text("mine")
            (tmp_path / "t").write_text("theirs")

    with pytest.raises(TableError, match="exists already"):
        race()
    assert (tmp_path / "t").read_text() == "theirs"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([5.0, 50.0, 95.0] * 100, index=range(7, 307)),
        pd.Series([5, 50, 95] * 100, dtype="Int64"),
        pl.Series([5.0, 50.0, 95.0] * 100),
        pa.array([5, 50, 95] * 100),
        pa.chunked_array([[5, 50, 95]] * 100),
    ],
    ids=["pandas", "pandas-nullable", "polars", "arrow", "arrow-chunked"],
)
def test_a_randomizer_takes_columns_of_other_libraries(column: Any) -> None:
    plan = sg.plan(sg.Domain(0, 100, bins=10), users=1_000, epsilon=2, delta=1e-6)
    reports = plan.randomizer.randomize(column, sg.SeededSource(4))
    same = plan.randomizer.randomize([5.0, 50.0, 95.0] * 100, sg.SeededSource(4))
    assert np.array_equal(reports, same)
