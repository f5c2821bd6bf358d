"""`shufflegram randomize`: a column of values in, a column of private reports out."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import INPUT, OUTPUT, force_option, json_option
from .output import rounded_up, show_json, warn
from .progress import progress

if TYPE_CHECKING:
    from ..domain import Domain
    from ..privacy.guarantee import Guarantee
    from ..tables import Batch, Column


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

    VALUES is a .csv or a .parquet file, or a folder of .parquet files, which are read as one.

    Every draw comes from the operating system's secure source; there is no seed. The reports' file holds one column,
    `report`, and nothing of who sent which, but its order is that of the rows: mixing reports is the shuffler's job.
    Where one file is the whole collection, --shuffle does it here, with the secure source, holding all reports in
    memory.

    A value outside the domain, or a row without a number, ends the run, and nothing is written. A message tells the row
    and the rule, never the value.
    """
    import numpy as np

    from ..planning import Plan
    from ..protocol import shuffle
    from ..tables import CSV, counted, kind_of, open_column, report_writer, require_apart, require_writable

    loaded = Plan.load(plan)
    opened = open_column(values, column)
    _require_values(opened)
    if output is None:
        output = Path("reports.parquet" if values.is_dir() else f"reports{kind_of(values)}")
    kind_of(output)
    require_apart(output, (plan, values))
    require_writable(output, overwrite=force)
    warnings = list(loaded.guarantee.warnings())
    warn(warnings)
    written = 0
    with (
        progress("randomizing", opened.size) as advance,
        report_writer(output, loaded.digest, overwrite=force) as write,
    ):
        kept = []
        for batch in opened.batches():
            _require_inside(batch, opened, loaded.domain)
            reports = loaded.randomizer.randomize(batch.values)
            written += reports.size
            if shuffled:
                kept.append(reports)
            else:
                write(reports)
            advance(batch.read)
        if shuffled:
            write(shuffle(np.concatenate(kept)))
    if as_json:
        show_json(
            {
                "reports": written,
                "output": str(output),
                "shuffled": shuffled,
                "plan_digest": loaded.digest,
                "promise": _promise(loaded.guarantee),
                "warnings": warnings,
            }
        )
        return
    click.echo(f"{counted(written, 'report')} written to {output}")
    promise = loaded.guarantee
    click.echo(
        f"The plan promises epsilon {promise.epsilon:g}, delta {promise.delta:g} among "
        f"{counted(promise.users, 'honest report')}; local epsilon {rounded_up(promise.local_epsilon)}."
    )
    if not shuffled:
        click.echo("They are in the order of the rows: they must be shuffled before anyone else sees them.")
    if kind_of(output) == CSV:
        click.echo("CSV does not say which plan they belong to; Parquet does.")


def _promise(guarantee: "Guarantee") -> dict[str, Any]:
    """What a device's owner should look at."""
    return {
        "epsilon": guarantee.epsilon,
        "delta": guarantee.delta,
        "users": guarantee.users,
        "local_epsilon": guarantee.local_epsilon,
    }


def _require_values(column: "Column") -> None:
    """Reports are numbers too, but randomizing them again would tell nothing of anyone."""
    from ..errors import ReportError

    if column.digests:
        raise ReportError(f"{column.path} holds reports already; give the values, which are randomized once")


def _require_inside(batch: "Batch", column: "Column", domain: "Domain") -> None:
    """Where the plan refuses values outside the domain, name the first row that holds one."""
    outside = (batch.values < domain.low) | (batch.values > domain.high)
    if domain.outside != "error" or not outside.any():
        return
    from ..errors import ValuesError

    remedy = "wrap" if domain.circular else "clamp"
    raise ValuesError(
        f"the value of {column.name!r} in {batch.row(int(outside.argmax()))} lies outside the domain "
        f"[{domain.low:g}, {domain.high:g}]; leave such rows out, or plan with a wider domain or --outside {remedy}"
    )
