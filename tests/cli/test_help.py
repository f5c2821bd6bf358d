"""Help: it costs nothing, names every command, and its examples run as they stand."""

import itertools
import re
import shlex
import shutil
from pathlib import Path

import click
import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

import shufflegram as sg
from shufflegram import tables
from shufflegram.cli import main
from shufflegram.cli.program import COMMANDS
from shufflegram.datasets import taxi

from .conftest import Run


def help_of(*command: str) -> str:
    result = CliRunner().invoke(main, [*command, "--help"])
    assert result.exit_code == 0
    return result.stdout


def examples_in(page: str) -> list[str]:
    """The command lines under "Examples:", their continued lines joined."""
    _, _, block = page.partition("Examples:\n")
    joined = re.sub(r" \\\n +", " ", block)
    return [line.strip() for line in joined.splitlines() if line.strip()]


EXAMPLES = [example for page in ([], *([name] for name in COMMANDS)) for example in examples_in(help_of(*page))]


@pytest.fixture(scope="session")
def materials(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of every name that the examples read."""
    folder = tmp_path_factory.mktemp("materials")
    plan = sg.plan(taxi().domain, users=2_000, epsilon=2, delta=1e-6)
    plan.save(folder / "plan.json")
    shutil.copy(Path(__file__).resolve().parents[1] / "lab" / "small.toml", folder / "experiment.toml")
    seconds = taxi(2_000).values
    (folder / "values.csv").write_text("\n".join(["id,seconds", *(f"{i},{s}" for i, s in enumerate(seconds))]))
    parquet.write_table(pa.table({"id": np.arange(2_000), "seconds": seconds}), folder / "values.parquet")
    for name in ("reports.csv", "reports.parquet"):
        with tables.report_writer(folder / name, plan.digest) as write:
            write(plan.randomizer.randomize(seconds))
    return folder


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs_as_it_stands(
    example: str, materials: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, *words = shlex.split(example)
    assert program == "shufflegram"
    written = {after for word, after in itertools.pairwise(words) if word in ("--output", "--plot")}
    for word in words:
        if word not in written and (materials / word).exists():
            shutil.copy(materials / word, tmp_path)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    for name in written:
        assert (tmp_path / name).exists()


def test_every_command_has_examples_of_itself() -> None:
    assert len(EXAMPLES) >= 15
    for name in COMMANDS:
        examples = examples_in(help_of(name))
        assert len(examples) >= 2
        assert all(example.startswith(f"shufflegram {name}") for example in examples)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_the_same_of_itself_as_the_list(name: str) -> None:
    context = click.Context(main)
    command = main.get_command(context, name)
    assert command is not None
    assert command.name == name
    assert (command.help or "").split("\n")[0] == COMMANDS[name]
    assert f"{name} " in help_of()
    assert "--json" in help_of(name)


def test_no_command_is_help(run: Run) -> None:
    assert run().stdout == run("--help").stdout == run("-h").stdout
    assert run().exit_code == 0


def test_help_does_not_know_how_it_was_started() -> None:
    assert CliRunner().invoke(main, ["--help"], prog_name="__main__.py").stdout.startswith("Usage: shufflegram ")
