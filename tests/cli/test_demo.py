"""`demo`: a whole collection, and everything that it shows."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import shufflegram as sg
from shufflegram.datasets import taxi

from .conftest import Run

STEPS = ("load the data", "plan and prove", "randomize", "shuffle", "count", "estimate", "band", "write files")


def test_the_demo_shows_everything_in_80_columns(good: Run, folder: Path) -> None:
    result = good("demo")
    text = result.stdout
    for said in (
        "100,000 honest reports",
        "promise",
        "replaced by any other",
        "█ estimate  • truth",
        "0        3        6        9       12       15       18       21       24",
        "hour of the day",
        "W1 ",
        *("25%", "50%", "75%"),
        *STEPS,
        *("plan.json", "estimate.csv", "estimate.png"),
    ):
        assert said in text, said
    assert all(len(line) <= 80 for line in text.splitlines())
    assert result.stderr == ""
    assert sorted(path.name for path in (folder / "shufflegram-demo").iterdir()) == [
        "estimate.csv",
        "estimate.png",
        "plan.json",
    ]


def test_the_demo_as_a_document(good: Run, folder: Path) -> None:
    arguments = ("demo", "--users", "20000", "--epsilon", "1", "--delta", "1e-7", "--output", "deep/er", "--json")
    answer = json.loads(good(*arguments).stdout)
    plan = sg.Plan.load(folder / "deep" / "er" / "plan.json")
    assert plan.to_dict() == answer["plan"]
    assert (plan.guarantee.users, plan.guarantee.epsilon, plan.guarantee.delta) == (20_000, 1.0, 1e-7)
    assert answer["data"]["users"] == 20_000
    assert list(answer["seconds"]) == list(STEPS)
    assert [Path(path).exists() for path in answer["files"]] == [True] * 3
    # what is in the files is what is said: W1 again, from the CSV file and the data
    with (folder / "deep" / "er" / "estimate.csv").open(newline="") as file:
        frequencies = [float(row["frequency"]) for row in csv.DictReader(file)]
    truth = plan.domain.histogram(taxi(20_000).values) / 20_000
    assert answer["wasserstein"] == pytest.approx(sg.metrics.wasserstein(truth, frequencies, circular=True))
    # a sound estimate is some twenty times nearer to the truth than an even distribution
    even = sg.metrics.wasserstein(truth, [1 / 512] * 512, circular=True)
    assert answer["wasserstein"] < even / 4
    for quantile in answer["quantiles_in_hours"]:
        assert quantile["error"] == pytest.approx(quantile["estimate"] - quantile["truth"])
        assert abs(quantile["error"]) < 1
        assert quantile["low"] < quantile["high"]


def test_only_its_own_folder_is_written_over(run: Run, good: Run, folder: Path) -> None:
    small = ("demo", "--users", "1000", "--epsilon", "2")
    for _ in range(2):
        good(*small)
    good(*small, "--output", "./shufflegram-demo")
    before = (folder / "plan.json").read_bytes()
    for output in (".", "shufflegram-demo/.."):
        result = run(*small, "--output", output)
        assert result.exit_code == 2
        assert result.stderr.endswith("plan.json exists already; choose another name, or replace it with --force\n")
        assert result.stderr.count("\n") == 1
    assert (folder / "plan.json").read_bytes() == before
    assert not (folder / "estimate.csv").exists()
    good(*small, "--output", ".", "--force")
    assert (folder / "plan.json").read_bytes() != before
    said = " ".join(good("demo", "--help").stdout.split())
    assert "in any other folder, only with --force" in said


def test_what_is_counted_was_shuffled(good: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from shufflegram import protocol
    from shufflegram.protocols.channel_analyzer import ChannelAnalyzer

    shuffled, counted = [], []
    shuffle, tally = protocol.shuffle, ChannelAnalyzer.tally

    def note_shuffle(reports: NDArray[np.int64]) -> NDArray[np.int64]:
        shuffled.append(shuffle(reports))
        return shuffled[-1]

    def note_tally(self: ChannelAnalyzer, reports: NDArray[np.int64]) -> protocol.Tally:
        counted.append(reports)
        return tally(self, reports)

    monkeypatch.setattr(protocol, "shuffle", note_shuffle)
    monkeypatch.setattr(ChannelAnalyzer, "tally", note_tally)
    good("demo", "--users", "1000", "--epsilon", "2")
    (mixed,), (seen,) = shuffled, counted
    assert seen is mixed


def test_the_true_quantiles_are_those_of_the_data(good: Run) -> None:
    answer = json.loads(good("demo", "--users", "1000", "--epsilon", "2", "--json").stdout)
    values = sorted(taxi(1_000).values.tolist())
    truths = [each["truth"] * 3600 for each in answer["quantiles_in_hours"]]
    assert truths == pytest.approx([values[249], values[499], values[749]])


def test_the_demo_without_the_letters_for_it(good: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    monkeypatch.setattr(Console, "encoding", property(lambda self: "ascii"))
    text = good("demo", "--users", "1000", "--epsilon", "2").stdout
    assert "# estimate  o truth" in text
    assert not set(text) & set("█▄•┤─│┴")


@pytest.mark.parametrize("users", ["0", "260001"])
def test_users_that_there_are_not(run: Run, folder: Path, users: str) -> None:
    result = run("demo", "--users", users)
    assert result.exit_code == 2
    assert "holds 1 to 260,000 users" in result.stderr
    assert not (folder / "shufflegram-demo").exists()


def test_a_failed_demo_leaves_no_folder(run: Run, folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    assert run("demo", "--users", "10", "--epsilon", "0.001", "--output", "deep/er").exit_code == 2
    assert sorted(folder.rglob("*")) == before
    # but one that was there before stays
    (folder / "mine").mkdir()
    assert run("demo", "--users", "10", "--epsilon", "0.001", "--output", "mine").exit_code == 2
    assert (folder / "mine").is_dir()


def test_a_failed_demo_leaves_no_part_of_its_files(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **settings: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fail)
    before = sorted(folder.rglob("*"))
    assert run("demo", "--users", "1000", "--epsilon", "2").exit_code == 2
    assert sorted(folder.rglob("*")) == before


def test_the_picture_says_which_band_it_shows(good: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    labels: list[str] = []

    def note(figure: Figure, *arguments: object, **settings: object) -> None:
        labels.extend(figure.axes[1].get_legend_handles_labels()[1])

    monkeypatch.setattr(Figure, "savefig", note)
    good("demo", "--users", "1000", "--epsilon", "2")
    assert "90% band (pointwise)" in labels
