"""The same numbers to the bit however an experiment is run, and nothing is measured twice."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from shufflegram import lab, metrics
from shufflegram.errors import ExperimentError, InfeasibleError, InputError
from shufflegram.lab import blocks, contenders, data, runner
from shufflegram.privacy.budget import Budget
from shufflegram.protocols import registry

from .conftest import SPEC, changed, measured, table

# seconds; only to end a test that would never end
PATIENCE = 120
PROGRAM = (sys.executable, "-m", "shufflegram", "experiment", str(SPEC))


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small experiment, run by one process from end to end."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    experiment = lab.Experiment.load(SPEC)
    assert len(measured(experiment, folder)) == 4 * 100
    table(experiment, folder)
    return folder


@pytest.fixture
def copied(uninterrupted: Path, tmp_path: Path) -> Path:
    """The same finished blocks in a folder of one's own."""
    for path in uninterrupted.glob("blocks/*/*"):
        target = tmp_path / path.relative_to(uninterrupted)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return tmp_path


def started(folder: Path) -> "subprocess.Popen[str]":
    """The experiment in a program of its own with two workers, which has just finished the first of its 20 blocks."""
    running = subprocess.Popen(
        [*PROGRAM, "--output", str(folder), "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + PATIENCE
    while running.poll() is None and not any(folder.glob("blocks/*/*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.005)
    assert running.poll() is None
    return running


def a_block_in(folder: Path) -> Path:
    return min(folder.glob("blocks/*/*.parquet"))


def test_two_workers_find_the_same_bits_as_one(uninterrupted: Path, tmp_path: Path) -> None:
    experiment = lab.Experiment.load(SPEC)
    measured(experiment, tmp_path, workers=2)
    assert table(experiment, tmp_path) == (uninterrupted / runner.RESULTS).read_bytes()
    other = changed("seed = 1", "seed = 2")
    measured(other, tmp_path, quick=True)
    assert table(other, tmp_path, quick=True) != table(experiment, tmp_path, quick=True)


def test_a_row_is_one_cell_one_repetition_one_metric(uninterrupted: Path, experiment: lab.Experiment) -> None:
    found = parquet.read_table(uninterrupted / runner.RESULTS)
    rows = found.to_pylist()
    assert len(rows) == 4 * 100 * 2
    row = rows[-1]
    assert list(row) == found.column_names
    cell = experiment.cells()[-1]
    # the last one, measured the long way round
    domain, histogram = cell.crowd
    protocol = registry.build("ssw", domain, Budget(1.0, 1e-6, 2000), "exact")
    estimate = protocol.analyzer.estimate(protocol.simulate(histogram, cell.seed_of(99)))
    assert row.pop("value") == metrics.wasserstein(histogram / 2000, estimate.frequencies)
    assert row == {
        "experiment": "small",
        "data": "uniform",
        "protocol": "ssw",
        "accounting": "exact",
        "epsilon": 1.0,
        "delta": 1e-6,
        "users": 2000,
        "bins": 16,
        "estimator": "own",
        "repetition": 99,
        "metric": "wasserstein",
    }
    provenance = json.loads(found.schema.metadata[runner.PROVENANCE])
    assert provenance["spec"] == SPEC.read_text(encoding="utf-8")
    assert provenance["versions"]["numpy"] == np.__version__


def test_what_is_finished_is_not_done_again(copied: Path, experiment: lab.Experiment) -> None:
    before = {path: path.stat().st_mtime_ns for path in copied.glob("blocks/*/*")}
    assert measured(experiment, copied) == []
    assert {path: path.stat().st_mtime_ns for path in copied.glob("blocks/*/*")} == before


def test_a_quick_run_is_the_beginning_of_a_full_one(
    uninterrupted: Path, tmp_path: Path, experiment: lab.Experiment
) -> None:
    quick = measured(experiment, tmp_path, quick=True)
    assert len(quick) == 4 * 3
    first = parquet.read_table(lab.gather(lab.prepare(experiment, tmp_path, quick=True))).to_pylist()
    full = parquet.read_table(uninterrupted / runner.RESULTS).to_pylist()
    assert first == [row for row in full if row["repetition"] < 3]
    rest = measured(experiment, tmp_path)
    assert len(rest) == 4 * 97
    assert not set(rest) & set(quick)
    assert table(experiment, tmp_path) == (uninterrupted / runner.RESULTS).read_bytes()


def test_another_axis_or_metric_keeps_what_there_is(copied: Path) -> None:
    assert measured(changed('"quantile"', '"range_0.2"'), copied) == []
    assert len(measured(changed("[0.5, 1]", "[1, 0.5, 2]"), copied)) == 2 * 100


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def swap(path: Path) -> None:
    """A sound block of another cell."""
    path.write_bytes(max(path.parents[1].glob("*/*.parquet")).read_bytes())


@pytest.mark.parametrize("damage", [cut_short, empty, swap])
def test_a_damaged_block_is_done_again(
    copied: Path, uninterrupted: Path, experiment: lab.Experiment, damage: Callable[[Path], None]
) -> None:
    block = a_block_in(copied)
    damage(block)
    work = lab.prepare(experiment, copied)
    assert work.damaged == 1
    assert [missing.path(copied) for missing in work.missing] == [block]
    with pytest.raises(ExperimentError, match="are not finished; run the experiment again"):
        lab.gather(work)
    list(lab.carry_out(work, 1))
    assert table(experiment, copied) == (uninterrupted / runner.RESULTS).read_bytes()


def test_a_changed_bit_never_becomes_another_number(tmp_path: Path, experiment: lab.Experiment) -> None:
    measured(experiment, tmp_path, quick=True)
    cell = experiment.cells()[0]
    path = next(blocks.folder_of(cell, tmp_path).glob("*"))
    whole, content = blocks.read(path, cell), path.read_bytes()
    assert whole is not None
    refused = 0
    for place in range(0, len(content), 4):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1 << place % 7]) + content[place + 1 :])
        found = blocks.read(path, cell)
        # some bits say nothing, such as those of the column's smallest and largest number
        assert found in (None, whole)
        refused += found is None
    assert refused > len(content) / 4 / 2


def test_numbers_of_other_versions_are_not_mixed_in(
    copied: Path, experiment: lab.Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "versions", lambda: {"numpy": "1.0"})
    assert lab.prepare(experiment, copied).to_do == 4 * 100


def test_what_was_begun_long_ago_is_cleared_away(copied: Path, experiment: lab.Experiment) -> None:
    old, new = (a_block_in(copied).with_name(f".shufflegram-{name}.part") for name in ("old", "new"))
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    lab.prepare(experiment, copied)
    assert not old.exists()
    # it may be that of another process, which is about to finish it
    assert new.exists()


@pytest.mark.parametrize("everyone", [True, False], ids=["all processes", "the parent alone"])
def test_killed_in_the_middle_it_goes_on_to_the_same_bits(
    uninterrupted: Path, tmp_path: Path, experiment: lab.Experiment, everyone: bool
) -> None:
    running = started(tmp_path)
    if everyone:
        os.killpg(running.pid, signal.SIGKILL)
    else:
        running.kill()
    # both pipes are closed when the workers have ended too, which they do by themselves
    running.communicate(timeout=PATIENCE)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("blocks/*/*.parquet")}
    assert 0 < lab.prepare(experiment, tmp_path).to_do < 4 * 100
    measured(experiment, tmp_path)
    assert kept.items() <= {path: path.stat().st_mtime_ns for path in tmp_path.glob("blocks/*/*.parquet")}.items()
    assert table(experiment, tmp_path) == (uninterrupted / runner.RESULTS).read_bytes()


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_is_one_line_that_says_what_is_kept(
    tmp_path: Path, experiment: lab.Experiment, sent: signal.Signals, code: int
) -> None:
    running = started(tmp_path)
    # as a terminal does it: to every process
    os.killpg(running.pid, sent)
    output, complaint = running.communicate(timeout=PATIENCE)
    assert (running.returncode, output) == (code, "")
    said = re.fullmatch(
        r"shufflegram: interrupted: (\d+) of 400 repetitions are kept in (.*); the same command goes on from there\n",
        complaint,
    )
    assert said is not None, complaint
    assert said[2] == str(tmp_path)
    # a block that was finished in the last moment may not have been heard of
    assert int(said[1]) <= 400 - lab.prepare(experiment, tmp_path).to_do < 400


def test_what_no_parameters_fit_is_a_result(
    tmp_path: Path, experiment: lab.Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(name: str, *others: object) -> object:
        if name == "ssw":
            raise InfeasibleError("no such parameters; more users would do")
        return real(name, *others)  # type: ignore[arg-type]

    real = registry.build
    contenders.built.cache_clear()
    monkeypatch.setattr(registry, "build", build)
    measured(experiment, tmp_path, quick=True)
    # finished as well, not tried again and again
    assert measured(experiment, tmp_path, quick=True) == []
    results = lab.gather(lab.prepare(experiment, tmp_path, quick=True))
    rows = parquet.read_table(results).to_pylist()
    assert {(row["protocol"], row["value"] is None) for row in rows} == {("asp", False), ("ssw", True)}
    reasons = lab.infeasible_cells(results)
    assert set(reasons.values()) == {"no such parameters; more users would do"}
    assert len(reasons) == 2


def test_what_a_protocol_cannot_do_is_a_result_too(tmp_path: Path) -> None:
    on_a_circle = changed('data = ["uniform"]', 'data = ["taxi"]\ncircular = true')
    on_a_circle = dataclasses.replace(on_a_circle, accounting=("published",))
    measured(on_a_circle, tmp_path, quick=True, workers=2)
    reasons = lab.infeasible_cells(lab.gather(lab.prepare(on_a_circle, tmp_path, quick=True)))
    assert len(reasons) == 4
    for cell, reason in reasons.items():
        assert "(published) on taxi" in cell
        assert "is for a line" in reason


def test_what_goes_wrong_names_its_cell(
    tmp_path: Path, experiment: lab.Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(*given: object) -> object:
        raise InputError("something is wrong")

    contenders.built.cache_clear()
    monkeypatch.setattr(registry, "build", build)
    with pytest.raises(ExperimentError, match=r"\(exact\) on uniform, .*, 16 bins: something is wrong"):
        measured(experiment, tmp_path)


def test_numbers_of_other_data_stand_beside_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that forgets its folder of data does not cost what was finished with it."""
    amounts = "".join(f"{amount}\n" for amount in range(20_000, 40_000, 5))
    (tmp_path / "Employee_Compensation.csv").write_text(f"Retirement\n{amounts}")
    experiment = lab.Experiment.from_text(SPEC.read_text(encoding="utf-8").replace('"uniform"', '"retirement"'))
    monkeypatch.setenv(data.FOLDER, str(tmp_path))
    measured(experiment, tmp_path / "results", quick=True)
    with_folder = table(experiment, tmp_path / "results", quick=True)
    monkeypatch.delenv(data.FOLDER)
    assert len(measured(experiment, tmp_path / "results", quick=True)) == 4 * 3
    assert table(experiment, tmp_path / "results", quick=True) != with_folder
    monkeypatch.setenv(data.FOLDER, str(tmp_path))
    work = lab.prepare(experiment, tmp_path / "results", quick=True)
    assert (work.to_do, work.damaged) == (0, 0)
    assert table(experiment, tmp_path / "results", quick=True) == with_folder


@pytest.mark.parametrize("workers", [0, -1, 1.5, True])
def test_workers_are_a_whole_number(tmp_path: Path, experiment: lab.Experiment, workers: int) -> None:
    with pytest.raises(ExperimentError, match="workers must be a whole number, at least 1"):
        measured(experiment, tmp_path, workers=workers)


def test_workers_that_are_used_again_read_the_data_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One process, first with data from a folder, which its workers inherit, then with the bundled ones."""
    amounts = "".join(f"{amount}\n" for amount in range(20_000, 40_000, 5))
    (tmp_path / "Employee_Compensation.csv").write_text(f"Retirement\n{amounts}")
    experiment = lab.Experiment.from_text(SPEC.read_text(encoding="utf-8").replace('"uniform"', '"retirement"'))
    monkeypatch.setenv(data.FOLDER, str(tmp_path))
    for folder in ("elsewhere", "bundled"):
        done = list(lab.carry_out(lab.prepare(experiment, tmp_path / folder, quick=True), workers=2))
        # blocks are stamped with their data: those of other data would be missing again
        left = lab.prepare(experiment, tmp_path / folder, quick=True)
        assert (len(done), left.to_do, left.damaged) == (4, 0, 0)
        monkeypatch.delenv(data.FOLDER, raising=False)


def test_workers_that_are_used_again_write_where_the_run_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One process that moves between two runs into folders named from where it is."""
    experiment = lab.Experiment.load(SPEC)
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        list(lab.carry_out(lab.prepare(experiment, "results", quick=True), workers=2))
        assert lab.prepare(experiment, tmp_path / name / "results", quick=True).to_do == 0
