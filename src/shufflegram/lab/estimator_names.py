"""Estimators in words, so that an experiment can vary them: "emas", "ems rounds=5000", "emas sigma=1/3 radius=5".

The words after the name set options; the last one is what varies where a figure is drawn.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from ..errors import ExperimentError, InputError
from ..estimators import AUTO, EM, EMAS, EMS, MR, Estimator, EvidenceMean, ExpectationMaximization, MixtureReduction
from ..estimators.smoothing import AdaptiveSmoothing

NAMED: dict[str, ExpectationMaximization | MixtureReduction | EvidenceMean] = {
    "em": EM,
    "ems": EMS,
    "emas": EMAS,
    "mr": MR,
    "auto": AUTO,
}


def estimator_of(words: str) -> Estimator:
    """The estimator that these words say."""
    name, *options = words.split()
    if name not in NAMED:
        raise ExperimentError(f"an estimator must be one of {', '.join(NAMED)}, got {name!r}")
    estimator = NAMED[name]
    smoothing: dict[str, Any] = {}
    if options and isinstance(estimator, EvidenceMean):
        raise ExperimentError(f"{name} has no options, as it finds its settings itself, got {options[0]!r}")
    for option in options:
        key, value = option_of(option)
        if key not in OPTIONS or (key != "rounds" and name != "emas"):
            known = ", ".join(OPTIONS) if name == "emas" else "rounds"
            raise ExperimentError(f"the options of {name} are {known}, got {key!r}")
        if key in WHOLE and value.denominator != 1:
            raise ExperimentError(f"{key} must be a whole number, got {value}")
        if key == "rounds" and not isinstance(estimator, EvidenceMean):
            estimator = replace(estimator, max_iterations=int(value))
        else:
            smoothing |= OPTIONS[key](value)
    try:
        if smoothing and isinstance(estimator, ExpectationMaximization):
            estimator = replace(estimator, refinement=AdaptiveSmoothing(**smoothing))
    except InputError as problem:
        raise ExperimentError(f"the estimator {words!r}: {problem}") from None
    return estimator


def option_of(word: str) -> tuple[str, Fraction]:
    """The name and the number in "name=number"; the number may be a fraction."""
    key, _, number = word.partition("=")
    try:
        return key, Fraction(number)
    except (ValueError, ZeroDivisionError):
        raise ExperimentError(
            f"an option of an estimator is a name and a number as in radius=5, got {word!r}"
        ) from None


def varied_option(words: str) -> tuple[str, float] | None:
    """The last option and its number; None where there is none."""
    _, *options = words.split()
    if not options:
        return None
    key, value = option_of(options[-1])
    return key, float(value)


def _one(key: str, kind: type, value: Fraction) -> dict[str, Any]:
    return {key: kind(value)}


WHOLE = ("radius", "period", "rounds")
# What each option sets of EMAS; `sigma` is a width that does not vary.
OPTIONS: dict[str, Callable[[Fraction], dict[str, Any]]] = {
    "radius": partial(_one, "radius", int),
    "sigma": lambda value: {"sigma_min": float(value), "sigma_max": float(value)},
    "sigma_min": partial(_one, "sigma_min", float),
    "sigma_max": partial(_one, "sigma_max", float),
    "period": partial(_one, "period", int),
    "rounds": lambda value: {},
}
