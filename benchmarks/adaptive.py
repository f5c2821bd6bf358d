"""How close `AUTO` comes to the best of EM, EMS, EMAS and MR, which one knows only afterwards.

W1 to the crowd's own histogram, the mean of some repetitions, for exact ASP plans on a line. The listed shapes are
those that the estimator was asked to be good at; of them and of the others it was tuned on those with a star only.

python benchmarks/adaptive.py [--quick] [--repetitions N] [--shapes NAME ...]
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shufflegram import datasets, metrics
from shufflegram.channel import square_wave_channel
from shufflegram.design.square_wave import exact_asp
from shufflegram.errors import InfeasibleError
from shufflegram.estimators import AUTO, EM, EMAS, EMS, MR, Estimator
from shufflegram.privacy.budget import Budget
from shufflegram.randomizers.simulation import simulate_tally_through

Floats = NDArray[np.float64]

BINS = 512
POSITION = (np.arange(BINS) + 0.5) / BINS
RIVALS: dict[str, Estimator] = {"EM": EM, "EMS": EMS, "EMAS": EMAS, "MR": MR}
EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
CROWDS = (10_000, 100_000, 1_000_000, 2_300_000)
QUICK_EPSILONS, QUICK_CROWDS = (0.01, 0.1, 1.0), (10_000, 1_000_000)
ALLOWED = 1.10


def bell(center: float, width: float) -> Floats:
    density: Floats = np.exp(-(((POSITION - center) / width) ** 2) / 2)
    return density


def with_lumps(density: Floats, lumps: dict[int, float]) -> Floats:
    """Each lump a share of what the density holds all together, or alone where it holds nothing."""
    frequencies: Floats = density / max(density.sum(), 1e-300)
    for place, share in lumps.items():
        frequencies[place] += share
    return frequencies


def loaded(name: str) -> Floats:
    data = datasets.load(name)
    counts: Floats = data.domain.histogram(data.values).astype(np.float64)
    return counts


def spikes() -> Floats:
    generator = np.random.default_rng(5)
    places, heights = generator.choice(BINS, 12, replace=False), generator.exponential(size=12)
    return with_lumps(np.zeros(BINS), dict(zip(places.tolist(), heights.tolist(), strict=True)))


def spikes_on_a_floor() -> Floats:
    return spikes() + 1 / BINS


def heaped() -> Floats:
    """Half of the people round their income to ten thousand."""
    thousands = POSITION * 300
    density = np.exp(-((np.log(thousands / 40) / 0.7) ** 2) / 2) / thousands
    rounded = np.zeros(BINS)
    np.add.at(rounded, (np.round(thousands / 10) * 10 / 300 * BINS).astype(int).clip(0, BINS - 1), density)
    return density + rounded


def bumps() -> Floats:
    generator = np.random.default_rng(542)
    density = np.full(BINS, 0.2)
    centers, widths, heights = generator.random(6), generator.uniform(0.005, 0.05, 6), 3 * generator.random(6)
    for center, width, height in zip(centers, widths, heights, strict=True):
        density += height * bell(center, width)
    return density


LISTED: dict[str, Callable[[], Floats]] = {
    "normal": lambda: loaded("normal"),
    "taxi*": lambda: loaded("taxi"),
    "income*": lambda: loaded("income"),
    "retirement": lambda: loaded("retirement"),
    "uniform*": lambda: np.ones(BINS),
    "beta 2,5*": lambda: POSITION * (1 - POSITION) ** 4,
    "beta .5,.5": lambda: POSITION**-0.5 * (1 - POSITION) ** -0.5,
    "spike train*": spikes,
}
OTHERS: dict[str, Callable[[], Floats]] = {
    "steps*": lambda: np.repeat(np.random.default_rng(557).dirichlet(np.ones(8)), BINS // 8),
    "sawtooth*": lambda: 0.1 + (6 * POSITION) % 1,
    "heaped income*": heaped,
    "spikes, floor*": spikes_on_a_floor,
    "two bells*": lambda: 0.6 * bell(0.3, 0.05) / 0.05 + 0.4 * bell(0.7, 0.12) / 0.12,
    "two points": lambda: with_lumps(np.zeros(BINS), {100: 0.3, 371: 0.7}),
    "bell and a lump": lambda: with_lumps(bell(0.4, 0.2), {77: 0.15}),
    "fall and zeros": lambda: with_lumps(np.exp(-3 * POSITION), {0: 0.2}),
    "exponential": lambda: np.exp(-5 * POSITION),
    "six bumps": bumps,
    "dirichlet .3": lambda: np.random.default_rng(634).dirichlet(np.full(BINS, 0.3)),
}


@dataclass(frozen=True)
class Cell:
    """Mean errors of the rivals, and of `AUTO` last."""

    shape: str
    users: int
    epsilon: float
    half_width: int
    errors: Floats

    @property
    def ratio(self) -> float:
        return float(self.errors[-1] / self.errors[:-1].min())


def measured(shape: str, density: Floats, users: int, epsilon: float, repetitions: int) -> Cell | None:
    budget = Budget(epsilon, 1e-6 if users > 100_000 else 1e-5, users)
    try:
        wave = exact_asp(density.size, circular=False, budget=budget)
    except InfeasibleError:
        return None
    channel = square_wave_channel(wave)
    histogram = np.random.default_rng([1, users]).multinomial(users, density / density.sum())
    truth = histogram / users
    errors = np.zeros((repetitions, len(RIVALS) + 1))
    for repetition in range(repetitions):
        tally = simulate_tally_through(channel, histogram, np.random.default_rng([repetition, 11]))
        for place, estimator in enumerate((*RIVALS.values(), AUTO)):
            errors[repetition, place] = metrics.wasserstein(truth, estimator.solve(channel, tally).frequencies)
    return Cell(shape, users, epsilon, wave.half_width, errors.mean(axis=0))


def line(title: str, cells: list[Cell]) -> str:
    ratios = np.array([cell.ratio for cell in cells])
    alone = np.array([cell.errors[:-1] / cell.errors[:-1].min() for cell in cells])
    others = " ".join(f"{np.median(column):7.2f}" for column in alone.T)
    return (
        f"{title:<17}{len(cells):>6}{np.median(ratios):>8.2f}{ratios.mean():>7.2f}{ratios.max():>7.2f}"
        f"{np.mean(ratios > ALLOWED):>9.0%}   {others}"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="six settings of seven shapes each, three repetitions")
    options.add_argument("--repetitions", type=int, default=0)
    options.add_argument("--shapes", nargs="*", help="only shapes whose names begin so")
    asked = options.parse_args()
    repetitions = asked.repetitions or (3 if asked.quick else 20)
    epsilons, crowds = (QUICK_EPSILONS, QUICK_CROWDS) if asked.quick else (EPSILONS, CROWDS)
    print(f"Mean W1 of {repetitions} repetitions over that of the best of {', '.join(RIVALS)} (in hindsight)\n")
    found: dict[str, list[Cell]] = {}
    for name, shape in {**LISTED, **OTHERS}.items():
        if asked.shapes and not any(name.startswith(begin) for begin in asked.shapes):
            continue
        density = shape()
        print(name, flush=True)
        for users in crowds:
            for epsilon in epsilons:
                cell = measured(name, density, users, epsilon, repetitions)
                if cell is None:
                    continue
                found.setdefault(name, []).append(cell)
                errors = " ".join(f"{error:.2e}" for error in cell.errors)
                mark = "  <--" if cell.ratio > ALLOWED else ""
                print(
                    f"  {users:>9,} eps {epsilon:<5g} h {cell.half_width:<3} {errors}  {cell.ratio:.2f}{mark}",
                    flush=True,
                )
    print(
        f"\n{'':<17}{'cells':>6}{'median':>8}{'mean':>7}{'worst':>7}{'> 1.10':>9}   medians alone: {'  '.join(RIVALS)}"
    )
    for name, cells in found.items():
        print(line(name, cells))
    groups = {
        "all listed": [cell for name, cells in found.items() if name in LISTED for cell in cells],
        "all others": [cell for name, cells in found.items() if name in OTHERS for cell in cells],
        "never tuned on": [cell for name, cells in found.items() if not name.endswith("*") for cell in cells],
        "all": [cell for cells in found.values() for cell in cells],
    }
    for title, cells in groups.items():
        if cells:
            print(line(title, cells))


if __name__ == "__main__":
    main()
