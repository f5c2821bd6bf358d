"""The claims about the bounds on what a report tells. Nothing is drawn here, so every difference is clear."""

import statistics

from ...lab.judging import NOTHING, Claim, Finding, verdict
from ...lab.summary import Place, Point, Summary

# "About 50% tighter" is taken to hold from here on.
ABOUT_HALF = 0.4
# The data that the paper speaks of.
SHOWN = "normal"
ENDS = "values piled at both ends"


def _rows(summary: Summary) -> list[tuple[Place, dict[str, Point]]]:
    return [(place, row) for place, row in summary.side_by_side("metric") if "paper_bound" in row]


def half_the_gap(summary: Summary) -> Finding:
    """How much nearer to the truth the paper's bound is than the prior one, on Normal; and the most elsewhere."""
    nearer = {}
    for place, row in _rows(summary):
        truth, paper, prior = (row[name].mean for name in ("information", "paper_bound", "prior_bound"))
        nearer[place] = 1 - (paper - truth) / (prior - truth)
    shown = {place: share for place, share in nearer.items() if place.data == SHOWN}
    if not shown:
        return Finding("cannot be told", NOTHING)
    half = sum(share >= ABOUT_HALF for share in shown.values())
    least, most, elsewhere = (
        min(shown, key=shown.__getitem__),
        max(shown, key=shown.__getitem__),
        max(nearer, key=nearer.__getitem__),
    )
    lower = statistics.median(
        1 - row["paper_bound"].mean / row["prior_bound"].mean for place, row in _rows(summary) if place.data == SHOWN
    )
    return Finding(
        verdict(half, len(shown) - half),
        f"On {SHOWN} the gap between the bound and the exact information is {statistics.median(shown.values()):.0%} "
        f"smaller in the median than that of the prior bound, from {shown[least]:.0%} at epsilon {least.epsilon:g} to "
        f"{shown[most]:.0%} at epsilon {most.epsilon:g}; the bound itself is {lower:.1%} lower in the median. On any "
        f"of the data it is at most {nearer[elsewhere]:.0%} smaller ({elsewhere.data}, epsilon {elsewhere.epsilon:g}).",
    )


def bounds_everything(summary: Summary) -> Finding:
    """Whether the paper's bound is above what a report tells of the data, and of values piled at both ends."""
    return _is_above(summary, "paper_bound", "The paper's bound")


def uniform_tells_most(summary: Summary) -> Finding:
    """Whether a report tells more of a uniform value than of the data, and of values piled at both ends."""
    return _is_above(summary, "information_uniform", "What a report tells of a uniform value")


def _is_above(summary: Summary, above: str, words: str) -> Finding:
    """A statement about all inputs: a single one below it refutes it."""
    ratios = [
        (row[above].mean / row[below].mean, name, place)
        for place, row in _rows(summary)
        for below, name in (("information", f"of {place.data}"), ("information_ends", f"of {ENDS}"))
        if below in row
    ]
    if not ratios:
        return Finding("cannot be told", NOTHING)
    least, name, place = min(ratios)
    exceeded = sum(ratio < 1 for ratio, _, _ in ratios)
    return Finding(
        "does not hold" if exceeded else "holds",
        f"{words} is below what a report tells of some input in {exceeded} of {len(ratios)} places; at the least it is "
        f"{least:.3f} times as large ({name}, with the parameters for {place.users:,} users and epsilon "
        f"{place.epsilon:g}).",
    )


INFORMATION = (
    Claim("The paper's bound is about 50% tighter than the prior bound.", half_the_gap),
    Claim("It bounds what a report tells of any input.", bounds_everything),
    Claim("A uniform input is the one a report tells most of (Theorem 3).", uniform_tells_most),
)
