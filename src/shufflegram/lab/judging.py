"""Claims in plain words, each with what decides from the numbers whether it holds.

A claim is judged from comparisons of two means where it can be. One is clear if chance alone would make them differ as
much in one of 370 cases (Welch's t test; with many repetitions, three standard errors of their difference); what is not
clear speaks neither for a claim nor against it.
"""

import math
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from .layout import name_of
from .summary import Place, Point, Summary

Verdict = Literal["holds", "holds in part", "does not hold", "cannot be told"]

# The chance of more than three standard deviations, to either side together.
CHANCE = 0.0027
NOTHING = "The table has nothing to compare."


class Finding(NamedTuple):
    """Whether a claim holds, and the numbers that say so."""

    verdict: Verdict
    sentence: str


@dataclass(frozen=True)
class Claim:
    """What is claimed, and the judge of it, who is shown the numbers under one accounting and on one grid.

    `grids` are those that the claim can be judged on. Some claims are not the paper's: `ours` are about its choices.
    """

    words: str
    judge: Callable[[Summary], Finding]
    grids: tuple[str, ...] = ("bins",)
    ours: bool = False

    @property
    def stated(self) -> str:
        """The claim, and whose it is."""
        return f"{self.words} (ours)" if self.ours else self.words


class Judged(NamedTuple):
    """A claim, and what is found under each accounting and on each grid."""

    claim: Claim
    findings: dict[str, Finding]


def judge(summary: Summary, claims: Iterable[Claim]) -> list[Judged]:
    """Every claim on its own numbers, under each accounting and on each grid that it can be judged on."""
    return [Judged(claim, _findings(summary, claim)) for claim in claims]


def _findings(summary: Summary, claim: Claim) -> dict[str, Finding]:
    grids = [grid for grid in claim.grids if grid in summary.values("scoring")] or ["bins"]
    accountings = summary.values("accounting")
    return {
        ", ".join([name_of("accounting", accounting), *([name_of("scoring", grid)] if grid != "bins" else [])]): (
            claim.judge(summary.only(accounting=accounting, scoring=grid))
        )
        for grid in grids
        for accounting in accountings
    }


class Comparison(NamedTuple):
    """What the claim says is smaller, and what it is compared with."""

    place: Place
    smaller: Point
    other: Point
    other_name: str = ""

    @property
    def clear(self) -> int:
        """1 if the first is clearly the smaller, -1 if it is clearly the larger, 0 if that cannot be told."""
        one, two = self.smaller, self.other
        difference = two.mean - one.mean
        variances = [one.error**2, two.error**2]
        if math.isnan(sum(variances)) or difference == 0:
            return 0
        sign = 1 if difference > 0 else -1
        if sum(variances) == 0:
            return sign
        # Welch: t = difference / sqrt(a + b) has (a + b)^2 / (a^2 / (r - 1) + b^2 / (s - 1)) degrees of freedom
        spread = sum(each**2 / (point.repetitions - 1) for each, point in zip(variances, (one, two), strict=True))
        freedom = sum(variances) ** 2 / spread
        return sign if abs(difference) > _least_clear(freedom) * math.sqrt(sum(variances)) else 0


@lru_cache(maxsize=4096)
def _least_clear(freedom: float) -> float:
    """How many standard errors a clear difference has."""
    from scipy.stats import t

    return float(t.isf(CHANCE / 2, freedom))


def verdict(speaks_for: int, speaks_against: int, leaning: float = 1.0) -> Verdict:
    """What the clear comparisons say, and the share of all that lean to the claim's side, clearly or not.

    It holds if none is clearly against it and most lean to its side, and in part if more are for it than against it.
    """
    if speaks_for == speaks_against == 0:
        return "cannot be told"
    if speaks_against == 0 and leaning > 1 / 2:
        return "holds"
    return "holds in part" if speaks_for > speaks_against else "does not hold"


def weighed(comparisons: Iterable[Comparison], smaller: str, other: str) -> Finding:
    """The verdict on "smaller is smaller than other", the counts, and the worst of what speaks against it."""
    all_of_them = list(comparisons)
    if not all_of_them:
        return Finding("cannot be told", NOTHING)
    clearly = sum(each.clear > 0 for each in all_of_them)
    against = [each for each in all_of_them if each.clear < 0]
    smaller_in = sum(each.smaller.mean < each.other.mean for each in all_of_them)
    median = statistics.median(ratio(each.other.mean, each.smaller.mean) for each in all_of_them)
    sentence = (
        f"The error of {smaller} is smaller than that of {other} in {smaller_in} of {len(all_of_them)} comparisons, "
        f"clearly smaller in {clearly} and clearly larger in {len(against)}; in the median the error of {other} is "
        f"{median:.2f} times as large."
    )
    if against:
        worst = max(against, key=lambda each: ratio(each.smaller.mean, each.other.mean))
        place = where(worst.place, (each.place for each in all_of_them))
        sentence += (
            f" Furthest from the claim is {place}: {shown(worst.smaller)} for {smaller} against "
            f"{shown(worst.other)} for {worst.other_name or other}."
        )
    return Finding(verdict(clearly, len(against), smaller_in / len(all_of_them)), sentence)


def ratio(above: float, below: float) -> float:
    """Above by below, with 0 by 0 as 1."""
    return above / below if below > 0 else math.inf if above > 0 else 1.0


def shown(point: Point) -> str:
    """The mean and its standard error, as in 0.00123 +- 0.00002."""
    return f"{point.mean:.3g}" if math.isnan(point.error) else f"{point.mean:.3g} ± {point.error:.1g}"


def where(place: Place, among: Iterable[Place]) -> str:
    """The data, the task and the epsilon, and how many users where that varies."""
    sizes = {other.users for other in among if other.data == place.data}
    users = f", {place.users:,} users" if len(sizes) > 1 else ""
    task = name_of("task", place.task).partition(" (")[0]
    return f"{place.data}, {task}, epsilon {place.epsilon:g}{users}"


def smaller_than(smaller: str, other: str, *, data: str | None = None) -> Callable[[Summary], Finding]:
    """The judge of "one protocol's error is smaller than the other's", on one data set or on all."""

    def judge(summary: Summary) -> Finding:
        part = summary if data is None else summary.only(data=data)
        rows = [(place, row) for place, row in part.side_by_side("protocol") if {smaller, other} <= row.keys()]
        return weighed((Comparison(place, row[smaller], row[other]) for place, row in rows), smaller, other)

    return judge


def both(first: Callable[[Summary], Finding], second: Callable[[Summary], Finding]) -> Callable[[Summary], Finding]:
    """The judge of two claims at once: it holds if both do, and does not hold if neither does."""

    def judge(summary: Summary) -> Finding:
        found = [first(summary), second(summary)]
        verdicts = {each.verdict for each in found}
        joint = found[0].verdict if len(verdicts) == 1 else "holds in part"
        if "cannot be told" in verdicts:
            joint = "cannot be told"
        return Finding(joint, " ".join(each.sentence for each in found))

    return judge
