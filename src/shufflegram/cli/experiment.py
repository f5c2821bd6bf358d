"""`shufflegram experiment`: many cells, many repetitions, on all cores; stopped at any time, it goes on from there."""

import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import INPUT, OUTPUT, json_option
from .output import counted, show_facts, show_json, terminal, warn
from .program import LEFT
from .progress import progress, step

if TYPE_CHECKING:
    from ..lab import Work


@click.command(
    "experiment",
    epilog="""\b
Examples:
  shufflegram experiment experiment.toml --output results --quick
  shufflegram experiment experiment.toml --output results --workers 1 --json""",
)
@click.argument("spec", type=INPUT, metavar="SPEC.toml")
@click.option("--output", type=OUTPUT, required=True, help="The folder for the results; it is made if need be.")
@click.option("--quick", is_flag=True, help="Only as many repetitions as the spec says for a first look.")
@click.option("--page", "draw", is_flag=True, help="Also write a page with figures and all numbers, as HTML and CSV.")
@click.option("--workers", type=click.IntRange(1), help="How many processes. [default: one for each core]")
@json_option
@click.pass_context
def command(
    context: click.Context, spec: Path, output: Path, quick: bool, draw: bool, workers: int | None, as_json: bool
) -> None:
    """Run an experiment, or go on with it.

    The spec says what is tried on which data, how often, and what is measured. Each block of repetitions is kept in the
    folder as soon as it is finished: after Ctrl-C, or worse, the same command does what is missing. At the end
    results.parquet has one row for each cell, repetition and metric, the same to the bit for the same spec.
    """
    from .. import lab

    began = time.perf_counter()
    work = measured(context, lab.prepare(lab.Experiment.load(spec), output, quick=quick), workers)
    results = lab.gather(work)
    page = None
    if draw:
        with step("drawing"):
            page = str(lab.write_report(lab.read_summary(results), output))
    answer = {
        "experiment": work.experiment.name,
        "title": work.experiment.title,
        "cells": len(work.cells),
        "repetitions": work.repetitions,
        "measured_now": work.to_do,
        "measured_before": work.size - work.to_do,
        "infeasible": lab.infeasible_cells(results),
        "results": str(results),
        "page": page,
        "seconds": time.perf_counter() - began,
    }
    if as_json:
        show_json(answer)
    else:
        _show(answer)


def measured(context: click.Context, work: "Work", workers: int | None) -> "Work":
    """Does what is missing, with a bar, and says what an interruption leaves."""
    from .. import lab

    if work.damaged:
        verb = "is" if work.damaged == 1 else "are"
        warn([f"{counted(work.damaged, 'file')} in {work.folder} {verb} damaged or out of date, and done again"])
    finished = work.size - work.to_do
    with progress("measuring", work.to_do) as advance:
        context.meta[LEFT] = _left(finished, work)
        # Closed when it is interrupted: then the workers end before anything is said.
        with closing(lab.carry_out(work, workers)) as done:
            for block in done:
                finished += len(block.repetitions)
                context.meta[LEFT] = _left(finished, work)
                advance(finished - work.size + work.to_do)
    return work


def _left(finished: int, work: "Work") -> str:
    """What an interruption leaves."""
    return (
        f"{finished:,} of {counted(work.size, 'repetition')} are kept in {work.folder}; "
        f"the same command goes on from there"
    )


def _show(answer: dict[str, Any]) -> None:
    facts = [
        ("experiment", f"{answer['experiment']}: {answer['title']}"),
        ("cells", f"{answer['cells']:,}, each with {counted(answer['repetitions'], 'repetition')}"),
        ("measured", f"{answer['measured_now']:,} now, {answer['measured_before']:,} before"),
        *(("infeasible", f"{cell}: {reason}") for cell, reason in answer["infeasible"].items()),
        ("took", f"{answer['seconds']:.1f} s"),
        ("wrote", answer["results"]),
        *([("page", answer["page"])] if answer["page"] else []),
    ]
    show_facts(terminal(), facts)
