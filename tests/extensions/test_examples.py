"""The examples of the documentation run, and what they print can be read."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "extensions.md").read_text(encoding="utf-8")


def example(name: str) -> ModuleType:
    specification = importlib.util.spec_from_file_location(name, ROOT / "docs" / "examples" / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_the_kernel_density_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "density.png"
    example("kernel_density").main([str(picture), "--functions", "8", "--grid", "10"])
    assert picture.read_bytes().startswith(b"\x89PNG")
    said = capsys.readouterr().out
    everything, _ = re.findall(r"hashed - exact ([.\d]+), private - exact ([.\d]+), private - hashed ([.\d]+)", said)
    chance, total, noise = map(float, everything)
    # the triangle inequality, in four digits
    assert 0 < noise < 0.05
    assert total <= chance + noise + 2e-4


def test_the_marginals_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    example("marginals").main(
        ["--epsilons=1", "--users=20000", "--bins=32", "--attributes=3", "--edges", "32", "16", "--repetitions=1"]
    )
    said = capsys.readouterr().out
    assert "20,000 users, 3 attributes, 32 bins, asp" in said
    pairs = [float(each) for each in re.findall(r": ([-.e\d]+) and ", said)]
    assert len(pairs) == 3
    # knowing nothing is ten times as far off
    assert all(0 < each < 0.03 for each in pairs)


def test_the_pages_code_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "extensions.md", "exec"), {})
        assert capsys.readouterr().out


def test_links_and_commands_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
    commands = re.findall(r"python (docs/[\w/]+\.py)", PAGE)
    assert len(commands) >= 2
    for script in commands:
        assert (ROOT / script).exists(), script
