"""`shufflegram estimate`: reports in, a distribution out."""

import json
import math
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import INPUT, LEVEL, OUTPUT, force_option, json_option, shares
from .output import show_facts, show_json, show_table, terminal, warn
from .picture import draw, interval, save_picture
from .progress import progress, step
from .promise import caption, load_plan, require_one_number, too_few

if TYPE_CHECKING:
    from ..estimators.estimate import Estimate
    from ..estimators.uncertainty import Band
    from ..planning import Plan
    from ..protocol import Tally
    from ..tables import Batch, Column

ESTIMATE_FORMATS, PICTURE_FORMATS = (".json", ".csv"), (".png", ".svg")


@click.command(
    "estimate",
    epilog="""\b
Examples:
  shufflegram estimate plan.json reports.csv
  shufflegram estimate plan.json reports.parquet --quantiles 0.1,0.5,0.9 --range 25200 32400
  shufflegram estimate plan.json reports.csv reports.parquet --output estimate.csv --plot estimate.png
  shufflegram estimate plan.json reports.csv --band 0.95 --json""",
)
@click.argument("plan", type=INPUT, metavar="PLAN.json")
@click.argument("reports", type=INPUT, nargs=-1, required=True, metavar="REPORTS...")
@click.option("--column", default="report", show_default=True, help="The column that holds the reports.")
@click.option("--output", type=OUTPUT, help="Write the estimate to this .json or .csv file.")
@click.option("--plot", type=OUTPUT, help="Draw it with a band for the whole curve: .png or .svg.")
@click.option(
    "--quantiles",
    type=shares,
    metavar="SHARES",
    default="0.25,0.5,0.75",
    show_default=True,
    help="Which quantiles to tell.",
)
@click.option("--range", "ranges", type=(float, float), multiple=True, metavar="LOW HIGH", help="Who is in between?")
@click.option("--band", "level", type=LEVEL, default=0.9, show_default=True, help="How sure the intervals are.")
@force_option
@json_option
def command(
    plan: Path,
    reports: tuple[Path, ...],
    column: str,
    output: Path | None,
    plot: Path | None,
    quantiles: tuple[float, ...],
    ranges: tuple[tuple[float, float], ...],
    level: float,
    force: bool,
    as_json: bool,
) -> None:
    """Turn reports into a distribution.

    Files are CSV or Parquet with a column `report`, or folders of Parquet files, those in folders inside them too.
    Several are counted one by one and added up.

    An interval holds the truth about as often as --band says, on average over the domain and where the data are smooth
    through the mechanism's window; in Python, `help(shufflegram.Estimate.band)` says more.
    """
    from ..files import require_apart, require_writable
    from ..tables import files_of

    for path, formats in ((output, ESTIMATE_FORMATS), (plot, PICTURE_FORMATS)):
        if path is not None:
            _require_format(path, formats)
            require_apart(path, (plan, *(file for each in reports for file in files_of(each))))
            require_writable(path, overwrite=force)
    _require_finite(ranges)
    loaded = load_plan(plan)
    require_one_number(loaded)
    tally = _count(loaded, reports, column)
    warnings = [*too_few(loaded, tally.reports), *_too_few_for_intervals(tally.reports)]
    warn(warnings)
    with step("estimating"):
        estimate = loaded.analyzer.estimate(tally)
    with step("finding the band"):
        band = estimate.band(level) if estimate.has_band else None
        answer = _answer(estimate, band, quantiles, ranges)
    _save(estimate, band, output, plot, caption(loaded, tally.reports), force)
    if as_json:
        told = [*loaded.guarantee.warnings(), *warnings]
        show_json({**answer, "warnings": told, **estimate.to_dict(), "band": _band_record(band)})
    else:
        _show(loaded, answer, estimate, level)


def _count(plan: "Plan", paths: tuple[Path, ...], name: str) -> "Tally":
    """All files' reports, counted file by file and added up."""
    from ..tables import open_column

    if len({path.resolve() for path in paths}) < len(paths):
        raise click.UsageError("a file of reports is named twice; its reports would be counted twice")
    columns = [open_column(path, name) for path in paths]
    for column in columns:
        _require_own(column, plan)
    tally, before = plan.analyzer.tally([]), 0
    with progress("counting", sum(column.size for column in columns)) as advance:
        for column in columns:
            for batch in column.batches():
                tally += plan.analyzer.tally(_as_reports(batch, column, plan))
                advance(before + batch.read)
            before += column.size
    return tally


def _require_own(column: "Column", plan: "Plan") -> None:
    from ..errors import ReportError

    if column.digests - {plan.digest}:
        raise ReportError(f"the reports in {column.path} were made for another plan; give the plan they were made for")


def _as_reports(batch: "Batch", column: "Column", plan: "Plan") -> Any:
    """Whole numbers in the plan's range, or an error that names the row and shows nothing: it may be a value."""
    from ..errors import ReportError

    cells = plan.protocol.report_cells
    foreign = (batch.values < 0) | (batch.values >= cells) | (batch.values % 1 != 0)
    if foreign.any():
        raise ReportError(
            f"{column.path} holds something else than reports of this plan, which are whole numbers in 0..{cells - 1}; "
            f"the first is in {batch.row(int(foreign.argmax()))}"
        )
    return batch.values.astype("int64")


def _too_few_for_intervals(reports: int) -> list[str]:
    from ..estimators.uncertainty import FEWEST_REPORTS

    if reports >= FEWEST_REPORTS:
        return []
    return [f"intervals and a band take at least {FEWEST_REPORTS} reports, here are {reports:,}: there are none"]


def _answer(
    estimate: "Estimate", band: "Band | None", shares: tuple[float, ...], ranges: tuple[tuple[float, float], ...]
) -> dict[str, Any]:
    """What was asked, beside the estimate itself, each with its interval if there is one."""
    quantiles = []
    for share in shares:
        low, high = interval(band, share) if band else (None, None)
        quantiles.append({"share": share, "value": estimate.quantile(share), "low": low, "high": high})
    between = []
    for low, high in ranges:
        least, most = estimate.probability_interval(low, high, band.level) if band else (None, None)
        share = estimate.probability(low, high)
        between.append({"low": low, "high": high, "share": share, "share_low": least, "share_high": most})
    return {"reports": estimate.users, "mean": estimate.mean(), "quantiles": quantiles, "ranges": between}


def _band_record(band: "Band | None") -> dict[str, Any] | None:
    if band is None:
        return None
    return {"level": band.level, "kind": band.kind, "lower": band.lower.tolist(), "upper": band.upper.tolist()}


def _save(
    estimate: "Estimate", band: "Band | None", output: Path | None, plot: Path | None, title: str, force: bool
) -> None:
    """Both files or neither: as JSON with the band or as CSV without, and as a picture."""
    from ..files import whole_file

    # Each takes its place only when the block ends, after all are written.
    with ExitStack() as files:
        if output is not None:
            part = files.enter_context(whole_file(output, overwrite=force))
            if output.suffix.lower() == ".csv":
                estimate.to_csv(part)
            else:
                record = {**estimate.to_dict(), "band": _band_record(band)}
                part.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        if plot is not None:
            part = files.enter_context(whole_file(plot, overwrite=force))
            with step("drawing"):
                # What is drawn is seen as a whole, so the band that is drawn holds the whole curve.
                whole_curve = estimate.band(band.level, "simultaneous") if band else None
                save_picture(part, plot.suffix[1:].lower(), estimate, whole_curve, title)


def _require_finite(ranges: tuple[tuple[float, float], ...]) -> None:
    for low, high in ranges:
        if not (math.isfinite(low) and math.isfinite(high)):
            raise click.UsageError(f"--range needs two finite numbers such as 30 50, got {low:g} {high:g}")


def _require_format(path: Path, formats: tuple[str, ...]) -> None:
    if path.suffix.lower() not in formats:
        raise click.UsageError(f"the name of {path} has to end in {' or '.join(formats)}")


def _ending(estimate: "Estimate") -> str:
    from ..estimators.em import Stop

    if estimate.outcome is None:
        return "one step, no rounds"
    # what was chosen by evidence says that, and not how its rounds ended
    at_the_limit = estimate.outcome.stop is Stop.ITERATION_LIMIT and estimate.outcome.chosen is None
    return str(estimate.outcome) + (", as is usual for EMAS, whose weights never settle" if at_the_limit else "")


def _show(plan: "Plan", answer: dict[str, Any], estimate: "Estimate", level: float) -> None:
    console = terminal()
    unit = f" {plan.domain.unit}" if plan.domain.unit else ""
    mean = "none: the mass pulls nowhere" if math.isnan(answer["mean"]) else f"{answer['mean']:,.6g}{unit}"
    kind = "circular mean" if plan.domain.circular else "mean"
    facts = [("reports", f"{answer['reports']:,}"), ("estimator", _ending(estimate)), (kind, mean)]
    show_facts(console, facts)
    draw(console, estimate)
    intervals = f"{100 * level:.4g}% interval"
    header = ("share at or below", f"value{unit and ' in' + unit}", intervals)
    rows = [
        (f"{each['share']:.4g}", f"{each['value']:,.6g}", _between(each["low"], each["high"], ",.6g"))
        for each in answer["quantiles"]
    ]
    show_table(console, "Quantiles", header, rows)
    if answer["ranges"]:
        between = [
            (
                _between(each["low"], each["high"], ",g"),
                f"{each['share']:.4f}",
                _between(each["share_low"], each["share_high"], ".4f"),
            )
            for each in answer["ranges"]
        ]
        show_table(console, "Ranges", ("between", "share of users", intervals), between)


def _between(low: float | None, high: float | None, form: str) -> str:
    return "none" if low is None or high is None else f"{low:{form}} to {high:{form}}"
