"""Experiments: what is tried, what is measured in a cell, and a runner that can be stopped and goes on."""

from .cell import Cell
from .experiment import Experiment
from .judging import Claim, Finding, judge
from .markdown import write_markdown, write_markdown_index
from .measurements import MEASUREMENTS, Measurement
from .report import write_index, write_report
from .runner import Work, carry_out, gather, infeasible_cells, prepare
from .summary import Summary, read_summary, summarize

__all__ = [
    "MEASUREMENTS",
    "Cell",
    "Claim",
    "Experiment",
    "Finding",
    "Measurement",
    "Summary",
    "Work",
    "carry_out",
    "gather",
    "infeasible_cells",
    "judge",
    "prepare",
    "read_summary",
    "summarize",
    "write_index",
    "write_markdown",
    "write_markdown_index",
    "write_report",
]
