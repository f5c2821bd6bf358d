"""The README's promises: its two commands exist, its Python runs, its links lead somewhere."""

import os
import re
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


def test_the_python_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert sum(bool(line.strip()) for line in example.splitlines()) <= 10
    hours = np.mod(np.random.default_rng(1).normal(8, 2, 100_000), 24)
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        names: dict[str, object] = {"values": hours}
        exec(compile(example, "README.md", "exec"), names)
    finally:
        os.chdir(before)
    median, between, mean = (float(word) for word in capsys.readouterr().out.split()[:3])
    # the normal distribution around 8 with deviation 2: a third between 7 and 9 is .383; counted from midnight
    assert median == pytest.approx(8, abs=0.2)
    assert mean == pytest.approx(8, abs=0.2)
    assert between == pytest.approx(0.383, abs=0.03)


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
        "datasets",
        "errors",
        "estimators",
        "metrics",
        "plan",
        "privacy",
        "protocols",
        "run_protocol",
        "shuffle",
    }
    for name in set(shufflegram.__all__) - {"__version__"}:
        assert getattr(shufflegram, name) is not None
    with pytest.raises(AttributeError, match="no attribute"):
        _ = shufflegram.nothing_of_the_kind
