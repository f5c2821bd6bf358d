"""How often bands hold the truth of the crowd that reported: kind of data by kind of data, at the planned half widths.

python benchmarks/bands.py
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shufflegram import Domain, datasets, plan
from shufflegram.estimators.uncertainty import Band
from shufflegram.mechanism import Mechanism, SquareWave
from shufflegram.randomness import SeededSource

Floats = NDArray[np.float64]
Crowd = Callable[[np.random.Generator], Floats]

LEVEL, BINS, USERS, COLLECTIONS, REPLICATES = 0.9, 128, 100_000, 60, 300
EPSILONS = (0.1, 1.0)


def incomes(generator: np.random.Generator) -> Floats:
    """Lognormal, in units of the domain's length; the few that lie beyond it do not take part."""
    drawn = np.exp(generator.normal(10.5, 0.7, 2 * USERS)) / 300_000
    return drawn[drawn <= 1][:USERS]


def top_coded(generator: np.random.Generator) -> Floats:
    """The same with all that lies beyond a third of it told as a third of it, at the end of the domain: a tenth."""
    return np.minimum(3 * incomes(generator), 1)


def rounded(generator: np.random.Generator) -> Floats:
    """Incomes as people tell them: every twentieth of the domain's length a spike, and one user in two on one."""
    exact = incomes(generator)
    return np.where(generator.random(USERS) < 0.5, np.round(exact * 20) / 20, exact)


# Values in [0, 1] of a crowd; smooth ones first.
CROWDS: dict[str, Crowd] = {
    "normal": lambda generator: np.clip(generator.normal(0.5, 0.1, USERS), 0, 1),
    "uniform": lambda generator: generator.random(USERS),
    "beta(2, 5)": lambda generator: generator.beta(2, 5, USERS),
    "exponential": lambda generator: -np.log(1 - generator.random(USERS) * (1 - np.exp(-5))) / 5,
    "incomes": incomes,
    "taxi": lambda generator: generator.choice(datasets.taxi().values, USERS, replace=False) / 86_400,
    "incomes, half rounded": rounded,
    "incomes, top-coded": top_coded,
    "three spikes": lambda generator: generator.choice([0.2, 0.5, 0.83], USERS),
}


def held(band: Band, histogram: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each inner edge's interval holds the crowd's CDF."""
    cdf = np.cumsum(histogram)[:-1] / USERS
    return (band.lower[1:-1] <= cdf) & (cdf <= band.upper[1:-1])


def half_width(mechanism: Mechanism) -> int:
    if not isinstance(mechanism, SquareWave):
        raise TypeError(f"the planned mechanism is a square wave, not {mechanism}")
    return mechanism.half_width


def print_coverage(name: str, crowd: Crowd, epsilon: float, circular: bool) -> None:
    domain = Domain(0, 1, BINS, circular=circular)
    planned = plan(domain, users=USERS, epsilon=epsilon, delta=1e-6)
    pointwise, simultaneous, unassuming, wider = [], [], [], []
    for seed in range(COLLECTIONS):
        histogram = domain.histogram(crowd(SeededSource(simulation_seed=seed).generator))
        estimate = planned.analyzer.estimate(planned.protocol.simulate(histogram, simulation_seed=seed))
        one = estimate.band(LEVEL, replicates=REPLICATES)
        pointwise.append(held(one, histogram))
        simultaneous.append(held(estimate.band(LEVEL, "simultaneous", replicates=REPLICATES), histogram).all())
        other = estimate.band(LEVEL, replicates=REPLICATES, assume_smooth=False)
        unassuming.append(held(other, histogram))
        wider.append(np.mean(other.upper - other.lower) / np.mean(one.upper - one.lower))
    edges = np.mean(pointwise, axis=0)
    print(
        f"{name:<22}{'circle' if circular else 'line':<8}{epsilon:>7g}{half_width(planned.mechanism):>12}"
        f"{edges.mean():>7.0%}{edges.min():>7.0%}{np.mean(simultaneous):>14.0%}"
        f"{np.mean(unassuming):>12.0%}{np.mean(wider):>6.1f} x"
    )


def main() -> None:
    print(
        f"Share of {COLLECTIONS} collections of {USERS:,} reports whose {LEVEL:.0%} band holds the truth; {BINS} bins"
    )
    print("Pointwise: mean over the edges, and the worst edge. Last: without assuming smoothness, and how much wider\n")
    header = f"{'data':<22}{'':<8}{'epsilon':>7}{'half width':>12}{'mean':>7}{'worst':>7}"
    print(f"{header}{'simultaneous':>14}{'unassuming':>12}")
    for epsilon in EPSILONS:
        for circular in (False, True):
            for name, crowd in CROWDS.items():
                print_coverage(name, crowd, epsilon, circular)


if __name__ == "__main__":
    main()
