"""What may be promised.

`delta`, `epsilon` and `largest_density_ratio` answer with brackets: one end is guaranteed, the other unavoidable.
`promise` turns facts into a certified `Guarantee`. The looser published bounds are in `bounds`, several rounds in
`composition`.
"""

from .accounting import delta, epsilon, honest_reports, largest_density_ratio, smallest_users
from .bracket import Bracket
from .composition import ComposedLoss, Round, compose, composed_delta, composed_epsilon
from .laws import Atom, PrivacyLaw, blanket_law

__all__ = [
    "Atom",
    "Bracket",
    "ComposedLoss",
    "PrivacyLaw",
    "Round",
    "blanket_law",
    "compose",
    "composed_delta",
    "composed_epsilon",
    "delta",
    "epsilon",
    "honest_reports",
    "largest_density_ratio",
    "smallest_users",
]
