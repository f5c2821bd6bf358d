"""Reports: the same table gives the same files, and a verdict follows the numbers."""

import csv
import math
import re
from html import escape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from shufflegram import reproduction
from shufflegram.errors import TableError
from shufflegram.lab import (
    Summary,
    judge,
    summarize,
    write_index,
    write_markdown,
    write_markdown_index,
    write_report,
)
from shufflegram.lab.drawing import STYLES
from shufflegram.lab.judging import Comparison
from shufflegram.lab.layout import layout_of
from shufflegram.lab.summary import Place, Point
from shufflegram.lab.tabulate import beside_the_paper, tables

from ..made_tables import PROTOCOLS, by_protocol, table

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
        write_report(summary, tmp_path / folder, CLAIMS)
        write_index([(summary, CLAIMS)], tmp_path / folder)
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two"))
    pictures = {f"figure-utility-{name}.{form}" for name in ("published", "exact") for form in ("svg", "png")}
    assert set(one) == {"index.html", "figure-utility.html", "figure-utility.csv", *pictures}
    assert [name for name in one if one[name] != two[name]] == []


def test_a_page_holds_its_figures_and_escapes_what_it_shows(tmp_path: Path) -> None:
    page = write_report(summarize(table("figure-utility", by_protocol(asp=1.0))), tmp_path).read_text("utf-8")
    assert page.count("data:image/svg+xml;base64,") == 2
    assert "http" not in re.sub(r"base64,[^\"]*", "", page)
    for words in ("A &lt;small&gt; table", "a cell", "a reason"):
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


def spec_of(*, top: str = "", more: str = "", metrics: tuple[str, ...] = ("wasserstein",)) -> str:
    """A whole spec, since what is printed is checked against it."""
    return f"""
name = "figure-utility"
title = "With more"
seed = 1
repetitions = 3
quick_repetitions = 3
delta = 1e-5
metrics = {list(metrics)}
{top}
[axes]
data = ["income"]
protocols = ["asp", "gaussian-16"]
accounting = ["published", "exact"]
epsilons = [0.1, 1.0]
{more}"""


PAPER = """
[[paper]]
title = "ASP <there>"
protocol = "asp"
metrics = ["wasserstein"]
values = [4e-4, 5e-6]
[[paper]]
title = "GM"
protocol = "gaussian-16"
metrics = ["wasserstein_on_chunks", "wasserstein"]
values = [1.0, 2.0]
"""


def printed_summary() -> Summary:
    metrics = ("wasserstein", "wasserstein_on_chunks")

    def error(place: Place) -> float:
        both = {"published": 1e-3, "exact": 2e-4}[place.accounting] if place.protocol == "asp" else 0.5
        return both * (2 if place.scoring == "chunks" else 1)

    spec = spec_of(more=PAPER, metrics=metrics)
    protocols = ("asp", "gaussian-16")
    return summarize(table("figure-utility", error, data=("income",), metrics=metrics, protocols=protocols, spec=spec))


def test_what_is_printed_stands_beside_what_is_measured() -> None:
    found = beside_the_paper(printed_summary())
    assert found is not None
    assert found.header == ("", "", "epsilon 0.1", "epsilon 1")
    assert [tuple(entry.text for entry in row) for row in found.rows] == [
        ("ASP <there>", "the paper", "4.00e-4", "5.00e-6"),
        ("", "as published", "1.00e-3", "1.00e-3"),
        ("", "ratio to the paper", "2.5", "200"),
        ("", "equal accounting", "2.00e-4", "2.00e-4"),
        ("", "ratio to the paper", "0.5", "40"),
        ("GM", "the paper", "1.00e0", "2.00e0"),
        # under either accounting the same
        ("", "here, scored on each protocol's own chunks", "1.00e0", "1.00e0"),
        ("", "ratio to the paper", "1", "0.5"),
        ("", "here, scored on the bins", "5.00e-1", "5.00e-1"),
        ("", "ratio to the paper", "0.5", "0.25"),
    ]
    assert beside_the_paper(summarize(table("figure-utility", by_protocol()))) is None


def test_pages_in_html_and_in_markdown_hold_the_same(tmp_path: Path) -> None:
    summary = printed_summary()
    page = write_report(summary, tmp_path, CLAIMS).read_text("utf-8")
    short = write_markdown(summary, tmp_path / "short", CLAIMS).read_text("utf-8")
    assert "<td>ASP &lt;there&gt;</td><td>the paper</td><td>4.00e-4</td>" in page
    assert "| ASP &lt;there&gt; | the paper | 4.00e-4 | 5.00e-6 |" in short
    for finding in (each for _, findings in judge(summary, CLAIMS) for each in findings.values()):
        assert finding.sentence.replace("_", "\\_") in short
        assert escape(finding.sentence) in page
    assert "income: somewhere &lt;else&gt;" in page
    assert "income: somewhere &lt;else&gt;" in short
    assert "a reason" in page
    assert "a reason" in short
    pictures = {path.name for path in (tmp_path / "short").iterdir()} - {"figure-utility.md"}
    assert pictures == set(re.findall(r"\]\(([^)]*\.png)\)", short))
    assert pictures == {path.name for path in tmp_path.glob("*.png")}
    index = write_markdown_index([(summary, CLAIMS)], tmp_path / "short").read_text("utf-8")
    assert "[With more](figure-utility.md)" in index
    assert index.count("\n| ") == 2 + len(CLAIMS)


def test_every_colour_survives_in_a_small_picture(tmp_path: Path) -> None:
    from matplotlib.colors import to_rgb
    from PIL import Image

    write_report(summarize(table("figure-utility", by_protocol(asp=1.0))), tmp_path)
    with Image.open(tmp_path / "figure-utility-exact.png") as picture:
        seen = {colour for _, colour in picture.convert("RGB").getcolors(maxcolors=2**24) or ()}
    for name in PROTOCOLS:
        assert tuple(round(255 * part) for part in to_rgb(STYLES[name]["color"])) in seen, name


def test_a_table_of_markdown_has_as_many_columns_in_each_row(tmp_path: Path) -> None:
    short = write_markdown(printed_summary(), tmp_path, CLAIMS).read_text("utf-8")
    tables = re.findall(r"(?:^\|.*\|\n)+", short, flags=re.MULTILINE)
    assert len(tables) > 2
    for lines in map(str.splitlines, tables):
        assert len({line.count("|") for line in lines}) == 1


def test_shares_are_of_the_metric_that_is_named() -> None:
    errors = {"prior_bound": 4.0, "information": 1.0}
    spec = spec_of(top='lines = "metric"\nrelative_to = "prior_bound"', metrics=tuple(errors))
    summary = summarize(
        table("x", lambda place: errors[place.metric], metrics=tuple(errors), protocols=("asp",), spec=spec)
    )
    shares = {place.metric: point for place, point in summary.relative().points.items()}
    assert shares["prior_bound"].mean == pytest.approx(1)
    assert shares["information"] == pytest.approx((0.25, 2**0.5 * 0.25 * 0.01 / 3**0.5, 3))
    assert layout_of(summary).line == "task"
    assert layout_of(summary).x == "epsilon"


def test_options_of_an_estimator_run_from_left_to_right(tmp_path: Path) -> None:
    words = ("emas radius=0", "emas radius=3", "emas sigma=1/2", "emas sigma=5")
    summary = summarize(
        table("x", lambda place: 1.0, data=("income",), metrics=("wasserstein",), protocols=("asp",), estimators=words)
    )
    found = layout_of(summary)
    assert (found.x, found.line, found.row, found.column, found.pages) == (
        "value",
        "epsilon",
        "accounting",
        "option",
        (),
    )
    assert {(place.option, place.value) for place in summary.points} == {
        *(("radius", 0.0), ("radius", 3.0)),
        *(("sigma", 0.5), ("sigma", 5.0)),
    }
    captions = [each.caption for each in tables(summary)]
    assert captions == [
        f"{accounting}, {option}"
        for accounting in ("as published", "equal accounting")
        for option in ("radius R", "fixed sigma_2")
    ]
    assert write_report(summary, tmp_path).exists()


def test_axes_have_their_places() -> None:
    assert layout() == ("epsilon", "protocol", "data", "task", ("accounting",))
    one = {"data": ("income",), "metrics": ("wasserstein",)}
    assert layout(**one, users=(10, 20)) == ("users", "protocol", "accounting", "epsilon", ())
    assert layout(**one) == ("epsilon", "protocol", None, "accounting", ())


def test_sizes_that_only_differ_between_data_sets_are_no_axis() -> None:
    whole = table("some-thing", by_protocol(), users=(10, 20))
    keep = [(row["data"] == "income") == (row["users"] == 20) for row in whole.to_pylist()]
    assert layout_of(summarize(whole.filter(pa.array(keep)))).x == "epsilon"


def test_a_comparison_is_clear_by_welchs_test() -> None:
    place = Place("", "", "", 1.0, 1, 1, "")

    def clear(difference: float, error: float, repetitions: int) -> int:
        point = Point(1.0, error, repetitions)
        return Comparison(place, point, Point(1.0 + difference, error, repetitions)).clear

    # with a hundred repetitions a little more than three standard errors, with three far more: t has 198 and 4 degrees
    assert [clear(x * 2**0.5, 1.0, 100) for x in (2.9, 3.1, -3.1)] == [0, 1, -1]
    assert [clear(x * 2**0.5, 1.0, 3) for x in (6.5, 6.7, -6.7)] == [0, 1, -1]
    assert [clear(x, 0.0, 5) for x in (0.0, 1e-9, -1e-9)] == [0, 1, -1]
    assert clear(5.0, math.nan, 1) == 0


def test_what_is_no_table_of_results_is_refused() -> None:
    good = table("figure-utility", by_protocol())
    with pytest.raises(TableError, match="lack the columns metric, value"):
        summarize(good.drop_columns(["metric", "value"]))
    with pytest.raises(TableError, match="those of one experiment, got 2"):
        summarize(pa.concat_tables([good, table("figure-bins", by_protocol())]))
