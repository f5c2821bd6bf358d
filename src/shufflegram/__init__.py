"""shufflegram: the distribution of a crowd's numbers, without anyone's number.

    domain = Domain(0, 300_000, bins=512)
    plan = plan(domain, users=100_000, epsilon=0.5, delta=1e-6)
    reports = plan.randomizer.randomize(values)
    estimate = plan.analyzer.estimate(plan.analyzer.tally(reports))

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import baselines, datasets, errors, estimators, extensions, metrics, privacy, protocols
    from .domain import Domain
    from .errors import ShufflegramError
    from .estimators.estimate import Estimate
    from .mechanism import ContinuousSquareWave, SquareWave
    from .planning import Plan, PrivacyWarning, plan, predicted_error
    from .protocol import Tally, run_protocol, shuffle
    from .randomness import SecureSource, SeededSource

    __version__: str

# Where each public name lives; a module stands for itself.
_HOMES = {
    "ContinuousSquareWave": "mechanism",
    "Domain": "domain",
    "Estimate": "estimators.estimate",
    "Plan": "planning",
    "PrivacyWarning": "planning",
    "SecureSource": "randomness",
    "SeededSource": "randomness",
    "ShufflegramError": "errors",
    "SquareWave": "mechanism",
    "Tally": "protocol",
    "baselines": "baselines",
    "datasets": "datasets",
    "errors": "errors",
    "estimators": "estimators",
    "extensions": "extensions",
    "metrics": "metrics",
    "plan": "planning",
    "predicted_error": "planning",
    "privacy": "privacy",
    "protocols": "protocols",
    "run_protocol": "protocol",
    "shuffle": "protocol",
}

__all__ = [
    "ContinuousSquareWave",
    "Domain",
    "Estimate",
    "Plan",
    "PrivacyWarning",
    "SecureSource",
    "SeededSource",
    "ShufflegramError",
    "SquareWave",
    "Tally",
    "__version__",
    "baselines",
    "datasets",
    "errors",
    "estimators",
    "extensions",
    "metrics",
    "plan",
    "predicted_error",
    "privacy",
    "protocols",
    "run_protocol",
    "shuffle",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("shufflegram")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{home}", __name__)
    value = module if home == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
