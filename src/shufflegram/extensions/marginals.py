"""The joint distribution as the product of estimated marginals, and how far that is from the joint one.

The paper reports "the average W1 distance of all 2-way and 3-way marginals" and does not define W1 for several
attributes. Our reading continues that for one: with CDFs over m cells an axis, C of the joint distribution and F_j of
the attributes,

    W1 of a k-way marginal = sum over all m^k cells of |C - F_1 ... F_k| / m^k.

Attributes are those of lines: a circle has no CDF that needs no cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import is_whole
from ..errors import InputError, ValuesError
from ..metrics import ROUNDING

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# At how many cells an axis CDFs are compared, by the number of attributes: 512^3 cells would be too many.
EDGES = {2: 512, 3: 64}
# The most cells of one table: 1 GB of floats.
MOST_CELLS = 2**27


@dataclass(frozen=True, slots=True)
class MarginalErrors:
    """Means over all k-way marginals of their W1, against the joint truth and against the product of true marginals.

    The second is what the reports' noise does; the first has in it that attributes depend on each other.
    """

    ways: int
    against_joint: float
    against_product: float


def product_of_marginals(frequencies: ArrayLike, attributes: Sequence[int], edges: int | None = None) -> Floats:
    """The estimated joint frequencies of these attributes, an axis each, on all bins or on `edges` equal groups."""
    marginals = _distributions(frequencies)
    count, bins = marginals.shape
    if not all(is_whole(each) and 0 <= each < count for each in attributes) or len(set(attributes)) < len(attributes):
        raise InputError(f"attributes must be different numbers from 0 to {count - 1}, got {list(attributes)}")
    cells = bins if edges is None else _checked_edges(edges, bins)
    if len(attributes) == 0 or cells ** len(attributes) > MOST_CELLS:
        raise InputError(
            f"a product needs 1 attribute or more and at most {MOST_CELLS:,} cells, got {cells} ** {len(attributes)}; "
            f"take fewer attributes or fewer edges"
        )
    grouped = marginals.reshape(count, cells, -1).sum(axis=2)
    return _product([grouped[each] for each in attributes])


@dataclass(frozen=True, eq=False)
class JointTruth:
    """What users really have, a row of bins each, ready to score estimates of all marginals of two and three.

    `edges` says for each number of attributes at how many cells an axis CDFs are compared: at every one of the bins, or
    at every (bins / edges)-th. By default as many as fit up to 512 for two and 64 for three.
    """

    rows: Integers = field(repr=False)
    bins: int
    edges: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows = np.array(self.rows)
        if rows.ndim != 2 or rows.shape[0] == 0 or rows.shape[1] < 2 or rows.dtype.kind not in "iu":
            raise ValuesError(f"joint rows must be whole numbers, a row a user and 2 columns or more, got {rows.shape}")
        if not is_whole(self.bins) or self.bins < 1 or rows.min() < 0 or rows.max() >= self.bins:
            raise ValuesError(f"joint rows must hold bins, from 0 to bins - 1, got bins={self.bins!r}")
        if not set(self.edges) <= set(EDGES):
            raise InputError(f"edges are given for 2 and for 3 attributes, got them for {sorted(self.edges)}")
        rows.setflags(write=False)
        object.__setattr__(self, "rows", rows)
        chosen = {
            ways: _checked_edges(self.edges.get(ways, _most_edges(self.bins, most)), self.bins)
            for ways, most in EDGES.items()
            if ways <= rows.shape[1]
        }
        object.__setattr__(self, "edges", chosen)

    @cached_property
    def histograms(self) -> Integers:
        """How many users have each bin, a row an attribute."""
        return np.array([np.bincount(column, minlength=self.bins) for column in self.rows.T], dtype=np.int64)

    @property
    def marginals(self) -> Floats:
        """The true frequencies, a row an attribute."""
        return self.histograms / len(self.rows)

    @cached_property
    def floors(self) -> dict[int, float]:
        """The error of multiplying the true marginals, by the number of attributes: what independence itself costs."""
        return {ways: errors.against_joint for ways, errors in self.score(self.marginals).items()}

    def score(self, frequencies: ArrayLike) -> dict[int, MarginalErrors]:
        """The errors of the product of these marginals, a row an attribute, by the number of attributes."""
        estimated = _distributions(frequencies)
        if estimated.shape != self.histograms.shape:
            raise InputError(
                f"there must be {len(self.histograms)} rows of {self.bins} frequencies, got shape {estimated.shape}"
            )
        return {ways: self._score(ways, estimated) for ways in self.edges}

    def _score(self, ways: int, estimated: Floats) -> MarginalErrors:
        ours, true = _cdfs(estimated, self.edges[ways]), _cdfs(self.marginals, self.edges[ways])
        joint_errors, product_errors = [], []
        for subset, joint in self._joint_cdfs[ways].items():
            product = _product([ours[each] for each in subset])
            joint_errors.append(_mean_distance(joint, product))
            product_errors.append(_mean_distance(_product([true[each] for each in subset]), product))
        return MarginalErrors(ways, float(np.mean(joint_errors)), float(np.mean(product_errors)))

    @cached_property
    def _joint_cdfs(self) -> dict[int, dict[tuple[int, ...], Floats]]:
        """By the number of attributes and by the attributes: the true joint CDF at the upper edges of all cells."""
        return {
            ways: {subset: self._joint_cdf(subset, cells) for subset in combinations(range(self.rows.shape[1]), ways)}
            for ways, cells in self.edges.items()
        }

    def _joint_cdf(self, subset: tuple[int, ...], cells: int) -> Floats:
        grouped = tuple(self.rows[:, each] // (self.bins // cells) for each in subset)
        shape = (cells,) * len(subset)
        counts = np.bincount(np.ravel_multi_index(grouped, shape), minlength=cells ** len(subset)).reshape(shape)
        summed = reduce(lambda table, axis: np.cumsum(table, axis=axis), range(len(subset)), counts)
        return summed / len(self.rows)


def _cdfs(marginals: Floats, cells: int) -> Floats:
    """The CDF of each row at every (bins / cells)-th upper edge, the last of which is 1."""
    step = marginals.shape[1] // cells
    return np.cumsum(marginals, axis=1)[:, step - 1 :: step]


def _product(factors: Sequence[Floats]) -> Floats:
    return reduce(np.multiply.outer, factors)


def _mean_distance(one: Floats, other: Floats) -> float:
    difference = np.subtract(one, other)
    return float(np.abs(difference, out=difference).mean())


def _most_edges(bins: int, most: int) -> int:
    """As many as are allowed and as divide the bins."""
    return max(edges for edges in range(1, min(bins, most) + 1) if bins % edges == 0)


def _checked_edges(edges: int, bins: int) -> int:
    if not is_whole(edges) or not 1 <= edges <= bins or bins % edges:
        raise InputError(f"edges must be a whole number that divides the {bins} bins, got {edges!r}")
    return int(edges)


def _distributions(frequencies: ArrayLike) -> Floats:
    try:
        marginals = np.asarray(frequencies, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError("frequencies must be rows of numbers, a row an attribute, all of one length") from problem
    if marginals.ndim != 2 or marginals.size == 0:
        raise InputError(f"frequencies must be rows of numbers, a row an attribute, got shape {marginals.shape}")
    if not np.all(np.isfinite(marginals)) or np.any(marginals < -ROUNDING):
        raise InputError("frequencies must be finite, none below 0; norm_sub makes them so")
    if np.any(np.abs(marginals.sum(axis=1) - 1) > 1e-6):
        raise InputError("the frequencies of each attribute must sum to 1; divide counts by their sum")
    return marginals
