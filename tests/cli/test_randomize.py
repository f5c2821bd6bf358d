"""`randomize`: reports and nothing else, from the secure source, in the order of the rows or in none."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from pyarrow import parquet
from scipy import stats

import shufflegram as sg
from shufflegram import tables
from shufflegram.randomness import SecureSource

from .conftest import USERS, Run

# The first half of the users holds the one value, the second half the other; their windows are far apart.
ONE, OTHER = 5.0, 95.0
HALF = USERS // 2
FALSE_ALARM = 1e-9


@pytest.fixture(autouse=True)
def values(folder: Path) -> NDArray[np.float64]:
    values = np.repeat([ONE, OTHER], HALF)
    lines = [f"user{row},{value}" for row, value in enumerate(values)]
    (folder / "values.csv").write_text("\n".join(["name,share", *lines]))
    parquet.write_table(pa.table({"name": [f"user{row}" for row in range(USERS)], "share": values}), "values.parquet")
    return values


def reports_in(path: str) -> NDArray[np.int64]:
    column = tables.open_column(path, "report")
    return np.concatenate([batch.values for batch in column.batches()]).astype(np.int64)


def near(plan: sg.Plan, reports: NDArray[np.int64], value: float) -> NDArray[np.bool_]:
    """Which reports lie in the window of a value."""
    start = int(plan.domain.cells([value])[0])
    return (reports >= start) & (reports < start + wave_of(plan).window)


def wave_of(plan: sg.Plan) -> sg.SquareWave:
    assert isinstance(plan.mechanism, sg.SquareWave)
    return plan.mechanism


@pytest.mark.parametrize("source", ["values.csv", "values.parquet"])
@pytest.mark.parametrize("target", ["r.csv", "r.parquet"])
def test_only_reports_are_written_in_the_order_of_the_rows(good: Run, source: str, target: str) -> None:
    result = good("randomize", "plan.json", source, "--column", "share", "--output", target)
    assert "3,000 reports" in result.stdout
    assert "must be shuffled" in result.stdout
    content = Path(target).read_bytes()
    assert b"user" not in content
    if target == "r.parquet":
        assert parquet.read_schema(target).names == ["report"]
    plan, reports = sg.Plan.load("plan.json"), reports_in(target)
    assert reports.shape == (USERS,)
    # inside its window a report falls with probability w k q, exactly
    wave = wave_of(plan)
    inside = wave.window * wave.inside_weight / wave.total_weight
    least, most = stats.binom(HALF, inside).ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])
    assert least <= near(plan, reports[:HALF], ONE).sum() <= most
    assert least <= near(plan, reports[HALF:], OTHER).sum() <= most


def test_a_shuffled_file_has_no_order(good: Run) -> None:
    result = good("randomize", "plan.json", "values.csv", "--column", "share", "--shuffle")
    assert "must be shuffled" not in result.stdout
    plan, reports = sg.Plan.load("plan.json"), reports_in("reports.csv")
    found = near(plan, reports, ONE)
    # given how many reports are near the one value, those in the first half are a draw without replacement
    law = stats.hypergeom(USERS, int(found.sum()), HALF)
    least, most = law.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])
    assert least <= found[:HALF].sum() <= most
    # in the order of the rows nearly all would be there
    assert most < 0.7 * found.sum()


def test_many_batches_are_shuffled_together(good: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BATCH_ROWS", 100)
    good("randomize", "plan.json", "values.parquet", "--column", "share", "--shuffle", "--output", "r.csv")
    plan, reports = sg.Plan.load("plan.json"), reports_in("r.csv")
    found = near(plan, reports, ONE)
    least, most = stats.hypergeom(USERS, int(found.sum()), HALF).ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])
    assert reports.shape == (USERS,)
    assert least <= found[:HALF].sum() <= most


def test_no_two_runs_are_alike(good: Run) -> None:
    for target in ("a.csv", "b.csv"):
        good("randomize", "plan.json", "values.csv", "--column", "share", "--output", target)
    # each of 3,000 pairs of reports agrees by chance at most with the probability of the likeliest report
    assert not np.array_equal(reports_in("a.csv"), reports_in("b.csv"))


def test_every_draw_comes_from_the_secure_source(good: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, ordered = [], []
    draw, order = SecureSource.integers_below, SecureSource.order

    def note_draw(self: SecureSource, bound: int, size: int) -> NDArray[np.int64]:
        drawn.append(size)
        return draw(self, bound, size)

    def note_order(self: SecureSource, size: int) -> NDArray[np.intp]:
        ordered.append(size)
        return order(self, size)

    monkeypatch.setattr(SecureSource, "integers_below", note_draw)
    monkeypatch.setattr(SecureSource, "order", note_order)
    good("randomize", "plan.json", "values.csv", "--column", "share", "--shuffle")
    assert sum(drawn) == USERS
    assert ordered == [USERS]


def test_there_is_no_seed(run: Run) -> None:
    assert "seed" in run("randomize", "--help").stdout
    for option in ("--seed", "--simulation-seed"):
        assert run("randomize", "plan.json", "values.csv", "--column", "share", option, "1").exit_code == 2


def test_the_parquet_file_names_its_plan(good: Run) -> None:
    answer = json.loads(
        good("randomize", "plan.json", "values.parquet", "--column", "share", "--json").stdout,
    )
    digest = sg.Plan.load("plan.json").digest
    local_epsilon = sg.Plan.load("plan.json").guarantee.local_epsilon
    assert answer == {
        "reports": USERS,
        "output": "reports.parquet",
        "shuffled": False,
        "plan_digest": digest,
        "promise": {"epsilon": 4.0, "delta": 1e-6, "users": USERS, "local_epsilon": local_epsilon},
        "warnings": [],
    }
    assert tables.open_column("reports.parquet").digests == {digest}


def test_people_are_told_what_the_plan_promises(good: Run) -> None:
    sg.plan(sg.Domain(0, 100, bins=32), users=USERS, epsilon=1, delta=1e-6).save("strong.json")
    text = good("randomize", "strong.json", "values.csv", "--column", "share").stdout
    (line,) = [line for line in text.splitlines() if "promises" in line]
    assert "epsilon 1, delta 1e-06 among 3,000 honest reports" in line
    shown = float(line.rpartition("local epsilon ")[2].rstrip("."))
    exact = sg.Plan.load("strong.json").guarantee.local_epsilon
    assert exact <= shown < 1.01 * exact
    # the same digits wherever a plan's local epsilon is shown
    assert f"local epsilon {shown:g}" in sg.Plan.load("strong.json").summary()
    assert f"local epsilon  {shown:g} " in good("privacy", "strong.json").stdout


def test_a_weak_promise_is_said_to_be_one(good: Run) -> None:
    with pytest.warns(sg.PrivacyWarning):
        sg.plan(sg.Domain(0, 100, bins=32), users=USERS, epsilon=1, delta=1e-3).save("weak.json")
    result = good("randomize", "weak.json", "values.csv", "--column", "share", "--json")
    assert result.stderr.startswith("shufflegram: warning: delta 0.001 is above 1/n")
    assert len(json.loads(result.stdout)["warnings"]) == 1


def test_a_whole_collection_that_is_too_small_is_said_to_be(good: Run, folder: Path) -> None:
    (folder / "few.csv").write_text("share\n" + "50\n" * (USERS - 1))
    said = "the guarantee needs 3,000 reports, here are 2,999: it does not hold for them"
    result = good("randomize", "plan.json", "few.csv", "--shuffle", "--json")
    assert result.stderr.startswith(f"shufflegram: warning: {said}")
    assert [warning.startswith(said) for warning in json.loads(result.stdout)["warnings"]] == [True]
    # not shuffled, the file may be a part of the collection
    assert good("randomize", "plan.json", "few.csv", "--force").stderr == ""
    # and as many as are needed are enough
    assert good("randomize", "plan.json", "values.csv", "--column", "share", "--shuffle", "--force").stderr == ""


def test_one_report_is_one_report(good: Run, folder: Path) -> None:
    (folder / "one.csv").write_text("share\n50\n")
    assert good("randomize", "plan.json", "one.csv").stdout.startswith("1 report written")


@pytest.mark.parametrize("target", ["values.csv", "link.csv", "./values.csv"])
def test_an_input_is_not_written_over_even_by_force(run: Run, folder: Path, target: str) -> None:
    (folder / "link.csv").symlink_to("values.csv")
    before = (folder / "values.csv").read_bytes()
    result = run("randomize", "plan.json", "values.csv", "--column", "share", "--output", target, "--force")
    assert result.exit_code == 2
    assert result.stderr == f"shufflegram: error: {Path(target)} is one of the inputs and would be lost; " + (
        "choose another name\n"
    )
    assert (folder / "values.csv").read_bytes() == before
    assert (folder / "link.csv").is_symlink()


def test_reports_are_not_randomized_again(run: Run, good: Run, folder: Path) -> None:
    (folder / "parts").mkdir()
    good("randomize", "plan.json", "values.csv", "--column", "share", "--output", "parts/r.parquet")
    for source in ("parts", "parts/r.parquet"):
        result = run("randomize", "plan.json", source, "--output", "again.csv")
        assert result.exit_code == 2
        assert f"{source} holds reports already" in result.stderr
    assert not (folder / "again.csv").exists()


def test_help_knows_folders(good: Run) -> None:
    for command in ("randomize", "estimate"):
        said = " ".join(good(command, "--help").stdout.split())
        assert "of .parquet files" in said.replace("Parquet", ".parquet")
        assert "in folders inside" in said


def test_a_folder_of_parquet_files(good: Run, folder: Path) -> None:
    (folder / "parts").mkdir()
    for part in range(3):
        parquet.write_table(pa.table({"v": [float(part)] * 10}), folder / "parts" / f"{part}.parquet")
    good("randomize", "plan.json", "parts")
    assert reports_in("reports.parquet").shape == (30,)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("9876.5", "the value in row 7 below the header lies outside the domain [0, 100]"),
        ("-9876.5", "row 7 below the header lies outside the domain"),
        ("9876.5x", "the entry in row 7 below the header is no number"),
        ("", "there is no value in row 7"),
        ("9876.5,6", "row 7 below the header of bad.csv has not one entry for each name (entries: 2, names: 1)"),
    ],
)
def test_a_bad_row_leaves_nothing_behind_and_shows_nothing(run: Run, folder: Path, bad: str, said: str) -> None:
    (folder / "bad.csv").write_text("\n".join(["share", *["50"] * 6, bad or '""', *["50"] * 6]))
    (folder / "reports.csv").write_text("kept")
    before = sorted(folder.iterdir())
    result = run("randomize", "plan.json", "bad.csv", "--force")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert said in result.stderr
    assert "9876" not in result.stderr
    assert result.stderr.count("\n") == 1
    assert sorted(folder.iterdir()) == before
    assert (folder / "reports.csv").read_text() == "kept"


def test_a_late_bad_row_is_named_by_its_place_in_the_file(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BATCH_ROWS", 100)
    values = np.full(1_000, 50.0)
    values[776] = 1234.5
    parquet.write_table(pa.table({"share": values}), "bad.parquet")
    result = run("randomize", "plan.json", "bad.parquet")
    assert "row 777 of bad.parquet lies outside the domain" in result.stderr
    assert not (folder / "reports.parquet").exists()


def test_values_outside_are_taken_where_the_plan_says_so(good: Run, folder: Path) -> None:
    domain = sg.Domain(0, 100, bins=32, outside="clamp")
    sg.plan(domain, users=USERS, epsilon=4, delta=1e-6).save("clamping.json")
    (folder / "wide.csv").write_text("share\n-5\n1e9\n50\n")
    good("randomize", "clamping.json", "wide.csv")
    assert reports_in("reports.csv").shape == (3,)
