"""The wheel: what is in it, and that it runs in an empty environment far from the sources."""

import os
import subprocess
import sys
import tomllib
import venv
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

pytestmark = pytest.mark.wheel

# How pip says that it reached no index, as against an index that does not have what it was asked for.
NO_INDEX = ("from versions: none", "Failed to establish a new connection", "Temporary failure in name resolution")


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program in a folder, without the surroundings that would lead it back to the sources."""
    surroundings = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built by the pinned backend."""
    folder = tmp_path_factory.mktemp("dist")
    done = run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)], folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an empty environment into which the pins and the wheel were installed."""
    folder = tmp_path_factory.mktemp("elsewhere")
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    pip = [
        str(programs / "python"),
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--no-input",
        "--retries",
        "1",
        "install",
    ]
    pins = run([*pip, "--require-hashes", "--requirement", str(ROOT / "requirements" / "run.txt")], folder)
    if pins.returncode != 0 and any(sign in pins.stdout + pins.stderr for sign in NO_INDEX):
        pytest.skip("no package index can be reached to install the pinned packages from")
    assert pins.returncode == 0, pins.stderr
    done = run([*pip, "--no-deps", str(wheel)], folder)
    assert done.returncode == 0, done.stderr
    return programs


def test_the_wheel_holds_the_package_as_it_stands_and_nothing_else(wheel: Path) -> None:
    package = {
        path.relative_to(SOURCES).as_posix()
        for path in (SOURCES / "shufflegram").rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    names = set(ZipFile(wheel).namelist())
    assert {name for name in names if ".dist-info/" not in name} == package
    assert "shufflegram/py.typed" in names
    assert any(name.endswith(".npz") for name in names)
    assert "shufflegram/reproduction/figure-utility.toml" in names


def test_the_wheel_says_what_the_project_says(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        information = f"shufflegram-{PROJECT['version']}.dist-info"
        assert archive.read(f"{information}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
        metadata = Parser().parsestr(archive.read(f"{information}/METADATA").decode())
    assert metadata["Version"] == PROJECT["version"]
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    needed = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert len(needed) == len(PROJECT["dependencies"])


def test_the_installed_program_knows_its_version(programs: Path, tmp_path: Path) -> None:
    done = run([str(programs / "shufflegram"), "--version"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert PROJECT["version"] in done.stdout.split()[-1]


def test_the_installed_program_explains_itself(programs: Path, tmp_path: Path) -> None:
    done = run([str(programs / "shufflegram"), "plan", "--help"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "--epsilon" in done.stdout


def test_five_lines_of_python_make_an_estimate(programs: Path, tmp_path: Path) -> None:
    # Values 0, 1, .. 99 equally often: the median is 50, and its standard error at most about 1 here. A sound estimate
    # would have to be some eighteen standard errors away to miss 30 to 70.
    script = tmp_path / "five_lines.py"
    script.write_text(
        "import shufflegram as sg\n"
        "plan = sg.plan(sg.Domain(0, 100, bins=32), users=10_000, epsilon=1.0, delta=1e-6)\n"
        "reports = plan.randomizer.randomize([i % 100 for i in range(10_000)])\n"
        "estimate = plan.analyzer.estimate(plan.analyzer.tally(reports))\n"
        "print(sg.__file__, estimate.quantile(0.5), sep='\\n')\n",
        encoding="utf-8",
    )
    done = run([str(programs / "python"), script.name], tmp_path)
    assert done.returncode == 0, done.stderr
    place, median = done.stdout.splitlines()
    assert Path(place).is_relative_to(programs.parent)
    assert 30 < float(median) < 70
