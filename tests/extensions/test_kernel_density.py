"""Hash functions collide with the probability that their kernel says, and their densities are those of the kernel."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from shufflegram.errors import BudgetError, InputError, ValuesError
from shufflegram.extensions import (
    HashFamily,
    KernelCollections,
    collision_probability,
    exact_density,
    hash_family,
    hashed_density,
    kernel_collections,
    split_budget,
)
from shufflegram.privacy.budget import Budget
from shufflegram.randomness import SeededSource

LOW, HIGH = [0.0, -1.0], [4.0, 1.0]
WIDTH = 0.8
RANDOM = np.random.default_rng(5)
POINTS = np.clip(RANDOM.normal([1.5, 0.2], [0.6, 0.3], (20_000, 2)), LOW, HIGH)
QUERIES = RANDOM.uniform(LOW, HIGH, (40, 2))
BUDGET = Budget(1.0, 1e-6, 20_000)


def family(functions: int, seed: int = 1) -> HashFamily:
    return hash_family(LOW, HIGH, WIDTH, functions, hash_seed=seed)


@cache
def composed(epsilon: float) -> KernelCollections:
    return kernel_collections(family(4), replace(BUDGET, epsilon=epsilon))


# Each random test raises a false alarm with at most this probability, by Hoeffding's inequality for means of numbers
# in [0, 1]: 2 exp(-2 m room^2).
FALSE_ALARM = 1e-9


def room(functions: int, tests: int) -> float:
    return math.sqrt(math.log(2 * tests / FALSE_ALARM) / (2 * functions))


@pytest.mark.parametrize("distance", [0.1, 0.8, 3.0])
def test_the_kernel_is_the_integral_that_it_closes(distance: float) -> None:
    # Points whose projections are s <= w apart have the same value with probability 1 - s/w; s / distance is |N(0, 1)|.
    def collide(s: float) -> float:
        return float(2 / distance * norm.pdf(s / distance) * (1 - s / WIDTH))

    assert collision_probability(distance, WIDTH) == pytest.approx(quad(collide, 0, WIDTH)[0], rel=1e-9)


def test_the_kernel_falls_from_one_to_nothing() -> None:
    found = collision_probability([0, 1e-9, 0.1, 1, 10, 1e6], WIDTH)
    assert found[0] == 1
    assert np.all(np.diff(found) < 0)
    assert found[-1] == pytest.approx(WIDTH / (1e6 * math.sqrt(2 * math.pi)), rel=1e-3)


def test_functions_collide_as_often_as_the_kernel_says() -> None:
    many = family(100_000)
    # the same distance in different directions, and different distances
    ends = np.array([[2.0, 0.0], [2.5, 0.0], [2.0, 0.5], [2.3, -0.4], [2.05, 0.0], [4.0, 1.0], [0.0, 0.0]])
    values = many.values(ends)
    met = (values[1:] == values[0]).mean(axis=1)
    kernel = collision_probability(np.linalg.norm(ends[1:] - ends[0], axis=1), WIDTH)
    assert np.abs(met - kernel).max() < room(100_000, len(kernel)) < 0.011


def test_offsets_are_anywhere_in_a_width() -> None:
    shares = family(100_000).offsets / WIDTH
    assert 0 <= shares.min() < shares.max() < 1
    assert abs(shares.mean() - 0.5) < room(100_000, 1) < 0.011


def test_nothing_in_the_box_is_clipped_and_all_values_are_bins() -> None:
    some = family(500)
    corners = np.array([[x, y] for x in (LOW[0], HIGH[0]) for y in (LOW[1], HIGH[1])])
    values = some.values(np.vstack((corners, QUERIES)))
    # from the definition: differences of values do not depend on where counting begins
    raw = np.floor((np.vstack((corners, QUERIES)) @ some.directions.T + some.offsets) / WIDTH)
    assert np.array_equal(values - values[0], raw - raw[0])
    assert np.all(values[:4].min(axis=0) == 0)
    assert values.min() == 0
    assert values.max() == some.bins - 1


def test_the_density_through_many_functions_is_the_kernel_density() -> None:
    few = POINTS[:30]
    many = hashed_density(family(20_000), few).at(QUERIES)
    exact = exact_density(few, QUERIES, WIDTH)
    # each function's own density is in [0, 1], and independent of the others'
    assert np.abs(many - exact).max() < room(20_000, len(QUERIES)) < 0.03
    # what another kernel would give is further away than that
    assert np.abs(exact_density(few, QUERIES, 1.2 * WIDTH) - exact).max() > 2 * room(20_000, len(QUERIES))


def test_densities_by_hand() -> None:
    some = family(7)
    three = POINTS[:3]
    values, asked = some.values(three), some.values(QUERIES[:1])
    assert hashed_density(some, three).at(QUERIES[:1]) == pytest.approx([(values == asked).mean()])
    distances = [math.dist(point, QUERIES[0]) for point in three]
    kernel = np.mean([collision_probability(distance, WIDTH) for distance in distances])
    assert exact_density(three, QUERIES[:1], WIDTH) == pytest.approx([kernel])


@pytest.mark.parametrize("way", ["simulated", "run"])
def test_with_a_huge_budget_privacy_costs_next_to_nothing(way: str) -> None:
    some = family(4)
    hashed = hashed_density(some, POINTS).at(QUERIES)
    off = {}
    for epsilon in (0.02, 10.0):
        built = composed(epsilon)
        assert built.split.each.epsilon > epsilon / 4
        private = built.simulate(POINTS, 1) if way == "simulated" else built.run(POINTS, SeededSource(1))
        off[epsilon] = np.abs(private.at(QUERIES) - hashed).max()
    # one report in hundreds is not the value itself
    assert off[10.0] < 0.005 < 0.015 < off[0.02]


def test_the_budget_is_split_over_the_functions_that_one_user_answers() -> None:
    some = family(6)
    built = kernel_collections(some, BUDGET, "asp", "published", groups=3)
    assert built.split == split_budget("asp", [built.protocol.domain] * 2, replace(BUDGET, users=6_666), "published")
    assert built.protocol.domain.bins == some.bins
    assert kernel_collections(some, BUDGET, groups=6).split.each == replace(BUDGET, users=3_333)
    assert kernel_collections(some, BUDGET, "ssw", "published").split.each.epsilon == BUDGET.epsilon / 6


def test_each_group_answers_its_own_functions() -> None:
    some = family(4)
    # users with even numbers are at one point and the others far from it; functions 0 and 2 ask those with even numbers
    places = np.array([[0.2, -0.8], [3.8, 0.8]])
    built = kernel_collections(some, replace(BUDGET, epsilon=20.0), "asp", "published", groups=2)
    private = built.simulate(np.tile(places, (10_000, 1)), 1)
    for function in range(4):
        there = some.values(places)[function % 2, function]
        assert private.frequencies[function, there] > 0.99


def test_a_simulation_can_be_repeated() -> None:
    built = kernel_collections(family(2), BUDGET, "ssw", "published")
    first, again, other = (built.simulate(POINTS, seed).frequencies for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.array_equal(family(3).offsets, family(3).offsets)
    assert not np.array_equal(family(3).offsets, family(3, seed=2).offsets)


@pytest.mark.parametrize(
    ("low", "high", "width", "functions", "said"),
    [
        ([0, 0], [1, 0], 1.0, 3, "low below high"),
        ([0, 0], [1, 1, 1], 1.0, 3, "low below high"),
        ([0, 0], [1, math.inf], 1.0, 3, "finite"),
        (["a"], [1], 1.0, 3, "rows of numbers"),
        ([0, 0], [1, 1], 0.0, 3, "width must be a positive number"),
        ([0, 0], [1, 1], 1e-9, 3, "take a larger one"),
        ([0, 0], [1, 1], 1.0, 0, "functions must be a whole number"),
        ([0, 0], [1, 1], 1.0, 2.0, "functions must be a whole number"),
    ],
)
def test_hash_functions_that_there_are_not(low: object, high: object, width: float, functions: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        hash_family(low, high, width, functions, hash_seed=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "points", [[[5.0, 0.0]], [[1.0]], [1.0, 0.0], [[math.nan, 0.0]], [["a", "b"]], [[1.0, 0.0], [1]]]
)
def test_points_that_do_not_fit_are_refused(points: object) -> None:
    with pytest.raises(ValuesError, match="points"):
        family(2).values(points)  # type: ignore[arg-type]


def test_groups_that_do_not_fit_are_refused() -> None:
    for groups in (0, 5, 2.0, 12):
        with pytest.raises(InputError, match="divides the 6 functions"):
            kernel_collections(family(6), BUDGET, groups=groups)  # type: ignore[arg-type]
    with pytest.raises(BudgetError, match="at least 1"):
        kernel_collections(family(6), replace(BUDGET, users=5), groups=6)
