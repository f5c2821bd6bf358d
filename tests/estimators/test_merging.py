"""Mixture reduction against its dense reference, and its one rule by hand."""

import numpy as np
import pytest

from shufflegram.errors import InputError
from shufflegram.estimators import EM, MR, MixtureReduction, Stop
from shufflegram.estimators.merging import merge_neighbours

from . import dense_reference
from .settings import SETTINGS, discrete


@pytest.mark.parametrize("name", SETTINGS)
def test_mixture_reduction_agrees_with_dense_matrices(name: str) -> None:
    setting = SETTINGS[name]
    fast = MixtureReduction(rounds_between_merges=40, max_iterations=2000, tolerance=0.0).solve(
        setting.channel, setting.counts, circular=setting.circular
    )
    slow = dense_reference.mixture_reduction(setting.channel.dense(), setting.counts, 50, 40, setting.circular)
    assert np.abs(fast.frequencies - slow).max() < 1e-10


def test_low_neighbours_merge_in_pairs() -> None:
    # bins 0, 1, 2 and 5 are low; 5 has no low neighbour on the line
    frequencies = np.array([0.05, 0.06, 0.055, 0.7, 0.1, 0.035])
    merged = merge_neighbours(frequencies, np.arange(6), 0.07, circular=False)
    assert merged.tolist() == [0, 0, 1, 2, 3, 4]
    means = np.array([0.055, 0.055, 0.055, 0.7, 0.1, 0.035])
    again = merge_neighbours(means, merged, 0.07, circular=False)
    assert again.tolist() == [0, 0, 0, 1, 2, 3]
    assert merge_neighbours(means, again, 0.07, circular=False) is again


def test_on_a_circle_the_ends_are_neighbours() -> None:
    frequencies = np.array([0.05, 0.4, 0.5, 0.05])
    assert merge_neighbours(frequencies, np.arange(4), 0.07, circular=True).tolist() == [0, 1, 2, 0]
    untouched = np.arange(4)
    assert merge_neighbours(frequencies, untouched, 0.07, circular=False) is untouched


def test_converges_with_fewer_distinct_bins_than_em() -> None:
    # Some bins hold nearly everything: the rest is low.
    setting = discrete(64, 2, 200, False, spiky=True)
    solution = MR.solve(setting.channel, setting.counts)
    plain = EM.solve(setting.channel, setting.counts)
    assert np.unique(solution.frequencies).size < np.unique(plain.frequencies).size
    assert solution.frequencies.sum() == pytest.approx(1, abs=1e-12)
    assert solution.outcome.stop is Stop.CONVERGED
    assert solution.outcome.last_change < 1 / setting.counts.sum()


def test_parameters_that_mean_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="rounds_between_merges"):
        MixtureReduction(rounds_between_merges=0)
    with pytest.raises(InputError, match="low"):
        MixtureReduction(low=-1.0)
