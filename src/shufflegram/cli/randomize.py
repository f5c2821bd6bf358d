"""`shufflegram randomize`: a column of values in, a column of private reports out."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import INPUT, OUTPUT, force_option, json_option
from .output import counted, show_json, warn
from .progress import progress
from .promise import load_plan, promise_record, require_one_number, too_few
from .values import require_inside

if TYPE_CHECKING:
    from ..planning import Plan
    from ..tables import Column


@click.command(
    "randomize",
    epilog="""\b
Examples:
  shufflegram randomize plan.json values.csv --column seconds --output reports.csv
  shufflegram randomize plan.json values.parquet --column seconds --shuffle --output reports.parquet""",
)
@click.argument("plan", type=INPUT, metavar="PLAN.json")
@click.argument("values", type=INPUT, metavar="VALUES")
@click.option("--column", help="The column that holds the values; may be left out where there is only one.")
@click.option(
    "--output", type=OUTPUT, help="Where the reports go. [default: reports.csv or reports.parquet, as VALUES]"
)
@click.option("--shuffle", "shuffled", is_flag=True, help="Mix the order of the reports before they are written.")
@force_option
@json_option
def command(
    plan: Path, values: Path, column: str | None, output: Path | None, shuffled: bool, force: bool, as_json: bool
) -> None:
    """Turn a column of values into private reports.

    VALUES is a .csv or a .parquet file, or a folder of .parquet files, which are read as one; those in folders inside
    it are read too.

    Every draw comes from the operating system's secure source; there is no seed. The reports' file holds one column,
    `report`, and nothing of who sent which, but its order is that of the rows: mixing reports is the shuffler's job.
    Where one file is the whole collection, --shuffle does it here, with the secure source, holding all reports in
    memory, and warns if they are fewer than the plan's guarantee needs.

    A value outside the domain, or a row without a number, ends the run, and nothing is written. A message tells the row
    and the rule, never the value.
    """
    from ..files import require_apart, require_writable
    from ..tables import files_of, kind_of, open_column

    loaded = load_plan(plan)
    require_one_number(loaded)
    opened = open_column(values, column)
    _require_values(opened)
    if output is None:
        output = Path("reports.parquet" if values.is_dir() else f"reports{kind_of(values)}")
    kind_of(output)
    require_apart(output, (plan, *files_of(values)))
    require_writable(output, overwrite=force)
    warnings = list(loaded.guarantee.warnings())
    written = _randomize(loaded, opened, output, shuffled, force)
    if shuffled:
        # Then the file is the whole collection.
        missing = too_few(loaded, written)
        warn(missing)
        warnings += missing
    if as_json:
        show_json(
            {
                "reports": written,
                "output": str(output),
                "shuffled": shuffled,
                "plan_digest": loaded.digest,
                "promise": promise_record(loaded),
                "warnings": warnings,
            }
        )
    else:
        _show(loaded, written, output, shuffled)


def _randomize(plan: "Plan", column: "Column", output: Path, shuffled: bool, force: bool) -> int:
    """Write the reports of all values, and say how many they are."""
    import numpy as np

    from ..protocol import shuffle
    from ..tables import report_writer

    written, kept = 0, []
    with (
        progress("randomizing", column.size) as advance,
        report_writer(output, plan.digest, overwrite=force) as write,
    ):
        for batch in column.batches():
            require_inside(batch, column.whose, plan.domain)
            reports = plan.randomizer.randomize(batch.values)
            written += reports.size
            if shuffled:
                kept.append(reports)
            else:
                write(reports)
            advance(batch.read)
        if shuffled:
            write(shuffle(np.concatenate(kept)))
    return written


def _show(plan: "Plan", written: int, output: Path, shuffled: bool) -> None:
    from ..privacy.guarantee import rounded_up
    from ..tables import CSV, kind_of

    promised = plan.guarantee
    click.echo(f"{counted(written, 'report')} written to {output}")
    click.echo(
        f"The plan promises epsilon {promised.epsilon:g}, delta {promised.delta:g} among "
        f"{counted(promised.users, 'honest report')}; local epsilon {rounded_up(promised.local_epsilon)}."
    )
    if not shuffled:
        click.echo("They are in the order of the rows: they must be shuffled before anyone else sees them.")
    if kind_of(output) == CSV:
        click.echo("CSV does not say which plan they belong to; Parquet does.")


def _require_values(column: "Column") -> None:
    """Reports are numbers too, but randomizing them again would tell nothing of anyone."""
    from ..errors import ReportError

    if column.digests:
        raise ReportError(f"{column.path} holds reports already; give the values, which are randomized once")
