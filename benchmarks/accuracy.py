"""How much exact accounting buys: W1 to the true histogram at the same privacy, published parameters beside exact ones.

And what is lost by choosing the half width for mutual information, without looking at the data.

python benchmarks/accuracy.py
"""

from typing import get_args

import numpy as np
from numpy.typing import NDArray

from shufflegram import Domain, datasets, metrics
from shufflegram.design.chunks import flip_deviation, frontier, published_flip
from shufflegram.design.information import mutual_information
from shufflegram.design.square_wave import at_largest_ratio, exact_asp
from shufflegram.estimators import EMAS
from shufflegram.privacy.budget import Budget
from shufflegram.protocol import Protocol
from shufflegram.protocols import SquareWaveProtocol, build, names
from shufflegram.protocols.registry import Accounting

Counts = NDArray[np.int64]

DELTA = 1e-6
EPSILONS = (0.02, 0.1, 0.5, 1.0)
RUNS = 20
HALF_WIDTHS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)


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


def print_gains() -> None:
    print(f"Mean W1 of {RUNS} runs at delta = {DELTA:g}; ratio: published over exact\n")
    for title, domain, histogram in crowds():
        print(title)
        print(f"  {'protocol':<10}{'epsilon':>8}{'published':>12}{'exact':>12}{'ratio':>8}   exact")
        for name in names():
            for epsilon in EPSILONS:
                budget = Budget(epsilon, DELTA, int(histogram.sum()))
                errors = {}
                for accounting in get_args(Accounting):
                    protocol = build(name, domain, budget, accounting)
                    errors[accounting] = mean_error(protocol, histogram)
                published, exact = errors["published"], errors["exact"]
                wave = build(name, domain, budget, "exact").mechanism
                print(f"  {name:<10}{epsilon:>8g}{published:>12.2e}{exact:>12.2e}{published / exact:>7.1f}x   {wave}")
        print()


def print_half_widths() -> None:
    print(
        f"ASP under exact accounting, mean W1 of {RUNS} runs: the half width of the largest mutual information beside"
    )
    print(f"the best one of {', '.join(map(str, HALF_WIDTHS))}, picked in hindsight\n")
    print(f"{'':<30}{'epsilon':>8}{'by information':>19}{'in hindsight':>19}{'ratio':>8}   information kept")
    for title, domain, histogram in crowds():
        for epsilon in EPSILONS:
            budget = Budget(epsilon, DELTA, int(histogram.sum()))
            chosen = exact_asp(domain.bins, circular=False, budget=budget)
            tried = [at_largest_ratio(domain.bins, h, circular=False, budget=budget) for h in HALF_WIDTHS]
            errors = {
                wave: mean_error(SquareWaveProtocol("asp", domain, wave, EMAS), histogram) for wave in [chosen, *tried]
            }
            best = min(errors, key=lambda wave: errors[wave])
            kept = mutual_information(best) / mutual_information(chosen)
            print(
                f"{title:<30}{epsilon:>8g}{f'{chosen.half_width}: {errors[chosen]:.2e}':>19}"
                f"{f'{best.half_width}: {errors[best]:.2e}':>19}{errors[chosen] / errors[best]:>7.1f}x{kept:>15.0%}"
            )
    print()


def print_frontier() -> None:
    budget = Budget(0.01, 1e-5, 100_000)
    published = published_flip(16, budget)
    print(
        "Flip on 16 chunks, n = 1e5, epsilon = .01, delta = 1e-5: messages, the flip probability that is private with"
    )
    print("them, and the deviation of one chunk's estimated share\n")
    print(f"{'messages':>10}{'q':>10}{'deviation':>12}")
    for point in frontier(16, budget):
        print(f"{point.messages:>10}{float(point.mechanism.flip_probability):>10.4f}{point.deviation:>12.2e}")
    deviation = flip_deviation(published, budget.users)
    print(f"{published.messages:>10}{float(published.flip_probability):>10.4f}{deviation:>12.2e}   as published\n")


if __name__ == "__main__":
    print_frontier()
    print_gains()
    print_half_widths()
