"""The README's promises: its two commands exist, its Python runs, its links lead somewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import shufflegram

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_both_commands_stand_in_the_first_screen_and_are_tasks() -> None:
    first_screen = "\n".join(README.splitlines()[:20])
    runner = (ROOT / "task.py").read_text(encoding="utf-8")
    for task in ("demo", "test"):
        assert f"python3 task.py {task}" in first_screen
        assert f'"{task}": (' in runner


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_python_example_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (example,) = blocks("python")
    assert sum(bool(line.strip()) for line in example.splitlines()) <= 10
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})
    median, between, _ = (float(word) for word in capsys.readouterr().out.split()[:3])
    # what the data really are; at this budget the estimate is many times nearer than this
    hours = shufflegram.datasets.taxi(100_000).values / 3600
    assert median == pytest.approx(np.median(hours), abs=0.5)
    assert between == pytest.approx(np.mean((hours > 7) & (hours <= 9)), abs=0.03)


@pytest.mark.skipif(os.name == "nt", reason="the lines are for a shell of Unix")
def test_the_commands_run_in_order_beside_what_the_python_example_leaves(tmp_path: Path) -> None:
    commands = "".join(block for block in blocks("bash") if "shufflegram" in block)
    (example,) = blocks("python")
    (left,) = re.findall(r'\.save\("(.*?)"\)', example)
    (tmp_path / left).write_text("kept")
    # `python` and `shufflegram` are what an activated environment makes them
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, module in (("python", ""), ("shufflegram", "-m shufflegram")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
        (programs / name).chmod(0o755)
    assert all(line.split()[0] in ("python", "shufflegram") for line in commands.splitlines())
    surroundings = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-e", "-c", commands], cwd=tmp_path, env=surroundings, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / left).read_text() == "kept"
    assert (tmp_path / "estimate.png").stat().st_size > 5000
    # where they are is said before they are used
    assert README.index("source .venv/bin/activate") < README.index(example)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/paper_map.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            assert ((ROOT / page).parent / target).exists(), target


def test_the_paper_map_names_code_that_exists() -> None:
    table = (ROOT / "docs" / "paper_map.md").read_text(encoding="utf-8")
    source = ROOT / "src" / "shufflegram"
    named = re.findall(r"`((?:\w+/)*\w+\.py)(?:: ([\w., ]+))?`", table)
    assert len(named) > 20
    for file, attributes in named:
        text = (source / file).read_text(encoding="utf-8")
        for attribute in filter(None, re.split(r"[, ]+", attributes)):
            assert re.search(rf"(def|class) {attribute.split('.')[-1]}\b|^{attribute}\b", text, re.MULTILINE), attribute


def test_the_public_surface_is_pinned() -> None:
    assert set(shufflegram.__all__) == {
        "ContinuousSquareWave",
        "Domain",
        "Estimate",
        "Plan",
        "PrivacyWarning",
        "SecureSource",
        "SeededSource",
        "ShufflegramError",
        "SquareWave",
        "Tally",
        "__version__",
        "baselines",
        "datasets",
        "errors",
        "estimators",
        "extensions",
        "metrics",
        "plan",
        "predicted_error",
        "privacy",
        "protocols",
        "run_protocol",
        "shuffle",
    }
    for name in set(shufflegram.__all__) - {"__version__"}:
        assert getattr(shufflegram, name) is not None
    with pytest.raises(AttributeError, match="no attribute"):
        _ = shufflegram.nothing_of_the_kind
