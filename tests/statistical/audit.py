"""The audit: what a sampler did, held against the law it should follow.

Three functions find fault, each with a list of sentences that is empty for a sound sampler: `unit_findings` for a rule
that maps units of weight to reports (checked exactly, unit by unit), `findings` for counts of independent draws from a
known law, and `sum_findings` for repeated values of a sum whose law is known.

The laws are written down here from their definitions, in rational arithmetic, and use nothing of the code under test.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from shufflegram.mechanism import ContinuousSquareWave, SquareWave

# The chance, at most, that `findings` says anything about a sound sampler, whatever the law and the number of draws. It
# is divided among the checks (union bound), each of which has an exact or proven tail.
FALSE_ALARM = 1e-9
# A run of the whole suite may fail by chance only where the secure source is drawn from, which has no seed. So often an
# audit, or a threshold with the same chance, holds its draws against a law:
UNSEEDED = {
    # every mechanism at each of its inputs: the device's loop, and the vectorised sampler
    "statistical/test_samplers.py": 25 + 46,
    # small bounds, large bounds twice, orders of three
    "test_randomness.py": 9 + 2 * 5 + 1,
    # two values in four formats, two shuffles
    "cli/test_randomize.py": 4 * 2 + 2,
}
# Together about 1e-7; it has to stay below one in a million. The README's example, the demo and the installed wheel
# draw securely too, and their thresholds are more than fifteen standard errors away (below 1e-50).
SUITE_FALSE_ALARM = 1e-6

ReportAt = Callable[..., int]


def is_inside(mechanism: SquareWave, cell: int, report: int) -> bool:
    """Whether the report is within the half width of the cell, by the distance between them."""
    if mechanism.circular:
        apart = abs(report - cell)
        return min(apart, mechanism.cells - apart) <= mechanism.half_width
    # Report cell c stands at input cell c - h.
    return abs(report - mechanism.half_width - cell) <= mechanism.half_width


def law(mechanism: SquareWave, cell: int) -> list[Fraction]:
    """The probability of each report for one true cell."""
    weights = [
        mechanism.density_ratio if is_inside(mechanism, cell, report) else Fraction(1)
        for report in range(mechanism.report_cells)
    ]
    total = sum(weights)
    return [weight / total for weight in weights]


def continuous_law(mechanism: ContinuousSquareWave, low: Fraction, high: Fraction, report_cells: int) -> list[Fraction]:
    """The probability of each report cell, for a value that is uniform between low and high (which may agree)."""
    b, p, q = mechanism.half_width, mechanism.inside_density, mechanism.outside_density
    cell_width = (1 + 2 * b) / report_cells
    probabilities = []
    for report in range(report_cells):
        cell_low = report * cell_width - b
        cell_high = cell_low + cell_width

        def overlap(x: Fraction, cell_low: Fraction = cell_low, cell_high: Fraction = cell_high) -> Fraction:
            return max(Fraction(0), min(x + b, cell_high) - max(x - b, cell_low))

        # The overlap is linear in x between these points, so trapezoids give its integral exactly.
        bends = {cell_low - b, cell_low + b, cell_high - b, cell_high + b}
        points = [low, *sorted(bend for bend in bends if low < bend < high), high]
        if low == high:
            mean_overlap = overlap(low)
        else:
            area = sum(
                ((right - left) * (overlap(left) + overlap(right)) / 2 for left, right in pairwise(points)),
                Fraction(0),
            )
            mean_overlap = area / (high - low)
        probabilities.append(q * cell_width + (p - q) * mean_overlap)
    return probabilities


def unit_findings(report_at: ReportAt, mechanism: SquareWave) -> list[str]:
    """Every unit of weight is tried: each report must own exactly its inside or outside weight, for every true cell."""
    found = []
    for cell in range(mechanism.cells):
        owned = Counter(
            report_at(
                unit,
                cell,
                cells=mechanism.cells,
                half_width=mechanism.half_width,
                inside=mechanism.inside_weight,
                outside=mechanism.outside_weight,
                circular=mechanism.circular,
            )
            for unit in range(mechanism.total_weight)
        )
        for report in sorted(owned.keys() | set(range(mechanism.report_cells))):
            due = 0
            if 0 <= report < mechanism.report_cells:
                inside = is_inside(mechanism, cell, report)
                due = mechanism.inside_weight if inside else mechanism.outside_weight
            if owned[report] != due:
                found.append(f"true cell {cell}: report {report} owns {owned[report]} units, not {due}")
    return found


def findings(counts: ArrayLike, probabilities: Sequence[Fraction | float]) -> list[str]:
    """What speaks against counts[j] being the counts of independent draws with the given probabilities."""
    observed = np.asarray(counts)
    expected = np.array([float(probability) for probability in probabilities])
    if observed.shape != expected.shape:
        return [f"there are {observed.size} different reports, not {expected.size}"]
    impossible = (expected == 0) & (observed > 0)
    if impossible.any():
        return [f"report {report} was drawn and cannot be" for report in np.flatnonzero(impossible)]
    third = FALSE_ALARM / 3
    draws = int(observed.sum())
    return [
        *_tail_findings("report", observed, expected, draws, third),
        # The same for all reports up to each: a little too much, everywhere on one side, adds up here.
        *_tail_findings("all up to", np.cumsum(observed)[:-1], np.cumsum(expected)[:-1], draws, third),
        *_divergence_findings(observed, expected, draws, third),
    ]


def sum_findings(sums: ArrayLike, pmf: NDArray[np.float64], groups: int = 8) -> list[str]:
    """What speaks against the sums being independent draws from the distribution pmf on 0, 1, 2, ...

    The outcomes are put into groups of about equal probability, which shows a wrong spread as well as a wrong mean.
    """
    group_of = np.minimum((np.cumsum(pmf) - pmf / 2) * groups, groups - 1).astype(np.int64)
    probabilities = np.bincount(group_of, weights=pmf, minlength=groups)
    counts = np.bincount(group_of[np.asarray(sums)], minlength=groups)
    return findings(counts, (probabilities / probabilities.sum()).tolist())


def _tail_findings(
    what: str, observed: NDArray[np.int64], expected: NDArray[np.float64], draws: int, false_alarm: float
) -> list[str]:
    """Each count is binomial: neither of its exact tails may be rarer than the share of the false alarm it gets."""
    if observed.size == 0:
        return []
    chances = np.clip(expected, 0.0, 1.0)
    rare = false_alarm / (2 * observed.size)
    too_few = stats.binom.cdf(observed, draws, chances) < rare
    too_many = stats.binom.sf(observed - 1, draws, chances) < rare
    return [
        f"{what} {j}: {observed[j]} of {draws}, expected {draws * expected[j]:.1f}"
        for j in np.flatnonzero(too_few | too_many)
    ]


def _divergence_findings(
    observed: NDArray[np.int64], expected: NDArray[np.float64], draws: int, false_alarm: float
) -> list[str]:
    """All counts at once, by the G-test, at a threshold that holds for every number of draws.

    With t = sum_j observed_j log(observed_j / expected_j) and d = outcomes - 1, P(t >= x) <= exp(-x) (e x / d)^d for
    x > d, whatever the number of draws (Agrawal, "Finite-sample concentration of the multinomial in relative entropy").
    """
    degrees = int((expected > 0).sum()) - 1
    seen = observed > 0
    divergence = float(np.sum(observed[seen] * np.log(observed[seen] / (draws * expected[seen]))))
    if divergence <= degrees or degrees == 0:
        return []
    log_tail = degrees - divergence + degrees * math.log(divergence / degrees)
    if log_tail >= math.log(false_alarm):
        return []
    return [f"together: divergence {divergence:.1f} with {degrees} degrees of freedom, P < exp({log_tail:.1f})"]
