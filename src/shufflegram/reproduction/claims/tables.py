"""The claims about the paper's two tables: marginals of several values, and other privacy models."""

from collections.abc import Callable, Iterator

from ...lab.judging import Claim, Comparison, Finding, weighed
from ...lab.summary import Point, Summary

# The paper must have scored each on its own chunks; the other two are common to all.
GRIDS = ("chunks", "bins", "sixteen")
CENTRAL = ("gaussian-16", "gaussian-32", "gaussian-64")


def more_ways_are_worse(summary: Summary) -> Finding:
    """Compares marginals of two values with those of three."""
    rows = [
        (place, row) for place, row in summary.side_by_side("metric") if {"marginals_2", "marginals_3"} <= row.keys()
    ]
    return weighed(
        (Comparison(place, row["marginals_2"], row["marginals_3"]) for place, row in rows),
        "two ways",
        "three ways",
    )


def noise_is_what_counts(summary: Summary) -> Finding:
    """Compares what the noise does to the product of marginals with what taking a product does without noise."""
    comparisons = []
    for place, row in summary.side_by_side("metric"):
        for ways in (2, 3):
            noise, floor = f"marginals_{ways}_noise", f"marginals_{ways}_floor"
            if {noise, floor} <= row.keys():
                comparisons.append(Comparison(place._replace(metric=noise), row[floor], row[noise]))
    return weighed(comparisons, "the product of the true marginals", "the noise in the product")


def asp_against(others: Callable[[str], bool], *, is_smaller: bool, words: str) -> Callable[[Summary], Finding]:
    """The judge of "ASP's error is smaller than each of these", or larger."""

    def comparisons(summary: Summary) -> Iterator[Comparison]:
        for place, row in summary.side_by_side("protocol"):
            for name, point in row.items():
                if name != "asp" and others(name) and "asp" in row:
                    pair: tuple[Point, Point] = (row["asp"], point) if is_smaller else (point, row["asp"])
                    yield Comparison(place, *pair, name if is_smaller else "asp")

    def judge(summary: Summary) -> Finding:
        return weighed(comparisons(summary), *(("asp", words) if is_smaller else (words, "asp")))

    return judge


MARGINALS = (
    Claim("The error grows with the number of values taken together.", more_ways_are_worse),
    Claim(
        "The noise is the larger part of the error, and not that marginals are multiplied.",
        noise_is_what_counts,
        ours=True,
    ),
)
COMPARISON = (
    Claim(
        "ASP has a smaller error than SPM, local SW and trimming.",
        asp_against(lambda name: name not in CENTRAL, is_smaller=True, words="the other"),
        GRIDS,
    ),
    Claim(
        "The central Gaussian mechanism has a smaller error than ASP.",
        asp_against(lambda name: name in CENTRAL, is_smaller=False, words="the central Gaussian"),
        GRIDS,
    ),
)
