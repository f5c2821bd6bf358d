"""Real data to try things on. Each is loaded when it is asked for and not before."""

from .dataset import Dataset
from .taxi import taxi

__all__ = ["Dataset", "taxi"]
