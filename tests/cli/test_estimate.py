"""`estimate`: the library's estimate, from any mixture of files, and only from reports of its own plan."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from pyarrow import parquet

import shufflegram as sg
from shufflegram import tables
from shufflegram.cli.estimate import _ending
from shufflegram.cli.picture import interval
from shufflegram.estimators.em import Stop

from .conftest import USERS, Run


@pytest.fixture(autouse=True)
def reports(folder: Path) -> NDArray[np.int64]:
    """Reports of values around 40, in one CSV file and, in thirds, in a Parquet file, a folder and a CSV file."""
    plan = sg.Plan.load("plan.json")
    values = np.clip(np.random.default_rng(8).normal(40, 10, USERS), 0, 100)
    reports = plan.randomizer.randomize(values, sg.SeededSource(9))
    first, second, third = np.split(reports, 3)
    (folder / "parts").mkdir()
    for path, content in (("all.csv", reports), ("1.csv", first), ("2.parquet", second), ("parts/3.parquet", third)):
        with tables.report_writer(path, plan.digest) as write:
            write(content)
    return reports


def of_the_library(reports: NDArray[np.int64]) -> sg.Estimate:
    plan = sg.Plan.load("plan.json")
    return plan.analyzer.estimate(plan.analyzer.tally(reports))


@pytest.mark.parametrize("files", [["all.csv"], ["1.csv", "2.parquet", "parts"], ["parts", "1.csv", "2.parquet"]])
def test_any_mixture_of_files_gives_the_librarys_estimate(
    good: Run, reports: NDArray[np.int64], files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BATCH_ROWS", 100)
    result = good("estimate", "plan.json", *files, "--range", "30", "50", "--quantiles", "0.1,0.5", "--json")
    answer, expected = json.loads(result.stdout), of_the_library(reports)
    assert result.stderr == ""
    assert answer["frequencies"] == expected.frequencies.tolist()
    assert answer["users"] == answer["reports"] == USERS
    assert answer["mean"] == expected.mean()
    assert [each["value"] for each in answer["quantiles"]] == [expected.quantile(0.1), expected.quantile(0.5)]
    (between,) = answer["ranges"]
    assert (between["low"], between["high"], between["share"]) == (30, 50, expected.probability(30, 50))
    assert [between["share_low"], between["share_high"]] == pytest.approx(expected.probability_interval(30, 50))
    band = expected.band(0.9)
    assert answer["band"]["lower"] == pytest.approx(band.lower.tolist())
    assert answer["outcome"]["stop"] in ("converged", "iteration_limit")
    # 3,000 reports through a mechanism that hides little: the median of N(40, 10) within 12 of its standard errors
    assert answer["quantiles"][1]["value"] == pytest.approx(40, abs=5)


def test_a_quantiles_interval_is_where_the_band_holds_its_share(reports: NDArray[np.int64]) -> None:
    estimate = of_the_library(reports)
    band = estimate.band(0.9)
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        low, high = interval(band, share)
        assert low <= estimate.quantile(share) <= high
        # just inside the band holds the share, just outside it does not
        for value, inside in ((low + 0.01, True), (high - 0.01, True), (low - 0.5, False), (high + 0.5, False)):
            least, most = (np.interp(value, band.edges, curve) for curve in (band.lower, band.upper))
            assert (least <= share <= most) == inside
    assert interval(band, 0.0) == (0.0, 0.0)
    assert interval(band, 1.0)[1] == 100.0


def test_a_surer_band_is_wider(good: Run) -> None:
    widths = []
    for level in ("0.5", "0.99"):
        answer = json.loads(good("estimate", "plan.json", "all.csv", "--band", level, "--json").stdout)
        assert answer["band"]["level"] == float(level)
        widths.append(answer["quantiles"][1]["high"] - answer["quantiles"][1]["low"])
    assert widths[0] < 0.6 * widths[1]


def test_people_see_numbers_and_a_picture(good: Run) -> None:
    text = good("estimate", "plan.json", "all.csv", "--range", "30", "50").stdout
    for said in ("3,000", "█", "percent", "90% interval", "0.75", "30 to 50"):
        assert said in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_a_handful_of_reports_is_estimated_without_intervals(good: Run, folder: Path) -> None:
    (folder / "few.csv").write_text("report\n" + "3\n" * 99)
    result = good("estimate", "plan.json", "few.csv", "--range", "30", "50", "--json", "--plot", "few.png")
    answer = json.loads(result.stdout)
    assert "intervals and a band take at least 100 reports, here are 99" in result.stderr
    assert len(answer["warnings"]) == 2
    assert answer["band"] is None
    assert {each["low"] for each in answer["quantiles"]} == {None}
    assert answer["ranges"][0]["share_low"] is None
    assert (folder / "few.png").stat().st_size > 0
    shown = good("estimate", "plan.json", "few.csv", "--range", "30", "50").stdout
    assert shown.count("none") == 4


def test_too_few_reports_break_the_promise(good: Run) -> None:
    result = good("estimate", "plan.json", "1.csv", "--json")
    assert result.stderr.startswith("shufflegram: warning: the guarantee needs 3,000 reports, here are 1,000: it ")
    assert result.stderr.count("\n") == 1
    assert len(json.loads(result.stdout)["warnings"]) == 1


def test_files_of_the_estimate(good: Run, reports: NDArray[np.int64], folder: Path) -> None:
    good("estimate", "plan.json", "all.csv", "--output", "e.csv", "--plot", "e.png")
    good("estimate", "plan.json", "all.csv", "--output", "e.json", "--plot", "e.svg")
    expected = of_the_library(reports)
    with (folder / "e.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["frequency"]) for row in rows] == expected.frequencies.tolist()
    record = json.loads((folder / "e.json").read_text())
    assert record["frequencies"] == expected.frequencies.tolist()
    assert len(record["band"]["upper"]) == 33
    assert (folder / "e.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (folder / "e.svg").read_bytes()


@pytest.mark.parametrize("option", ["--output", "--plot"])
def test_files_are_replaced_only_on_request(run: Run, folder: Path, option: str) -> None:
    target = folder / ("e.csv" if option == "--output" else "e.png")
    target.write_text("kept")
    result = run("estimate", "plan.json", "all.csv", option, target.name)
    assert result.exit_code == 2
    assert "exists already" in result.stderr
    assert target.read_text() == "kept"
    assert run("estimate", "plan.json", "all.csv", option, target.name, "--force").exit_code == 0
    assert target.read_bytes() != b"kept"


def test_reports_of_another_plan_are_refused(run: Run) -> None:
    with tables.report_writer("foreign.parquet", "0" * 64) as write:
        write(np.zeros(10, dtype=np.int64))
    for files in (["foreign.parquet"], ["all.csv", "foreign.parquet"]):
        result = run("estimate", "plan.json", *files)
        assert result.exit_code == 2
        assert "foreign.parquet were made for another plan" in result.stderr


@pytest.mark.parametrize("bad", [-1, 32 + 2 * 40, 7.5, 1e300])
def test_what_is_no_report_is_refused_and_not_shown(
    run: Run, reports: NDArray[np.int64], bad: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BATCH_ROWS", 100)
    entries = reports.astype(np.float64)
    entries[776] = bad
    parquet.write_table(pa.table({"report": entries}), "bad.parquet")
    result = run("estimate", "plan.json", "bad.parquet")
    assert result.exit_code == 2
    assert "the first is in row 777 of bad.parquet" in result.stderr
    assert f"{bad:g}" not in result.stderr.replace("row 777", "")


def test_a_table_of_values_is_no_table_of_reports(run: Run, folder: Path) -> None:
    (folder / "values.csv").write_text("share\n3\n4\n")
    result = run("estimate", "plan.json", "values.csv")
    assert result.exit_code == 2
    assert "has no column 'report'; it has share" in result.stderr


def test_a_column_of_another_name(good: Run, folder: Path, reports: NDArray[np.int64]) -> None:
    (folder / "named.csv").write_text("\n".join(["cell", *map(str, reports)]))
    answer = json.loads(good("estimate", "plan.json", "named.csv", "--column", "cell", "--json").stdout)
    assert answer["frequencies"] == of_the_library(reports).frequencies.tolist()


def test_a_file_named_twice_would_count_twice(run: Run) -> None:
    result = run("estimate", "plan.json", "1.csv", "./1.csv")
    assert result.exit_code == 2
    assert "named twice" in result.stderr


def test_a_mean_that_is_nowhere_is_null(good: Run) -> None:
    plan = sg.plan(sg.Domain(0, 4, bins=4, circular=True), users=USERS, epsilon=4, delta=1e-6)
    plan.save("circle.json")
    # as many users in each direction: the estimate is even all round
    with tables.report_writer("even.csv", plan.digest) as write:
        write(np.tile(np.arange(4), USERS // 4))
    result = good("estimate", "circle.json", "even.csv", "--json")
    assert json.loads(result.stdout)["mean"] is None
    assert "none: the mass pulls nowhere" in good("estimate", "circle.json", "even.csv").stdout


@pytest.mark.parametrize("option", ["--output", "--plot"])
def test_an_input_is_not_written_over_even_by_force(run: Run, folder: Path, option: str) -> None:
    name = "e.csv" if option == "--output" else "e.svg"
    (folder / name).symlink_to("all.csv")
    before = (folder / "all.csv").read_bytes()
    for inputs in (["plan.json", "1.csv", "all.csv"], ["plan.json", "parts", "all.csv"]):
        result = run("estimate", *inputs, option, name, "--force")
        assert result.exit_code == 2
        assert f"{name} is one of the inputs" in result.stderr
    assert run("estimate", "plan.json", "1.csv", "--output", "plan.json", "--force").exit_code == 2
    assert (folder / "all.csv").read_bytes() == before
    assert sg.Plan.load(folder / "plan.json").guarantee.users == USERS


def test_of_two_files_both_are_written_or_neither(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **settings: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fail)
    before = sorted(folder.iterdir())
    result = run("estimate", "plan.json", "all.csv", "--output", "e.json", "--plot", "e.png")
    assert result.exit_code == 2
    assert result.stderr == "shufflegram: error: e.png cannot be written: No space left on device\n"
    assert sorted(folder.iterdir()) == before


def test_places_are_tried_before_anything_is_computed(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(path: object) -> None:
        raise AssertionError("the plan was read")

    monkeypatch.setattr("shufflegram.planning.Plan.load", load)
    result = run("estimate", "plan.json", "all.csv", "--output", "e.json", "--plot", "none/e.png")
    assert (result.exit_code, "there is no folder none" in result.stderr) == (2, True)


def test_the_picture_says_which_band_it_shows(good: Run, folder: Path) -> None:
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none"}):
        good("estimate", "plan.json", "all.csv", "--plot", "e.svg", "--output", "e.json")
    picture = (folder / "e.svg").read_text()
    assert "90% band (simultaneous)" in picture
    assert "3,000 users, epsilon 4, delta 1e-06" in picture
    assert json.loads((folder / "e.json").read_text())["band"]["kind"] == "pointwise"


def test_the_iteration_limit_is_said_to_be_usual(
    good: Run, reports: NDArray[np.int64], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "as is usual for EMAS, whose weights never settle"
    estimate = of_the_library(reports)
    assert estimate.outcome is not None
    for stop in Stop:
        ended = replace(estimate, outcome=replace(estimate.outcome, stop=stop, chosen=None))
        assert (said in _ending(ended)) == (stop is Stop.ITERATION_LIMIT)
        # what is chosen by evidence says that, and nothing of EMAS's weights
        chosen = replace(estimate, outcome=replace(estimate.outcome, stop=stop, chosen={"waves 1": 1.0}))
        assert _ending(chosen) == "chosen by evidence: waves 1 100.0%"
    assert _ending(replace(estimate, outcome=None)) == "one step, no rounds"
    # and what is said of it is shown
    monkeypatch.setattr("shufflegram.cli.estimate._ending", lambda estimate: "ended like this")
    assert "ended like this" in good("estimate", "plan.json", "all.csv").stdout


def test_each_step_is_seen_on_a_terminal(good: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = ("estimating", "finding the band", "drawing")
    quiet = good("estimate", "plan.json", "all.csv", "--plot", "1.png")
    assert quiet.stderr == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    result = good("estimate", "plan.json", "all.csv", "--plot", "2.png", "--json")
    assert all(step in result.stderr for step in steps)
    json.loads(result.stdout)


def test_the_help_claims_no_more_than_a_band_does(good: Run) -> None:
    said = " ".join(good("estimate", "--help").stdout.split())
    assert "on average over the domain" in said
    assert "smooth through the mechanism's window" in said
    assert "help(shufflegram.Estimate.band)" in said


def test_one_report_is_one_report(good: Run, folder: Path) -> None:
    from matplotlib import rc_context

    (folder / "one.csv").write_text("report\n3\n")
    with rc_context({"svg.fonttype": "none"}):
        good("estimate", "plan.json", "one.csv", "--plot", "one.svg")
    assert "1 user, too few for epsilon 4" in (folder / "one.svg").read_text()
