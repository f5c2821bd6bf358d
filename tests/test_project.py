"""What the project as a whole promises: what it holds, what it imports, what its task runner says."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
DEVICE = ROOT / "src" / "shufflegram" / "randomizers" / "device.py"

# Put together here, so that this file does not hold what it forbids.
INDEX_HOSTS = ["pypi" + ".org", "python" + "hosted.org", "anaconda" + ".org"]
MACHINE_PATHS = ["/" + top + "/" for top in ("work", "tmp", "root", "home", "opt", "Users")]
FORBIDDEN = re.compile(
    "|".join([*map(re.escape, INDEX_HOSTS), *(rf"(?<![\w.~>}}]){re.escape(path)}" for path in MACHINE_PATHS)]).encode()
)

# Each takes tenths of a second to import; none may be paid for by a program that does not use it.
HEAVY = {"scipy", "numba", "llvmlite", "matplotlib", "flint", "pyarrow", "pandas", "polars", "joblib"}


def project_files() -> Iterator[Path]:
    """Every file that is not in a folder that .gitignore names (all of which it writes as `folder/`)."""
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    ignored = {".git", *(line.rstrip("/") for line in lines if line.endswith("/"))}
    for folder, inner, files in os.walk(ROOT):
        inner[:] = [name for name in inner if name not in ignored]
        yield from (Path(folder) / name for name in files)


def test_no_file_names_an_index_host_or_a_place_on_somebodys_machine() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group().decode()}"
        for path in project_files()
        if (match := FORBIDDEN.search(path.read_bytes()))
    ]
    assert not found


@pytest.mark.parametrize("planted", ["see " + INDEX_HOSTS[0], '"' + MACHINE_PATHS[0] + 'x"', "in " + MACHINE_PATHS[3]])
def test_a_planted_place_is_found(planted: str) -> None:
    assert FORBIDDEN.search(planted.encode())


def test_there_is_no_lock_file_that_would_hold_addresses() -> None:
    assert not [path for path in project_files() if path.name == "uv" + ".lock"]


def test_the_archive_of_the_sources_holds_what_the_tests_look_at() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = {name.lstrip("/") for name in settings["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]}
    # the builder takes these by itself
    included |= {"pyproject.toml", "LICENSE"}
    # .venv is made where it is needed
    looked_at = {
        name
        for test in (ROOT / "tests").rglob("*.py")
        for name in re.findall(r'(?:ROOT / |parametrize\("page", \[.*?)"([\w.]+)"', test.read_text(encoding="utf-8"))
    }
    assert {"README.md", "docs", "pyproject.toml", "src", "task.py"} <= looked_at
    assert looked_at - {".venv"} <= included
    assert {"CONTRIBUTING.md", "SECURITY.md", "benchmarks"} <= included


PIN = re.compile(
    r"([a-z0-9][a-z0-9.-]*==[\w.]+(?: ; [^/:@\\]+)?) \\\n(?:    --hash=sha256:[0-9a-f]{64} \\\n)*"
    r"    --hash=sha256:[0-9a-f]{64}\n"
)


def pins(name: str) -> list[str]:
    """The pins of a requirement file, which must hold a first line of comment, pins with their hashes, and no more."""
    comment, _, rest = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").partition("\n")
    assert comment.startswith("# ")
    assert "://" not in comment
    assert PIN.sub("", rest) == ""
    return PIN.findall(rest)


def test_requirement_files_hold_hashed_pins_and_nothing_else() -> None:
    assert {"numpy", "numba", "python-flint", "hatchling"} <= {re.split("==", pin)[0] for pin in pins("run")}
    assert {"pytest", "mypy", "ruff"} <= {re.split("==", pin)[0] for pin in pins("develop")}


def test_developing_and_running_use_the_same_versions() -> None:
    assert set(pins("run")) < set(pins("develop"))


def test_every_declared_dependency_is_pinned() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    needed = {"run": project["dependencies"] + settings["build-system"]["requires"]}
    needed["develop"] = needed["run"] + project["optional-dependencies"]["develop"]
    for name, requirements in needed.items():
        pinned = {pin.split("==")[0] for pin in pins(name)}
        assert {re.split(r"[<>=!~ \[;]", requirement)[0] for requirement in requirements} <= pinned


def imported_by(*arguments: str) -> set[str]:
    """The packages that a fresh Python imports when it is run with these arguments."""
    done = subprocess.run([sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr.splitlines()[-1]
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


def test_importing_the_package_imports_nothing_heavy() -> None:
    imported = imported_by("-c", "import shufflegram")
    assert "shufflegram" in imported
    assert not imported & HEAVY


def test_asking_the_command_line_for_help_imports_nothing_heavy() -> None:
    imported = imported_by("-m", "shufflegram", "--help")
    assert "shufflegram" in imported
    assert not imported & HEAVY


def test_an_import_is_noticed_when_there_is_one() -> None:
    assert "scipy" in imported_by("-c", "import scipy.optimize") & HEAVY


def test_the_device_module_works_alone_on_the_standard_library() -> None:
    # -I and -S: neither this package nor any installed one can be found.
    program = f"""
import importlib.util, sys
specification = importlib.util.spec_from_file_location("device", {str(DEVICE)!r})
device = importlib.util.module_from_spec(specification)
specification.loader.exec_module(device)
reports = [device.draw_report(9, cells=10, half_width=1, inside=3, outside=1, circular=False) for _ in range(100)]
assert all(report in range(12) for report in reports)
strangers = {{name.partition(".")[0] for name in sys.modules}} - sys.stdlib_module_names - {{"__main__", "device"}}
assert not strangers, strangers
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def inexact(source: str) -> list[str]:
    """Whatever in a program can make a float: constants, true division, powers, and the names that deal in them."""
    names = {"float", "complex", "round", "math", "cmath", "random", "numpy", "statistics", "struct", "fromhex"}
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=float() | complex()):
                found.append(f"the constant {ast.unparse(node)}")
            case ast.BinOp(op=ast.Div() | ast.Pow()) | ast.AugAssign(op=ast.Div() | ast.Pow()):
                found.append(f"the operator in {ast.unparse(node)}")
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name) if name in names:
                found.append(f"the name {name}")
            case ast.ImportFrom(module=str(module)) if module in names:
                found.append(f"the module {module}")
    return found


def test_a_device_computes_with_integers_only() -> None:
    assert inexact(DEVICE.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "planted",
    ["x = 0.5", "x = 1e3", "y = a / b", "a /= b", "y = 2 ** -1", "float(x)", "import math", "from math import exp",
     "secrets.SystemRandom().random()", "round(x)", "y = 1j"],
)  # fmt: skip
def test_a_planted_float_is_found(planted: str) -> None:
    assert len(inexact(planted)) == 1


def test_a_device_imports_the_standard_library_only() -> None:
    for node in ast.walk(ast.parse(DEVICE.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert {alias.name.partition(".")[0] for alias in node.names} <= sys.stdlib_module_names
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module in sys.stdlib_module_names


@pytest.fixture
def runner(tmp_path: Path) -> ModuleType:
    """task.py as it stands in a project of its own, where it may make things."""
    (tmp_path / "task.py").write_bytes((ROOT / "task.py").read_bytes())
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    (tmp_path / "requirements").mkdir()
    for name in ("run", "develop"):
        (tmp_path / "requirements" / f"{name}.txt").write_text(f"pins for {name}")
    specification = importlib.util.spec_from_file_location("task", tmp_path / "task.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def commands(runner: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the runner would run, in order; nothing is run."""
    ran: list[str] = []

    def note(command: list[str], given: str | None = None) -> None:
        runner.VENV.mkdir(exist_ok=True)
        ran.append(" ".join(command))

    monkeypatch.setattr(runner, "run", note)
    monkeypatch.chdir(runner.ROOT)
    return ran


def test_a_task_sets_up_once_and_again_when_the_pins_change(runner: ModuleType, commands: list[str]) -> None:
    runner.main(["demo", "--json"])
    environment, packages, package, demo = commands
    assert "venv" in environment
    assert "--require-hashes --requirement requirements/run.txt" in packages
    assert "--no-deps --no-build-isolation --editable ." in package
    assert demo.endswith("shufflegram demo --json")
    commands.clear()
    runner.main(["demo"])
    assert len(commands) == 1
    commands.clear()
    (runner.ROOT / "requirements" / "run.txt").write_text("other pins")
    runner.main(["demo"])
    assert len(commands) == 2
    assert "requirements/run.txt" in commands[0]


def test_what_is_set_up_for_developing_runs_the_demo(runner: ModuleType, commands: list[str]) -> None:
    runner.main(["test", "-k", "domain"])
    assert "requirements/develop.txt" in commands[1]
    assert commands[-1].endswith("-m pytest -m not long -k domain")
    commands.clear()
    runner.main(["demo"])
    assert len(commands) == 1


def test_an_interrupted_installation_is_done_again(
    runner: ModuleType, commands: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    note = runner.run

    def break_off(command: list[str], given: str | None = None) -> None:
        note(command)
        if "--require-hashes" in command:
            raise subprocess.CalledProcessError(9, command)

    runner.main(["demo"])
    (runner.ROOT / "requirements" / "run.txt").write_text("other pins")
    monkeypatch.setattr(runner, "run", break_off)
    assert runner.main(["demo"]) == 9
    monkeypatch.setattr(runner, "run", note)
    (runner.ROOT / "requirements" / "run.txt").write_text("pins for run")
    commands.clear()
    runner.main(["demo"])
    assert "requirements/run.txt" in commands[0]


@pytest.mark.parametrize("arguments", [["dmeo"], [], ["check", "-k", "domain"]])
def test_a_wrong_task_is_one_line(
    runner: ModuleType, commands: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert runner.main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not commands


@pytest.mark.parametrize(
    ("circumstance", "said"),
    [("sys.version_info = (3, 10, 4)", "3.11 or newer"), ("sys.modules['ensurepip'] = None", "python3-venv")],
)
def test_a_python_that_will_not_do_is_one_line(runner: ModuleType, circumstance: str, said: str) -> None:
    program = f"import runpy, sys; {circumstance}; sys.argv[1:] = ['demo']; runpy.run_path('task.py', None, '__main__')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=runner.ROOT)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (runner.ROOT / ".venv").exists()


def test_the_runner_and_the_package_need_the_same_python(runner: ModuleType) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=" + ".".join(map(str, runner.OLDEST_PYTHON))
