"""What a tidy table says of each combination of the axes: the mean over the repetitions and its standard error."""

import json
import math
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import TableError
from .estimator_names import varied_option
from .experiment import Experiment
from .names import NO_ACCOUNTING, ON_CHUNKS, ON_SIXTEEN, OWN_ESTIMATOR
from .printed import Printed
from .runner import PROVENANCE

# What a metric is taken on, by the end of its name.
GRIDS = {"chunks": ON_CHUNKS, "sixteen": ON_SIXTEEN}


class Place(NamedTuple):
    """One combination of the axes, for one metric; and what can be read off them."""

    accounting: str
    data: str
    metric: str
    epsilon: float
    users: int
    bins: int
    protocol: str
    estimator: str = OWN_ESTIMATOR

    @property
    def task(self) -> str:
        """What is measured, on whichever grid."""
        return self.metric.removesuffix(ON_CHUNKS).removesuffix(ON_SIXTEEN)

    @property
    def scoring(self) -> str:
        """The grid that it is measured on."""
        return next((name for name, end in GRIDS.items() if self.metric.endswith(end)), "bins")

    @property
    def option(self) -> str | None:
        """The option of the estimator that varies."""
        found = varied_option(self.estimator)
        return None if found is None else found[0]

    @property
    def value(self) -> float | None:
        """And its value."""
        found = varied_option(self.estimator)
        return None if found is None else found[1]


class Point(NamedTuple):
    """A mean, its standard error (not a number where there was one repetition), and the number of repetitions."""

    mean: float
    error: float
    repetitions: int


@dataclass(frozen=True)
class Summary:
    """The points of an experiment in the order of its table; combinations that no parameters fit have none.

    From the spec: remarks on how to read them, what tells the lines of a figure apart, the metric that figures show all
    others as a share of, and what the paper prints. `notes` say where the data come from.
    """

    experiment: str
    title: str
    points: dict[Place, Point]
    infeasible: dict[str, str]
    remarks: tuple[str, ...] = ()
    lines: str | None = None
    relative_to: str | None = None
    paper: tuple[Printed, ...] = ()
    notes: tuple[str, ...] = ()

    def values(self, axis: str) -> tuple[Any, ...]:
        """What there is along an axis, in the order of the table."""
        return tuple(dict.fromkeys(getattr(place, axis) for place in self.points))

    def only(self, **fixed: Any) -> "Summary":
        """The points that have these values on these axes."""
        kept = {
            place: point
            for place, point in self.points.items()
            if all(getattr(place, axis) == value for axis, value in fixed.items())
        }
        return replace(self, points=kept)

    def relative(self) -> "Summary":
        """Every point as a share of the one that the spec names, where it names one."""
        if self.relative_to is None:
            return self
        shares = {}
        for place, point in self.points.items():
            whole = self.points.get(place._replace(metric=self.relative_to))
            if whole is None or whole.mean == 0:
                continue
            share = point.mean / whole.mean
            # both have an error, except for the whole beside itself
            error = 0.0 if point is whole else math.hypot(point.error, share * whole.error) / abs(whole.mean)
            shares[place] = Point(share, error, point.repetitions)
        return replace(self, points=shares)

    def side_by_side(self, axis: str) -> Iterator[tuple[Place, dict[Any, Point]]]:
        """The points that differ on this axis alone, by their value there; the place is that of the first of them."""
        found: dict[tuple[Any, ...], tuple[Place, dict[Any, Point]]] = {}
        for place, point in self.points.items():
            bare = tuple(value for name, value in place._asdict().items() if name != axis)
            found.setdefault(bare, (place, {}))[1][getattr(place, axis)] = point
        yield from found.values()


def summarize(table: Any) -> Summary:
    """The summary of one experiment's table, as the runner writes it."""
    names = ("experiment", *Place._fields, "value")
    missing = [name for name in names if name not in table.column_names]
    if missing:
        raise TableError(
            f"the results lack the columns {', '.join(missing)}; hand in a table of `shufflegram experiment`"
        )
    columns = {name: table.column(name).to_pylist() for name in names}
    experiments = set(columns["experiment"])
    if len(experiments) != 1:
        raise TableError(f"the results must be those of one experiment, got {len(experiments)}")
    values: dict[Place, list[float]] = {}
    for *axes, value in zip(*(columns[name] for name in (*Place._fields, "value")), strict=True):
        if value is not None:
            values.setdefault(Place(*axes), []).append(value)
    provenance = json.loads((table.schema.metadata or {}).get(PROVENANCE, b"{}"))
    spec = provenance.get("spec", "")
    record = tomllib.loads(spec)
    (experiment,) = experiments
    return Summary(
        experiment,
        str(record.get("title", experiment)),
        _beside_each_accounting({place: _point(found) for place, found in values.items()}),
        provenance.get("infeasible", {}),
        tuple(record.get("remarks", ())),
        record.get("lines"),
        record.get("relative_to"),
        Experiment.from_text(spec).paper if "paper" in record else (),
        tuple(f"{name}: {note}" for name, note in provenance.get("data", {}).items()),
    )


def _beside_each_accounting(points: dict[Place, Point]) -> dict[Place, Point]:
    """What has no accounting stands beside the others under each that there is."""
    accountings = dict.fromkeys(place.accounting for place in points if place.accounting != NO_ACCOUNTING)
    found: dict[Place, Point] = {}
    for place, point in points.items():
        free = place.accounting == NO_ACCOUNTING and accountings
        found |= {place._replace(accounting=each): point for each in (accountings if free else [place.accounting])}
    return found


def read_summary(path: str | os.PathLike[str]) -> Summary:
    """The summary of the results in a file."""
    import pyarrow
    from pyarrow import parquet

    try:
        return summarize(parquet.read_table(path))
    except (OSError, pyarrow.ArrowException) as problem:
        raise TableError(f"the results {os.fspath(path)} cannot be read; run the experiment again") from problem


def _point(values: list[float]) -> Point:
    count = len(values)
    # s / sqrt(r), with s the sample's standard deviation and r the number of repetitions
    error = float(np.std(values, ddof=1)) / math.sqrt(count) if count > 1 else math.nan
    return Point(float(np.mean(values)), error, count)
