"""Tables of results like the runner's, with errors that a test chooses."""

import json
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pyarrow as pa

from shufflegram.lab.runner import PROVENANCE
from shufflegram.lab.summary import Place

ErrorOf = Callable[[Place], float | None]
PROTOCOLS = (
    "asp",
    "ssw",
    "combination-1",
    "combination-2",
    "flip-16",
    "flip-32",
    "flip-64",
    "pure-16",
    "pure-32",
    "pure-64",
)


def table(
    experiment: str,
    error_of: ErrorOf,
    *,
    data: tuple[str, ...] = ("normal", "income"),
    metrics: tuple[str, ...] = ("range_0.2", "range_0.4"),
    epsilons: tuple[float, ...] = (0.1, 1.0),
    users: tuple[int, ...] = (1000,),
    bins: tuple[int, ...] = (64,),
    protocols: tuple[str, ...] = PROTOCOLS,
    estimators: tuple[str, ...] = ("own",),
    repetitions: int = 3,
    spec: str = 'title = "A <small> table"',
) -> Any:
    """A table like the runner's in which repetitions differ by a hundredth of the error."""

    def rows() -> Iterator[dict[str, Any]]:
        axes = product(("published", "exact"), data, metrics, epsilons, users, bins, protocols, estimators)
        for place in (Place(*each) for each in axes):
            error = error_of(place)
            for repetition in range(repetitions):
                value = None if error is None else error * (1 + (repetition - (repetitions - 1) / 2) / 100)
                yield {
                    "experiment": experiment,
                    **place._asdict(),
                    "delta": 1e-5,
                    "repetition": repetition,
                    "value": value,
                }

    record = {"spec": spec, "infeasible": {"a cell": "a reason"}, "data": {"income": "somewhere <else>"}}
    return pa.Table.from_pylist(list(rows())).replace_schema_metadata({PROVENANCE: json.dumps(record)})


def by_protocol(**errors: float) -> ErrorOf:
    """The error of each protocol (its hyphen written as _), 2 for all others; wider ranges add a tenth."""
    return lambda place: (
        errors.get(place.protocol.replace("-", "_"), 2.0) * (1.1 if place.metric == "range_0.4" else 1.0)
    )
