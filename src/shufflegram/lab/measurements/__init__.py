"""What is measured in a cell. A measurement turns a cell and the seed of one repetition into named numbers."""

from .costs import COSTS
from .duration import DURATION
from .errors import ERRORS
from .information import INFORMATION
from .marginals import MARGINALS
from .measurement import Measurement

MEASUREMENTS: dict[str, Measurement] = {
    "errors": ERRORS,
    "information": INFORMATION,
    "costs": COSTS,
    "duration": DURATION,
    "marginals": MARGINALS,
}


def metric_names() -> tuple[str, ...]:
    """All numbers that an experiment can ask for."""
    return tuple(name for each in MEASUREMENTS.values() for name in each.metrics)


def measurement_of(metric: str) -> str:
    """The measurement that gives this number."""
    return next(name for name, each in MEASUREMENTS.items() if metric in each.metrics)


def metric_titles() -> dict[str, str]:
    """What each number is, for people."""
    return {name: title for each in MEASUREMENTS.values() for name, title in each.metrics.items()}


__all__ = ["MEASUREMENTS", "Measurement", "measurement_of", "metric_names", "metric_titles"]
