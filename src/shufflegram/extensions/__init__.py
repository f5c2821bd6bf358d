"""What the paper sketches beyond one number a user: several attributes of the same users.

`several_attributes` builds the collections for one budget, `JointTruth` measures their product of marginals.
"""

from .attributes import SeveralAttributes, several_attributes
from .budget_split import Split, by_composition, evenly, split_budget
from .marginals import JointTruth, MarginalErrors, product_of_marginals

__all__ = [
    "JointTruth",
    "MarginalErrors",
    "SeveralAttributes",
    "Split",
    "by_composition",
    "evenly",
    "product_of_marginals",
    "several_attributes",
    "split_budget",
]
