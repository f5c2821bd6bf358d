"""How much exact accounting buys: W1 to the true histogram at the same privacy, published parameters beside exact ones.

python benchmarks/accuracy.py
"""

from typing import get_args

import numpy as np
from numpy.typing import NDArray

from shufflegram import Domain, datasets, metrics
from shufflegram.privacy.budget import Budget
from shufflegram.protocol import Protocol
from shufflegram.protocols import build, names
from shufflegram.protocols.registry import Accounting

Counts = NDArray[np.int64]

DELTA = 1e-6
EPSILONS = (0.02, 0.1, 0.5, 1.0)
RUNS = 20


def crowds() -> list[tuple[str, Domain, Counts]]:
    """The bundled taxi times cut open at midnight, and a normal crowd of the paper's size."""
    taxi = datasets.taxi()
    day = Domain(0, 86_400, bins=512)
    normal = np.clip(np.random.default_rng(2026).normal(0, 10, 100_000), -50, 50)
    wide = Domain(-50, 50, bins=256)
    return [
        (f"Taxi, {len(taxi.values):,} users, 512 bins", day, day.histogram(taxi.values)),
        (f"Normal, {normal.size:,} users, 256 bins", wide, wide.histogram(normal)),
    ]


def mean_error(protocol: Protocol, histogram: Counts) -> float:
    """W1 between estimate and truth, averaged over the runs."""
    truth = histogram / histogram.sum()
    tallies = (protocol.simulate(histogram, simulation_seed=seed) for seed in range(RUNS))
    return float(
        np.mean([metrics.wasserstein(truth, protocol.analyzer.estimate(tally).frequencies) for tally in tallies])
    )


def main() -> None:
    print(f"Mean W1 of {RUNS} runs at delta = {DELTA:g}; ratio: published over exact\n")
    for title, domain, histogram in crowds():
        print(title)
        print(f"  {'protocol':<10}{'epsilon':>8}{'published':>12}{'exact':>12}{'ratio':>8}   exact: half width, ratio")
        for name in names():
            for epsilon in EPSILONS:
                budget = Budget(epsilon, DELTA, int(histogram.sum()))
                errors = {}
                for accounting in get_args(Accounting):
                    protocol = build(name, domain, budget, accounting)
                    errors[accounting] = mean_error(protocol, histogram)
                published, exact = errors["published"], errors["exact"]
                wave = build(name, domain, budget, "exact").mechanism
                print(
                    f"  {name:<10}{epsilon:>8g}{published:>12.2e}{exact:>12.2e}{published / exact:>7.1f}x"
                    f"   {wave.half_width}, {float(wave.density_ratio):.5g}"
                )
        print()


if __name__ == "__main__":
    main()
