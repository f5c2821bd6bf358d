"""The EM loop's speed in one run: compiled beside dense NumPy with one BLAS thread, size by size, and the start-up.

    python benchmarks/estimators.py

All times are medians of several runs on one core. The dense reference is the one the tests compare with, in its faster
form (only the weights inside the window are evaluated).
"""

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shufflegram.channel import WindowChannel, square_wave_channel
from shufflegram.estimators import EM, EMAS, EMS, MR, Estimator, ExpectationMaximization
from shufflegram.mechanism import SquareWave

ROOT = Path(__file__).resolve().parent.parent
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")

ROUNDS = 10_000
USERS = 100_000

START_UP = """
import time
begin = time.perf_counter()
import numpy as np
from fractions import Fraction
from shufflegram.channel import square_wave_channel
from shufflegram.mechanism import SquareWave
from shufflegram.estimators import EMAS
imported = time.perf_counter()
channel = square_wave_channel(SquareWave(512, 32, Fraction(4)))
EMAS.solve(channel, np.ones(576))
print(imported - begin, time.perf_counter() - imported)
"""


def load_dense_reference() -> Any:
    """The module of readable references that stands beside the tests."""
    path = ROOT / "tests" / "estimators" / "dense_reference.py"
    specification = importlib.util.spec_from_file_location("dense_reference", path)
    if specification is None or specification.loader is None:
        raise SystemExit(f"{path} is missing; run the benchmark from a checkout")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def crowd(bins: int) -> tuple[WindowChannel, NDArray[np.float64]]:
    """A channel with windows of an eighth of the domain, and the tally of a smooth crowd behind it."""
    channel = square_wave_channel(SquareWave(bins, bins // 16, Fraction(4)))
    position = (np.arange(bins) + 0.5) / bins
    truth = np.exp(-(((position - 0.45) / 0.15) ** 2) / 2)
    counts = np.random.default_rng(1).multinomial(USERS, channel.forward(truth / truth.sum()))
    return channel, counts.astype(np.float64)


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def solve_seconds(estimator: Estimator, bins: int, repeats: int) -> float:
    channel, counts = crowd(bins)
    return median_seconds(lambda: estimator.solve(channel, counts), repeats)


def full_rounds(estimator: ExpectationMaximization) -> ExpectationMaximization:
    """The same estimator, made to run all its rounds."""
    return ExpectationMaximization(estimator.refinement, ROUNDS, tolerance=0.0)


def compare(bins: int = 512) -> None:
    dense_reference = load_dense_reference()
    channel, counts = crowd(bins)
    matrix = channel.dense()
    fast = full_rounds(EMAS).solve(channel, counts).frequencies
    slow = dense_reference.emas_banded(matrix, counts, ROUNDS)
    compiled = solve_seconds(full_rounds(EMAS), bins, 9)
    dense = median_seconds(lambda: dense_reference.emas_banded(matrix, counts, ROUNDS), 3)
    print(f"EMAS, m = {bins}, {ROUNDS:,} rounds, one core")
    print(f"  dense NumPy, one BLAS thread  {dense:8.3f} s")
    print(f"  compiled                      {compiled:8.3f} s   {dense / compiled:.1f} times as fast")
    print(f"  largest difference            {np.abs(fast - slow).max():8.1e}")


def growth() -> None:
    print(f"\nSeconds for {ROUNDS:,} rounds, and nanoseconds per bin and round of EMAS")
    print(f"  {'m':>5}  {'EM':>8}  {'EMS':>8}  {'EMAS':>8}  {'ns/bin':>7}")
    for bins in (128, 256, 512, 1024, 2048, 4096):
        seconds = [solve_seconds(full_rounds(estimator), bins, 3) for estimator in (EM, EMS, EMAS)]
        nanoseconds = seconds[2] / ROUNDS / bins * 1e9
        print(f"  {bins:5d}  " + "  ".join(f"{value:8.4f}" for value in seconds) + f"  {nanoseconds:7.1f}")


def as_shipped(bins: int = 512) -> None:
    print(f"\nOne estimate as a user gets it (own stopping rule), m = {bins}, n = {USERS:,}")
    channel, counts = crowd(bins)
    estimators: dict[str, Estimator] = {"EM": EM, "EMS": EMS, "EMAS": EMAS, "MR": MR}
    for name, estimator in estimators.items():
        outcome = estimator.solve(channel, counts).outcome
        print(f"  {name:5s}  {solve_seconds(estimator, bins, 3):8.4f} s   {outcome}")


def start_up() -> None:
    print("\nThe first estimate of a fresh process (EMAS, m = 512): import of shufflegram.estimators; all the rest")
    with tempfile.TemporaryDirectory() as cache:
        for name, repeats in (("nothing kept yet (compiles)", 1), ("machine code kept", 5)):
            runs = []
            for _ in range(repeats):
                done = subprocess.run(
                    [sys.executable, "-c", START_UP],
                    env={**os.environ, "NUMBA_CACHE_DIR": cache},
                    capture_output=True,
                    text=True,
                    check=True,
                )
                runs.append([float(number) for number in done.stdout.split()])
            imported, estimated = (statistics.median(run[part] for run in runs) for part in (0, 1))
            print(f"  {name:28s}  {imported:6.3f} s  {estimated:6.3f} s")


if __name__ == "__main__":
    if any(os.environ.get(name) != "1" for name in ONE_THREAD):
        # NumPy reads these once, when it is imported: begin again with them set.
        raise SystemExit(subprocess.call([sys.executable, *sys.argv], env={**os.environ, **ONE_THREAD}))
    compare()
    growth()
    as_shipped()
    start_up()
