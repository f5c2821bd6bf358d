"""What the paper prints, to be set beside what is measured."""

from dataclasses import dataclass
from typing import Any

from ..checks import is_finite
from ..errors import ExperimentError
from . import reading

KEYS = ("title", "protocol", "metrics", "values")


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed row: what it is of, the metrics it may be compared with, and a number for each epsilon."""

    title: str
    protocol: str
    metrics: tuple[str, ...]
    values: dict[float, float]


def printed_rows(
    given: Any, protocols: tuple[str, ...], metrics: tuple[str, ...], epsilons: tuple[float, ...]
) -> tuple[Printed, ...]:
    """The rows of a spec, each about what the spec measures."""
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise ExperimentError(f"paper must be tables [[paper]] with the keys {', '.join(KEYS)}")
    return tuple(_row(each, protocols, metrics, epsilons) for each in given)


def _row(
    record: dict[str, Any], protocols: tuple[str, ...], metrics: tuple[str, ...], epsilons: tuple[float, ...]
) -> Printed:
    reading.require_keys(record, KEYS, set(), " in [[paper]]")
    values = record["values"]
    if (
        not isinstance(values, list)
        or len(values) != len(epsilons)
        or not all(is_finite(each) and each > 0 for each in values)
    ):
        reading.refuse(
            "values in [[paper]]", f"a list of {len(epsilons)} numbers above 0, one for each epsilon", values
        )
    return Printed(
        title=reading.title("title in [[paper]]", record["title"]),
        protocol=reading.name("protocol in [[paper]]", record["protocol"], protocols),
        metrics=reading.names("metrics in [[paper]]", record["metrics"], metrics),
        values=dict(zip(epsilons, map(float, values), strict=True)),
    )
