"""The compiled loop against dense matrices, and the outcome it reports."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shufflegram.errors import InputError, ReportError
from shufflegram.estimators import (
    EM,
    EMAS,
    EMS,
    AdaptiveSmoothing,
    Estimator,
    NoSmoothing,
    Stop,
    expectation_maximization,
)
from shufflegram.estimators.smoothing import Refinement, frequency_deviation

from . import dense_reference
from .settings import SETTINGS, Floats, Setting, discrete

ROUNDS = 10_000


@pytest.fixture(params=SETTINGS, scope="module")
def setting(request: pytest.FixtureRequest) -> Setting:
    return SETTINGS[request.param]


def solve(setting: Setting, refinement: Refinement, rounds: int = ROUNDS) -> Floats:
    return expectation_maximization(
        setting.channel,
        setting.counts,
        refinement,
        circular=setting.circular,
        max_iterations=rounds,
        tolerance=0.0,
    ).frequencies


def radius_that_fits(setting: Setting) -> int:
    bins = setting.channel.cells
    return min(3, (bins - 1) // 2 if setting.circular else bins - 1)


def test_em_agrees_with_dense_matrices(setting: Setting) -> None:
    expected = dense_reference.em(setting.channel.dense(), setting.counts, ROUNDS)
    assert np.abs(solve(setting, EM.refinement) - expected).max() < 1e-10


def test_ems_agrees_with_dense_matrices(setting: Setting) -> None:
    expected = dense_reference.ems(setting.channel.dense(), setting.counts, ROUNDS, setting.circular)
    assert np.abs(solve(setting, EMS.refinement) - expected).max() < 1e-10


@pytest.mark.parametrize("restart", [True, False])
def test_emas_agrees_with_dense_matrices(setting: Setting, restart: bool) -> None:
    rounds = ROUNDS if restart else 1_234
    expected = dense_reference.emas(
        setting.channel.dense(), setting.counts, rounds, setting.circular, radius_that_fits(setting), restart
    )
    assert np.abs(solve(setting, AdaptiveSmoothing(restart=restart), rounds) - expected).max() < 1e-10


def test_the_reference_that_speed_is_measured_by_agrees_too() -> None:
    setting = SETTINGS["line"]
    expected = dense_reference.emas(setting.channel.dense(), setting.counts, 500)
    banded = dense_reference.emas_banded(setting.channel.dense(), setting.counts, 500)
    assert np.abs(banded - expected).max() < 1e-12


def test_sigma_1_agrees_with_the_formula(setting: Setting) -> None:
    expected = dense_reference.sigma_1(setting.channel.dense(), setting.counts)
    assert frequency_deviation(setting.channel, setting.counts) == pytest.approx(expected, rel=1e-12)


def test_em_without_noise_finds_the_truth() -> None:
    setting = discrete(20, 0, 1000, False, spiky=True)
    truth = np.linspace(1, 3, 20) / np.linspace(1, 3, 20).sum()
    solution = EM.solve(setting.channel, 1e6 * setting.channel.forward(truth))
    assert np.abs(solution.frequencies - truth).max() < 1e-6


def test_convergence_is_reported_with_its_round_and_change() -> None:
    setting = SETTINGS["line"]
    outcome = EMS.solve(setting.channel, setting.counts).outcome
    assert outcome.stop is Stop.CONVERGED
    assert outcome.last_change < 1 / setting.counts.sum()
    before = solve(setting, EMS.refinement, outcome.rounds - 1)
    earlier = solve(setting, EMS.refinement, outcome.rounds - 2)
    after = solve(setting, EMS.refinement, outcome.rounds)
    assert np.abs(after - before).sum() == pytest.approx(outcome.last_change, rel=1e-6)
    assert np.abs(before - earlier).sum() >= 1 / setting.counts.sum()
    assert "converged" in str(outcome)


def test_the_iteration_limit_is_reported() -> None:
    setting = SETTINGS["line"]
    outcome = expectation_maximization(setting.channel, setting.counts, NoSmoothing(), max_iterations=7).outcome
    assert outcome.stop is Stop.ITERATION_LIMIT
    assert outcome.rounds == 7
    assert "limit" in str(outcome)


def test_likelihood_rises_with_the_rounds_of_em(setting: Setting) -> None:
    logs = [
        expectation_maximization(
            setting.channel,
            setting.counts,
            NoSmoothing(),
            circular=setting.circular,
            max_iterations=rounds,
            tolerance=0,
        ).outcome.log_likelihood
        for rounds in (1, 3, 10, 100)
    ]
    assert logs == sorted(logs)
    expected = setting.channel.dense() @ solve(setting, NoSmoothing(), 100)
    seen = setting.counts > 0
    assert logs[-1] == pytest.approx(float(setting.counts[seen] @ np.log(expected[seen])), rel=1e-12)


def test_a_start_is_used_and_left_alone() -> None:
    setting = SETTINGS["line"]
    start = np.arange(1.0, 65.0)
    given = start.copy()
    one = expectation_maximization(setting.channel, setting.counts, NoSmoothing(), max_iterations=1, start=start)
    expected = dense_reference.em_step(setting.channel.dense(), setting.counts, start / start.sum())
    assert np.abs(one.frequencies - expected).max() < 1e-14
    assert np.array_equal(start, given)


def test_the_same_counts_give_the_same_answer_in_any_form() -> None:
    setting = SETTINGS["line"]
    once = EMAS.solve(setting.channel, setting.counts)
    as_list = EMAS.solve(setting.channel, [int(count) for count in setting.counts])
    strided = EMAS.solve(setting.channel, np.repeat(setting.counts, 2)[::2])
    assert np.array_equal(once.frequencies, as_list.frequencies)
    assert np.array_equal(once.frequencies, strided.frequencies)


@pytest.mark.parametrize("estimator", [EM, EMS, EMAS])
def test_frequencies_are_a_distribution(setting: Setting, estimator: Estimator) -> None:
    frequencies = estimator.solve(setting.channel, setting.counts, circular=setting.circular).frequencies
    assert frequencies.min() >= 0
    assert frequencies.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, 2, 3], "one for each report cell"),
        ([[1.0] * 80], "one for each report cell"),
        ([-1.0] + [1.0] * 79, "at least 0"),
        ([np.nan] + [1.0] * 79, "finite"),
        ([0] * 80, "no reports"),
        (["many"] * 80, "numbers"),
    ],
)
def test_counts_that_make_no_tally_are_refused(counts: list[float], message: str) -> None:
    with pytest.raises(ReportError, match=message):
        EM.solve(SETTINGS["line"].channel, counts)


def test_reports_that_no_value_leads_to_are_refused() -> None:
    line = SETTINGS["line"].channel
    # No value of the first ten bins leads beyond the end of its window.
    impossible = replace(line, outside=0.0, rise=1 / 17, start=line.start[:10], stop=line.stop[:10])
    with pytest.raises(ReportError, match="another mechanism"):
        EM.solve(impossible, np.ones(80))
    possible = np.where(impossible.forward(np.ones(10)) > 0, 5.0, 0.0)
    assert EM.solve(impossible, possible).frequencies.sum() == pytest.approx(1)


def test_limits_and_starts_that_mean_nothing_are_refused() -> None:
    setting = SETTINGS["line"]
    limits: Any
    for limits in ({"max_iterations": 0}, {"max_iterations": 2.5}, {"tolerance": -1.0}, {"tolerance": np.nan}):
        with pytest.raises(InputError):
            expectation_maximization(setting.channel, setting.counts, NoSmoothing(), **limits)
    for start in (np.ones(63), -np.ones(64), np.zeros(64), np.full(64, np.inf)):
        with pytest.raises(InputError, match="start"):
            expectation_maximization(setting.channel, setting.counts, NoSmoothing(), start=start)
