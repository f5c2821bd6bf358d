"""How long starting takes: importing the package, asking for help, and the first estimate of a process.

python benchmarks/startup.py
"""

import statistics
import subprocess
import sys
import time

RUNS = 5
FIRST_ESTIMATE = """
import shufflegram as sg
plan = sg.plan(sg.Domain(0, 1, bins=64), users=10_000, epsilon=1.0, delta=1e-6)
plan.analyzer.estimate(plan.analyzer.tally(plan.randomizer.randomize([0.25, 0.5] * 5_000)))
"""
PROGRAMS = (
    ("an empty Python", ["-c", ""]),
    ("import numpy", ["-c", "import numpy"]),
    ("import shufflegram", ["-c", "import shufflegram"]),
    ("import shufflegram; use Domain", ["-c", "import shufflegram; shufflegram.Domain(0, 1, bins=2)"]),
    ("shufflegram --help", ["-m", "shufflegram", "--help"]),
    ("plan, randomize 10,000 users, estimate", ["-c", FIRST_ESTIMATE]),
)


def seconds(arguments: list[str]) -> float:
    """The median time of a fresh process, after one that fills the caches."""
    times = []
    for _ in range(RUNS + 1):
        begin = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        times.append(time.perf_counter() - begin)
    return statistics.median(times[1:])


def main() -> None:
    print(f"Seconds of a fresh process, median of {RUNS} (x: times an empty Python)\n")
    empty = seconds(PROGRAMS[0][1])
    for name, arguments in PROGRAMS:
        took = seconds(arguments)
        print(f"{name:<42}{took:7.3f} s{took / empty:8.1f}x")


if __name__ == "__main__":
    main()
