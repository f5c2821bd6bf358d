"""The claims about what users send. Nothing is drawn here, so every difference is clear."""

from ...lab.judging import NOTHING, Claim, Finding, verdict
from ...lab.summary import Summary

SINGLE = ("asp", "ssw")


def single_messages_are_fewest(summary: Summary) -> Finding:
    """Compares ASP and SSW with all others."""
    fewer, not_fewer, most = 0, 0, (0.0, "")
    for place, row in summary.only(metric="messages").side_by_side("protocol"):
        for other in row.keys() - set(SINGLE):
            is_fewer = all(row[name].mean < row[other].mean for name in SINGLE if name in row)
            fewer, not_fewer = fewer + is_fewer, not_fewer + (not is_fewer)
            most = max(most, (row[other].mean, f"{other} on {place.data} at epsilon {place.epsilon:g}"))
    if fewer == not_fewer == 0:
        return Finding("cannot be told", NOTHING)
    return Finding(
        verdict(fewer, not_fewer),
        f"ASP and SSW send 1 message a user, fewer than the other protocol in {fewer} of {fewer + not_fewer} places; "
        f"most are sent by {most[1]}: {most[0]:,.0f}.",
    )


def small_epsilon_takes_many(summary: Summary) -> Finding:
    """Compares the messages at the smallest and at the largest epsilon."""
    more, not_more = 0, 0
    spans = []
    for place, row in summary.only(metric="messages").side_by_side("epsilon"):
        if place.protocol in SINGLE or len(row) < 2:
            continue
        least, largest = row[min(row)].mean, row[max(row)].mean
        more, not_more = more + (least > largest), not_more + (least <= largest)
        spans.append((least, largest, place))
    if not spans:
        return Finding("cannot be told", NOTHING)
    least, largest, place = max(spans)
    return Finding(
        verdict(more, not_more),
        f"Flip and Pure send more at the smallest epsilon than at the largest in {more} of {more + not_more} places; "
        f"{place.protocol} on {place.data} sends {least:,.0f} and {largest:,.0f}.",
    )


MESSAGES = (
    Claim("ASP and SSW send the fewest messages.", single_messages_are_fewest),
    Claim("Flip and Pure send many messages, most of all at a small epsilon.", small_epsilon_takes_many),
)
