"""The claims about the errors of ASP and its competitors."""

from collections import Counter
from typing import Any

from ...lab.judging import NOTHING, Claim, Comparison, Finding, Verdict, weighed
from ...lab.summary import Place, Point, Summary

# On their own chunks protocols are asked for different things, so that no comparison follows.
COMMON = ("bins", "sixteen")
FAMILIES = {"Flip": ("flip-16", "flip-32", "flip-64"), "Pure": ("pure-16", "pure-32", "pure-64")}


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
    rivals = Counter(each.other_name for each in comparisons if each.clear < 0)
    beaten_by = ", ".join(f"{name} ({count})" for name, count in rivals.most_common())
    more = f" It is the smallest on {by_data}." + (f" Clearly better than asp: {beaten_by}." if rivals else "")
    return Finding(found.verdict, found.sentence + more)


def wider_ranges_are_worse(summary: Summary) -> Finding:
    """Compares the two widths of range queries."""
    comparisons = []
    for place, row in summary.side_by_side("metric"):
        by_task = {place._replace(metric=metric).task: point for metric, point in row.items()}
        if {"range_0.2", "range_0.4"} <= by_task.keys():
            comparisons.append(Comparison(place, by_task["range_0.2"], by_task["range_0.4"]))
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
        return Finding("cannot be told", NOTHING)
    found: Verdict = ("does not hold", "holds in part", "holds")[without]
    return Finding(found, " ".join(sentences))


def _is_clearly_beaten(row: dict[Any, Point], name: str, members: tuple[str, ...]) -> bool:
    place = Place("", "", "", 0, 0, 0, name)
    return any(Comparison(place, row[other], row[name]).clear > 0 for other in members if other != name)


UTILITY = (
    Claim("ASP has a smaller error than every other protocol, on all tasks.", asp_is_best, COMMON),
    Claim("Wider range queries have a larger error.", wider_ranges_are_worse, COMMON),
    Claim("For Flip and Pure no number of chunks is the best for all tasks.", no_chunks_are_best, COMMON),
)
USERS = (Claim("ASP is better than the other protocols at every number of users.", asp_is_best, COMMON),)
