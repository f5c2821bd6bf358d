"""ASP with the half width of the least expected error instead of the largest information."""

from ..design import square_wave as design
from ..estimators import EMAS
from .square_wave import square_wave_entry

ENTRY = square_wave_entry(
    "tuned",
    "Tuned (ASP with the half width of the least expected error)",
    design.published_asp,
    design.exact_least_error,
    EMAS,
)
