#!/usr/bin/env python3
"""Every task of this project: `python3 task.py <task> [arguments]`.

It needs a Python, git and a package index, nothing else. A task first makes `.venv` hold the pinned packages and this
package itself (editable, so that the sources are what runs); when it already does, that takes no time. Arguments after
the task's name go to the program behind it. What this file says goes to the standard error, so that a task's own output
can be piped.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

OLDEST_PYTHON = (3, 11)
if sys.version_info < OLDEST_PYTHON:  # before anything that an older one cannot read
    needed, given = (".".join(map(str, version[:2])) for version in (OLDEST_PYTHON, sys.version_info))
    print(f"task.py: Python {needed} or newer is needed, this is {given}", file=sys.stderr)
    sys.exit(2)

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PROGRAMS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = str(PROGRAMS / "python")

LINT = (
    [PYTHON, "-m", "ruff", "format", "--check", "--quiet"],
    [PYTHON, "-m", "ruff", "check", "--quiet"],
    [str(PROGRAMS / "lint-imports")],
)
TYPES = ([PYTHON, "-m", "mypy"],)
TEST = ([PYTHON, "-m", "pytest", "-m", "not long"],)

# task: what it does, the requirement file it needs, the commands it runs one after the other
TASKS = {
    "demo": (
        "a whole collection on real data, planned, randomized, estimated and drawn",
        "run",
        ([str(PROGRAMS / "shufflegram"), "demo"],),
    ),
    "test": ("the tests", "develop", TEST),
    "test-long": ("the tests that take minutes", "develop", ([PYTHON, "-m", "pytest", "-m", "long"],)),
    "lint": ("format, style and the direction of the imports", "develop", LINT),
    "types": ("the strict type checker", "develop", TYPES),
    "check": ("lint, types and test", "develop", (*LINT, *TYPES, *TEST)),
    "format": (
        "formats the code and sorts its imports",
        "develop",
        ([PYTHON, "-m", "ruff", "check", "--fix", "--quiet"], [PYTHON, "-m", "ruff", "format"]),
    ),
    "benchmark": ("the speeds in docs/performance.md, measured again", "develop", ([PYTHON, "benchmarks/run.py"],)),
    "lock": ("pins the newest packages that fit (lock --upgrade), or what pyproject.toml added (lock)", None, ()),
}


def main(arguments: list[str]) -> int:
    """Runs one task and returns its exit code."""
    if arguments[:1] in (["help"], ["-h"], ["--help"]):
        print("python3 task.py <task> [arguments]\n")
        print("\n".join(f"  {name:10} {what}" for name, (what, _, _) in TASKS.items()))
        return 0
    if not arguments or arguments[0] not in TASKS:
        given = f"there is no task {arguments[0]!r}" if arguments else "name a task"
        return refuse(f"{given}; the tasks are {', '.join(TASKS)}")
    name, *extra = arguments
    _, requirements, commands = TASKS[name]
    if extra and len(commands) > 1:
        return refuse(f"{name} runs several programs and takes no arguments, got {' '.join(extra)}")
    if importlib.util.find_spec("ensurepip") is None:
        return refuse("this Python has no ensurepip to make .venv with; on Debian or Ubuntu: apt install python3-venv")
    os.chdir(ROOT)
    try:
        if requirements is None:
            lock(extra)
        else:
            set_up(requirements)
        for command in commands:
            run([*command, *extra])
    except subprocess.CalledProcessError as failure:
        # A program that a signal ended has a negative code; shells add 128 to the signal.
        return failure.returncode if failure.returncode >= 0 else 128 - failure.returncode
    except KeyboardInterrupt:
        return 130
    return 0


def set_up(requirements: str) -> None:
    """Afterwards `.venv` holds what requirements/<requirements>.txt pins, and this package."""
    make_environment()
    # Each part leaves a stamp of what it was made from, and is made again only when that has changed. All that `run`
    # pins stands in `develop` at the same version, so an environment for developing is one for running too.
    pins = {name: fingerprint(ROOT / "requirements" / f"{name}.txt") for name in ("run", "develop")}
    if not stamped("develop", pins["develop"]) and not stamped(requirements, pins[requirements]):
        say(f"installing requirements/{requirements}.txt into .venv (the first time takes a minute or so)")
        unstamp(requirements)
        pip("install", "--require-hashes", "--requirement", f"requirements/{requirements}.txt")
        stamp(requirements, pins[requirements])
    package = fingerprint(ROOT / "pyproject.toml")
    if not stamped("package", package):
        say("installing this package into .venv, editable")
        unstamp("package")
        # Everything that builds it is pinned and installed already, so nothing else is fetched.
        pip("install", "--no-deps", "--no-build-isolation", "--editable", ".")
        stamp("package", package)


def make_environment() -> None:
    """Afterwards `.venv` is a virtual environment of the Python that runs this file, at this place."""
    origin = f"{sys.implementation.cache_tag} {sys.base_prefix} {ROOT}"
    if stamped("origin", origin):
        return
    say(f"making .venv with Python {'.'.join(map(str, sys.version_info[:3]))}")
    # Never with the Python of an environment that may be the very one to be cleared.
    base = getattr(sys, "_base_executable", None) or sys.executable
    run([base, "-m", "venv", "--clear", str(VENV)])
    stamp("origin", origin)


def lock(extra: list[str]) -> None:
    """Writes both requirement files anew, for every platform and every supported Python at once, without addresses."""
    import tomllib

    make_environment()
    say("fetching uv, which resolves for all platforms")
    uv = VENV / "uv"
    pip("install", "--upgrade", "--target", str(uv), "uv")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    # The build backend is pinned too: the package is installed from source without fetching anything unpinned.
    backend = "\n".join(project["build-system"]["requires"])
    for name, selection in (("run", []), ("develop", ["--extra", "develop", "--constraint", "requirements/run.txt"])):
        say(f"resolving requirements/{name}.txt")
        path = ROOT / "requirements" / f"{name}.txt"
        command = [str(uv / "bin" / "uv"), "pip", "compile", "--no-config", "--quiet", "--universal"]
        command += ["--python-version", ".".join(map(str, OLDEST_PYTHON)), "--generate-hashes"]
        command += ["--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
        command += [*selection, *extra, "--output-file", str(path), "pyproject.toml", "-"]
        run(command, given=backend)
        pinned = path.read_text(encoding="utf-8")
        path.write_text(f"# Written by `python3 task.py lock` from pyproject.toml.\n{pinned}", encoding="utf-8")


def pip(*arguments: str) -> None:
    """pip inside `.venv`: silent unless something goes wrong."""
    run([PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-input", "-qq", *arguments])


def run(command: list[str], given: str | None = None) -> None:
    """Runs a program from `.venv`, whatever environment may be active around it; raises if it fails."""
    surroundings = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")
    }
    surroundings["PATH"] = os.pathsep.join((str(PROGRAMS), os.environ.get("PATH", os.defpath)))
    subprocess.run(command, check=True, text=True, input=given, env=surroundings)


def fingerprint(path: Path) -> str:
    """What a file holds, in 64 characters."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def stamped(name: str, content: str) -> bool:
    """Whether this part of `.venv` was made from exactly this."""
    path = VENV / f"{name}.stamp"
    return path.exists() and path.read_text(encoding="utf-8") == content


def stamp(name: str, content: str) -> None:
    """Remembers what a part of `.venv` was made from."""
    (VENV / f"{name}.stamp").write_text(content, encoding="utf-8")


def unstamp(name: str) -> None:
    """Forgets it, so that a part whose making is interrupted is made again."""
    (VENV / f"{name}.stamp").unlink(missing_ok=True)


def say(line: str) -> None:
    """One line on what happens now."""
    print(f"task.py: {line}", file=sys.stderr, flush=True)


def refuse(line: str) -> int:
    """One line on what was wrong and what would be right; the exit code 2."""
    say(line)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
