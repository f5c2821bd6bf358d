"""What the paper sketches beyond one number a user: several attributes of the same users, and kernel densities.

`several_attributes` builds the collections for one budget, `JointTruth` measures their product of marginals;
`kernel_collections` builds those for the values of a `hash_family`.
"""

from .attributes import SeveralAttributes, several_attributes
from .budget_split import Split, by_composition, evenly, split_budget
from .hashing import HashFamily, collision_probability, hash_family
from .kernel_density import HashedDensity, KernelCollections, exact_density, hashed_density, kernel_collections
from .marginals import JointTruth, MarginalErrors, product_of_marginals

__all__ = [
    "HashFamily",
    "HashedDensity",
    "JointTruth",
    "KernelCollections",
    "MarginalErrors",
    "SeveralAttributes",
    "Split",
    "by_composition",
    "collision_probability",
    "evenly",
    "exact_density",
    "hash_family",
    "hashed_density",
    "kernel_collections",
    "product_of_marginals",
    "several_attributes",
    "split_budget",
]
