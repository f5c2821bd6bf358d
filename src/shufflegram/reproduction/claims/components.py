"""The claims about what ASP's randomizer and its smoothing contribute."""

import statistics

from ...lab.judging import NOTHING, Claim, Comparison, Finding, both, ratio, shown, smaller_than, verdict, where
from ...lab.summary import Summary

# Two means are close if they differ by less than this share of the smaller.
CLOSE = 0.1
SMOOTH = ("normal", "taxi", "retirement")


def close_on_smooth_data(summary: Summary) -> Finding:
    """Counts where combination 1 and SSW differ by a tenth or by no more than chance would have it."""
    near, furthest = 0, None
    ratios: list[float] = []
    for place, row in summary.side_by_side("protocol"):
        if place.data not in SMOOTH or not {"combination-1", "ssw"} <= row.keys():
            continue
        one, ssw = row["combination-1"], row["ssw"]
        larger = ratio(max(one.mean, ssw.mean), min(one.mean, ssw.mean))
        near += larger <= 1 + CLOSE or Comparison(place, one, ssw).clear == 0
        if not ratios or larger > max(ratios):
            furthest = Comparison(place, one, ssw)
        ratios.append(larger)
    if furthest is None:
        return Finding("cannot be told", NOTHING)
    return Finding(
        verdict(near, len(ratios) - near),
        f"In {near} of {len(ratios)} comparisons they differ by at most {CLOSE:.0%} or not clearly; "
        f"the larger is {statistics.median(ratios):.2f} times the smaller in the median and at most "
        f"{max(ratios):.2f} times, which is {where(furthest.place, summary.points)}: {shown(furthest.smaller)} for "
        f"combination-1 against {shown(furthest.other)} for ssw.",
    )


COMPONENTS = (
    Claim(
        "On income ASP's gain comes mostly from its smoothing: combination 1, which has it, is better than "
        "combination 2.",
        smaller_than("combination-1", "combination-2", data="income"),
    ),
    Claim(
        "ASP's randomizer makes the error smaller (ASP against combination 1).", smaller_than("asp", "combination-1")
    ),
    Claim("ASP's smoothing makes the error smaller (ASP against combination 2).", smaller_than("asp", "combination-2")),
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
)
