"""Claims in plain words, each with what decides from the numbers whether it holds.

A claim is judged from comparisons of two means where it can be. One is clear if they differ by more than three standard
errors of their difference; what is not clear speaks neither for a claim nor against it.
"""

import math
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from .layout import name_of
from .summary import Place, Point, Summary

Verdict = Literal["holds", "holds in part", "does not hold", "cannot be told"]

CLEAR = 3.0
NOTHING = "The table has nothing to compare."


class Finding(NamedTuple):
    """Whether a claim holds, and the numbers that say so."""

    verdict: Verdict
    sentence: str


@dataclass(frozen=True)
class Claim:
    """What is claimed, and the judge of it, who is shown the numbers under one accounting and one way of scoring."""

    words: str
    judge: Callable[[Summary], Finding]


class Judged(NamedTuple):
    """A claim, and what is found under each accounting and way of scoring."""

    words: str
    findings: dict[str, Finding]


def judge(summary: Summary, claims: Iterable[Claim]) -> list[Judged]:
    """Every claim on its own numbers, under each accounting, and on the bins and on protocols' own chunks."""
    parts = {
        ", ".join(
            (name_of("accounting", accounting), *([name_of("scoring", scoring)] if scoring == "chunks" else []))
        ): (summary.only(accounting=accounting, scoring=scoring))
        for scoring in summary.values("scoring")
        for accounting in summary.values("accounting")
    }
    return [Judged(each.words, {name: each.judge(part) for name, part in parts.items()}) for each in claims]


class Comparison(NamedTuple):
    """What the claim says is smaller, and what it is compared with."""

    place: Place
    smaller: Point
    other: Point
    other_name: str = ""

    @property
    def distance(self) -> float:
        """By how many standard errors of the difference the first is smaller; 0 if these are not known."""
        difference = self.other.mean - self.smaller.mean
        error = math.hypot(self.smaller.error, self.other.error)
        if math.isnan(error):
            return 0.0
        return difference / error if error > 0 else math.copysign(math.inf, difference) if difference else 0.0


def verdict(speaks_for: int, speaks_against: int) -> Verdict:
    """Holds where nothing clear speaks against it; holds in part where more is for it than against it."""
    if speaks_for == speaks_against == 0:
        return "cannot be told"
    if speaks_against == 0:
        return "holds"
    return "holds in part" if speaks_for > speaks_against else "does not hold"


def weighed(comparisons: Iterable[Comparison], smaller: str, other: str) -> Finding:
    """The verdict on "smaller is smaller than other", the counts, and the worst of what speaks against it."""
    all_of_them = list(comparisons)
    if not all_of_them:
        return Finding("cannot be told", NOTHING)
    clearly = sum(each.distance > CLEAR for each in all_of_them)
    against = [each for each in all_of_them if each.distance < -CLEAR]
    smaller_in = sum(each.smaller.mean < each.other.mean for each in all_of_them)
    median = statistics.median(ratio(each.other.mean, each.smaller.mean) for each in all_of_them)
    sentence = (
        f"{smaller} has the smaller mean error than {other} in {smaller_in} of {len(all_of_them)} comparisons, clearly "
        f"so in {clearly} and clearly not in {len(against)}; in the median the error of {other} is {median:.2f} times "
        "as large."
    )
    if against:
        worst = max(against, key=lambda each: ratio(each.smaller.mean, each.other.mean))
        place = where(worst.place, (each.place for each in all_of_them))
        sentence += (
            f" Furthest from the claim is {place}: {shown(worst.smaller)} for {smaller} against "
            f"{shown(worst.other)} for {worst.other_name or other}."
        )
    return Finding(verdict(clearly, len(against)), sentence)


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
    return f"{place.data}, {place.task}, epsilon {place.epsilon:g}{users}"


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
