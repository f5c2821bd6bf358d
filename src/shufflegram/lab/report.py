"""Pages in HTML: one an experiment, whole in itself, with its figures and numbers beside it; and an index."""

import base64
import csv
import math
import os
from collections.abc import Sequence
from html import escape
from pathlib import Path

from ..errors import TableError
from ..files import whole_file
from .drawing import Drawn
from .judging import Claim, Judged
from .page import RULES, TITLE, Claims, Figures, Heading, Paragraph, Part, Tabled, index_of, page_of
from .summary import Place, Summary
from .tabulate import Table

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
img { width: 100%; height: auto; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #ddd; padding: .2rem .6rem; text-align: right; vertical-align: top; }
th:first-child, td:first-child, .words td, .words th { text-align: left; }
.wide { overflow-x: auto; }
summary { cursor: pointer; margin: .3rem 0; }
.verdict { font-weight: bold; white-space: nowrap; }
.holds { color: #1b6b1b; } .in-part { color: #8a5a00; } .not { color: #a11; } .open { color: #555; }
"""
CLASSES = {"holds": "holds", "holds in part": "in-part", "does not hold": "not", "cannot be told": "open"}


def write_report(summary: Summary, folder: str | os.PathLike[str], claims: Sequence[Claim] = ()) -> Path:
    """Writes the page of an experiment, with claims to judge, and beside it its figures and its numbers as CSV."""
    place = made(folder)
    numbers = place / f"{summary.experiment}.csv"
    _write_numbers(summary, numbers)
    # what is one of many has an index
    back = ['<p><a href="index.html">All of them</a></p>'] if claims else []
    body = [
        *back,
        f"<h1>{escape(summary.title)}</h1>",
        *(_part(each) for each in page_of(summary, claims, place, ("svg", "png"))),
        f'<p>All numbers: <a href="{numbers.name}">{numbers.name}</a>.</p>',
    ]
    return _write(place / f"{summary.experiment}.html", summary.title, body)


def write_index(claimed: Sequence[tuple[Summary, Sequence[Claim]]], folder: str | os.PathLike[str]) -> Path:
    """Writes the list of the experiments' pages, with their claims and verdicts."""
    body = [f"<h1>{TITLE}</h1>", f"<p>{RULES}</p>"]
    for summary, claims in index_of(claimed):
        body += [f'<h2><a href="{summary.experiment}.html">{escape(summary.title)}</a></h2>', _claims(claims)]
    return _write(made(folder) / "index.html", TITLE, body)


def made(folder: str | os.PathLike[str]) -> Path:
    """The folder, which is there afterwards."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise TableError(f"the folder {place} cannot be made: {problem.strerror}") from problem
    return place


def _part(part: Part) -> str:
    match part:
        case Heading(text):
            return f"<h2>{escape(text)}</h2>"
        case Paragraph(text):
            return f"<p>{escape(text)}</p>"
        case Claims():
            return _claims(part)
        case Figures(drawn):
            return "\n".join(map(_figure, drawn))
        case Tabled(table, folded):
            if not folded:
                return _table(table)
            return f"<details><summary>{escape(table.caption)}</summary>{_table(table)}</details>"


def _figure(drawn: Drawn) -> str:
    # Inside the page, so that it can be sent around alone; as an image, so that two figures' names cannot clash.
    svg, png = drawn.files["svg"], drawn.files["png"]
    picture = base64.b64encode(svg.read_bytes()).decode()
    return (
        f'<figure><img alt="{escape(drawn.heading)}" src="data:image/svg+xml;base64,{picture}"><figcaption>'
        f'<a href="{svg.name}">SVG</a>, <a href="{png.name}">PNG</a></figcaption></figure>'
    )


def _claims(claims: Claims) -> str:
    header = "".join(f"<th>{escape(name)}</th>" for name in claims.conditions)
    rows = [_claim(each, claims) for each in claims.judged]
    return f'<div class="wide"><table class="words"><tr><th>the claim</th>{header}</tr>{"".join(rows)}</table></div>'


def _claim(judged: Judged, claims: Claims) -> str:
    cells = []
    for condition in claims.conditions:
        finding = judged.findings.get(condition)
        if finding is None:
            cells.append("<td></td>")
            continue
        said = f"<br>{escape(finding.sentence)}" if claims.sentences else ""
        cells.append(f'<td><span class="verdict {CLASSES[finding.verdict]}">{finding.verdict}</span>{said}</td>')
    return f"<tr><td>{escape(judged.claim.stated)}</td>{''.join(cells)}</tr>"


def _table(table: Table) -> str:
    header = "".join(f"<th>{escape(name)}</th>" for name in table.header)
    rows = [
        "".join(f"<td>{f'<b>{escape(each.text)}</b>' if each.best else escape(each.text)}</td>" for each in row)
        for row in table.rows
    ]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{header}</tr>{body}</table></div>'


def _write(path: Path, title: str, body: list[str]) -> Path:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    text = "\n".join([f'<!doctype html><html lang="en"><head>{head}<style>{STYLE}</style></head><body>', *body])
    with whole_file(path, overwrite=True) as part:
        part.write_text(f"{text}\n</body></html>\n", encoding="utf-8")
    return path


def _write_numbers(summary: Summary, path: Path) -> None:
    """Every point with all its digits."""
    with whole_file(path, overwrite=True) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["experiment", *Place._fields, "mean", "standard_error", "repetitions"])
        for place, point in summary.points.items():
            error = "" if math.isnan(point.error) else point.error
            writer.writerow([summary.experiment, *place, point.mean, error, point.repetitions])
