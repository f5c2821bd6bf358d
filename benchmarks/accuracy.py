"""How much exact accounting buys: W1 to the true histogram at the same privacy, published parameters beside exact ones.

python benchmarks/accuracy.py
"""

import numpy as np

from shufflegram import Domain, datasets, metrics
from shufflegram.privacy.budget import Budget
from shufflegram.protocols import build, names

DELTA = 1e-6
EPSILONS = (0.02, 0.1, 0.5, 1.0)
RUNS = 20


def crowds() -> list[tuple[str, Domain, np.ndarray]]:
    """The bundled taxi times cut open at midnight, and a normal crowd of the paper's size."""
    taxi = datasets.taxi()
    day = Domain(0, 86_400, bins=512)
    normal = np.clip(np.random.default_rng(2026).normal(0, 10, 100_000), -50, 50)
    wide = Domain(-50, 50, bins=256)
    return [
        (f"Taxi, {len(taxi.values):,} users, 512 bins", day, day.histogram(taxi.values)),
        (f"Normal, {normal.size:,} users, 256 bins", wide, wide.histogram(normal)),
    ]


def main() -> None:
    print(f"Mean W1 of {RUNS} runs at delta = {DELTA:g}; ratio: published over exact\n")
    for title, domain, histogram in crowds():
        print(title)
        print(f"  {'protocol':<10}{'epsilon':>8}{'published':>12}{'exact':>12}{'ratio':>8}   exact: half width, ratio")
        truth = histogram / histogram.sum()
        for name in names():
            for epsilon in EPSILONS:
                budget = Budget(epsilon, DELTA, int(histogram.sum()))
                errors = []
                for accounting in ("published", "exact"):
                    protocol = build(name, domain, budget, accounting)
                    estimates = (
                        protocol.analyzer.estimate(protocol.simulate(histogram, simulation_seed=seed)).frequencies
                        for seed in range(RUNS)
                    )
                    errors.append(float(np.mean([metrics.wasserstein(truth, each) for each in estimates])))
                wave = protocol.mechanism
                print(
                    f"  {name:<10}{epsilon:>8g}{errors[0]:>12.2e}{errors[1]:>12.2e}{errors[0] / errors[1]:>7.1f}x"
                    f"   {wave.half_width}, {float(wave.density_ratio):.5g}"
                )
        print()


if __name__ == "__main__":
    main()
