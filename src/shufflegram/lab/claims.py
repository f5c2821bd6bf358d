"""The paper's claims about its figures in plain words, each with what decides from the numbers whether it holds.

Every claim is judged from comparisons of two means. One is clear if they differ by more than three standard errors of
their difference; what is not clear speaks neither for a claim nor against it.
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from .summary import Place, Point, Summary

Verdict = Literal["holds", "holds in part", "does not hold", "cannot be told"]

CLEAR = 3.0
# Two means are close if they differ by less than this share of the smaller.
CLOSE = 0.1
SMOOTH = ("normal", "taxi", "retirement")
FAMILIES = {"Flip": ("flip-16", "flip-32", "flip-64"), "Pure": ("pure-16", "pure-32", "pure-64")}


class Finding(NamedTuple):
    """Whether a claim holds, and the numbers that say so."""

    verdict: Verdict
    sentence: str


@dataclass(frozen=True)
class Claim:
    """What is claimed, and the judge of it, who is shown the numbers under one accounting."""

    words: str
    judge: Callable[[Summary], Finding]


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
        return Finding("cannot be told", "The table has nothing to compare.")
    clearly = sum(each.distance > CLEAR for each in all_of_them)
    against = [each for each in all_of_them if each.distance < -CLEAR]
    smaller_in = sum(each.smaller.mean < each.other.mean for each in all_of_them)
    ratio = statistics.median(_ratio(each.other.mean, each.smaller.mean) for each in all_of_them)
    sentence = (
        f"{smaller} has the smaller mean error than {other} in {smaller_in} of {len(all_of_them)} comparisons, clearly "
        f"so in {clearly} and clearly not in {len(against)}; in the median the error of {other} is {ratio:.2f} times "
        "as large."
    )
    if against:
        worst = max(against, key=lambda each: _ratio(each.smaller.mean, each.other.mean))
        place = where(worst.place, (each.place for each in all_of_them))
        sentence += (
            f" Furthest from the claim is {place}: {shown(worst.smaller)} for {smaller} against "
            f"{shown(worst.other)} for {worst.other_name or other}."
        )
    return Finding(verdict(clearly, len(against)), sentence)


def _ratio(above: float, below: float) -> float:
    """Above by below, with 0 by 0 as 1."""
    return above / below if below > 0 else math.inf if above > 0 else 1.0


def shown(point: Point) -> str:
    """The mean and its standard error, as in 0.00123 +- 0.00002."""
    return f"{point.mean:.3g}" if math.isnan(point.error) else f"{point.mean:.3g} ± {point.error:.1g}"


def where(place: Place, among: Iterable[Place]) -> str:
    """The data, the task and the epsilon, and how many users where that varies."""
    sizes = {other.users for other in among if other.data == place.data}
    users = f", {place.users:,} users" if len(sizes) > 1 else ""
    return f"{place.data}, {place.metric}, epsilon {place.epsilon:g}{users}"


def asp_is_best(summary: Summary) -> Finding:
    """Compares ASP with the best of the others, which is another one from place to place."""
    comparisons = []
    for place, row in summary.side_by_side("protocol"):
        others = {name: point for name, point in row.items() if name != "asp"}
        if "asp" in row and others:
            best = min(others, key=lambda name: others[name].mean)
            comparisons.append(Comparison(place, row["asp"], others[best], best))
    found = weighed(comparisons, "asp", "the best of the others")
    wins = Counter(each.place.data for each in comparisons if each.smaller.mean < each.other.mean)
    all_of_them = Counter(each.place.data for each in comparisons)
    by_data = ", ".join(f"{data} {wins[data]} of {count}" for data, count in all_of_them.items())
    rivals = Counter(each.other_name for each in comparisons if each.distance < -CLEAR)
    beaten_by = ", ".join(f"{name} ({count})" for name, count in rivals.most_common())
    more = f" It is the smallest on {by_data}." + (f" Clearly better than asp: {beaten_by}." if rivals else "")
    return Finding(found.verdict, found.sentence + more)


def wider_ranges_are_worse(summary: Summary) -> Finding:
    """Compares the two widths of range queries."""
    rows = [(place, row) for place, row in summary.side_by_side("metric") if {"range_0.2", "range_0.4"} <= row.keys()]
    comparisons = [Comparison(place, row["range_0.2"], row["range_0.4"]) for place, row in rows]
    return weighed(comparisons, "range_0.2", "range_0.4")


def no_chunks_are_best(summary: Summary) -> Finding:
    """Looks for a number of chunks that is nowhere clearly worse than another."""
    without, some = 0, False
    sentences = []
    for family, members in FAMILIES.items():
        rows = [row for _, row in summary.side_by_side("protocol") if set(members) <= row.keys()]
        wins = Counter(min(members, key=lambda name: row[name].mean) for row in rows)
        beaten = {name: sum(_is_clearly_beaten(row, name, members) for row in rows) for name in members}
        never = [name for name in members if rows and beaten[name] == 0]
        without += bool(rows) and not never
        counts = ", ".join(f"{name} {wins[name]}" for name in members)
        losses = ", ".join(f"{name} {beaten[name]}" for name in members)
        sentences.append(f"{family}: smallest in {counts} of {len(rows)}; clearly beaten in {losses}.")
        some = some or bool(rows)
    if not some:
        return Finding("cannot be told", "The table has nothing to compare.")
    found: Verdict = ("does not hold", "holds in part", "holds")[without]
    return Finding(found, " ".join(sentences))


def _is_clearly_beaten(row: dict[Any, Point], name: str, members: tuple[str, ...]) -> bool:
    place = Place("", "", "", 0, 0, 0, name)
    return any(Comparison(place, row[other], row[name]).distance > CLEAR for other in members if other != name)


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


def close_on_smooth_data(summary: Summary) -> Finding:
    """Counts where combination 1 and SSW differ by a tenth or by no more than chance would have it."""
    near, furthest = 0, None
    ratios: list[float] = []
    for place, row in summary.side_by_side("protocol"):
        if place.data not in SMOOTH or not {"combination-1", "ssw"} <= row.keys():
            continue
        one, ssw = row["combination-1"], row["ssw"]
        ratio = _ratio(max(one.mean, ssw.mean), min(one.mean, ssw.mean))
        near += ratio <= 1 + CLOSE or abs(Comparison(place, one, ssw).distance) <= CLEAR
        if not ratios or ratio > max(ratios):
            furthest = Comparison(place, one, ssw)
        ratios.append(ratio)
    if furthest is None:
        return Finding("cannot be told", "The table has nothing to compare.")
    return Finding(
        verdict(near, len(ratios) - near),
        f"In {near} of {len(ratios)} comparisons they differ by at most {CLOSE:.0%} or within three standard errors; "
        f"the larger is {statistics.median(ratios):.2f} times the smaller in the median and at most "
        f"{max(ratios):.2f} times, which is {where(furthest.place, summary.points)}: {shown(furthest.smaller)} for "
        f"combination-1 against {shown(furthest.other)} for ssw.",
    )


def best_bins_differ(summary: Summary) -> Finding:
    """Looks at each epsilon for two data sets that each are clearly better off with their own best number."""
    speaks_for = speaks_against = 0
    sentences = []
    for epsilon in summary.values("epsilon"):
        part = summary.only(epsilon=epsilon)
        rows = {place.data: row for place, row in part.side_by_side("bins")}
        best = {data: min(row, key=lambda bins, row=row: row[bins].mean) for data, row in rows.items()}  # type: ignore[misc]
        place = next(iter(part.points))
        apart = any(
            Comparison(place, rows[one][best[one]], rows[one][best[other]]).distance > CLEAR
            and Comparison(place, rows[other][best[other]], rows[other][best[one]]).distance > CLEAR
            for one in rows
            for other in rows
            if best[other] in rows[one] and best[one] in rows[other]
        )
        speaks_for += apart
        speaks_against += len(rows) > 1 and len(set(best.values())) == 1
        numbers = ", ".join(f"{data} {bins} ({shown(rows[data][bins])})" for data, bins in best.items())
        sentences.append(f"Epsilon {epsilon:g}: best are {numbers}{'' if apart else '; not clearly different'}.")
    return Finding(verdict(speaks_for, speaks_against), " ".join(sentences))


_RANDOMIZER_HELPS = smaller_than("asp", "combination-1")
_SMOOTHING_HELPS = smaller_than("asp", "combination-2")

CLAIMS: dict[str, tuple[Claim, ...]] = {
    "figure-utility": (
        Claim("ASP has a smaller error than every other protocol, on all tasks.", asp_is_best),
        Claim("Wider range queries have a larger error.", wider_ranges_are_worse),
        Claim("For Flip and Pure no number of chunks is the best for all tasks.", no_chunks_are_best),
    ),
    "figure-components": (
        Claim("ASP's randomizer makes the error smaller (ASP against combination 1).", _RANDOMIZER_HELPS),
        Claim("ASP's smoothing makes the error smaller (ASP against combination 2).", _SMOOTHING_HELPS),
        Claim(
            "The randomizer contributes more than the smoothing: combination 2, which has ASP's randomizer, is better "
            "than combination 1, which has ASP's smoothing.",
            smaller_than("combination-2", "combination-1"),
        ),
        Claim("On smooth data (all but income) combination 1 is close to SSW.", close_on_smooth_data),
        Claim(
            "On the spiky income both the randomizer and the smoothing help.",
            both(
                smaller_than("asp", "combination-1", data="income"),
                smaller_than("asp", "combination-2", data="income"),
            ),
        ),
    ),
    "figure-bins": (Claim("Different data sets have different best numbers of bins.", best_bins_differ),),
    "figure-users": (Claim("ASP is better than the other protocols at every number of users.", asp_is_best),),
}
