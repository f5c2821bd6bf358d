"""How fast reports are drawn, and how fast a whole tally is simulated beside drawing every report.

    python benchmarks/samplers.py

One core, the best of several runs each. Ratios are to the line that is named.
"""

import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shufflegram.domain import Domain
from shufflegram.mechanism import ContinuousSquareWave, SquareWave
from shufflegram.randomizers import (
    ContinuousSquareWaveRandomizer,
    SquareWaveRandomizer,
    simulate_continuous_tally,
    simulate_tally,
)
from shufflegram.randomizers.device import draw_report
from shufflegram.randomness import SecureSource, SeededSource

CELLS = 512
USERS = 4_000_000
CROWD = 2_300_000
DOMAIN = Domain(0, 300_000, CELLS)
MECHANISMS = [
    SquareWave(CELLS, 64, Fraction(3064, 1000)),
    SquareWave(CELLS, 32, Fraction(41833, 10000)),
    SquareWave(CELLS, 16, Fraction(3)),
    SquareWave(CELLS, 16, Fraction(900)),
    SquareWave(CELLS, 4, Fraction(1_274_680_001, 1_000_000)),  # a total weight above 2**32
    SquareWave(CELLS, 32, Fraction(40291, 10000), circular=True),
]


def seconds(action: Callable[[], object], runs: int = 5) -> float:
    """The least time of several runs, after one that does not count."""
    action()
    least = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        action()
        least = min(least, time.perf_counter() - begin)
    return least


def print_reports_per_second() -> None:
    generator = np.random.default_rng(1)
    values = generator.uniform(0, 300_000, size=USERS)
    cells = DOMAIN.cells(values)
    circle = Domain(0, 300_000, CELLS, circular=True)
    seeded, secure = SeededSource(simulation_seed=2), SecureSource()
    print(f"Million reports a second, {CELLS} bins, one core (x: times the device's loop)\n")
    print(f"{'half width, ratio':<26}{'seeded':>14}{'seeded,':>14}{'secure':>14}{'device':>10}")
    print(f"{'':<26}{'':>14}{'from values':>14}")
    for mechanism in MECHANISMS:
        randomizer = SquareWaveRandomizer(circle if mechanism.circular else DOMAIN, mechanism)
        device_users = 100_000

        def one_by_one(mechanism: SquareWave = mechanism, users: int = device_users) -> None:
            for cell in cells[:users].tolist():
                draw_report(
                    cell,
                    cells=mechanism.cells,
                    half_width=mechanism.half_width,
                    inside=mechanism.inside_weight,
                    outside=mechanism.outside_weight,
                    circular=mechanism.circular,
                )

        device = device_users / seconds(one_by_one, runs=2) / 1e6
        rates = [
            USERS / seconds(action) / 1e6
            for action in (
                partial(randomizer.randomize_cells, cells, seeded),
                partial(randomizer.randomize, values, seeded),
                partial(randomizer.randomize_cells, cells, secure),
            )
        ]
        shape = ", circle" if mechanism.circular else ""
        label = f"{mechanism.half_width}, {float(mechanism.density_ratio):.4g}{shape}"
        print(f"{label:<26}" + "".join(f"{rate:7.1f} {rate / device:4.0f} x" for rate in rates) + f"{device:10.2f}")
    continuous = ContinuousSquareWaveRandomizer(DOMAIN, ContinuousSquareWave(Fraction(1, 4), Fraction(3)), CELLS)
    rate = USERS / seconds(lambda: continuous.randomize(values, seeded), runs=3) / 1e6
    print(f"\nThe continuous randomizer, from values: {rate:.1f} million a second")


def print_tally_times() -> None:
    generator = np.random.default_rng(3)
    seeded = SeededSource(simulation_seed=4)
    # a crowd with most of its values in the lower third, as incomes have
    histogram = generator.multinomial(CROWD, generator.dirichlet(np.linspace(3, 0.1, CELLS)))
    cells = np.repeat(np.arange(CELLS), histogram)
    print(f"\nThe tally of {CROWD:,} users, {CELLS} bins, in milliseconds\n")
    print(f"{'window':<26}{'simulated':>14}{'the long way':>14}{'ratio':>10}")
    for half_width in (0, 1, 4, 16, 32, 64, 127):
        mechanism = SquareWave(CELLS, half_width, Fraction(10))
        randomizer = SquareWaveRandomizer(DOMAIN, mechanism)
        at_once = seconds(partial(simulate_tally, mechanism, histogram, generator), runs=20)
        long_way = seconds(partial(counted, randomizer, cells, seeded))
        print(f"{mechanism.window:<26}{1e3 * at_once:14.2f}{1e3 * long_way:14.1f}{long_way / at_once:8.0f} x")
    continuous = ContinuousSquareWave(Fraction(1, 4), Fraction(3))
    at_once = seconds(lambda: simulate_continuous_tally(continuous, histogram, generator, report_cells=CELLS), runs=5)
    values = (cells + generator.random(cells.size)) / CELLS
    spread = ContinuousSquareWaveRandomizer(Domain(0, 1, CELLS), continuous, CELLS)
    long_way = seconds(lambda: np.bincount(spread.randomize(values, seeded), minlength=CELLS), runs=3)
    print(f"{'continuous, b = 1/4':<26}{1e3 * at_once:14.2f}{1e3 * long_way:14.1f}{long_way / at_once:8.0f} x")
    many = time_of_a_tally(10**12, SquareWave(CELLS, 32, Fraction(10)), generator)
    print(f"\nWith 10^12 users instead, half width 32: {1e3 * many:.2f} ms")


def counted(randomizer: SquareWaveRandomizer, cells: NDArray[np.int64], source: SeededSource) -> NDArray[np.int64]:
    return np.bincount(randomizer.randomize_cells(cells, source), minlength=randomizer.report_cells)


def time_of_a_tally(users: int, mechanism: SquareWave, generator: np.random.Generator) -> float:
    histogram = generator.multinomial(users, np.full(CELLS, 1 / CELLS))
    return seconds(lambda: simulate_tally(mechanism, histogram, generator), runs=20)


if __name__ == "__main__":
    print_reports_per_second()
    print_tally_times()
