"""The claims about the bounds on what a report tells. Nothing is drawn here, so every difference is clear."""

import statistics

from ...lab.judging import NOTHING, Claim, Finding, Verdict, verdict
from ...lab.summary import Place, Point, Summary

# "About 50% tighter" is taken to hold from here on.
ABOUT_HALF = 0.4


def _rows(summary: Summary) -> list[tuple[Place, dict[str, Point]]]:
    return [(place, row) for place, row in summary.side_by_side("metric") if "paper_bound" in row]


def half_the_gap(summary: Summary) -> Finding:
    """How much nearer to the truth the paper's bound is than the prior one, at each epsilon and on each data set."""
    rows = _rows(summary)
    if not rows:
        return Finding("cannot be told", NOTHING)
    nearer = []
    for place, row in rows:
        truth, paper, prior = (row[name].mean for name in ("information", "paper_bound", "prior_bound"))
        nearer.append((1 - (paper - truth) / (prior - truth), place))
    shares = [share for share, _ in nearer]
    found: Verdict = (
        "holds" if min(shares) >= ABOUT_HALF else "holds in part" if max(shares) >= ABOUT_HALF else "does not hold"
    )
    (least, least_at), (most, most_at) = min(nearer), max(nearer)
    lower = statistics.median(1 - row["paper_bound"].mean / row["prior_bound"].mean for _, row in rows)
    return Finding(
        found,
        f"The gap between the bound and the exact information is {statistics.median(shares):.0%} smaller in the median "
        f"than that of the prior bound: from {least:.0%} ({least_at.data}, epsilon {least_at.epsilon:g}) to {most:.0%} "
        f"({most_at.data}, epsilon {most_at.epsilon:g}). The bound itself is {lower:.1%} lower in the median.",
    )


def bounds_from_above(summary: Summary) -> Finding:
    """Whether the paper's bound is above what a report of the data tells."""
    return _is_above(summary, "paper_bound", "information", "The paper's bound", "what a report of the data tells")


def uniform_tells_most(summary: Summary) -> Finding:
    """Whether a report of a uniform value tells more than one of the data."""
    return _is_above(
        summary, "information_uniform", "information", "What a report of a uniform value tells", "that of the data"
    )


def _is_above(summary: Summary, above: str, below: str, one: str, other: str) -> Finding:
    rows = _rows(summary)
    if not rows:
        return Finding("cannot be told", NOTHING)
    ratios = [(row[above].mean / row[below].mean, place) for place, row in rows]
    higher = sum(ratio >= 1 for ratio, _ in ratios)
    least, place = min(ratios)
    return Finding(
        verdict(higher, len(ratios) - higher),
        f"{one} is above {other} in {higher} of {len(ratios)} places; it is at least {least:.3f} times as large "
        f"({place.data}, epsilon {place.epsilon:g}).",
    )


INFORMATION = (
    Claim("The paper's bound is about 50% tighter than the prior bound.", half_the_gap),
    Claim("It bounds what a report of any data tells.", bounds_from_above),
    Claim("A uniform value is the one a report tells most of (Theorem 3).", uniform_tells_most),
)
