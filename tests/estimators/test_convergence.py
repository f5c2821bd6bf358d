"""Theorem 5: the rate at the fixed point against the rate that is seen."""

import numpy as np
import pytest

from shufflegram.errors import InputError
from shufflegram.estimators import (
    EMAS,
    EMS,
    AdaptiveSmoothing,
    BinomialSmoothing,
    ExpectationMaximization,
    GaussianSmoothing,
    NoSmoothing,
    Refinement,
    Stop,
    convergence_rate,
)
from shufflegram.estimators.convergence import round_jacobian, smoothing_matrix
from shufflegram.estimators.em import advance

from .dense_reference import smooth
from .settings import SETTINGS, Setting, discrete

CASES = [
    (SETTINGS["line"], BinomialSmoothing()),
    (SETTINGS["line"], GaussianSmoothing()),
    (SETTINGS["line, spiky"], BinomialSmoothing()),
    (SETTINGS["circle"], BinomialSmoothing()),
    (SETTINGS["circle"], GaussianSmoothing(radius=2, sigma=0.5)),
    (SETTINGS["continuous"], BinomialSmoothing()),
    (discrete(20, 0, 1000, False), NoSmoothing()),
]


@pytest.mark.parametrize(("setting", "refinement"), CASES)
def test_the_observed_rate_is_the_spectral_radius(setting: Setting, refinement: Refinement) -> None:
    rate = convergence_rate(setting.channel, setting.counts, refinement, setting.circular)
    assert rate.outcome.stop is Stop.CONVERGED
    assert 0 < rate.gamma < 1
    # what is left after a round decides how many rounds there are: .99 and .995 are twice as many
    assert 1 - rate.observed == pytest.approx(1 - rate.gamma, rel=0.1)
    # The paper's theorem speaks of a norm, which cannot be below the radius.
    assert rate.norm >= rate.gamma - 1e-12


@pytest.mark.parametrize(("setting", "refinement"), CASES)
def test_every_run_with_fixed_weights_tells_its_rates(setting: Setting, refinement: Refinement) -> None:
    exact = convergence_rate(setting.channel, setting.counts, refinement, setting.circular)
    run = ExpectationMaximization(refinement, max_iterations=100_000, tolerance=1e-10)
    rates = run.solve(setting.channel, setting.counts, circular=setting.circular).outcome.rates
    assert rates is not None
    assert 1 - rates.gamma == pytest.approx(1 - exact.gamma, rel=0.05)
    assert 1 - rates.observed == pytest.approx(1 - exact.gamma, rel=0.1)


def test_rates_are_told_in_words_and_in_the_record() -> None:
    setting = SETTINGS["line"]
    outcome = EMS.solve(setting.channel, setting.counts).outcome
    assert outcome.rates is not None
    assert f"rate {outcome.rates.observed:.4f}, in the end {outcome.rates.gamma:.4f}" in str(outcome)
    assert outcome.to_dict()["rates"] == {"gamma": outcome.rates.gamma, "observed": outcome.rates.observed}
    adaptive = EMAS.solve(setting.channel, setting.counts).outcome
    assert adaptive.rates is None
    assert "rates" not in adaptive.to_dict()


def test_the_jacobian_is_the_derivative_of_the_compiled_round() -> None:
    setting = SETTINGS["line"]
    table = BinomialSmoothing().table(setting.channel, setting.counts)
    base = np.random.default_rng(3).dirichlet(np.full(64, 5.0))
    jacobian = round_jacobian(setting.channel, setting.counts, base, table, False)
    direction = np.random.default_rng(4).normal(size=64) * base
    direction -= base * direction.sum()
    step = 1e-5

    def after(frequencies: np.ndarray) -> np.ndarray:
        advance(setting.channel, setting.counts, frequencies, table, False, 1, 0.0)
        return frequencies

    measured = (after(base + step * direction) - after(base - step * direction)) / (2 * step)
    assert measured == pytest.approx(jacobian @ direction, abs=1e-8)


@pytest.mark.parametrize("circular", [True, False])
def test_the_smoothing_matrix_is_the_smoothing_step(circular: bool) -> None:
    setting = SETTINGS["line"]
    table = GaussianSmoothing().table(setting.channel, setting.counts)
    frequencies = np.random.default_rng(5).dirichlet(np.ones(9))
    expected = smooth(frequencies, table, 0, circular)
    assert smoothing_matrix(table, 9, circular) @ frequencies == pytest.approx(expected)


def test_adaptive_weights_have_no_rate() -> None:
    setting = SETTINGS["line"]
    with pytest.raises(InputError, match="fixed weights"):
        convergence_rate(setting.channel, setting.counts, AdaptiveSmoothing())


def test_a_limit_that_comes_too_early_is_said() -> None:
    setting = SETTINGS["line"]
    rate = convergence_rate(setting.channel, setting.counts, NoSmoothing(), max_iterations=50)
    assert rate.outcome.stop is Stop.ITERATION_LIMIT
