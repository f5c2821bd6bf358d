"""The synthetic data: 100,000 draws from the normal distribution, on five standard deviations to each side."""

import numpy as np
import pytest
from scipy import stats

import shufflegram as sg
from shufflegram.datasets import load, normal
from shufflegram.errors import InputError


def test_the_histogram_has_the_normal_law() -> None:
    data = normal()
    assert data.users == 100_000
    assert data.domain == sg.Domain(-50, 50, bins=256)
    law = stats.norm(0, 10)
    expected = np.diff(law.cdf(data.domain.edges)) * data.users
    full = expected >= 5
    statistic = float(np.sum((data.histogram()[full] - expected[full]) ** 2 / expected[full]))
    # one false alarm in a million runs on each side; sqrt(10) as the deviation would be seen at once
    bound = stats.chi2(full.sum() - 1)
    assert bound.ppf(1e-6) < statistic < bound.isf(1e-6)


def test_what_lies_beyond_is_moved_to_the_ends() -> None:
    # Of ten million draws 5.7 are expected beyond five deviations; none at all has a chance of .003.
    values = normal(10_000_000, simulation_seed=1).values
    assert values.min() >= -50
    assert values.max() <= 50
    assert np.count_nonzero(np.abs(values) == 50) > 0


def test_a_seed_repeats_a_draw_and_another_does_not() -> None:
    assert np.array_equal(normal(100, 7).values, normal(100, 7).values)
    assert not np.array_equal(normal(100, 7).values, normal(100, 8).values)
    assert np.array_equal(load("normal", simulation_seed=7).values, normal(simulation_seed=7).values)


@pytest.mark.parametrize("users", [0, -1, 1.5, True])
def test_users_are_a_positive_whole_number(users: object) -> None:
    with pytest.raises(InputError, match="users must be a whole number, at least 1, got"):
        normal(users)  # type: ignore[arg-type]


def test_it_says_which_reading_it_takes() -> None:
    assert "standard deviation" in normal(1).note
    with pytest.raises(InputError, match="a seed must be a whole number"):
        normal(1, simulation_seed=-1)
