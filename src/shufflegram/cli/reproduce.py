"""`shufflegram reproduce`: the paper's figures and tables, measured again, as pages to look at."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .experiment import measured
from .options import INPUT, OUTPUT, json_option
from .output import show_facts, show_json, terminal
from .progress import progress, step

if TYPE_CHECKING:
    from ..lab import Claim, Summary


@click.command(
    "reproduce",
    epilog="""\b
Examples:
  shufflegram reproduce
  shufflegram reproduce figure-users --quick --output figures""",
)
@click.argument("name", required=False)
@click.option("--all", "everything", is_flag=True, help="All of them.")
@click.option("--quick", is_flag=True, help="3 repetitions and not 100.")
@click.option(
    "--output", type=OUTPUT, default=Path("reproduction"), show_default=True, help="The folder; it is made if need be."
)
@click.option(
    "--compact", type=OUTPUT, help="A folder for the short form of all that is in --output: Markdown and small PNGs."
)
@click.option(
    "--data-dir",
    type=INPUT,
    help="Where the official data are, to take instead of the bundled ones (README of datasets).",
)
@click.option("--workers", type=click.IntRange(1), help="How many processes. [default: one for each core]")
@json_option
@click.pass_context
def command(
    context: click.Context,
    name: str | None,
    everything: bool,
    quick: bool,
    output: Path,
    compact: Path | None,
    data_dir: Path | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Measure the paper's figures and tables again.

    Without a NAME it lists what there is. With one it runs the experiment, or goes on with it, and writes a page with
    the figure, what the paper claims of it, whether that holds, and all numbers; index.html lists the pages.
    """
    from .. import reproduction

    if name is not None and everything:
        raise click.UsageError("give a name or --all, and not both")
    if name is None and not everything:
        if compact is not None or quick:
            raise click.UsageError("name what to reproduce, or all of it with --all")
        _list(as_json)
        return
    names = reproduction.names() if name is None else (name,)
    specifications = [reproduction.specification(each) for each in names]
    _require_own(output, compact)
    with _data_from(data_dir):
        _require_possible(specifications)
        answers = [_reproduce(context, each, quick, output, workers) for each in specifications]
    if compact is not None:
        _write_compact(output, compact)
    index = _write_index(output)
    if as_json:
        show_json({"experiments": answers, "index": str(index)})
        return
    for answer in answers:
        _show(answer)
    show_facts(terminal(), [("index", str(index))])


def _list(as_json: bool) -> None:
    from .. import reproduction

    titles = {name: reproduction.title(name) for name in reproduction.names()}
    if as_json:
        show_json(titles)
    else:
        show_facts(terminal(), titles.items())


def _results(output: Path) -> list[Path]:
    """The tables that are in the folder by now."""
    from .. import reproduction

    return [path for name in reproduction.names() if (path := output / name / "results.parquet").exists()]


def _require_own(output: Path, compact: Path | None) -> None:
    """Pages are written anew each time; a page that is none of ours must not be lost."""
    from ..lab.page import TITLE

    index = output / "index.html"
    if index.exists() and not _results(output):
        raise click.UsageError(f"{index} is there already and not from here; choose another folder with --output")
    if compact is None:
        return
    short = compact / "README.md"
    if short.exists() and not short.read_text(encoding="utf-8", errors="replace").startswith(f"# {TITLE}"):
        raise click.UsageError(f"{short} is there already and not from here; choose another folder with --compact")


def _require_possible(specifications: list[Path]) -> None:
    """Looks at every experiment before the first one takes its minutes."""
    from .. import lab

    with step("looking at the data"):
        for each in specifications:
            lab.Experiment.load(each).cells()


@contextmanager
def _data_from(folder: Path | None) -> Iterator[None]:
    """Within, data sets are read from the folder (or bundled, if there is none), in the workers too."""
    from ..lab import data

    before = data.folder()
    data.read_from(None if folder is None else os.fspath(folder.absolute()))
    try:
        yield
    finally:
        data.read_from(before)


def _reproduce(context: click.Context, spec: Path, quick: bool, output: Path, workers: int | None) -> dict[str, Any]:
    from .. import lab
    from ..reproduction import claims_of

    began = time.perf_counter()
    experiment = lab.Experiment.load(spec)
    work = measured(context, lab.prepare(experiment, output / experiment.name, quick=quick), workers)
    summary = lab.read_summary(lab.gather(work))
    with step("drawing"):
        page = lab.write_report(summary, output, claims_of(experiment.name))
    claims = [
        {"claim": claim.stated, "condition": condition, "verdict": found.verdict, "measured": found.sentence}
        for claim, findings in lab.judge(summary, claims_of(experiment.name))
        for condition, found in findings.items()
    ]
    return {
        "name": experiment.name,
        "title": experiment.title,
        "repetitions": work.repetitions,
        "claims": claims,
        "page": str(page),
        "seconds": time.perf_counter() - began,
    }


def _claimed(output: Path) -> "list[tuple[Summary, tuple[Claim, ...]]]":
    """Everything that is in the folder by now, with what is claimed of it."""
    from .. import lab
    from ..reproduction import claims_of

    summaries = [lab.read_summary(path) for path in _results(output)]
    return [(summary, claims_of(summary.experiment)) for summary in summaries]


def _write_index(output: Path) -> Path:
    from .. import lab

    return lab.write_index(_claimed(output), output)


def _write_compact(output: Path, compact: Path) -> None:
    """The short form of everything that is in the folder by now."""
    from .. import lab

    claimed = _claimed(output)
    with progress("drawing the short form", len(claimed)) as advance:
        for done, (summary, claims) in enumerate(claimed):
            advance(done)
            lab.write_markdown(summary, compact, claims)
    lab.write_markdown_index(claimed, compact)


def _show(answer: dict[str, Any]) -> None:
    facts = [
        ("item", f"{answer['name']}: {answer['title']}, {answer['repetitions']} repetitions"),
        *((each["verdict"], f"{each['condition']}: {each['claim']}") for each in answer["claims"]),
        ("took", f"{answer['seconds']:.1f} s"),
        ("wrote", f"{answer['page']}\n"),
    ]
    show_facts(terminal(), facts)
