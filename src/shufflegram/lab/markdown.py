"""What came out, in a form that fits into a repository: a page of Markdown an experiment, small pictures, an index."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..errors import TableError
from ..files import whole_file
from .drawing import write_figures
from .judging import Claim, Judged, judge
from .report import HOW_TO_READ_NUMBERS, RULES, introduction
from .summary import Summary
from .tabulate import Table, beside_the_paper, tables

TITLE = "The paper's figures and tables, measured again"


def write_markdown(
    summary: Summary, folder: str | os.PathLike[str], claims: Sequence[Claim] = (), notes: Sequence[str] = ()
) -> Path:
    """Writes an experiment's page of Markdown, with claims to judge and notes on its data, and its figures as PNG."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise TableError(f"the folder {place} cannot be made: {problem.strerror}") from problem
    beside = beside_the_paper(summary)
    lines = [
        f"# {summary.title}",
        "[All of them](README.md)",
        introduction(summary),
        *summary.remarks,
        "## Claims",
        RULES,
        *(_claim(each) for each in judge(summary, claims)),
        "## Figures",
        *(f"![{each.heading}]({each.files['png'].name})" for each in write_figures(summary, place, ("png",))),
        *([] if beside is None else [f"## {beside.caption}", _table(beside)]),
        "## Numbers",
        HOW_TO_READ_NUMBERS,
        # a blank line after <summary> is what makes the table one
        *(f"<details><summary>{each.caption}</summary>\n\n{_table(each)}\n\n</details>" for each in tables(summary)),
        "## Data",
        *(f"* {note}" for note in notes),
    ]
    return _write(place / f"{summary.experiment}.md", lines)


def write_markdown_index(claimed: Iterable[tuple[Summary, Sequence[Claim]]], folder: str | os.PathLike[str]) -> Path:
    """Writes the list of the pages, with their claims and verdicts."""
    lines = [f"# {TITLE}", RULES]
    for summary, claims in claimed:
        judged = judge(summary, claims)
        conditions = tuple(dict.fromkeys(name for each in judged for name in each.findings))
        lines.append(f"## [{summary.title}]({summary.experiment}.md)")
        rows = [[each.words, *(each.findings[name].verdict for name in conditions)] for each in judged]
        lines.append(_rows(("the claim", *conditions), rows))
    return _write(Path(folder) / "README.md", lines)


def _claim(judged: Judged) -> str:
    findings = [f"* {name}: **{found.verdict}**. {found.sentence}" for name, found in judged.findings.items()]
    return "\n".join([f"**{judged.words}**\n", *findings])


def _table(table: Table) -> str:
    rows = [[f"**{entry.text}**" if entry.best else entry.text for entry in row] for row in table.rows]
    return _rows(table.header, rows)


def _rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    # what is no Markdown of ours is text
    return "\n".join(
        f"| {' | '.join(text.replace('<', '&lt;').replace('>', '&gt;') for text in line)} |" for line in lines
    )


def _write(path: Path, lines: Iterable[str]) -> Path:
    with whole_file(path, overwrite=True) as part:
        part.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    return path
