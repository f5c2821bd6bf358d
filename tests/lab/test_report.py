"""Reports: the same table gives the same files, and a verdict follows the numbers."""

import csv
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from shufflegram import reproduction
from shufflegram.errors import TableError
from shufflegram.lab import judge, summarize, write_index, write_report
from shufflegram.lab.judging import Comparison
from shufflegram.lab.layout import layout_of
from shufflegram.lab.summary import Place, Point

from ..made_tables import by_protocol, table

CLAIMS = reproduction.claims_of("figure-utility")


def test_a_point_is_the_mean_and_its_standard_error() -> None:
    points = summarize(table("figure-utility", lambda place: None if place.protocol == "asp" else 2.0)).points
    # 1.98, 2 and 2.02: their standard deviation is 0.02
    assert {(round(each.mean, 12), round(each.error, 12)) for each in points.values()} == {
        (2.0, round(0.02 / 3**0.5, 12))
    }
    assert "asp" not in {place.protocol for place in points}


def test_the_same_table_gives_the_same_bytes(tmp_path: Path) -> None:
    summary = summarize(table("figure-utility", by_protocol(asp=1.0)))
    for folder in ("one", "two"):
        write_report(summary, tmp_path / folder, CLAIMS, ["a note"])
        write_index([(summary, CLAIMS)], tmp_path / folder)
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two"))
    pictures = {f"figure-utility-{name}.{form}" for name in ("published", "exact") for form in ("svg", "png")}
    assert set(one) == {"index.html", "figure-utility.html", "figure-utility.csv", *pictures}
    assert [name for name in one if one[name] != two[name]] == []


def test_a_page_holds_its_figures_and_escapes_what_it_shows(tmp_path: Path) -> None:
    page = write_report(
        summarize(table("figure-utility", by_protocol(asp=1.0))), tmp_path, notes=["a <note>"]
    ).read_text("utf-8")
    assert page.count("data:image/svg+xml;base64,") == 2
    assert "http" not in re.sub(r"base64,[^\"]*", "", page)
    for words in ("A &lt;small&gt; table", "a &lt;note&gt;", "a cell", "a reason"):
        assert words in page
    assert page.count("<details>") == 2 * 2 * 2
    # each of these 8 tables has two rows, each with one smallest mean
    assert page.count("<b>") == 8 * 2


def test_the_numbers_beside_it_are_all_there(tmp_path: Path) -> None:
    summary = summarize(table("figure-users", by_protocol(asp=1.0), users=(1000, 2000), metrics=("wasserstein",)))
    write_report(summary, tmp_path)
    with (tmp_path / "figure-users.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(float(row["mean"]), float(row["standard_error"])) for row in rows] == [
        (point.mean, point.error) for point in summary.points.values()
    ]


def test_a_mean_of_zero_and_one_repetition_can_be_drawn(tmp_path: Path) -> None:
    summary = summarize(table("figure-utility", lambda place: float(place.protocol != "asp"), repetitions=1))
    assert "nan" not in write_report(summary, tmp_path).read_text("utf-8").partition("<h2>Numbers")[2]
    assert {finding.verdict for _, findings in judge(summary, CLAIMS)[:2] for finding in findings.values()} == {
        "cannot be told"
    }


def layout(**axes: Any) -> tuple[Any, ...]:
    found = layout_of(summarize(table("some-thing", by_protocol(), **axes)))
    return found.x, found.line, found.row, found.column, found.pages


def test_axes_have_their_places() -> None:
    assert layout() == ("epsilon", "protocol", "data", "task", ("accounting",))
    one = {"data": ("income",), "metrics": ("wasserstein",)}
    assert layout(**one, users=(10, 20)) == ("users", "protocol", "accounting", "epsilon", ())
    assert layout(**one) == ("epsilon", "protocol", None, "accounting", ())


def test_sizes_that_only_differ_between_data_sets_are_no_axis() -> None:
    whole = table("some-thing", by_protocol(), users=(10, 20))
    keep = [(row["data"] == "income") == (row["users"] == 20) for row in whole.to_pylist()]
    assert layout_of(summarize(whole.filter(pa.array(keep)))).x == "epsilon"


def test_a_comparison_is_in_standard_errors_of_the_difference() -> None:
    place = Place("", "", "", 1.0, 1, 1, "")
    assert Comparison(place, Point(1.0, 0.3, 5), Point(2.0, 0.4, 5)).distance == pytest.approx(1 / 0.5)
    assert Comparison(place, Point(1.0, 0.0, 5), Point(1.0, 0.0, 5)).distance == 0


def test_what_is_no_table_of_results_is_refused() -> None:
    good = table("figure-utility", by_protocol())
    with pytest.raises(TableError, match="lack the columns metric, value"):
        summarize(good.drop_columns(["metric", "value"]))
    with pytest.raises(TableError, match="those of one experiment, got 2"):
        summarize(pa.concat_tables([good, table("figure-bins", by_protocol())]))
