"""`reproduce`: lists what there is, and makes pages."""

import json
import os
from pathlib import Path

import pytest

from shufflegram import reproduction
from shufflegram.lab import data

from .conftest import Run

SPEC = """
name = "figure-users"
title = "A small one"
seed = 1
repetitions = 2
quick_repetitions = 2
delta = 1e-5
metrics = ["wasserstein"]

[axes]
data = ["income"]
protocols = ["asp", "ssw"]
accounting = ["published"]
epsilons = [1.0]
users = [5_000, 10_000]
bins = [32]
"""


@pytest.fixture
def small(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small experiment in the place of every figure."""
    spec = folder / "small.toml"
    spec.write_text(SPEC, encoding="utf-8")
    monkeypatch.setattr(reproduction, "specification", lambda name: spec)
    return folder


def test_it_lists_what_there_is(good: Run) -> None:
    text = good("reproduce").stdout
    for name in reproduction.names():
        assert name in text
        assert reproduction.title(name) in text
    assert json.loads(good("reproduce", "--json").stdout) == {n: reproduction.title(n) for n in reproduction.names()}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["figure-9"], "there is nothing to reproduce by the name 'figure-9'; there are figure-information, "),
        (["--quick"], "name what to reproduce, or all of it with --all"),
        (["--compact", "short"], "name what to reproduce, or all of it with --all"),
        (["figure-users", "--all"], "give a name or --all, and not both"),
        (["figure-users", "--quick", "--data-dir", "nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_done_is_one_line(run: Run, words: list[str], line: str) -> None:
    result = run("reproduce", *words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert line in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert data.FOLDER not in os.environ


def test_it_writes_a_page_and_an_index(good: Run, small: Path) -> None:
    base = ("reproduce", "figure-users", "--workers", "1", "--output", "pages")
    text = good(*base).stdout
    assert "as published: ASP is better than the other protocols" in text
    page = (small / "pages" / "figure-users.html").read_text(encoding="utf-8")
    assert "A small one" in page
    assert "CPS-based wages" in page  # where the data come from
    assert 'href="figure-users.html"' in (small / "pages" / "index.html").read_text(encoding="utf-8")
    answer = json.loads(good(*base, "--json").stdout)
    assert (small / "pages" / "figure-users.html").read_text(encoding="utf-8") == page
    (experiment,) = answer["experiments"]
    (claim,) = experiment["claims"]
    assert claim["condition"] == "as published"
    assert claim["verdict"] in ("holds", "holds in part", "does not hold", "cannot be told")


def test_the_short_form_is_a_page_for_each_and_a_list(good: Run, run: Run, small: Path) -> None:
    base = ("reproduce", "figure-users", "--workers", "1", "--output", "pages", "--compact", "short")
    good(*base)
    names = {path.name for path in (small / "short").iterdir()}
    assert {name for name in names if name.endswith(".md")} == {"README.md", "figure-users.md"}
    page = (small / "short" / "figure-users.md").read_text(encoding="utf-8")
    assert "CPS-based wages" in page
    assert "A small one" in (small / "short" / "README.md").read_text(encoding="utf-8")
    before = {path.name: path.read_bytes() for path in (small / "short").iterdir()}
    good(*base)  # its own list may be replaced
    assert {path.name: path.read_bytes() for path in (small / "short").iterdir()} == before
    (small / "README.md").write_text("mine", encoding="utf-8")
    result = run(*base[:-1], ".")
    assert result.exit_code == 2
    assert "README.md is there already and not from here; choose another folder with --compact" in result.stderr
    assert (small / "README.md").read_text(encoding="utf-8") == "mine"


def test_a_page_that_is_somebody_elses_is_not_lost(run: Run, small: Path) -> None:
    (small / "index.html").write_text("mine", encoding="utf-8")
    result = run("reproduce", "figure-users", "--workers", "1", "--output", ".")
    assert result.exit_code == 2
    assert "index.html is there already and not from here; choose another folder" in result.stderr
    assert (small / "index.html").read_text(encoding="utf-8") == "mine"
