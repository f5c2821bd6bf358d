"""The machine code's own parts: the exponential, where it is kept, and when the compiler is imported."""

import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

import shufflegram
from shufflegram.estimators.compiled import _exp_of_minus

SOURCE = Path(shufflegram.__file__).parent


def test_the_exponential_is_within_its_bound() -> None:
    for y in np.concatenate(([0.0], np.geomspace(1e-18, 40, 4000))):
        assert abs(_exp_of_minus.py_func(y) / math.exp(-y) - 1) < 3e-14
    assert _exp_of_minus.py_func(0.0) <= 1 + 3e-14
    for y in (41.0, 1e6, math.inf):
        assert 0 <= _exp_of_minus.py_func(y) < 5e-18


def run_python(program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_compiler_is_not_imported_with_the_estimators() -> None:
    heavy = ("numba", "scipy", "matplotlib", "pyarrow", "flint")
    program = (
        f"import sys, shufflegram.estimators, shufflegram.metrics; print([m for m in {heavy} if m in sys.modules])"
    )
    assert run_python(program, PYTHONPATH=str(SOURCE.parent)) == "[]"


def test_estimates_come_where_nothing_can_be_written(tmp_path: Path) -> None:
    """An installation and a home that cannot be written: no machine code is kept, and the answer is the same."""
    copy = tmp_path / "shufflegram"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    # A file where the folder for machine code would be made stops even those who may write everywhere.
    (copy / "estimators" / "__pycache__").write_text("")
    program = (
        "import numpy as np\n"
        "from fractions import Fraction\n"
        "from shufflegram.channel import square_wave_channel\n"
        "from shufflegram.mechanism import SquareWave\n"
        "from shufflegram.estimators import EMS\n"
        "from shufflegram.estimators import compiled\n"
        "channel = square_wave_channel(SquareWave(8, 1, Fraction(3)))\n"
        "print(EMS.solve(channel, np.arange(1, 11)).frequencies.tolist())\n"
        "print(type(compiled.run_rounds._cache).__name__)\n"
    )
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    there = {
        "HOME": str(nowhere),
        "XDG_CACHE_HOME": str(nowhere),
        "NUMBA_CACHE_DIR": "",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    frozen, kind = run_python(program, PYTHONPATH=str(tmp_path), **there).splitlines()
    usual, usual_kind = run_python(program, PYTHONPATH=str(SOURCE.parent)).splitlines()
    assert frozen == usual
    assert (kind, usual_kind) == ("NullCache", "FunctionCache")
