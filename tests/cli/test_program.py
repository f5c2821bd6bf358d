"""The program as it is really started: its version, its pipes, and Ctrl-C."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from shufflegram.cli.program import _ending_signals_raised

from .conftest import USERS

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-m", "shufflegram")


def start(*arguments: str, **surroundings: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **surroundings},
        encoding="utf-8",
    )


def test_the_version_is_the_projects(folder: Path) -> None:
    done = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert done.stdout == f"shufflegram {version}\n"
    assert (done.returncode, done.stderr) == (0, "")


def test_the_steps_of_a_collection_follow_one_another(folder: Path) -> None:
    (folder / "values.csv").write_text("\n".join(["share", *(str(10 + row % 50) for row in range(USERS))]))
    steps = (
        ("plan", *f"--low 0 --high 100 --bins 32 --users {USERS} --epsilon 2 --delta 1e-6 --output new.json".split()),
        ("randomize", "new.json", "values.csv", "--shuffle", "--output", "reports.parquet"),
        ("estimate", "new.json", "reports.parquet", "--json"),
    )
    outputs = []
    for step in steps:
        done = subprocess.run([*PROGRAM, *step], capture_output=True, text=True, encoding="utf-8")
        assert (done.returncode, done.stderr) == (0, "")
        outputs.append(done.stdout)
    # values evenly on 10 .. 59: a sound estimate of the median lies well within 8 of 35
    assert json.loads(outputs[-1])["quantiles"][1]["value"] == pytest.approx(35, abs=8)


def test_a_wrong_flag_is_one_line(folder: Path) -> None:
    done = subprocess.run([*PROGRAM, "privacy", "plan.json", "--wrong"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("shufflegram: error: No such option '--wrong'")


@pytest.mark.parametrize(
    ("sent", "shuffled"),
    [
        (signal.SIGINT, []),
        (signal.SIGINT, ["--shuffle"]),
        (signal.SIGTERM, []),
        (signal.SIGTERM, ["--shuffle"]),
        (signal.SIGHUP, []),
    ],
)
def test_an_interruption_is_one_line_and_leaves_nothing(
    folder: Path, sent: signal.Signals, shuffled: list[str]
) -> None:
    # tens of millions of rows: many seconds of work, and a small file, as all are alike
    rows = pa.table({"share": np.full(1_000_000, 50.0)})
    with parquet.ParquetWriter("long.parquet", rows.schema) as writer:
        for _ in range(100):
            writer.write_table(rows)
    before = sorted(folder.iterdir())
    running = start("randomize", "plan.json", "long.parquet", "--output", "reports.csv", *shuffled)
    deadline = time.monotonic() + 60
    while running.poll() is None and time.monotonic() < deadline:
        # the file that is being written shows that the work has begun
        if any(path.suffix == ".part" for path in folder.iterdir()):
            break
        time.sleep(0.02)
    assert running.poll() is None
    running.send_signal(sent)
    output, complaint = running.communicate(timeout=60)
    # A Python that is interrupted while it executes a string (an import may) ends by the signal itself, which a shell
    # reports as 128 + 2 just the same.
    codes = {signal.SIGINT: (130, -signal.SIGINT), signal.SIGTERM: (143,), signal.SIGHUP: (129,)}
    assert running.returncode in codes[sent]
    assert output == ""
    assert complaint == "shufflegram: interrupted: nothing was left half done\n"
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("name", ["values.csv", "values.parquet"])
def test_nothing_is_imported_that_swallows_interruptions(folder: Path, name: str) -> None:
    # pandas is installed here, and Arrow would import it where it may
    if name == "values.csv":
        Path(name).write_text("share\n" + "50\n" * USERS)
    else:
        parquet.write_table(pa.table({"share": np.full(USERS, 50.0)}), name)
    arguments = ("randomize", "plan.json", name, "--shuffle", "--output", "reports.parquet")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *PROGRAM[1:], *arguments], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "| pyarrow" in re.sub(" +", " ", done.stderr)
    assert "| pandas" not in re.sub(" +", " ", done.stderr)


def test_a_reader_that_leaves_is_no_error(folder: Path) -> None:
    running = start("privacy", "plan.json")
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    complaint = running.stderr.read()
    running.stderr.close()
    running.wait(timeout=60)
    assert "Traceback" not in complaint


def test_a_terminal_without_unicode_is_served(folder: Path) -> None:
    (folder / "reports.csv").write_text("report\n" + "3\n" * USERS)
    running = start("estimate", "plan.json", "reports.csv", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    output, complaint = running.communicate(timeout=60)
    assert (running.returncode, complaint) == (0, "")
    assert "# estimate" in output


def test_what_is_ignored_stays_ignored(folder: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with _ending_signals_raised():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


PLAN = f"plan --low 0 --high 100 --bins 32 --users {USERS} --epsilon 2 --delta 1e-6".split()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("arguments", [PLAN, [*PLAN, "--json"], ["--help"], ["--version"]])
def test_an_output_that_is_full_is_one_line(folder: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "shufflegram: error: No space left on device\n")


def test_an_output_that_is_closed_is_one_line(folder: Path) -> None:
    command = 'exec "$@" >&-'
    done = subprocess.run(["sh", "-c", command, "sh", *PROGRAM, *PLAN], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "shufflegram: error: the standard output is closed; send it to a file or to another program\n"
    )
