"""SPM: the shuffled piecewise mechanism, which is a square wave with parameters of its own, and EMS."""

from functools import partial

from ..design import square_wave as design
from ..estimators import EMS
from .square_wave import square_wave_entry

published = partial(design.published_by, design.piecewise_half_width)
in_cells = partial(design.exact_by_in_cells, design.piecewise_half_width)

ENTRY = square_wave_entry("spm", "SPM (shuffled piecewise mechanism, EMS)", published, in_cells, EMS)
