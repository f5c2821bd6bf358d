"""What the commands' tests share: an empty folder to stand in, a small plan, and a way to run a command line."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import shufflegram as sg
from shufflegram.cli import main

USERS = 3_000
Run = Callable[..., Result]


@pytest.fixture(scope="session")
def made_plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan for numbers from 0 to 100 that hides little, so that its reports can be told apart."""
    path = tmp_path_factory.mktemp("plans") / "plan.json"
    sg.plan(sg.Domain(0, 100, bins=32, unit="percent"), users=USERS, epsilon=4, delta=1e-6).save(path)
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_plan: Path) -> Path:
    """An empty working folder with plan.json in it."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(made_plan, tmp_path / "plan.json")
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    """Runs a command line in that folder."""

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, [str(argument) for argument in arguments])

    return run


@pytest.fixture
def good(run: Run) -> Run:
    """Runs a command line that has to succeed."""

    def good(*arguments: str) -> Result:
        result = run(*arguments)
        assert result.exit_code == 0, result.output
        return result

    return good
