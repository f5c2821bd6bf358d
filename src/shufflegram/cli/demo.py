"""`shufflegram demo`: a whole collection on real data, each step timed, the estimate beside the truth."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import OUTPUT, force_option, json_option
from .output import show_facts, show_json, show_table, terminal
from .picture import draw, interval
from .promise import caption, plan_facts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..datasets import Dataset
    from ..estimators.estimate import Estimate
    from ..estimators.uncertainty import Band
    from ..planning import Plan

SHARES = (0.25, 0.5, 0.75)
HOUR, MINUTE = 3600, 60
FOLDER = "shufflegram-demo"
FILES = ("plan.json", "estimate.csv", "estimate.png")
TICKS = tuple(range(0, 25, 3))


@click.command(
    "demo",
    epilog="""\b
Examples:
  shufflegram demo
  shufflegram demo --users 20000 --epsilon 1 --output small-demo
  shufflegram demo --json""",
)
@click.option("--users", type=int, default=100_000, show_default=True, help="How many taxi rides take part.")
@click.option(
    "--epsilon", type=float, default=0.1, show_default=True, help="What the shuffled reports may tell of one."
)
@click.option("--delta", type=float, default=1e-6, show_default=True, help="How often that may fail.")
@click.option(
    "--output",
    type=OUTPUT,
    default=FOLDER,
    show_default=True,
    help="The folder for the files it makes; it is made too, with all above it.",
)
@force_option
@json_option
def command(users: int, epsilon: float, delta: float, output: Path, force: bool, as_json: bool) -> None:
    """Run a whole collection on real data and look at it.

    When do New Yorkers get into a taxi? Each ride's time of day is randomized as on its user's own device, the reports
    are shuffled, and the distribution is estimated from nothing else. Everything random comes from the operating
    system's secure source, so no two runs are alike. The folder gets plan.json, estimate.csv and estimate.png. In
    shufflegram-demo, those of an earlier demo are replaced; in any other folder, only with --force.
    """
    from ..datasets import taxi
    from ..files import require_writable, whole_file
    from ..planning import plan as make_plan
    from ..protocol import shuffle

    seconds: dict[str, float] = {}
    overwrite = force or output == Path(FOLDER)
    with _timed(seconds, "load the data"):
        rides = taxi(users)
    with _folder(output):
        for name in FILES:
            require_writable(output / name, overwrite=overwrite)
        with _timed(seconds, "plan and prove"):
            plan = make_plan(rides.domain, users=users, epsilon=epsilon, delta=delta)
        with _timed(seconds, "randomize"):
            reports = plan.randomizer.randomize(rides.values)
        with _timed(seconds, "shuffle"):
            reports = shuffle(reports)
        with _timed(seconds, "count"):
            tally = plan.analyzer.tally(reports)
        with _timed(seconds, "estimate"):
            estimate = plan.analyzer.estimate(tally)
        with _timed(seconds, "band"):
            # the same bins counted in hours are nicer to look at
            hours = replace(estimate, domain=replace(rides.domain, high=24, unit="hours"))
            band = hours.band(0.9)
        truth = replace(hours, frequencies=rides.domain.histogram(rides.values) / users, evidence=None)
        with _timed(seconds, "write files"):
            title = f"Taxi pickups in New York: {caption(plan, users)}"
            # Each takes its place only when the block ends, after all are written.
            with ExitStack() as files:
                parts = [files.enter_context(whole_file(output / name, overwrite=overwrite)) for name in FILES]
                plan.save(parts[0])
                estimate.to_csv(parts[1])
                _figure(hours, truth, band, title).savefig(parts[2], format="png", dpi=150)
    answer = _compare(plan, rides, hours, truth, band)
    answer["seconds"] = seconds
    answer["files"] = [str(output / name) for name in FILES]
    if as_json:
        show_json(answer)
    else:
        _show(plan, hours, truth, answer)


@contextmanager
def _timed(seconds: dict[str, float], step: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    seconds[step] = time.perf_counter() - began


@contextmanager
def _folder(folder: Path) -> Iterator[None]:
    """The folder is there, and when the block fails, those that were made for it are not left behind empty."""
    from ..errors import TableError

    made: list[Path] = []
    try:
        try:
            made = [place for place in (folder, *folder.parents) if not place.exists()]
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise TableError(f"the folder {folder} cannot be made: {problem.strerror}") from problem
        yield
    except BaseException:
        for place in made:
            # one that holds something stays
            with suppress(OSError):
                place.rmdir()
        raise


def _figure(hours: "Estimate", truth: "Estimate", band: "Band", title: str) -> "Figure":
    """Above, the density over the true one; below, how far the share at or below each hour is off, with its band."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    above = hours.plot(figure.subplots(), truth.frequencies, band)
    above.set(title=title, ylabel="% of users per hour")
    figure.axes[1].set(xlabel="hour of the day", xticks=TICKS)
    return figure


def _compare(plan: "Plan", rides: "Dataset", hours: "Estimate", truth: "Estimate", band: "Band") -> dict[str, Any]:
    """The estimate against what the data really are."""
    import numpy as np

    from ..metrics import wasserstein

    quantiles = []
    for share in SHARES:
        true = float(np.quantile(rides.values, share, method="inverted_cdf")) / HOUR
        found = hours.quantile(share)
        low, high = interval(band, share)
        quantiles.append(
            {"share": share, "truth": true, "estimate": found, "error": found - true, "low": low, "high": high}
        )
    return {
        "plan": plan.to_dict(),
        "data": {"name": rides.name, "users": hours.users, "source": rides.source, "licence": rides.licence},
        "wasserstein": wasserstein(truth.frequencies, hours.frequencies, circular=True),
        "quantiles_in_hours": quantiles,
    }


def _show(plan: "Plan", hours: "Estimate", truth: "Estimate", answer: dict[str, Any]) -> None:
    console = terminal()
    console.rule("a plan, proven")
    show_facts(console, plan_facts(plan))
    console.rule("the estimate beside the truth")
    draw(console, hours, truth, ticks=TICKS, axis="hour of the day")
    distance = answer["wasserstein"]
    console.print(
        f"\nW1 {distance:.3g} of a day: as if each ride were off by {distance * 24 * MINUTE:.1f} minutes on average."
    )
    rows = [
        (
            f"{each['share']:.0%}",
            _clock(each["truth"]),
            _clock(each["estimate"]),
            f"{each['error'] * MINUTE:+.1f} min",
            f"{_clock(each['low'])} to {_clock(each['high'])}",
        )
        for each in answer["quantiles_in_hours"]
    ]
    show_table(console, "By when had they set off?", ("share", "truth", "estimate", "error", "90% interval"), rows)
    console.rule("time and files")
    steps = ", ".join(f"{step} {seconds:.2f} s" for step, seconds in answer["seconds"].items())
    show_facts(console, [("took", steps), ("wrote", "\n".join(answer["files"]))])


def _clock(hours: float) -> str:
    seconds = round(hours * HOUR)
    return f"{seconds // HOUR:02}:{seconds // MINUTE % MINUTE:02}:{seconds % MINUTE:02}"
