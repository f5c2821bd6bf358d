"""The claim about the number of bins."""

from ...lab.judging import Claim, Comparison, Finding, shown, verdict
from ...lab.summary import Summary


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
            Comparison(place, rows[one][best[one]], rows[one][best[other]]).clear > 0
            and Comparison(place, rows[other][best[other]], rows[other][best[one]]).clear > 0
            for one in rows
            for other in rows
            if best[other] in rows[one] and best[one] in rows[other]
        )
        speaks_for += apart
        speaks_against += len(rows) > 1 and len(set(best.values())) == 1
        numbers = ", ".join(f"{data} {bins} ({shown(rows[data][bins])})" for data, bins in best.items())
        sentences.append(f"Epsilon {epsilon:g}: best are {numbers}{'' if apart else '; not clearly different'}.")
    return Finding(verdict(speaks_for, speaks_against), " ".join(sentences))


BINS = (Claim("Different data sets have different best numbers of bins.", best_bins_differ),)
