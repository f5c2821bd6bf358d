"""The claims about how long EMAS takes."""

from ...lab.judging import NOTHING, Claim, Finding
from ...lab.summary import Summary

# What the paper measured, in seconds.
PRINTED = 20.0


def takes_about_as_long(summary: Summary) -> Finding:
    """Compares the longest mean with the paper's 20 seconds."""
    points = summary.only(metric="seconds").points
    if not points:
        return Finding("cannot be told", NOTHING)
    longest = max(points, key=lambda place: points[place].mean)
    shortest = min(points, key=lambda place: points[place].mean)
    seconds = points[longest].mean
    return Finding(
        "holds" if seconds <= PRINTED else "does not hold",
        f"The longest mean is {seconds:.3g} s ({longest.data}, at most {longest.value or 0:,.0f} rounds), "
        f"{PRINTED / seconds:,.0f} times less; the shortest {points[shortest].mean:.3g} s ({shortest.data}).",
    )


def all_rounds_are_run(summary: Summary) -> Finding:
    """Whether the stopping rule is ever met before the limit."""
    points = {place: point for place, point in summary.only(metric="rounds").points.items() if place.value}
    if not points:
        return Finding("cannot be told", NOTHING)
    early = [place for place, point in points.items() if point.mean < (place.value or 0)]
    some = [f"{place.data} at epsilon {place.epsilon:g} after {points[place].mean:,.0f}" for place in early[:3]]
    return Finding(
        "does not hold" if len(early) == len(points) else "holds in part" if early else "holds",
        f"In {len(points) - len(early)} of {len(points)} places every repetition runs to its limit"
        + (f"; before it end, in the mean, {', '.join(some)}." if some else "."),
    )


DURATION = (
    Claim("At n = 100,000 EMAS takes no more than about 20 s, whatever the limit of its rounds.", takes_about_as_long),
    Claim("EMAS runs to the limit of its rounds, as its weights never settle.", all_rounds_are_run, ours=True),
)
