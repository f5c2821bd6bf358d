"""What may be promised.

`delta`, `epsilon` and `largest_density_ratio` answer with brackets: one end is guaranteed, the other unavoidable.
`guarantee_of` turns a mechanism, a crowd and a budget into a certified `Guarantee`, or refuses. The looser published
bounds are in `bounds`, several rounds in `composition`.
"""

from typing import TYPE_CHECKING

from . import bounds
from .accounting import delta, epsilon, honest_reports, largest_density_ratio, smallest_users
from .bracket import Bracket
from .composition import ComposedLoss, Round, compose, composed_delta, composed_epsilon
from .laws import Atom, PrivacyLaw, blanket_law, blanket_terms

if TYPE_CHECKING:
    from ..mechanism import Mechanism
    from .guarantee import Guarantee

__all__ = [
    "Atom",
    "Bracket",
    "ComposedLoss",
    "PrivacyLaw",
    "Round",
    "blanket_law",
    "blanket_terms",
    "bounds",
    "compose",
    "composed_delta",
    "composed_epsilon",
    "delta",
    "epsilon",
    "guarantee_of",
    "honest_reports",
    "largest_density_ratio",
    "smallest_users",
]


def guarantee_of(mechanism: "Mechanism", *, users: int, epsilon: float, delta: float) -> "Guarantee":
    """The certified promise that this mechanism keeps (epsilon, delta) with `users` honest reports, or an error."""
    # Proofs take a library of their own, which a question for numbers does not need.
    from ..errors import MechanismError
    from ..mechanism import ContinuousSquareWave
    from .guarantee import promise

    if isinstance(mechanism, ContinuousSquareWave):
        raise MechanismError(
            "a guarantee is for what devices run, and the continuous wave draws floats; ask for its delta, or take a "
            "discrete SquareWave"
        )

    return promise(
        blanket_law(mechanism),
        terms=blanket_terms(mechanism, users),
        users=users,
        epsilon=epsilon,
        delta=delta,
        local_epsilon=mechanism.local_epsilon,
    )
