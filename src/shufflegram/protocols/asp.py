"""ASP: a square wave whose half width and density ratio are both chosen for information, and EMAS."""

from ..design import square_wave as design
from ..estimators import EMAS
from .square_wave import square_wave_entry

ENTRY = square_wave_entry(
    "asp", "ASP (square wave with tuned half width and ratio, EMAS)", design.published_asp, design.exact_asp, EMAS
)
