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

from ..errors import TableError
from ..files import whole_file
from .drawing import Drawn, write_figures
from .judging import CLEAR, Claim, Judged, judge
from .summary import Place, Summary
from .tabulate import Table, beside_the_paper, tables

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
CLASSES = {"holds": "holds", "holds in part": "in-part", "does not hold": "not", "cannot be told": "open"}
COMPARISONS = (
    "As published: every protocol with the parameters of its paper. Equal accounting: every protocol at the limit that "
    "exact accounting of the same privacy allows it. What has no accounting, such as the central Gaussian, is the same "
    "in both. A mean of 0 is drawn on the lower edge."
)
HOW_TO_READ_NUMBERS = "Mean ± standard error; where protocols are compared the smallest mean of a row is bold."
RULES = (
    f"Two means are clearly different if they differ by more than {CLEAR:g} standard errors of their difference. A "
    "claim holds if no clear comparison speaks against it, holds in part if more of them speak for it than against it, "
    "and does not hold otherwise."
)


def write_report(
    summary: Summary, folder: str | os.PathLike[str], claims: Sequence[Claim] = (), notes: Sequence[str] = ()
) -> Path:
    """Writes the page of an experiment, with claims to judge and notes on its data, its figures and its numbers."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise TableError(f"the folder {place} cannot be made: {problem.strerror}") from problem
    _write_numbers(summary, place / f"{summary.experiment}.csv")
    drawn = [_figure(each) for each in write_figures(summary, place)]
    beside = beside_the_paper(summary)
    body = [
        '<p><a href="index.html">All experiments</a></p>',
        f"<h1>{escape(summary.title)}</h1>",
        *(f"<p>{escape(each)}</p>" for each in (introduction(summary), *summary.remarks)),
        *_claims(judge(summary, claims)),
        "<h2>Figures</h2>",
        *drawn,
        *([] if beside is None else [f"<h2>{beside.caption}</h2>", _table(beside)]),
        "<h2>Numbers</h2>",
        f'<p>{HOW_TO_READ_NUMBERS} All of them: <a href="{summary.experiment}.csv">{summary.experiment}.csv</a>.</p>',
        *(f"<details><summary>{escape(each.caption)}</summary>{_table(each)}</details>" for each in tables(summary)),
        "<h2>Data</h2>",
        *(f"<p>{escape(note)}</p>" for note in notes),
        *_infeasible(summary),
    ]
    path = place / f"{summary.experiment}.html"
    _write(path, summary.title, body)
    return path


def introduction(summary: Summary) -> str:
    """What a point is, and what the two comparisons are."""
    repetitions = sorted({point.repetitions for point in summary.points.values()})
    points = (
        "Each point is exact: nothing is drawn."
        if repetitions == [1]
        else f"Each point is the mean of {' or '.join(map(str, repetitions))} repetitions; the bars are one standard "
        "error."
    )
    return f"{points} {COMPARISONS}"


def write_index(claimed: Iterable[tuple[Summary, Sequence[Claim]]], folder: str | os.PathLike[str]) -> Path:
    """Writes the list of the experiments' pages, with their claims and verdicts."""
    body = ["<h1>The paper's figures and tables, measured again</h1>", f"<p>{RULES}</p>"]
    for summary, claims in claimed:
        body.append(f'<h2><a href="{summary.experiment}.html">{escape(summary.title)}</a></h2>')
        body += _claims_table(judge(summary, claims), sentences=False)
    path = Path(folder) / "index.html"
    _write(path, "The paper's figures and tables, measured again", body)
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


def _figure(drawn: Drawn) -> str:
    # Inside the page, so that it can be sent around alone; as an image, so that two figures' names cannot clash.
    svg, png = drawn.files["svg"], drawn.files["png"]
    picture = base64.b64encode(svg.read_bytes()).decode()
    return (
        f'<figure><img alt="{escape(drawn.heading)}" src="data:image/svg+xml;base64,{picture}"><figcaption>'
        f'<a href="{svg.name}">SVG</a>, <a href="{png.name}">PNG</a></figcaption></figure>'
    )


def _claims(judged: list[Judged]) -> list[str]:
    return ["<h2>Claims</h2>", f"<p>{RULES}</p>", *_claims_table(judged, sentences=True)] if judged else []


def _claims_table(judged: list[Judged], *, sentences: bool) -> list[str]:
    conditions = list(dict.fromkeys(name for each in judged for name in each.findings))
    header = "".join(f"<th>{escape(name)}</th>" for name in conditions)
    rows = [f'<div class="wide"><table class="words"><tr><th>the claim</th>{header}</tr>']
    for words, findings in judged:
        cells = []
        for finding in findings.values():
            said = f"<br>{escape(finding.sentence)}" if sentences else ""
            cells.append(f'<td><span class="verdict {CLASSES[finding.verdict]}">{finding.verdict}</span>{said}</td>')
        rows.append(f"<tr><td>{escape(words)}</td>{''.join(cells)}</tr>")
    return [*rows, "</table></div>"]


def _table(table: Table) -> str:
    header = "".join(f"<th>{escape(name)}</th>" for name in table.header)
    rows = [
        "<tr>" + "".join(f"<td>{f'<b>{escape(e.text)}</b>' if e.best else escape(e.text)}</td>" for e in row) + "</tr>"
        for row in table.rows
    ]
    return f'<div class="wide"><table><tr>{header}</tr>{"".join(rows)}</table></div>'


def _infeasible(summary: Summary) -> list[str]:
    if not summary.infeasible:
        return []
    rows = [f"<tr><td>{escape(cell)}</td><td>{escape(why)}</td></tr>" for cell, why in summary.infeasible.items()]
    return ["<h2>What no parameters fit</h2>", '<table class="words">', *rows, "</table>"]
