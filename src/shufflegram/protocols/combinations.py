"""The paper's two combinations, which tell apart what ASP owes to its randomizer and what to its estimator."""

from ..design import square_wave as design
from ..estimators import EMAS, EMS
from . import ssw
from .square_wave import square_wave_entry

ONE = square_wave_entry("combination-1", "Combination 1 (SSW's randomizer, EMAS)", ssw.published, ssw.in_cells, EMAS)
TWO = square_wave_entry(
    "combination-2", "Combination 2 (ASP's randomizer, EMS)", design.published_asp, design.exact_asp, EMS
)
