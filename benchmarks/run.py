"""Runs every benchmark, one after the other on one thread, and writes what they print to docs/performance.md.

python3 task.py benchmark
"""

import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "performance.md"
SECTIONS = (
    ("startup", "Starting"),
    ("samplers", "Drawing reports"),
    ("privacy", "Accounting"),
    ("estimators", "Estimating"),
    ("bands", "How often bands hold"),
    ("accuracy", "What exact accounting buys"),
)
INTRODUCTION = """# Speed, and what was measured beside it

Measured by `python3 task.py benchmark`, which writes this page. Each block is what one file of `benchmarks/` printed in
one run; what is compared was measured side by side in that run, so trust the ratios more than the seconds.

Python {python}, numpy {numpy}, numba {numba}; {cores} cores, one thread used unless said otherwise.
"""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def printed(name: str) -> str:
    """What a benchmark prints."""
    print(f"{name} ...", flush=True)
    done = subprocess.run(
        [sys.executable, str(HERE / f"{name}.py")],
        env={**os.environ, **ONE_THREAD},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    print(done.stdout)
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def main() -> None:
    introduction = INTRODUCTION.format(
        python=platform.python_version(), numpy=version("numpy"), numba=version("numba"), cores=os.cpu_count()
    )
    blocks = [f"## {title} (`benchmarks/{name}.py`)\n\n```text\n{printed(name)}\n```\n" for name, title in SECTIONS]
    PAGE.write_text("\n".join([introduction, *blocks]), encoding="utf-8")
    print(f"written: {PAGE.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
