"""`shufflegram simulate`: what a plan, or a protocol of the registry, would give on data that are known."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .options import INPUT, domain_from, domain_options, json_option, names_a_domain, protocol_name
from .output import counted, show_facts, show_json, show_table, terminal, warn
from .progress import progress
from .promise import load_plan
from .values import require_inside

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..datasets import Dataset
    from ..domain import Domain
    from ..protocol import Protocol
    from ..protocols.registry import Accounting

    Counts = NDArray[np.int64]
    Floats = NDArray[np.float64]

# What a protocol without a plan needs.
BUDGETED = ("protocol", "users", "epsilon", "delta")


class Setting(NamedTuple):
    """What is tried, and for how many users its promise holds."""

    protocol: "Protocol"
    users: int
    accounting: str


@click.command(
    "simulate",
    epilog="""\b
Examples:
  shufflegram simulate plan.json --data taxi --repetitions 5 --simulation-seed 1
  shufflegram simulate plan.json --data values.csv --column seconds --repetitions 3
  shufflegram simulate --protocol ssw --accounting published --data taxi --repetitions 3 \\
      --low 0 --high 86400 --bins 128 --users 50000 --epsilon 0.5 --delta 1e-6 --json""",
)
@click.argument("plan", type=INPUT, required=False, metavar="[PLAN.json]")
@click.option(
    "--data",
    metavar="NAME|FILE",
    help="A data set (normal, taxi, retirement, income, income_types), or a CSV or Parquet file.  [required]",
)
@click.option("--data-dir", type=INPUT, help="With a data set: a folder with the files to use instead of bundled ones.")
@click.option("--column", help="The column of that file or data set; may be left out where there is only one.")
@click.option("--sample", type=int, help="How many of the values take part. [default: as many as are planned for]")
@click.option("--repetitions", type=click.IntRange(1), default=10, show_default=True, help="How many collections.")
@click.option(
    "--simulation-seed", type=click.IntRange(0), default=0, show_default=True, help="The same seed, same runs."
)
@click.option("--protocol", type=protocol_name, metavar="NAME", help="Instead of a plan: a registered protocol.")
@click.option(
    "--accounting",
    type=click.Choice(["published", "exact"]),
    help="Its parameters: as published, or by exact accounting. [default: exact]",
)
@click.option("--users", type=int, help="With --protocol: for so many users.")
@click.option("--epsilon", type=float, help="With --protocol: at this epsilon.")
@click.option("--delta", type=float, help="With --protocol: at this delta.")
@domain_options
@json_option
def command(
    plan: Path | None,
    data: str | None,
    data_dir: Path | None,
    column: str | None,
    sample: int | None,
    repetitions: int,
    simulation_seed: int,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Try a plan on known data, many times.

    Each repetition draws the reports' tally of a whole collection, estimates from it, and compares with the truth.
    Nothing here is private: the data are known and the randomness can be repeated. Errors are shares of the domain (W1
    and quantiles) and of the users (ranges).
    """
    import numpy as np

    from .. import metrics

    if data is None:
        raise click.UsageError(_missing(plan, data, chosen))
    named = _named(data, data_dir, column)
    setting = _setting(plan, data, named, chosen)
    domain = setting.protocol.domain
    warnings: list[str] = []
    histogram = _sampled(_histogram(data, named, column, domain), setting.users, sample, simulation_seed, warnings)
    warn(warnings)
    truth = histogram / histogram.sum()
    errors: dict[str, list[float]] = {}
    began = time.perf_counter()
    with progress("simulating", repetitions) as advance:
        for done, seed in enumerate(np.random.SeedSequence(simulation_seed).generate_state(repetitions, np.uint64)):
            advance(done)
            tally = setting.protocol.simulate(histogram, int(seed))
            found = setting.protocol.analyzer.estimate(tally).frequencies
            for name, error in metrics.errors(truth, found, circular=domain.circular).items():
                errors.setdefault(name, []).append(error)
    answer = {
        "protocol": setting.protocol.name,
        "accounting": setting.accounting,
        "domain": domain.to_dict(),
        "mechanism": setting.protocol.mechanism.to_dict(),
        "users": int(histogram.sum()),
        "repetitions": repetitions,
        "simulation_seed": simulation_seed,
        "errors": {name: _summary(values) for name, values in errors.items()},
        "seconds": time.perf_counter() - began,
        "warnings": warnings,
    }
    if as_json:
        show_json(answer)
    else:
        _show(answer, setting.protocol)


def _setting(plan: Path | None, data: str, named: "Dataset | None", chosen: dict[str, Any]) -> Setting:
    """From a plan's file, or else from the options."""
    of_protocols = (*BUDGETED, "accounting")
    if plan is not None:
        extra = [f"--{name}" for name in of_protocols if chosen[name] is not None]
        if extra or names_a_domain(chosen):
            what = ", ".join(extra) if extra else "the domain"
            raise click.UsageError(f"the plan says everything else; leave {what} out")
        loaded = load_plan(plan)
        return Setting(loaded.protocol, loaded.guarantee.users, "exact")
    if any(chosen[name] is None for name in BUDGETED):
        raise click.UsageError(_missing(plan, data, chosen))
    from ..privacy.budget import Budget
    from ..protocols import registry

    domain = domain_from(chosen) if named is None or names_a_domain(chosen) else named.domain
    budget = Budget(chosen["epsilon"], chosen["delta"], chosen["users"])
    accounting: Accounting = "published" if chosen["accounting"] == "published" else "exact"
    return Setting(registry.build(chosen["protocol"], domain, budget, accounting), budget.users, accounting)


def _missing(plan: Path | None, data: str | None, chosen: dict[str, Any]) -> str:
    """All that is missing, in one line."""
    needed = {"data": data} if plan is not None else {"data": data, **{name: chosen[name] for name in BUDGETED}}
    missing = ", ".join(f"--{name}" for name, value in needed.items() if value is None)
    instead = "" if plan is not None else "give a PLAN.json, or else a protocol and its budget; "
    return f"{instead}missing: {missing}"


def _named(data: str, data_dir: Path | None, column: str | None) -> "Dataset | None":
    """The data set of this name, or the column of it that is asked for; None where the name is a file's."""
    from .. import datasets

    if data not in datasets.DATASETS:
        if data_dir is not None:
            raise click.UsageError(f"--data-dir is for {', '.join(datasets.DATASETS)}; leave it out with a file")
        return None
    found = datasets.load(data, data_dir)
    if found.columns and column is None:
        raise click.UsageError(f"{data} has several columns, so --column must be one of {', '.join(found.columns)}")
    if not found.columns and column is not None:
        raise click.UsageError(f"--column is for files and joint rows; {data} has one column only")
    return found if column is None else found.column(column)


def _histogram(data: str, named: "Dataset | None", column: str | None, domain: "Domain") -> "Counts":
    """How many of the values lie in each bin."""
    import numpy as np

    from ..tables import Batch, open_column

    if named is not None:
        require_inside(Batch(named.values, 0, "of the data set", named.users), f" of {named.name!r}", domain)
        return domain.histogram(named.values)
    opened = open_column(data, column)
    histogram = np.zeros(domain.bins, dtype=np.int64)
    with progress("reading", opened.size) as advance:
        for batch in opened.batches():
            require_inside(batch, opened.whose, domain)
            histogram += domain.histogram(batch.values)
            advance(batch.read)
    return histogram


def _sampled(histogram: "Counts", planned: int, sample: int | None, seed: int, warnings: list[str]) -> "Counts":
    """The histogram of so many of the values, drawn without replacement."""
    import numpy as np

    there = int(histogram.sum())
    size = min(planned, there) if sample is None else sample
    if not 1 <= size <= there:
        raise click.UsageError(
            f"--sample must be from 1 to {there:,}, the number of values that there are, got {size:,}"
        )
    if size < planned:
        verb = "takes" if size == 1 else "take"
        warnings.append(
            f"{counted(size, 'value')} {verb} part, but the promise is for {counted(planned, 'honest report')}"
        )
    # a stream of its own, beside those of the repetitions
    generator = np.random.default_rng([seed, 1])
    drawn: Counts = generator.multivariate_hypergeometric(histogram, size, method="marginals")
    return drawn


def _summary(values: list[float]) -> dict[str, Any]:
    """The mean over the repetitions, and how far single ones are from it (not known from one alone)."""
    import statistics

    spread = statistics.stdev(values) if len(values) > 1 else None
    return {"mean": statistics.fmean(values), "standard_deviation": spread, "values": values}


def _show(answer: dict[str, Any], protocol: "Protocol") -> None:
    from ..metrics import METRICS

    console = terminal()
    facts = [
        ("domain", str(protocol.domain)),
        ("protocol", f"{answer['protocol']}, {answer['accounting']} accounting"),
        ("mechanism", str(protocol.mechanism)),
        ("users", f"{answer['users']:,}"),
        ("runs", f"{answer['repetitions']} with seed {answer['simulation_seed']}, in {answer['seconds']:.1f} s"),
    ]
    show_facts(console, facts)
    names = {metric.name: metric.title for metric in METRICS}
    rows = [
        (names[name], f"{error['mean']:.3e}", _spread(error["standard_deviation"]))
        for name, error in answer["errors"].items()
    ]
    show_table(console, "Errors", ("error", "mean", "standard deviation"), rows)


def _spread(deviation: float | None) -> str:
    return "-" if deviation is None else f"{deviation:.1e}"
