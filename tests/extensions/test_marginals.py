"""Products of marginals against joint truths, with every cell and every user looked at one by one."""

from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from shufflegram.errors import InputError, ValuesError
from shufflegram.extensions import JointTruth, product_of_marginals

RANDOM = np.random.default_rng(11)
BINS = 4
# attributes that depend on each other: each adds something to the one before
ROWS = np.minimum(np.cumsum(RANDOM.integers(0, 2, (60, 4)), axis=1), BINS - 1)
ESTIMATED = RANDOM.dirichlet(np.ones(BINS), 4)


def by_hand(ways: int, step: int, estimated: NDArray[np.float64], joint: bool) -> float:
    """The definition, in loops: the mean over subsets and cells of the distance between two CDFs."""
    truth = np.array([[np.mean(ROWS[:, j] == b) for b in range(BINS)] for j in range(4)])
    distances = []
    for subset in combinations(range(4), ways):
        for ends in product(range(step, BINS + 1, step), repeat=ways):
            ours = np.prod([estimated[j, :end].sum() for j, end in zip(subset, ends, strict=True)])
            if joint:
                theirs = np.mean([all(row[j] < end for j, end in zip(subset, ends, strict=True)) for row in ROWS])
            else:
                theirs = np.prod([truth[j, :end].sum() for j, end in zip(subset, ends, strict=True)])
            distances.append(abs(ours - theirs))
    return float(np.mean(distances))


@pytest.mark.parametrize(("pairs", "triples"), [(4, 4), (2, 4), (4, 2), (1, 1)])
def test_errors_are_those_of_the_definition(pairs: int, triples: int) -> None:
    truth = JointTruth(ROWS, BINS, {2: pairs, 3: triples})
    scores = truth.score(ESTIMATED)
    assert list(scores) == [2, 3]
    for ways, edges in truth.edges.items():
        step = BINS // edges
        assert scores[ways].ways == ways
        assert scores[ways].against_joint == pytest.approx(by_hand(ways, step, ESTIMATED, joint=True), abs=1e-14)
        assert scores[ways].against_product == pytest.approx(by_hand(ways, step, ESTIMATED, joint=False), abs=1e-14)
        assert truth.floors[ways] == pytest.approx(by_hand(ways, step, truth.marginals, joint=True), abs=1e-14)


def test_the_true_marginals_have_no_noise_and_the_floor() -> None:
    truth = JointTruth(ROWS, BINS)
    scores = truth.score(truth.marginals)
    for ways in (2, 3):
        assert scores[ways].against_product == 0
        assert scores[ways].against_joint == truth.floors[ways] > 0.01


def test_attributes_that_are_independent_have_no_floor() -> None:
    every_combination_once = np.array(list(product(range(BINS), repeat=3)))
    assert JointTruth(every_combination_once, BINS).floors == pytest.approx({2: 0, 3: 0}, abs=1e-14)


def test_a_coarser_grid_hardly_changes_the_error_of_smooth_data() -> None:
    # a common part makes the attributes depend on each other
    parts = RANDOM.normal(0, 1, (20_000, 4))
    rows = np.clip(64 * (0.5 + 0.12 * (parts[:, 1:] + parts[:, :1])), 0, 63).astype(np.int64)
    full, coarse = JointTruth(rows, 64, {3: 64}), JointTruth(rows, 64, {2: 16, 3: 16})
    shifted = np.roll(full.marginals, 1, axis=1)
    for ways in (2, 3):
        assert coarse.floors[ways] == pytest.approx(full.floors[ways], rel=0.1)
        assert coarse.score(shifted)[ways].against_product == pytest.approx(
            full.score(shifted)[ways].against_product, rel=0.1
        )


def test_edges_are_all_bins_or_as_many_as_fit() -> None:
    assert JointTruth(ROWS, BINS).edges == {2: 4, 3: 4}
    assert JointTruth(ROWS, 512).edges == {2: 512, 3: 64}
    assert JointTruth(ROWS, 128, {3: 32}).edges == {2: 128, 3: 32}
    # what does not divide the bins is passed over
    assert JointTruth(ROWS, 96).edges == {2: 96, 3: 48}
    assert JointTruth(ROWS[:, :2], 512).edges == {2: 512}


def test_a_product_of_marginals_by_hand() -> None:
    joint = product_of_marginals(ESTIMATED, [2, 0, 3])
    assert joint.shape == (BINS, BINS, BINS)
    assert joint[1, 2, 3] == pytest.approx(ESTIMATED[2, 1] * ESTIMATED[0, 2] * ESTIMATED[3, 3])
    assert joint.sum() == pytest.approx(1)
    halves = product_of_marginals(ESTIMATED, [1, 2], edges=2)
    assert halves[0, 1] == pytest.approx(ESTIMATED[1, :2].sum() * ESTIMATED[2, 2:].sum())


@pytest.mark.parametrize(
    ("attributes", "edges", "said"),
    [
        ([0, 4], None, "different numbers from 0 to 3"),
        ([1, 1], None, "different numbers"),
        ([], None, "1 attribute or more"),
        ([0, 1], 3, "divides the 4 bins"),
        ([0, 1], 0, "divides the 4 bins"),
    ],
)
def test_products_that_there_are_not(attributes: list[int], edges: int | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        product_of_marginals(ESTIMATED, attributes, edges)


def test_a_product_that_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="take fewer attributes or fewer edges"):
        product_of_marginals(np.full((4, 512), 1 / 512), [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("rows", "bins"),
    [([[0, 4]], 4), ([[-1, 0]], 4), ([0, 1], 4), ([[0], [1]], 4), (np.zeros((0, 2), dtype=int), 4), ([[0.0, 1.0]], 4)],
)
def test_rows_that_are_no_bins_are_refused(rows: object, bins: int) -> None:
    with pytest.raises(ValuesError, match="joint rows must"):
        JointTruth(rows, bins)  # type: ignore[arg-type]


@pytest.mark.parametrize("edges", [{4: 2}, {2: 3}, {3: 0}, {2: 8}])
def test_edges_that_do_not_fit_are_refused(edges: dict[int, int]) -> None:
    with pytest.raises(InputError, match="edges"):
        JointTruth(ROWS, BINS, edges)


@pytest.mark.parametrize(
    "frequencies",
    [ESTIMATED[:3], ESTIMATED[:, :2], 2 * ESTIMATED, -ESTIMATED, ESTIMATED[0], [["a"] * 4] * 4, [[1], []]],
)
def test_what_are_no_marginals_is_refused(frequencies: object) -> None:
    with pytest.raises(InputError):
        JointTruth(ROWS, BINS).score(frequencies)  # type: ignore[arg-type]
