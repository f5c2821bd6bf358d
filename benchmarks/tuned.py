"""What exact accounting, the design for the least error and the adaptive estimator buy, each on top of the last.

    python benchmarks/tuned.py [--repetitions 20] [--data-dir FOLDER]

W1 at the paper's sizes and delta = 1e-5, and the errors of the default plan as shares of those of ASP as published; and
how far the expected error is from what the default plan then has.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from shufflegram import datasets
from shufflegram.estimators import EMAS
from shufflegram.metrics import METRICS, errors
from shufflegram.prediction import predicted_errors
from shufflegram.privacy.budget import Budget
from shufflegram.protocol import Protocol
from shufflegram.protocols import SquareWaveProtocol, registry

Floats = NDArray[np.float64]

DATA = ("normal", "taxi", "retirement", "income")
EPSILONS = (0.01, 0.02, 0.06, 0.1, 0.5, 1.0)
DELTA = 1e-5
NAMES = [metric.name for metric in METRICS]


def means(protocol: Protocol, histogram: NDArray[np.int64], repetitions: int) -> Floats:
    """The mean of every error over seeded collections."""
    truth = histogram / histogram.sum()
    runs = []
    for seed in range(repetitions):
        found = protocol.analyzer.estimate(protocol.simulate(histogram, seed)).frequencies
        runs.append([errors(truth, found, circular=False)[name] for name in NAMES])
    over_runs: Floats = np.mean(np.array(runs), axis=0)
    return over_runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--data-dir", type=Path)
    asked = parser.parse_args()
    print(
        "| data | epsilon | half width | published | + accounting | + design | + estimator | ratio | expected / had |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    ratios, foreseen = [], []
    for name in DATA:
        data = datasets.load(name, data_dir=asked.data_dir, paper_size=True)
        domain = replace(data.domain, circular=False)
        histogram = domain.histogram(data.values)
        for epsilon in EPSILONS:
            budget = Budget(epsilon, DELTA, data.users)
            published = registry.build("asp", domain, budget, "published")
            exact = registry.build("asp", domain, budget, "exact")
            tuned = registry.build("tuned", domain, budget, "exact")
            if not isinstance(tuned, SquareWaveProtocol):
                raise SystemExit("tuned is a square wave")
            steps = [published, exact, replace(tuned, estimator=EMAS), tuned]
            found = [means(each, histogram, asked.repetitions) for each in steps]
            expected = predicted_errors(tuned, data.users, histogram)
            ratios.append(found[3] / found[0])
            foreseen.append([expected[each] for each in NAMES] / found[3])
            cells = " | ".join(f"{each[0]:.3g}" for each in found)
            width = tuned.mechanism.to_dict()["half_width"]
            print(
                f"| {name} | {epsilon:g} | {width} | {cells} | {ratios[-1][0]:.2f} | {foreseen[-1][0]:.2f} |",
                flush=True,
            )
    print("\n| error | median ratio | largest | expected within 20% | furthest |")
    print("|---|---|---|---|---|")
    for place, metric in enumerate(NAMES):
        ratio, off = np.array(ratios)[:, place], np.array(foreseen)[:, place]
        near = np.mean((off > 1 / 1.2) & (off < 1.2))
        furthest = off[np.argmax(np.abs(np.log(np.maximum(off, 1e-9))))]
        print(f"| {metric} | {np.median(ratio):.2f} | {ratio.max():.2f} | {near:.0%} | {furthest:.2f} |")


if __name__ == "__main__":
    # one thread: others may be at work
    with threadpool_limits(1):
        main()
