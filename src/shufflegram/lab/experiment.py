"""An experiment as data: a small TOML file that says what is tried on what, how often, and what is measured."""

import os
import tomllib
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import get_args

from .. import baselines
from ..errors import ExperimentError, TableError
from ..protocols import registry
from . import contenders, reading
from .cell import Cell
from .data import DATA, JOINT, crowd, histogram_of
from .estimator_names import estimator_of
from .measurements import MEASUREMENTS, measurement_of, metric_names
from .names import NO_ACCOUNTING, OWN_ESTIMATOR
from .printed import Printed, printed_rows

# Beyond this nobody waits for the end, and a spec has a slip of the pen.
MOST_REPETITIONS = 1_000_000
KEYS = (
    *("name", "title", "seed", "repetitions", "quick_repetitions", "delta", "metrics"),
    *("remarks", "lines", "relative_to", "axes", "paper"),
)
AXES = ("data", "protocols", "accounting", "epsilons", "users", "bins", "circular", "estimators")
OPTIONAL = {"remarks", "lines", "relative_to", "paper", "users", "bins", "circular", "estimators"}
# What can tell the lines of a figure apart, if the spec says it.
LINES = ("protocol", "epsilon", "data", "metric")


@dataclass(frozen=True)
class Experiment:
    """All combinations of the axes, each repeated. `users` and `bins` are those of the data where None stands.

    A quantity that comes round, such as a time of day, is taken as a line (as the paper does) unless `circular`. What
    has no accounting, or no estimator to exchange, is tried once for all of them. `remarks` say how the numbers are to
    be read, `lines` what tells the lines of a figure apart, figures show every metric as a share of the one that is
    `relative_to`, and `paper` is what the paper prints of the same.
    """

    name: str
    title: str
    seed: int
    repetitions: int
    quick_repetitions: int
    delta: float
    metrics: tuple[str, ...]
    data: tuple[str, ...]
    protocols: tuple[str, ...]
    accounting: tuple[registry.Accounting, ...]
    epsilons: tuple[float, ...]
    users: tuple[int | None, ...] = (None,)
    bins: tuple[int | None, ...] = (None,)
    circular: bool = False
    estimators: tuple[str, ...] = (OWN_ESTIMATOR,)
    remarks: tuple[str, ...] = ()
    lines: str | None = None
    relative_to: str | None = None
    paper: tuple[Printed, ...] = ()
    text: str = field(default="", repr=False)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Experiment":
        """The experiment that a file describes."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as problem:
            raise TableError(f"the experiment {os.fspath(path)} cannot be read: {problem.strerror}") from problem
        except UnicodeDecodeError as problem:
            raise TableError(f"the experiment {os.fspath(path)} cannot be read: it is not text") from problem
        try:
            return cls.from_text(text)
        except ExperimentError as problem:
            raise ExperimentError(f"the experiment {os.fspath(path)}: {problem}") from None

    @classmethod
    def from_text(cls, text: str) -> "Experiment":
        """The experiment that a TOML text describes; anything missing, unknown or meaningless is an error."""
        try:
            record = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as problem:
            raise ExperimentError(f"it is not TOML: {problem}") from None
        reading.require_keys(record, KEYS, OPTIONAL, "")
        axes = record["axes"]
        if not isinstance(axes, dict):
            raise ExperimentError(f"axes must be a table with the keys {', '.join(AXES)}")
        reading.require_keys(axes, AXES, OPTIONAL, " in [axes]")
        repetitions = reading.whole("repetitions", record["repetitions"], 1, MOST_REPETITIONS)
        metrics = reading.names("metrics", record["metrics"], metric_names())
        protocols = reading.names("protocols", axes["protocols"], contenders.names())
        accounting: tuple[registry.Accounting, ...] = reading.names(  # type: ignore[assignment]
            "accounting", axes["accounting"], get_args(registry.Accounting)
        )
        estimators = _estimators(axes.get("estimators"))
        _require_measurable(protocols, accounting, estimators, metrics)
        epsilons = tuple(reading.epsilon(each) for each in reading.entries("epsilons", axes["epsilons"]))
        return cls(
            name=reading.slug("name", record["name"]),
            title=reading.title("title", record["title"]),
            seed=reading.whole("seed", record["seed"], 0, 2**63 - 1),
            repetitions=repetitions,
            quick_repetitions=reading.whole("quick_repetitions", record["quick_repetitions"], 1, repetitions),
            delta=reading.delta(record["delta"]),
            metrics=metrics,
            data=_fitting(reading.names("data", axes["data"], tuple(DATA)), metrics),
            protocols=protocols,
            accounting=accounting,
            epsilons=epsilons,
            users=reading.sizes("users", axes.get("users")),
            bins=reading.sizes("bins", axes.get("bins")),
            circular=reading.truth("circular", axes.get("circular", False)),
            estimators=estimators,
            remarks=_remarks(record.get("remarks")),
            lines=None if "lines" not in record else reading.name("lines", record["lines"], LINES),
            relative_to=None
            if "relative_to" not in record
            else reading.name("relative_to", record["relative_to"], metrics),
            paper=printed_rows(record.get("paper", []), protocols, metrics, epsilons),
            text=text,
        )

    def cells(self) -> tuple[Cell, ...]:
        """Every combination of the axes, in the order in which they are written; looks at the data for their sizes."""
        measurements = dict.fromkeys(measurement_of(metric) for metric in self.metrics)
        axes = product(self.data, self.bins, self.users, self.protocols, self.epsilons, measurements)
        cells = []
        for data, bins, users, protocol, epsilon, measurement in axes:
            values, domain, _ = crowd(data)
            all_bins = domain.bins if bins is None else bins
            everyone = len(values) if users is None else users
            circular = self.circular and domain.circular
            histogram_of(data, all_bins, everyone, circular)  # refuses more users than there are
            accountings, estimators = self._ways(protocol)
            cells += [
                Cell(
                    self.seed,
                    data,
                    protocol,
                    accounting,
                    epsilon,
                    self.delta,
                    everyone,
                    all_bins,
                    circular,
                    measurement,
                    estimator,
                )
                for accounting, estimator in product(accountings, estimators)
            ]
        return tuple(cells)

    def _ways(self, protocol: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The accountings and the estimators that one of the protocols is tried with; baselines have their own."""
        if protocol not in baselines.names():
            return self.accounting, self.estimators
        baselines.require(protocol)
        fixed = baselines.entry(protocol).accounting
        return (NO_ACCOUNTING if fixed is None else fixed,), (OWN_ESTIMATOR,)


def _fitting(data: tuple[str, ...], metrics: tuple[str, ...]) -> tuple[str, ...]:
    """The data, if every metric is about what they hold: one value a user, or rows of several."""
    for metric, name in product(metrics, data):
        joint = MEASUREMENTS[measurement_of(metric)].joint
        if joint != (name in JOINT):
            wanted = ", ".join(each for each in DATA if (each in JOINT) == joint)
            raise ExperimentError(f"{metric} is measured on data such as {wanted}, got {name!r}")
    return data


def _remarks(value: object) -> tuple[str, ...]:
    return () if value is None else tuple(reading.title("remarks", each) for each in reading.entries("remarks", value))


def _require_measurable(
    protocols: tuple[str, ...], accounting: tuple[str, ...], estimators: tuple[str, ...], metrics: tuple[str, ...]
) -> None:
    """Everything that is tried can be tried that way, and everything can be measured of it."""
    for protocol, metric in product(protocols, metrics):
        measured = MEASUREMENTS[measurement_of(metric)]
        if not measured.of(protocol):
            others = ", ".join(filter(measured.of, contenders.names()))
            raise ExperimentError(f"{metric} is measured of {others}, got {protocol!r}")
    for protocol in protocols:
        if contenders.is_protocol(protocol):
            if estimators != (OWN_ESTIMATOR,) and not contenders.is_square_wave(protocol):
                raise ExperimentError(
                    f"{protocol} has an estimator of its own and takes no other; leave estimators out"
                )
        elif (fixed := baselines.entry(protocol).accounting) and fixed not in accounting:
            raise ExperimentError(f"{protocol} is accounted for as {fixed}; add {fixed!r} to accounting")


def _estimators(value: object) -> tuple[str, ...]:
    """Estimators in words, each of which can be made."""
    if value is None:
        return (OWN_ESTIMATOR,)
    for words in reading.entries("estimators", value):
        if words != OWN_ESTIMATOR:
            estimator_of(words if isinstance(words, str) else repr(words))
    return tuple(reading.entries("estimators", value))
