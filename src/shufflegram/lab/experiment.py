"""An experiment as data: a small TOML file that says what is tried on what, how often, and what is measured."""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, NoReturn, get_args

from ..checks import is_whole
from ..errors import BudgetError, ExperimentError, TableError
from ..privacy.budget import check_delta, check_epsilon
from ..protocols import registry
from .cell import Cell
from .data import DATA, crowd, histogram_of
from .measure import measurement_of, metric_names

NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
# Beyond this nobody waits for the end, and a spec has a slip of the pen.
MOST_REPETITIONS = 1_000_000
KEYS = ("name", "title", "seed", "repetitions", "quick_repetitions", "delta", "metrics", "axes")
AXES = ("data", "protocols", "accounting", "epsilons", "users", "bins", "circular")
OPTIONAL = {"users", "bins", "circular"}


@dataclass(frozen=True)
class Experiment:
    """All combinations of the axes, each repeated. `users` and `bins` are those of the data where None stands.

    A quantity that comes round, such as a time of day, is taken as a line (as the paper does) unless `circular`.
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
        _require_keys(record, KEYS, set(), "")
        axes = record["axes"]
        if not isinstance(axes, dict):
            raise ExperimentError(f"axes must be a table with the keys {', '.join(AXES)}")
        _require_keys(axes, AXES, OPTIONAL, " in [axes]")
        repetitions = _whole("repetitions", record["repetitions"], 1, MOST_REPETITIONS)
        return cls(
            name=_matching("name", record["name"]),
            title=_title(record["title"]),
            seed=_whole("seed", record["seed"], 0, 2**63 - 1),
            repetitions=repetitions,
            quick_repetitions=_whole("quick_repetitions", record["quick_repetitions"], 1, repetitions),
            delta=_delta(record["delta"]),
            metrics=_names("metrics", record["metrics"], metric_names()),
            data=_names("data", axes["data"], tuple(DATA)),
            protocols=_names("protocols", axes["protocols"], registry.names()),
            accounting=_names("accounting", axes["accounting"], get_args(registry.Accounting)),  # type: ignore[arg-type]
            epsilons=tuple(_epsilon(each) for each in _list("epsilons", axes["epsilons"])),
            users=_sizes("users", axes.get("users")),
            bins=_sizes("bins", axes.get("bins")),
            circular=_truth("circular", axes.get("circular", False)),
            text=text,
        )

    def cells(self) -> tuple[Cell, ...]:
        """Every combination of the axes, in the order in which they are written; looks at the data for their sizes."""
        measurements = dict.fromkeys(measurement_of(metric) for metric in self.metrics)
        axes = product(self.data, self.bins, self.users, self.protocols, self.accounting, self.epsilons, measurements)
        cells = []
        for data, bins, users, protocol, accounting, epsilon, measurement in axes:
            values, domain = crowd(data)
            all_bins = domain.bins if bins is None else bins
            everyone = values.size if users is None else users
            circular = self.circular and domain.circular
            histogram_of(data, all_bins, everyone, circular)  # refuses more users than there are
            cells.append(
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
                )
            )
        return tuple(cells)


def _require_keys(record: Mapping[str, Any], known: tuple[str, ...], optional: set[str], where: str) -> None:
    for kind, odd in (
        ("unknown", [key for key in record if key not in known]),
        ("missing", [key for key in known if key not in record and key not in optional]),
    ):
        if odd:
            raise ExperimentError(f"{kind} key{where}: {', '.join(map(_shown, odd))}; the keys are {', '.join(known)}")


def _shown(value: Any) -> str:
    """What was given, short and on one line."""
    return f"{value!r:.60}"


def _refuse(name: str, rule: str, value: Any) -> NoReturn:
    raise ExperimentError(f"{name} must be {rule}, got {_shown(value)}")


def _whole(name: str, value: Any, least: int, most: int) -> int:
    if not is_whole(value) or not least <= value <= most:
        _refuse(name, f"a whole number from {least} to {most}", value)
    return value


def _truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        _refuse(name, "true or false", value)
    return value


def _matching(name: str, value: Any) -> str:
    if not isinstance(value, str) or not NAME.fullmatch(value):
        _refuse(name, "a name of small letters, digits and hyphens such as 'figure-utility'", value)
    return value


def _title(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        _refuse("title", "a line of text", value)
    return value


def _delta(value: Any) -> float:
    try:
        check_delta(value)
    except BudgetError as problem:
        raise ExperimentError(str(problem)) from None
    return float(value)


def _epsilon(value: Any) -> float:
    try:
        check_epsilon(value)
    except BudgetError as problem:
        raise ExperimentError(f"epsilons: {problem}") from None
    if value == 0:
        raise ExperimentError("epsilons must be above 0: at 0 a report can say nothing")
    return float(value)


def _list(name: str, value: Any) -> list[Any]:
    """A list that holds something, and nothing twice."""
    if not isinstance(value, list) or not value:
        _refuse(name, "a list with at least one entry", value)
    if any(each in value[:place] for place, each in enumerate(value)):
        _refuse(name, "a list that holds nothing twice", value)
    return value


def _names(name: str, value: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    for each in _list(name, value):
        if each not in known:
            raise ExperimentError(f"{name} must be some of {', '.join(known)}, got {_shown(each)}")
    return tuple(value)


def _sizes(name: str, value: Any) -> tuple[int | None, ...]:
    """Sizes, or those of the data where nothing is said."""
    return (None,) if value is None else tuple(_whole(name, each, 1, 10**9) for each in _list(name, value))
