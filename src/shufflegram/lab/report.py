"""What came out, for people: one page an experiment with its figures, claims and numbers, and an index of the pages.

A page depends on the table of results (and the notes on its data) and on nothing else: no clock, no machine.
"""

import base64
import csv
import math
import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from ..errors import TableError
from ..files import whole_file
from .claims import CLAIMS, CLEAR, Finding
from .figures import ACCOUNTINGS, Layout, Panel, draw, layout_of, name_of, pages, panels
from .summary import Place, Point, Summary

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
img { width: 100%; height: auto; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #ddd; padding: .2rem .6rem; text-align: right; vertical-align: top; }
th:first-child, .words td, .words th { text-align: left; }
.wide { overflow-x: auto; }
summary { cursor: pointer; margin: .3rem 0; }
.verdict { font-weight: bold; white-space: nowrap; }
.holds { color: #1b6b1b; } .in-part { color: #8a5a00; } .not { color: #a11; } .open { color: #555; }
"""
REMARKS = {
    "figure-utility": (
        "Flip and Pure tell only chunks of the domain apart. The share of a chunk is spread evenly over its bins, and "
        "what that misses counts as error."
    ),
    "figure-bins": "Every estimate is compared with the truth in as many bins.",
}
REMARKS["figure-users"] = REMARKS["figure-utility"]
CLASSES = {"holds": "holds", "holds in part": "in-part", "does not hold": "not", "cannot be told": "open"}
RULES = (
    f"Two means are clearly different if they differ by more than {CLEAR:g} standard errors of their difference. A "
    "claim holds if no clear comparison speaks against it, holds in part if more of them speak for it than against it, "
    "and does not hold otherwise."
)


class Judged(NamedTuple):
    """A claim, and what is found under each accounting."""

    words: str
    findings: dict[str, Finding]


def judge(summary: Summary) -> list[Judged]:
    """The paper's claims about this experiment, each judged from the table."""
    return [
        Judged(claim.words, {name: claim.judge(summary.only(accounting=name)) for name in summary.values("accounting")})
        for claim in CLAIMS.get(summary.experiment, ())
    ]


def write_report(summary: Summary, folder: str | os.PathLike[str], notes: Sequence[str] = ()) -> Path:
    """Writes the page of an experiment, and beside it its figures as SVG and PNG and its numbers as CSV."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise TableError(f"the folder {place} cannot be made: {problem.strerror}") from problem
    _write_numbers(summary, place / f"{summary.experiment}.csv")
    layout = layout_of(summary)
    figures, tables = [], []
    for fixed, page in pages(summary, layout):
        words = ", ".join(name_of(axis, value) for axis, value in fixed.items())
        heading = f"{summary.title}: {words}" if words else summary.title
        stem = place / "-".join([summary.experiment, *(str(value) for value in fixed.values())])
        figures.append(_figure(heading, *draw(summary, page, layout, heading, stem)))
        grid = panels(page, layout)
        tables += [_table(fixed | panel.shared, panel, layout) for row in grid for panel in row]
    repetitions = sorted({point.repetitions for point in summary.points.values()})
    body = [
        '<p><a href="index.html">All experiments</a></p>',
        f"<h1>{escape(summary.title)}</h1>",
        f"<p>Each point is the mean of {' or '.join(map(str, repetitions))} repetitions; the bars are one standard "
        "error. Smaller is better. <em>As published</em>: every protocol with the parameters of its paper. <em>Equal "
        "accounting</em>: every protocol at the limit that exact accounting of the same privacy allows it. A mean of "
        "0 is drawn on the lower edge.</p>",
        *(f"<p>{escape(REMARKS[each])}</p>" for each in [summary.experiment] if each in REMARKS),
        *(f"<p>{escape(note)}</p>" for note in notes),
        *_claims(judge(summary)),
        "<h2>Figures</h2>",
        *figures,
        "<h2>Numbers</h2>",
        f"<p>Mean ± standard error; the smallest mean of a row is bold. All of them: "
        f'<a href="{summary.experiment}.csv">'
        f"{summary.experiment}.csv</a>.</p>",
        *tables,
        *_infeasible(summary),
    ]
    path = place / f"{summary.experiment}.html"
    _write(path, summary.title, body)
    return path


def write_index(summaries: Iterable[Summary], folder: str | os.PathLike[str]) -> Path:
    """Writes the list of the experiments' pages, with their claims and verdicts."""
    body = ["<h1>The paper's figures, measured again</h1>", f"<p>{RULES}</p>"]
    for summary in summaries:
        body.append(f'<h2><a href="{summary.experiment}.html">{escape(summary.title)}</a></h2>')
        body += _claims_table(judge(summary), sentences=False)
    path = Path(folder) / "index.html"
    _write(path, "The paper's figures, measured again", body)
    return path


def _write(path: Path, title: str, body: list[str]) -> None:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    text = "\n".join([f'<!doctype html><html lang="en"><head>{head}<style>{STYLE}</style></head><body>', *body])
    with whole_file(path, overwrite=True) as part:
        part.write_text(f"{text}\n</body></html>\n", encoding="utf-8")


def _write_numbers(summary: Summary, path: Path) -> None:
    """Every point with all its digits."""
    with whole_file(path, overwrite=True) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["experiment", *Place._fields, "mean", "standard_error", "repetitions"])
        for place, point in summary.points.items():
            error = "" if math.isnan(point.error) else point.error
            writer.writerow([summary.experiment, *place, point.mean, error, point.repetitions])


def _figure(heading: str, svg: Path, png: Path) -> str:
    # Inside the page, so that it can be sent around alone; as an image, so that two figures' names cannot clash.
    picture = base64.b64encode(svg.read_bytes()).decode()
    return (
        f'<figure><img alt="{escape(heading)}" src="data:image/svg+xml;base64,{picture}"><figcaption>'
        f'<a href="{svg.name}">SVG</a>, <a href="{png.name}">PNG</a></figcaption></figure>'
    )


def _claims(judged: list[Judged]) -> list[str]:
    return ["<h2>Claims</h2>", f"<p>{RULES}</p>", *_claims_table(judged, sentences=True)] if judged else []


def _claims_table(judged: list[Judged], *, sentences: bool) -> list[str]:
    accountings = list(dict.fromkeys(name for each in judged for name in each.findings))
    header = "".join(f"<th>{escape(ACCOUNTINGS.get(name, name))}</th>" for name in accountings)
    rows = [f'<div class="wide"><table class="words"><tr><th>the claim</th>{header}</tr>']
    for words, findings in judged:
        cells = []
        for finding in findings.values():
            said = f"<br>{escape(finding.sentence)}" if sentences else ""
            cells.append(f'<td><span class="verdict {CLASSES[finding.verdict]}">{finding.verdict}</span>{said}</td>')
        rows.append(f"<tr><td>{escape(words)}</td>{''.join(cells)}</tr>")
    return [*rows, "</table></div>"]


def _table(shared: dict[str, object], panel: Panel, layout: Layout) -> str:
    """A panel's numbers, folded away."""
    points = panel.points
    if not points.points:
        return ""
    caption = ", ".join(name_of(axis, value) for axis, value in shared.items())
    # One power of ten for the whole table, so that numbers can be compared at a glance.
    power = math.floor(math.log10(max((point.mean for point in points.points.values()), default=1.0) or 1.0))
    lines = points.values(layout.line)
    header = "".join(f"<th>{escape(name_of(layout.line, value))}</th>" for value in lines)
    rows = []
    for x in points.values(layout.x):
        found = {getattr(place, layout.line): point for place, point in points.only(**{layout.x: x}).points.items()}
        # Different epsilons are no rivals.
        best = min((point.mean for point in found.values()), default=0.0) if layout.line == "protocol" else math.nan
        cells = "".join(f"<td>{_cell(found.get(value), power, best)}</td>" for value in lines)
        rows.append(f"<tr><td>{x:,}</td>{cells}</tr>")
    return (
        f'<details><summary>{escape(caption)}, in units of 1e{power}</summary><div class="wide"><table><tr>'
        f"<th>{layout.x}</th>"
        f"{header}</tr>{''.join(rows)}</table></div></details>"
    )


def _cell(point: Point | None, power: int, best: float) -> str:
    if point is None:
        return "none fits"
    scale = 10.0**power
    error = "" if math.isnan(point.error) else f" ± {point.error / scale:.3f}"
    text = f"{point.mean / scale:.3f}{error}"
    return f"<b>{text}</b>" if point.mean == best else text


def _infeasible(summary: Summary) -> list[str]:
    if not summary.infeasible:
        return []
    rows = [f"<tr><td>{escape(cell)}</td><td>{escape(why)}</td></tr>" for cell, why in summary.infeasible.items()]
    return ["<h2>What no parameters fit</h2>", '<table class="words">', *rows, "</table>"]
