"""Reports: the same table gives the same files, and a verdict follows the numbers."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from shufflegram import reproduction
from shufflegram.errors import TableError
from shufflegram.lab import Summary, judge, summarize, write_index, write_report
from shufflegram.lab.claims import CLAIMS, SMOOTH, Comparison
from shufflegram.lab.figures import layout_of
from shufflegram.lab.runner import PROVENANCE
from shufflegram.lab.summary import Place, Point

ErrorOf = Callable[[Place], float | None]
PROTOCOLS = (
    "asp",
    "ssw",
    "combination-1",
    "combination-2",
    "flip-16",
    "flip-32",
    "flip-64",
    "pure-16",
    "pure-32",
    "pure-64",
)


def table(
    experiment: str,
    error_of: ErrorOf,
    *,
    data: tuple[str, ...] = ("normal", "income"),
    metrics: tuple[str, ...] = ("range_0.2", "range_0.4"),
    epsilons: tuple[float, ...] = (0.1, 1.0),
    users: tuple[int, ...] = (1000,),
    bins: tuple[int, ...] = (64,),
    repetitions: int = 3,
) -> Any:
    """A table like the runner's in which repetitions differ by a hundredth of the error."""

    def rows() -> Iterator[dict[str, Any]]:
        axes = product(("published", "exact"), data, metrics, epsilons, users, bins, PROTOCOLS)
        for place in (Place(*each) for each in axes):
            error = error_of(place)
            for repetition in range(repetitions):
                value = None if error is None else error * (1 + (repetition - 1) / 100)
                yield {
                    "experiment": experiment,
                    **place._asdict(),
                    "delta": 1e-5,
                    "repetition": repetition,
                    "value": value,
                }

    record = {"spec": 'title = "A <small> table"', "infeasible": {"a cell": "a reason"}}
    return pa.Table.from_pylist(list(rows())).replace_schema_metadata({PROVENANCE: json.dumps(record)})


def verdicts(experiment: str, error_of: ErrorOf, **axes: Any) -> list[str]:
    """The verdict on each claim, which is the same under both accountings here."""
    found = [
        {each.verdict for each in findings.values()}
        for _, findings in judge(summarize(table(experiment, error_of, **axes)))
    ]
    assert all(len(each) == 1 for each in found)
    return [each.pop() for each in found]


def by_protocol(**errors: float) -> ErrorOf:
    """The error of each protocol (its hyphen written as _), 2 for all others; wider ranges add a tenth."""
    return lambda place: (
        errors.get(place.protocol.replace("-", "_"), 2.0) * (1.1 if place.metric == "range_0.4" else 1.0)
    )


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
        write_report(summary, tmp_path / folder, ["a note"])
        write_index([summary], tmp_path / folder)
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two"))
    pictures = {f"figure-utility-{name}.{form}" for name in ("published", "exact") for form in ("svg", "png")}
    assert set(one) == {"index.html", "figure-utility.html", "figure-utility.csv", *pictures}
    assert [name for name in one if one[name] != two[name]] == []


def test_a_page_holds_its_figures_and_escapes_what_it_shows(tmp_path: Path) -> None:
    page = write_report(summarize(table("figure-utility", by_protocol(asp=1.0))), tmp_path, ["a <note>"]).read_text(
        "utf-8"
    )
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
    assert {finding.verdict for _, findings in judge(summary)[:2] for finding in findings.values()} == {
        "cannot be told"
    }


def layout(**axes: Any) -> tuple[Any, ...]:
    found = layout_of(summarize(table("some-thing", by_protocol(), **axes)))
    return found.x, found.line, found.row, found.column, found.pages


def test_axes_have_their_places() -> None:
    assert layout() == ("epsilon", "protocol", "data", "metric", ("accounting",))
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


def on_income(errors: ErrorOf, changed: ErrorOf) -> ErrorOf:
    return lambda place: (changed if place.data == "income" else errors)(place)


def test_asp_is_best_where_its_error_is_the_smallest() -> None:
    good, bad = by_protocol(asp=1.0), by_protocol(asp=1.0, ssw=0.5)
    assert verdicts("figure-utility", good)[0] == "holds"
    assert verdicts("figure-utility", bad)[0] == "does not hold"
    assert verdicts("figure-utility", on_income(good, bad), data=("normal", "taxi", "income"))[0] == "holds in part"
    # by less than the repetitions differ
    assert verdicts("figure-utility", by_protocol(asp=1.99))[0] == "cannot be told"
    one = {"data": ("income",), "metrics": ("wasserstein",), "users": (10, 20)}
    assert verdicts("figure-users", good, **one) == ["holds"]
    assert verdicts("figure-users", bad, **one) == ["does not hold"]


def test_wider_ranges_are_worse_where_their_error_is_larger() -> None:
    assert verdicts("figure-utility", by_protocol())[1] == "holds"
    assert verdicts("figure-utility", lambda place: 1.0 if place.metric == "range_0.4" else 1.1)[1] == "does not hold"


def test_no_number_of_chunks_is_best_unless_one_is_never_beaten() -> None:
    flip = by_protocol(flip_16=1.0, pure_64=1.0)
    other = by_protocol(flip_64=1.0, pure_64=1.0)
    assert verdicts("figure-utility", flip)[2] == "does not hold"
    assert verdicts("figure-utility", on_income(flip, other))[2] == "holds in part"
    assert verdicts("figure-utility", on_income(flip, by_protocol(flip_64=1.0, pure_16=1.0)))[2] == "holds"


def test_the_parts_are_told_apart() -> None:
    data = (*SMOOTH, "income")
    as_claimed = by_protocol(asp=1.0, combination_2=1.3, combination_1=1.9, ssw=2.0)
    assert verdicts("figure-components", as_claimed, data=data) == ["holds"] * 5
    swapped = by_protocol(asp=1.0, combination_2=1.9, combination_1=1.3, ssw=2.0)
    assert verdicts("figure-components", swapped, data=data) == [
        "holds",
        "holds",
        "does not hold",
        "does not hold",
        "holds",
    ]
    useless = by_protocol(asp=1.0, combination_2=1.5, combination_1=0.9, ssw=2.0)
    assert verdicts("figure-components", useless, data=data)[0] == "does not hold"
    assert verdicts("figure-components", useless, data=data)[4] == "holds in part"


def test_the_best_number_of_bins_differs_if_each_is_better_off_with_its_own() -> None:
    axes: dict[str, Any] = {"bins": (64, 128), "metrics": ("wasserstein",)}
    assert verdicts("figure-bins", lambda place: float(place.bins), **axes) == ["does not hold"]
    apart = on_income(lambda place: float(place.bins), lambda place: 1.0 / place.bins)
    assert verdicts("figure-bins", apart, **axes) == ["holds"]
    # by less than the repetitions differ
    nearly = on_income(lambda place: 1 + place.bins / 1e5, lambda place: 1 - place.bins / 1e5)
    assert verdicts("figure-bins", nearly, **axes) == ["cannot be told"]


def test_a_sentence_quotes_the_worst_case() -> None:
    worst = on_income(by_protocol(asp=1.0), by_protocol(asp=1.0, ssw=0.25))
    (findings,) = [findings for words, findings in judge(summarize(table("figure-utility", worst))) if "ASP" in words]
    assert (
        "income, range_0.2, epsilon 0.1: 1 ± 0.006 for asp against 0.25 ± 0.001 for ssw" in findings["exact"].sentence
    )


def test_every_figure_has_claims() -> None:
    assert set(CLAIMS) == set(reproduction.names())


def test_what_is_no_table_of_results_is_refused() -> None:
    good = table("figure-utility", by_protocol())
    with pytest.raises(TableError, match="lack the columns metric, value"):
        summarize(good.drop_columns(["metric", "value"]))
    with pytest.raises(TableError, match="those of one experiment, got 2"):
        summarize(pa.concat_tables([good, table("figure-bins", by_protocol())]))


def test_a_summary_of_nothing_has_nothing_to_compare() -> None:
    for claims in CLAIMS.values():
        for claim in claims:
            assert claim.judge(Summary("x", "x", {}, {})).verdict == "cannot be told"
