"""`simulate`: the errors that the protocol has on known data, the same for the same seed."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shufflegram as sg
from shufflegram import metrics

from .conftest import USERS, Run

PROTOCOL = ["--low", "0", "--high", "86400", "--bins", "64", "--users", "5000", "--epsilon", "1", "--delta", "1e-6"]


@pytest.fixture(autouse=True)
def values(folder: Path) -> None:
    numbers = np.clip(np.random.default_rng(8).normal(40, 10, 2 * USERS), 0, 100)
    (folder / "values.csv").write_text("\n".join(["id,share", *(f"{i},{value}" for i, value in enumerate(numbers))]))


def simulated(good: Run, *arguments: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(good("simulate", *arguments, "--json").stdout)
    return record


def test_a_seed_repeats_a_run_and_another_does_not(good: Run) -> None:
    base = ("plan.json", "--data", "values.csv", "--column", "share", "--repetitions", "3", "--simulation-seed")
    first, again, other = (simulated(good, *base, seed)["errors"] for seed in ("5", "5", "6"))
    assert first == again
    assert first != other


def test_the_errors_are_those_of_a_repetition(good: Run, folder: Path) -> None:
    # all values take part, so the truth is their histogram
    size = str(2 * USERS)
    record = simulated(
        good, "plan.json", "--data", "values.csv", "--column", "share", "--sample", size, "--repetitions", "2"
    )
    plan = sg.Plan.load("plan.json")
    numbers = np.loadtxt(folder / "values.csv", delimiter=",", skiprows=1)[:, 1]
    counts = plan.domain.histogram(numbers)
    for repetition, seed in enumerate(np.random.SeedSequence(0).generate_state(2, np.uint64)):
        found = plan.analyzer.estimate(plan.protocol.simulate(counts, int(seed))).frequencies
        expected = {
            "wasserstein": metrics.wasserstein(counts / counts.sum(), found),
            "range_0.2": metrics.range_query_error(counts / counts.sum(), found, 0.2),
            "range_0.4": metrics.range_query_error(counts / counts.sum(), found, 0.4),
            "quantile": metrics.quantile_error(counts / counts.sum(), found),
        }
        assert {name: error["values"][repetition] for name, error in record["errors"].items()} == expected
    errors = record["errors"]["wasserstein"]
    assert errors["mean"] == pytest.approx(np.mean(errors["values"]))
    assert errors["standard_deviation"] == pytest.approx(np.std(errors["values"], ddof=1))


def test_as_many_take_part_as_are_planned_for(good: Run, run: Run) -> None:
    base = ("plan.json", "--data", "values.csv", "--column", "share", "--repetitions", "1")
    assert simulated(good, *base)["users"] == USERS
    assert simulated(good, *base, "--sample", "4000")["users"] == 4_000
    few = run("simulate", *base, "--sample", "100", "--json")
    assert few.stderr == ("shufflegram: warning: 100 values take part, but the promise is for 3,000 honest reports\n")
    assert json.loads(few.stdout)["errors"]["wasserstein"]["standard_deviation"] is None


@pytest.mark.parametrize("protocol", sg.protocols.names())
@pytest.mark.parametrize("accounting", ["published", "exact"])
def test_every_protocol_of_the_registry_under_both_accountings(good: Run, protocol: str, accounting: str) -> None:
    record = simulated(
        good, "--protocol", protocol, "--accounting", accounting, "--data", "taxi", "--repetitions", "1", *PROTOCOL
    )
    assert record["protocol"] == protocol
    assert record["accounting"] == accounting
    assert record["users"] == 5_000
    wave = "square_wave" if accounting == "exact" else "continuous_square_wave"
    assert record["mechanism"]["kind"] == {"flip": "flip", "pure": "pure"}.get(protocol.partition("-")[0], wave)


def test_bundled_data_bring_their_domain(good: Run) -> None:
    options = [
        "--protocol",
        "asp",
        "--data",
        "taxi",
        "--repetitions",
        "1",
        "--users",
        "5000",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
    ]
    record = simulated(good, *options)
    assert record["domain"]["circular"] is True
    assert record["domain"]["bins"] == 512


@pytest.mark.parametrize("name", [name for name in sg.datasets.DATASETS if name != "taxi"])
def test_every_data_set_by_name(good: Run, name: str) -> None:
    options = ["--protocol", "asp", "--users", "5000", "--epsilon", "1", "--delta", "1e-6", "--repetitions", "1"]
    column = ("--column", "pensions") if name == "income_types" else ()
    data = sg.datasets.load(name)
    record = simulated(good, "--data", name, *column, *options)
    assert record["domain"] == data.domain.to_dict()
    assert record["users"] == 5_000
    assert 0 < record["errors"]["wasserstein"]["mean"] < 0.1
    assert name in good("simulate", "--help").stdout


def test_a_folder_of_data_takes_the_place_of_the_bundled(good: Run, folder: Path) -> None:
    amounts = np.random.default_rng(1).integers(0, 60_000, 6_000)
    (folder / "Employee_Compensation.csv").write_text("\n".join(["Retirement", *map(str, amounts)]))
    options = ["--protocol", "asp", "--users", "9000", "--epsilon", "1", "--delta", "1e-6", "--repetitions", "1"]
    record = simulated(good, "--data", "retirement", "--data-dir", ".", *options)
    # all that there are; the bundled data would have had 9,000
    assert record["users"] == 6_000


def test_more_users_do_better(good: Run) -> None:
    base = ("plan.json", "--data", "values.csv", "--column", "share", "--repetitions", "5", "--sample")
    few, many = (simulated(good, *base, size)["errors"]["wasserstein"]["mean"] for size in ("100", "6000"))
    assert many < few / 2


def test_people_see_means_and_spreads(good: Run) -> None:
    text = good("simulate", "plan.json", "--data", "values.csv", "--column", "share", "--repetitions", "2").stdout
    assert "W1" in text
    assert "standard deviation" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_long_work_is_seen_to_go_on(good: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from shufflegram.cli import progress

    base = ("simulate", "plan.json", "--data", "values.csv", "--column", "share", "--repetitions", "3", "--json")
    assert "simulating" not in good(*base).stderr
    # as on a terminal, and for somebody without patience
    monkeypatch.setattr(progress, "PATIENCE", -1)
    monkeypatch.setenv("FORCE_COLOR", "1")
    result = good(*base)
    assert "simulating" in result.stderr
    assert "reading" in result.stderr
    json.loads(result.stdout)
