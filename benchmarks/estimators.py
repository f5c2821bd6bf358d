"""The EM loop's speed, side by side in one run: compiled against dense NumPy with one BLAS thread, size by size, start-up.

    python benchmarks/estimators.py

All times are medians of several runs on one core. The dense reference is the one the tests compare with, in its faster form
(only the weights inside the window are evaluated).
"""

import os

# Before NumPy is imported: one thread for its matrix products, as the compiled loop has.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "estimators")]

import dense_reference  # noqa: E402

from shufflegram.channel import WindowChannel, square_wave_channel  # noqa: E402
from shufflegram.estimators import EM, EMAS, EMS, MR, Estimator, ExpectationMaximization  # noqa: E402
from shufflegram.mechanism import SquareWave  # noqa: E402

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


def crowd(bins: int) -> tuple[WindowChannel, np.ndarray]:
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


def full_rounds(estimator: ExpectationMaximization) -> ExpectationMaximization:
    """The same estimator, made to run all its rounds."""
    return ExpectationMaximization(estimator.refinement, ROUNDS, tolerance=0.0)


def compare(bins: int = 512) -> None:
    channel, counts = crowd(bins)
    matrix = channel.dense()
    emas = full_rounds(EMAS)
    fast, slow = emas.solve(channel, counts).frequencies, dense_reference.emas_banded(matrix, counts, ROUNDS)
    compiled = median_seconds(lambda: emas.solve(channel, counts), 9)
    dense = median_seconds(lambda: dense_reference.emas_banded(matrix, counts, ROUNDS), 3)
    print(f"EMAS, m = {bins}, {ROUNDS:,} rounds, one core")
    print(f"  dense NumPy, one BLAS thread  {dense:8.3f} s")
    print(f"  compiled                      {compiled:8.3f} s   {dense / compiled:.1f} times as fast")
    print(f"  largest difference            {np.abs(fast - slow).max():8.1e}")


def growth() -> None:
    print(f"\nSeconds for {ROUNDS:,} rounds, and nanoseconds per bin and round of EMAS")
    print(f"  {'m':>5}  {'EM':>8}  {'EMS':>8}  {'EMAS':>8}  {'ns/bin':>7}")
    for bins in (128, 256, 512, 1024, 2048, 4096):
        channel, counts = crowd(bins)
        seconds = []
        for estimator in (EM, EMS, EMAS):
            solver = full_rounds(estimator)
            seconds.append(median_seconds(lambda solver=solver: solver.solve(channel, counts), 3))
        nanoseconds = seconds[2] / ROUNDS / bins * 1e9
        print(f"  {bins:5d}  " + "  ".join(f"{value:8.4f}" for value in seconds) + f"  {nanoseconds:7.1f}")


def as_shipped(bins: int = 512) -> None:
    print(f"\nOne estimate as a user gets it (own stopping rule), m = {bins}, n = {USERS:,}")
    channel, counts = crowd(bins)
    estimators: dict[str, Estimator] = {"EM": EM, "EMS": EMS, "EMAS": EMAS, "MR": MR}
    for name, estimator in estimators.items():
        outcome = estimator.solve(channel, counts).outcome
        seconds = median_seconds(lambda estimator=estimator: estimator.solve(channel, counts), 3)
        print(f"  {name:5s}  {seconds:8.4f} s   {outcome}")


def start_up() -> None:
    print("\nThe first estimate of a fresh process (m = 512, EMAS): import of shufflegram.estimators, then import of the")
    print("compiler and the estimate itself")
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(ROOT / "src")}
        for name, repeats in (("nothing kept yet (compiles)", 1), ("machine code kept", 5)):
            runs = []
            for _ in range(repeats):
                done = subprocess.run(
                    [sys.executable, "-c", START_UP], env=environment, capture_output=True, text=True, check=True
                )
                runs.append([float(number) for number in done.stdout.split()])
            imported, estimated = (statistics.median(run[part] for run in runs) for part in (0, 1))
            print(f"  {name:28s}  {imported:6.3f} s  {estimated:6.3f} s")


if __name__ == "__main__":
    compare()
    growth()
    as_shipped()
    start_up()
