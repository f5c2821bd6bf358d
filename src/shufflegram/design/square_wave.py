"""Which half width and density ratio to use. A design proposes; accounting certifies what it proposes.

`published_*` answer as the paper does, with its corrected formula and the continuous wave; `exact_*` under exact
accounting and in whole cells, which is what a collection runs.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from ..channel import square_wave_channel
from ..errors import InfeasibleError
from ..mechanism import ContinuousSquareWave, SquareWave, widest_half_width
from ..privacy import exact
from ..privacy.accounting import largest_guaranteed_ratio, largest_ratio_under
from ..privacy.bounds import hoeffding
from ..privacy.budget import LARGEST_CROWD, LARGEST_EPSILON, Budget
from ..privacy.laws import window_law
from .expected_error import CELLS, expected_error
from .information import mutual_information, paper_bound
from .shapes import SHAPES, shape_of

# A protocol's rule for the half width, a share of the domain, from the local epsilon.
Rule = Callable[[float], float]

# Significant digits of a proposed density ratio: short enough to read, fine enough to lose nothing.
DIGITS = 6
# Parameters are searched for slightly less than the delta allowed, as a proof is slightly wider than the search.
PROVABLE = 1 - 1e-4
# All reports together should tell at least this much (in nats); below it there is nothing to estimate.
LEAST_INFORMATION = 1.0
# The paper's half width is searched between these shares of the domain.
NARROWEST, WIDEST = 1e-4, 0.5


def published_asp(budget: Budget) -> ContinuousSquareWave:
    """The paper's parameters: the largest I_u under the corrected Hoeffding bound, searched along that constraint."""
    from scipy.optimize import minimize_scalar

    def loss(log_b: float) -> float:
        b = math.exp(log_b)
        return -paper_bound(b, published_ratio(b, budget))

    found = minimize_scalar(
        loss, bounds=(math.log(NARROWEST), math.log(WIDEST)), method="bounded", options={"xatol": 1e-7}
    )
    b = math.exp(float(found.x))
    return continuous(b, published_ratio(b, budget))


def published_ratio(b: float, budget: Budget) -> float:
    """The largest density ratio that the corrected Hoeffding bound allows at half width b."""
    share = 2 * b / (1 + 2 * b)
    ratio = largest_ratio_under(
        lambda k: hoeffding(k, share, budget.users, budget.epsilon), budget.epsilon, budget.delta
    )
    return budget.capped(ratio)


def published_by(rule: Rule, budget: Budget) -> ContinuousSquareWave:
    """As published: the largest local epsilon whose parameters by the rule pass the corrected Hoeffding bound."""
    ratio = largest_ratio_under(
        lambda k: hoeffding(k, _share_by(rule, k), budget.users, budget.epsilon), budget.epsilon, budget.delta
    )
    ratio = budget.capped(ratio)
    return continuous(rule(math.log(ratio)), ratio)


def exact_by(rule: Rule, budget: Budget) -> ContinuousSquareWave:
    """At its own limit: the largest local epsilon whose parameters by the rule the exact blanket allows."""

    def delta(k: float) -> float:
        law = window_law(Fraction(k), Fraction(_share_by(rule, k)))
        return exact.delta(law, budget.users, budget.epsilon).upper

    ratio = budget.capped(largest_ratio_under(delta, budget.epsilon, budget.delta))
    return continuous(rule(math.log(ratio)), ratio)


def exact_by_in_cells(rule: Rule, cells: int, *, circular: bool, budget: Budget) -> SquareWave:
    """The same in whole cells."""
    return in_cells(exact_by(rule, budget), cells, circular=circular, budget=budget)


def sw_half_width(local_epsilon: float) -> float:
    """SW's rule: b = (e E - E + 1) / (2E (E - 1 - e)), E = exp(e); 1/2 in the limit of e = 0."""
    if local_epsilon < 1e-4:
        # the fraction's numerator and denominator both vanish; to first order b = 1/2 - e/3
        return 0.5 - local_epsilon / 3
    gain = math.exp(min(local_epsilon, 300.0))
    e = min(local_epsilon, 300.0)
    return (e * gain - gain + 1) / (2 * gain * (gain - 1 - e))


def piecewise_half_width(local_epsilon: float) -> float:
    """The piecewise mechanism's rule: b = 1 / (2 sqrt(E)), E = exp(e).

    It reports a point of [-C, C] for a value x of [-1, 1], C = (sqrt(E) + 1) / (sqrt(E) - 1), and E times as likely one
    of a window of length C - 1 whose low end is ((C + 1) x - (C - 1)) / 2. Moved and divided by C + 1, that is a window
    of length (C - 1) / (C + 1) = 1 / sqrt(E) that begins at the value, among reports from 0 to 1 + 1 / sqrt(E): a
    square wave.
    """
    return math.exp(-min(local_epsilon, 300.0) / 2) / 2


def in_cells(wave: ContinuousSquareWave, cells: int, *, circular: bool, budget: Budget) -> SquareWave:
    """The wave whose window has about the same length in whole cells, at the largest ratio that is private there."""
    half_width = round(float(wave.half_width) * cells - 0.5)
    half_width = min(max(half_width, 0), widest_half_width(cells, circular=circular))
    return at_largest_ratio(cells, half_width, circular=circular, budget=budget)


def exact_asp(cells: int, *, circular: bool, budget: Budget, expected: ArrayLike | None = None) -> SquareWave:
    """The half width of the largest exact mutual information, each at the largest ratio that exact accounting allows.

    `expected` is a public guess at the histogram, by default uniform. Mutual information stands in for the estimation
    error that one would rather minimise: at small crowds it prefers windows somewhat too narrow.
    """

    def information(half_width: int) -> float:
        wave = at_largest_ratio(cells, half_width, circular=circular, budget=budget)
        return mutual_information(wave, expected)

    best = _half_width_of_most(information, widest_half_width(cells, circular=circular))
    return at_largest_ratio(cells, best, circular=circular, budget=budget)


def exact_least_error(cells: int, *, circular: bool, budget: Budget, expected: ArrayLike | None = None) -> SquareWave:
    """The half width of the least expected W1, each at the largest ratio that exact accounting allows.

    `expected` is a public guess at the histogram. Without one it is the least geometric mean over the family of shapes:
    a factor lost on one of them counts as much as on any other.
    """
    looked_at = min(cells, CELLS)
    shapes = [shape_of(each, looked_at) for each in (SHAPES if expected is None else [expected])]

    def accuracy(half_width: int) -> float:
        wave = at_largest_ratio(cells, half_width, circular=circular, budget=budget)
        channel = square_wave_channel(wave)
        errors = [expected_error(channel, each, budget.users, circular=circular).wasserstein for each in shapes]
        return -float(np.mean(np.log(errors)))

    best = _half_width_of_most(accuracy, widest_half_width(cells, circular=circular))
    return at_largest_ratio(cells, best, circular=circular, budget=budget)


def _half_width_of_most(score: Callable[[int], float], widest: int) -> int:
    """The half width of the largest score: a coarse look at all scales, then ever finer around the best."""
    remembered = cache(score)
    grid = sorted({0, widest, *(round(x) for x in np.geomspace(1, max(widest, 1), 14) if x <= widest)})
    best: int = max(grid, key=remembered)
    step = max(1, (_after(grid, best) - _before(grid, best)) // 4)
    while True:
        near = [h for h in (best - step, best + step) if 0 <= h <= widest]
        better = max([best, *near], key=remembered)
        if better != best:
            best = better
        elif step > 1:
            step //= 2
        else:
            return best


def at_largest_ratio(cells: int, half_width: int, *, circular: bool, budget: Budget) -> SquareWave:
    """The square wave of this half width at the largest (readable) density ratio that exact accounting allows."""
    shape = SquareWave(cells, half_width, Fraction(1), circular)
    ratio = largest_guaranteed_ratio(shape.window_share, budget.users, budget.epsilon, budget.delta * PROVABLE)
    return shape.with_density_ratio(readable_ratio(budget.capped(ratio)))


def readable_ratio(ratio: float) -> Fraction:
    """The ratio rounded down to a short decimal, keeping enough digits of what it has above 1."""
    if ratio <= 1:
        return Fraction(1)
    decimals = max(0, DIGITS - 1 - math.floor(math.log10(ratio)), DIGITS - 3 - math.floor(math.log10(ratio - 1)))
    scale = 10 ** min(decimals, 15)
    return max(Fraction(1), Fraction(math.floor(Fraction(ratio) * scale), scale))


def continuous(b: float, k: float) -> ContinuousSquareWave:
    """The continuous wave with readable parameters, its ratio rounded down."""
    return ContinuousSquareWave(Fraction(f"{b:.9g}"), readable_ratio(k))


def informative(choose: Callable[[Budget], SquareWave], budget: Budget) -> SquareWave:
    """What a design chooses for the budget; if all its reports together tell nothing, an error that says what would do.

    Each remedy that is named was tried: with it alone, the same design tells enough.
    """
    wave = choose(budget)
    if _tells(wave, budget):
        return wave
    cap = budget.max_local_epsilon
    remedies: list[tuple[str, list[Budget]]] = [
        (
            "{0.users:,} honest reports",
            [replace(budget, users=round(each)) for each in _larger(budget.users, 2, LARGEST_CROWD)],
        ),
        (
            "epsilon {0.epsilon:g}",
            [replace(budget, epsilon=each) for each in _larger(budget.epsilon, 1.25, LARGEST_EPSILON)],
        ),
    ]
    if cap is not None:
        caps = [replace(budget, max_local_epsilon=each) for each in _larger(cap, 1.25, LARGEST_EPSILON)]
        remedies.insert(0, ("max_local_epsilon {0.max_local_epsilon:g}", caps))
    found = [
        words.format(enough)
        for words, larger in remedies
        if (enough := _first(larger, lambda each: _tells(choose(each), each))) is not None
    ]
    reports = f"{budget.users:,} honest report{'' if budget.users == 1 else 's'}"
    asked = f"epsilon {budget.epsilon:g} and delta {budget.delta:g}"
    asked += "" if cap is None else f" under max_local_epsilon {cap:g}"
    would_do = f"{' or '.join(found)} would do" if found else "raising one of them is not enough, so raise several"
    raise InfeasibleError(f"with {reports}, {asked} all reports together would tell next to nothing; {would_do}")


def _tells(wave: SquareWave, budget: Budget) -> bool:
    return budget.users * mutual_information(wave) >= LEAST_INFORMATION


def _larger(value: float, factor: float, most: float) -> list[float]:
    """Growing multiples of the value, up to `most`, each rounded up to two digits."""
    grown = []
    multiple = value * factor
    while multiple <= most:
        unit = 10.0 ** (math.floor(math.log10(multiple)) - 1)
        grown.append(min(float(f"{math.ceil(multiple / unit) * unit:.2g}"), most))
        multiple *= factor
    return grown


def _first(rising: list[Budget], does: Callable[[Budget], bool]) -> Budget | None:
    """The first that does, if those after it do too; in any case one that was tried, or None if the last does not."""
    if not rising or not does(rising[-1]):
        return None
    low, high = 0, len(rising) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if does(rising[middle]) else (middle + 1, high)
    return rising[high]


def _share_by(rule: Rule, k: float) -> float:
    b = rule(math.log(k))
    return 2 * b / (1 + 2 * b)


def _before(grid: list[int], item: int) -> int:
    return grid[max(grid.index(item) - 1, 0)]


def _after(grid: list[int], item: int) -> int:
    return grid[min(grid.index(item) + 1, len(grid) - 1)]
