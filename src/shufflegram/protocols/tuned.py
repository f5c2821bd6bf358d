"""ASP with the half width of the least expected error, not of the largest information, and the adaptive estimator."""

from ..design import square_wave as design
from ..estimators import AUTO
from .square_wave import square_wave_entry

ENTRY = square_wave_entry(
    "tuned",
    "Tuned (half width of the least error, adaptive estimator)",
    design.published_asp,
    design.exact_least_error,
    AUTO,
)
