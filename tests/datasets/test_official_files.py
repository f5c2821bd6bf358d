"""The official files: which rows are kept, and one line where something is missing."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from shufflegram.datasets import (
    Dataset,
    acs_income,
    acs_income_types,
    income,
    income_types,
    load,
    retirement,
    san_francisco_retirement,
    taxi,
    taxi_trips,
)
from shufflegram.errors import TableError

# as the first versions of these files are: an empty line below the names
TRIPS = (
    "VendorID,tpep_pickup_datetime,fare\n\n"
    "1,2018-01-01 00:00:00,4\n2,2018-01-31 23:59:59,5\n1,,6\n1,2001-01-02 01:00:05,7\n"
)
PERSONS = (
    "SERIALNO,PINCP,WAGP,SEMP,INTP,RETP,SSP,SSIP,PAP,OIP,AGEP\n"
    "1,000036,1,2,3,4,5,6,7,8,40\n"
    "2,,,,,,,,,,9\n"  # a child
    "3,0,0,0,0,0,0,0,0,0,50\n"
    "4,-100,0,-100,0,0,0,0,0,0,50\n"
    "5,524287,524287,0,0,0,0,0,0,0,50\n"
    "6,524288,524288,0,0,0,0,0,0,0,50\n"
    "7,100,200,-100,0,0,0,0,0,0,50\n"
)
EMPLOYEES = "Year,Retirement,Job\n2014,0,a\n2014,59999.99,b\n2014,60000,c\n2014,-3.5,d\n2014,1234.56,e\n2014,,f\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "yellow_tripdata_2018-01.csv").write_text(TRIPS)
    (tmp_path / "psam_pusa.csv").write_text(PERSONS)
    (tmp_path / "psam_pusb.csv").write_text("pincp,wagp,semp,intp,retp,ssp,ssip,pap,oip\n7,7,0,0,0,0,0,0,0\n")
    (tmp_path / "Employee_Compensation.csv").write_text(EMPLOYEES)
    return tmp_path


def test_trips_begin_at_a_second_of_the_day(folder: Path) -> None:
    rides = taxi_trips(folder / "yellow_tripdata_2018-01.csv")
    assert sorted(rides.values.tolist()) == [0, 3605, 86_399]
    assert rides.domain == taxi(1).domain
    assert "yellow_tripdata_2018-01.csv" in rides.source


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_trips_in_parquet_of_whatever_precision(tmp_path: Path, unit: str) -> None:
    moments = [datetime(2018, 1, 5, 12, 0, 1), None, datetime(2018, 1, 6, 23, 59, 59)]
    table = pyarrow.table(
        {"fare": [1.0, 2.0, 3.0], "Tpep_Pickup_Datetime": pyarrow.array(moments, pyarrow.timestamp(unit))}
    )
    parquet.write_table(table, tmp_path / "trips.parquet")
    assert sorted(taxi_trips(tmp_path / "trips.parquet").values.tolist()) == [43_201, 86_399]


def test_fractions_of_a_second_are_dropped(tmp_path: Path) -> None:
    moments = pyarrow.array([datetime(2018, 1, 5, 0, 0, 1, 999_999)], pyarrow.timestamp("us"))
    parquet.write_table(pyarrow.table({"tpep_pickup_datetime": moments}), tmp_path / "trips.parquet")
    assert taxi_trips(tmp_path / "trips.parquet").values.tolist() == [1]


def test_incomes_are_filtered_as_in_the_paper(folder: Path) -> None:
    people = acs_income(folder / "psam_pusa.csv", folder / "psam_pusb.csv")
    assert sorted(people.values.tolist()) == [0, 7, 36, 100, 524_287]
    assert people.domain.high == 524_288
    assert people.domain.widths[0] == 1_024


def test_kinds_of_income_stay_together(folder: Path) -> None:
    people = acs_income_types(folder / "psam_pusa.csv", folder / "psam_pusb.csv")
    rest = [0] * 7
    assert sorted(people.values.tolist()) == [[0, *rest], [1, 2, 3, 4, 5, 6, 7, 8], [7, *rest], [524_287, *rest]]
    assert people.column("wages").histogram()[-1] == 1
    assert people.column("other").values.max() == 8


def test_retirement_is_filtered_as_in_the_paper(folder: Path) -> None:
    paid = san_francisco_retirement(folder / "Employee_Compensation.csv")
    assert sorted(paid.values.tolist()) == [0, 1234.56, 59_999.99]
    (folder / "other.csv").write_text(EMPLOYEES.replace("Retirement", " RETIREMENT"))
    assert np.array_equal(san_francisco_retirement(folder / "other.csv").values, paid.values)


@pytest.mark.parametrize("name", ["taxi", "income", "income_types", "retirement"])
def test_a_folder_with_official_files_gives_them(folder: Path, name: str) -> None:
    # beside them what is second choice, which is then not even opened
    for other in ("taxi_yellow_pickup_seconds", "income_ipums_2001_2011_hist", "acs_income_types_microdata"):
        (folder / f"{other}.npz").write_text("broken")
    data = load(name, folder)
    assert data.users == {"taxi": 3, "income": 5, "income_types": 4, "retirement": 3}[name]
    assert not data.resampled
    assert load(name, folder, paper_size=True).resampled


def test_the_order_is_mixed(tmp_path: Path) -> None:
    seconds = np.arange(86_400)
    moments = pyarrow.array(seconds, pyarrow.int64()).cast(pyarrow.timestamp("s"))
    parquet.write_table(pyarrow.table({"tpep_pickup_datetime": moments}), tmp_path / "trips.parquet")
    values = taxi_trips(tmp_path / "trips.parquet").values
    assert np.array_equal(np.sort(values), seconds)
    # uniform ranks: the correlation with the order has deviation 1/sqrt(86,399)
    assert abs(np.corrcoef(values, seconds)[0, 1]) < 7 / np.sqrt(86_399)


LOADERS: list[tuple[Callable[..., Dataset], str]] = [
    (taxi_trips, "it has to be a file of TLC yellow taxi trip records with tpep_pickup_datetime"),
    (acs_income, "it has to be an ACS PUMS person file with PINCP"),
    (
        acs_income_types,
        "it has to be an ACS PUMS person file with PINCP, WAGP, SEMP, INTP, RETP, SSP, SSIP, PAP, OIP",
    ),
    (san_francisco_retirement, "it has to be San Francisco's Employee Compensation with Retirement"),
]


def said(loader: Callable[..., Dataset], path: Path) -> str:
    """The one line of the error."""
    with pytest.raises(TableError) as caught:
        loader(path)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(("loader", "wanted"), LOADERS)
def test_one_line_names_the_file_and_the_columns(loader: Callable[..., Dataset], wanted: str, tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    assert said(loader, path) == f"there is no file {path}; {wanted}"
    path.write_text("a,b\n1,2\n")
    assert said(loader, path) == f"{path} has no column {wanted.rsplit(' with ')[1]}; {wanted}"
    path.write_text("")
    assert said(loader, path).endswith(wanted)
    parquet.write_table(pyarrow.table({"a": [1]}), tmp_path / "file.parquet")
    assert "has no column" in said(loader, tmp_path / "file.parquet")
    (tmp_path / "broken.parquet").write_text("no parquet")
    assert said(loader, tmp_path / "broken.parquet").endswith(wanted)
    assert "ends in .csv or .parquet" in said(loader, tmp_path / "file.zip")


@pytest.mark.parametrize(("loader", "wanted"), LOADERS)
def test_an_entry_of_another_kind_is_not_shown(loader: Callable[..., Dataset], wanted: str, tmp_path: Path) -> None:
    columns = wanted.rsplit(" with ")[1].split(", ")
    path = tmp_path / "file.csv"
    path.write_text(",".join(columns) + "\n" + ",".join(["secret"] * len(columns)) + "\n")
    message = said(loader, path)
    assert "secret" not in message
    assert message.endswith(wanted)


@pytest.mark.parametrize(("loader", "wanted"), LOADERS)
def test_a_file_of_blank_rows_is_an_error(loader: Callable[..., Dataset], wanted: str, tmp_path: Path) -> None:
    columns = wanted.rsplit(" with ")[1].split(", ")
    path = tmp_path / "file.csv"
    path.write_text(",".join(["id", *columns]) + "\n" + ",".join(["1", *[""] * len(columns)]) + "\n")
    assert "has no r" in said(loader, path) or "has no person" in said(loader, path)


def test_no_file_at_all() -> None:
    with pytest.raises(TableError, match="there is no file to read; give at least one, an ACS PUMS person file with P"):
        acs_income()


IN_A_FOLDER: list[tuple[Callable[[Any], Dataset], str]] = [
    (lambda folder: taxi(data_dir=folder), r"yellow_tripdata_2018-01.* or taxi_yellow_pickup_seconds.npz"),
    (income, "psam_pus*.csv or income_ipums_2001_2011_hist.npz"),
    (income_types, "psam_pus*.csv or acs_income_types_microdata.npz"),
    (retirement, "Employee_Compensation*.csv or sf_employee_compensation_sample.npz"),
]


@pytest.mark.parametrize(("loader", "files"), IN_A_FOLDER)
def test_a_folder_without_the_files(loader: Callable[..., Dataset], files: str, tmp_path: Path) -> None:
    assert said(loader, tmp_path) == f"{tmp_path} does not hold {files}; put one there, or leave the folder out"
    none = tmp_path / "none"
    assert said(loader, none) == f"there is no folder {none}; the data folder has to hold {files}"
    sample = tmp_path / files.split(" or ")[1]
    sample.write_text("broken")
    assert "cannot be read; it has to be an .npz file with" in said(loader, tmp_path)
    np.savez(sample, other=np.arange(3))
    assert "has no array" in said(loader, tmp_path)
    np.savez(sample, columns=np.array(["a"]), source=np.zeros(3), table=np.zeros((3, 1)), cents=np.zeros((3, 1)))
    assert "has no" in said(loader, tmp_path)


def test_people_are_drawn_from_a_histogram_in_proportion(tmp_path: Path) -> None:
    np.savez(tmp_path / "income_ipums_2001_2011_hist.npz", count=np.array([1, 0, 3, 0], dtype=np.int64))
    data = income(tmp_path)
    assert data.resampled
    assert set(data.values.tolist()) == {200, 1_000}
    # a quarter of 2,308,374, whose deviation is 658
    assert abs(np.count_nonzero(data.values == 200) - 2_308_374 / 4) < 7 * 658
