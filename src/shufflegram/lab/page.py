"""What came out of an experiment, as a page that has no form yet: headings, paragraphs, claims, figures and tables.

A page depends on the table of results and on nothing else: no clock, no machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .drawing import Drawn, write_figures
from .judging import CHANCE, Claim, Judged, judge
from .summary import Summary
from .tabulate import Entry, Table, beside_the_paper, tables

TITLE = "The paper's figures and tables, measured again"
COMPARISONS = (
    "As published: every protocol with its paper's formulas, corrected where they do not hold. Equal accounting: every "
    "protocol at the limit that exact accounting of the same privacy allows it. What has no accounting, such as the "
    "central Gaussian, is the same in both. A mean of 0 is drawn on the lower edge."
)
HOW_TO_READ_NUMBERS = "Mean ± standard error; where protocols are compared the smallest mean of a row is bold."
RULES = (
    f"Two means are clearly different if chance alone would make them differ as much in {CHANCE:.2%} of all cases "
    "(Welch's t test; with many repetitions that is three standard errors of the difference). A claim holds if no "
    "comparison is clearly against it and most lean to its side; it holds in part if more comparisons are clearly for "
    "it than against it, or if one of its two halves holds; where no comparison is clear it cannot be told; otherwise "
    "it does not hold. Where a claim is no comparison of errors, its line says what was looked at. What is marked as "
    "ours the paper does not claim; it is about its choices."
)
# Below this a verdict is a first look.
FEW = 10


@dataclass(frozen=True)
class Heading:
    text: str


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Claims:
    """Claims with what was found; the sentences may be left out."""

    judged: Sequence[Judged]
    sentences: bool = True

    @property
    def conditions(self) -> tuple[str, ...]:
        """The accountings and grids under which any of them is judged."""
        return tuple(dict.fromkeys(name for each in self.judged for name in each.findings))


@dataclass(frozen=True)
class Figures:
    drawn: Sequence[Drawn]


@dataclass(frozen=True)
class Tabled:
    """A table, perhaps folded away under its caption."""

    table: Table
    folded: bool = False


Part = Heading | Paragraph | Claims | Figures | Tabled


def page_of(summary: Summary, claims: Sequence[Claim], folder: Path, forms: tuple[str, ...]) -> list[Part]:
    """The parts of an experiment's page; its figures are drawn into the folder in these forms."""
    page: list[Part] = [Paragraph(_introduction(summary)), *map(Paragraph, summary.remarks)]
    if claims:
        page += [Heading("Claims"), Paragraph(RULES), Claims(judge(summary, claims))]
    page += [Heading("Figures"), Figures(write_figures(summary, folder, forms))]
    beside = beside_the_paper(summary)
    if beside is not None:
        page += [Heading(beside.caption), Tabled(beside)]
    page += [Heading("Numbers"), Paragraph(HOW_TO_READ_NUMBERS)]
    page += [Tabled(each, folded=True) for each in tables(summary)]
    if summary.notes:
        page += [Heading("Data"), *map(Paragraph, summary.notes)]
    if summary.infeasible:
        page += [Heading("What no parameters fit"), Tabled(_infeasible(summary))]
    return page


def index_of(claimed: Sequence[tuple[Summary, Sequence[Claim]]]) -> list[tuple[Summary, Claims]]:
    """Every experiment with its verdicts."""
    return [(summary, Claims(judge(summary, claims), sentences=False)) for summary, claims in claimed]


def _introduction(summary: Summary) -> str:
    """What a point is, and what the two comparisons are."""
    repetitions = sorted({point.repetitions for point in summary.points.values()})
    if repetitions == [1]:
        return f"Each point is exact: nothing is drawn. {COMPARISONS}"
    points = (
        f"Each point is the mean of {' or '.join(map(str, repetitions))} repetitions; the bars are one standard error."
    )
    first_look = " So few repetitions are a first look: verdicts may change." if min(repetitions) < FEW else ""
    return f"{points}{first_look} {COMPARISONS}"


def _infeasible(summary: Summary) -> Table:
    rows = tuple((Entry(cell), Entry(why)) for cell, why in summary.infeasible.items())
    return Table("What no parameters fit", ("what was asked for", "why it cannot be"), rows)
