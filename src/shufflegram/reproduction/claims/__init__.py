"""What the paper claims of each of its figures and tables, and what decides from the numbers whether it holds."""

from ...lab.judging import Claim
from .bins import BINS
from .components import COMPONENTS
from .duration import DURATION
from .hyperparameters import HYPERPARAMETERS
from .information import INFORMATION
from .messages import MESSAGES
from .tables import COMPARISON, MARGINALS
from .utility import USERS, UTILITY

CLAIMS: dict[str, tuple[Claim, ...]] = {
    "figure-information": INFORMATION,
    "figure-utility": UTILITY,
    "figure-messages": MESSAGES,
    "figure-components": COMPONENTS,
    "figure-hyperparameters": HYPERPARAMETERS,
    "figure-bins": BINS,
    "figure-users": USERS,
    "table-marginals": MARGINALS,
    "table-comparison": COMPARISON,
    "time-of-estimates": DURATION,
}

__all__ = ["CLAIMS"]
