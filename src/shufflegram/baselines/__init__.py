"""What is compared with and is no shuffle protocol: a local one, a central one, and an estimator that only trims.

Each has a name, what it is for people, whom its users have to trust, and a function that builds it for a domain and a
budget; what is built says what it costs and promises, and estimates the distribution of a crowd whose histogram is
known: for simulation only.
"""

from .baseline import Baseline, BaselineEntry
from .registry import BASELINES, build, entry, names, require

__all__ = ["BASELINES", "Baseline", "BaselineEntry", "build", "entry", "names", "require"]
