"""Data to try things on. Each set is loaded when it is asked for and not before."""

from .dataset import Dataset
from .income import acs_income, income
from .income_types import acs_income_types, income_types
from .normal import normal
from .registry import DATASETS, load
from .retirement import retirement, san_francisco_retirement
from .taxi import taxi, taxi_trips

__all__ = [
    "DATASETS",
    "Dataset",
    "acs_income",
    "acs_income_types",
    "income",
    "income_types",
    "load",
    "normal",
    "retirement",
    "san_francisco_retirement",
    "taxi",
    "taxi_trips",
]
