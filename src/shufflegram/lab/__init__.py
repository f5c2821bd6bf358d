"""Experiments: what is tried, what is measured in a cell, and a runner that can be stopped and goes on."""

from .cell import Cell
from .experiment import Experiment
from .measure import MEASUREMENTS, Measurement
from .runner import Work, carry_out, gather, infeasible_cells, prepare

__all__ = [
    "MEASUREMENTS",
    "Cell",
    "Experiment",
    "Measurement",
    "Work",
    "carry_out",
    "gather",
    "infeasible_cells",
    "prepare",
]
