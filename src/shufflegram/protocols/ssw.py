"""SSW: the shuffled square wave with SW's parameters, which follow from one local epsilon, and EMS."""

from functools import partial

from ..design import square_wave as design
from ..estimators import EMS
from .square_wave import square_wave_entry

published = partial(design.published_by, design.sw_half_width)
in_cells = partial(design.exact_by_in_cells, design.sw_half_width)

ENTRY = square_wave_entry("ssw", "SSW (square wave with SW's parameters, EMS)", published, in_cells, EMS)
