"""Pages in Markdown with small pictures, a form that fits into a repository; an index."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..files import whole_file
from .judging import Claim
from .page import RULES, TITLE, Claims, Figures, Heading, Paragraph, Part, Tabled, index_of, page_of
from .report import made
from .summary import Summary
from .tabulate import Table

INDEX = "README.md"


def write_markdown(summary: Summary, folder: str | os.PathLike[str], claims: Sequence[Claim] = ()) -> Path:
    """Writes an experiment's page, with claims to judge, and its figures as PNG."""
    place = made(folder)
    parts = page_of(summary, claims, place, ("png",))
    return _write(
        place / f"{summary.experiment}.md", [f"# {summary.title}", f"[All of them]({INDEX})", *map(_part, parts)]
    )


def write_markdown_index(claimed: Sequence[tuple[Summary, Sequence[Claim]]], folder: str | os.PathLike[str]) -> Path:
    """Writes the list of the pages, with their claims and verdicts."""
    lines = [f"# {TITLE}", RULES]
    for summary, claims in index_of(claimed):
        lines += [f"## [{summary.title}]({summary.experiment}.md)", _verdicts(claims)]
    return _write(made(folder) / INDEX, lines)


def _part(part: Part) -> str:
    match part:
        case Heading(text):
            return f"## {text}"
        case Paragraph(text):
            return _text(text)
        case Claims():
            return "\n\n".join(
                "\n".join(
                    [
                        f"**{_text(judged.claim.stated)}**\n",
                        *(
                            f"* {name}: **{found.verdict}**. {_text(found.sentence)}"
                            for name, found in judged.findings.items()
                        ),
                    ]
                )
                for judged in part.judged
            )
        case Figures(drawn):
            return "\n\n".join(f"![{each.heading}]({each.files['png'].name})" for each in drawn)
        case Tabled(table, folded):
            # a blank line after <summary> is what makes the table one
            return (
                f"<details><summary>{_text(table.caption)}</summary>\n\n{_table(table)}\n\n</details>"
                if folded
                else _table(table)
            )


def _verdicts(claims: Claims) -> str:
    rows = [
        [
            _text(judged.claim.stated),
            *(judged.findings[name].verdict if name in judged.findings else "" for name in claims.conditions),
        ]
        for judged in claims.judged
    ]
    return _rows(("the claim", *claims.conditions), rows)


def _table(table: Table) -> str:
    rows = [[f"**{_text(each.text)}**" if each.best else _text(each.text) for each in row] for row in table.rows]
    return _rows(table.header, rows)


def _rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *rows))


def _text(words: str) -> str:
    """Words in which nothing is taken for a tag, a column or a formula."""
    for sign, written in (("<", "&lt;"), (">", "&gt;"), ("|", "\\|"), ("_", "\\_"), ("*", "\\*")):
        words = words.replace(sign, written)
    return words


def _write(path: Path, lines: Iterable[str]) -> Path:
    with whole_file(path, overwrite=True) as part:
        part.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    return path
