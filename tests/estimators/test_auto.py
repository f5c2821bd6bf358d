"""The estimator that chooses by evidence: its likelihood against dense matrices, its choices where only one fits."""

import numpy as np
import pytest
from numpy.typing import NDArray

from shufflegram.errors import ReportError
from shufflegram.estimators import AUTO, EM, EMAS, EMS, MR
from shufflegram.estimators.adaptive import MOST_GROUPS, evidence_fits, evidence_weights
from shufflegram.estimators.crowd_information import CrowdInformation, crowd_information
from shufflegram.estimators.evidence_fits import monotone, wave_fits
from shufflegram.estimators.jump_fit import jump_fit
from shufflegram.estimators.log_fits import White, log_wave_fits, log_white_fit
from shufflegram.metrics import wasserstein
from shufflegram.randomizers.simulation import simulate_tally_through

from .settings import SETTINGS, Setting, discrete, smooth_truth

Floats = NDArray[np.float64]


def of_a_crowd(
    truth: Floats, half_width: int, ratio: int, users: int, *, circular: bool = False, seed: int = 5
) -> tuple[Setting, Floats]:
    """The tally of a crowd with exactly this histogram, as a collection would give it, and the crowd's frequencies."""
    setting = discrete(truth.size, half_width, ratio, circular)
    histogram = np.random.default_rng(seed).multinomial(users, truth / truth.sum())
    counts = simulate_tally_through(setting.channel, histogram, np.random.default_rng(seed + 1))
    return Setting(setting.channel, counts.astype(np.float64), circular), histogram / users


def flat(bins: int) -> CrowdInformation:
    """Reports that say nothing."""
    return CrowdInformation(np.full(bins, 1 / bins), np.zeros((bins, bins)), np.zeros(bins))


@pytest.mark.parametrize("name", SETTINGS)
def test_any_tally_gives_frequencies_and_the_same_ones_again(name: str) -> None:
    setting = SETTINGS[name]
    solution = AUTO.solve(setting.channel, setting.counts, circular=setting.circular)
    again = AUTO.solve(setting.channel, setting.counts.copy(), circular=setting.circular)
    assert solution.frequencies.shape == (setting.channel.cells,)
    assert np.all(solution.frequencies >= 0)
    assert solution.frequencies.sum() == pytest.approx(1, abs=1e-9)
    assert np.array_equal(solution.frequencies, again.frequencies)
    assert solution.outcome == again.outcome


@pytest.mark.parametrize("name", ["line", "line, no window", "circle", "line, two bins", "continuous"])
def test_one_report_is_enough(name: str) -> None:
    setting = SETTINGS[name]
    counts = np.zeros(setting.channel.report_cells)
    counts[1] = 1
    frequencies = AUTO.solve(setting.channel, counts, circular=setting.circular).frequencies
    assert np.all(np.isfinite(frequencies))
    assert frequencies.sum() == pytest.approx(1, abs=1e-9)


def test_no_report_is_refused() -> None:
    with pytest.raises(ReportError, match="there are no reports"):
        AUTO.solve(SETTINGS["line"].channel, np.zeros(SETTINGS["line"].channel.report_cells))


def test_bins_beyond_the_most_are_grouped_and_share_as_the_pilot_says() -> None:
    # A group holds two bins, and all of its people are in the first.
    bins = 2 * MOST_GROUPS
    pilot = np.tile([2 / bins, 0.0], MOST_GROUPS)
    setting, crowd = of_a_crowd(pilot * smooth_truth(bins), 8, 20, 100_000)
    for fit in evidence_fits(setting.channel, setting.counts, pilot, False):
        assert fit.frequencies.sum() == pytest.approx(1)
        assert fit.frequencies[1::2] == pytest.approx(0, abs=1e-9)
    frequencies = AUTO.solve(setting.channel, setting.counts).frequencies
    assert frequencies.size == bins
    assert wasserstein(crowd, frequencies) < 0.01


@pytest.mark.parametrize("shift", [1, 17, 59])
def test_a_crowd_that_moves_round_a_circle_takes_its_estimate_with_it(shift: int) -> None:
    # There are steps, and a fit under that prior knows where the circle is cut.
    setting, _ = of_a_crowd(np.repeat([1.0, 6.0, 2.0, 9.0], 15), 2, 12, 100_000, circular=True)
    at_home = AUTO.solve(setting.channel, setting.counts, circular=True).frequencies
    moved = AUTO.solve(setting.channel, np.roll(setting.counts, shift), circular=True).frequencies
    assert np.abs(moved - np.roll(at_home, shift)).max() < 1e-9


def test_likelihood_is_that_of_the_mechanisms_own_noise() -> None:
    # Against the pseudoinverse of R = diag(M p) - M diag(p) M^T, which leaves out the crowd's own sampling.
    setting = discrete(12, 2, 5, False, users=400)
    matrix = setting.channel.dense()
    pilot = smooth_truth(12)
    center = np.full(12, 1 / 12)
    known = crowd_information(matrix, setting.counts, center, pilot)
    users = setting.counts.sum()
    noise = users * (np.diag(matrix @ pilot) - matrix @ np.diag(pilot) @ matrix.T)
    inverse = np.linalg.pinv(noise, rcond=1e-12)

    def log_likelihood(frequencies: Floats) -> float:
        left = setting.counts - users * matrix @ frequencies
        return float(-left @ inverse @ left / 2)

    for frequencies in np.random.default_rng(3).dirichlet(np.ones(12), size=5):
        expected = log_likelihood(frequencies) - log_likelihood(center)
        assert known.log_likelihood(frequencies) == pytest.approx(expected, rel=1e-6)
    # the multinomial covariance, sampling included, would give less than this likelihood says
    sampling = users * (np.diag(matrix @ pilot) - np.outer(matrix @ pilot, matrix @ pilot))
    less = np.linalg.pinv(sampling, rcond=1e-12)
    surplus = users * matrix @ (smooth_truth(12, 0.3) - center)
    assert surplus @ less @ surplus < 0.9 * (surplus @ inverse @ surplus)


def test_the_noise_of_simulated_tallies_is_what_the_likelihood_supposes() -> None:
    # s = M^T R^+ (y - n M h_0) has the covariance I; the mean of its squares in I's units is the number of directions.
    setting = discrete(8, 1, 6, False)
    crowd = np.full(8, 500)
    center = crowd / crowd.sum()
    generator = np.random.default_rng(11)
    squares = []
    for _ in range(400):
        counts = simulate_tally_through(setting.channel, crowd, generator).astype(np.float64)
        known = crowd_information(setting.channel.dense(), counts, center, center)
        zero_sum = np.linalg.qr(np.column_stack((np.ones(8), np.eye(8)[:, :7])))[0][:, 1:]
        score = zero_sum.T @ known.score
        squares.append(score @ np.linalg.solve(zero_sum.T @ known.information @ zero_sum, score))
    # chi squared with 7 degrees of freedom: the mean of 400 has the deviation sqrt(14 / 400) = 0.19
    assert abs(np.mean(squares) - 7) < 4 * 0.19


def test_where_reports_say_nothing_no_prior_is_favoured() -> None:
    known = flat(20)
    fits = [*wave_fits(known, False), *log_wave_fits(known, False), jump_fit(known, known.center), log_white_fit(known)]
    for fit in fits:
        assert fit.frequencies == pytest.approx(known.center, abs=1e-12)
    # the integral over the decades of the scale, and nothing else; the price of the jumps' bound is given back
    by_name = {fit.name: fit.evidence for fit in fits}
    assert by_name["waves 0"] == pytest.approx(np.log(18.1), abs=1e-2)
    assert by_name["jumps"] == pytest.approx(0, abs=1e-6)
    assert by_name["log white"] == pytest.approx(np.log(np.log10(9 / 0.1)), abs=0.25)


def test_curvature_of_the_logarithms_is_that_of_dense_matrices() -> None:
    frequencies = smooth_truth(9)
    square = np.random.default_rng(2).normal(size=(9, 9))
    information = square @ square.T
    jacobian = np.diag(frequencies) - np.outer(frequencies, frequencies)
    assert White(information).curvature(frequencies) == pytest.approx(jacobian @ information @ jacobian, abs=1e-12)


def test_weights_are_probabilities_and_hedge_a_tie() -> None:
    assert evidence_weights([3.0, 3.0, -50.0]) == pytest.approx([0.5, 0.5, 0.0])
    assert evidence_weights([1e8, 1e8 - 40]) == pytest.approx([1.0, 0.0])


def test_monotone_keeps_what_rises_and_mends_what_falls() -> None:
    truth = smooth_truth(10)
    assert monotone(truth) == pytest.approx(truth, abs=1e-12)
    mended = monotone(np.array([0.4, -0.2, 0.5, 0.3]))
    # the CDF .4, .2, .7 rises nearest as .3, .3, .7
    assert mended == pytest.approx([0.3, 0.0, 0.4, 0.3])


def test_a_smooth_crowd_is_smoothed() -> None:
    # EM is 3 and EMAS 1.8 times as far off; a choice of anything but waves would not come near.
    setting, crowd = of_a_crowd(smooth_truth(256, 0.5, 0.1), 4, 12, 100_000)
    solution = AUTO.solve(setting.channel, setting.counts)
    errors = [wasserstein(crowd, rival.solve(setting.channel, setting.counts).frequencies) for rival in (EM, EMAS)]
    assert wasserstein(crowd, solution.frequencies) < 0.85 * min(errors)
    assert solution.outcome.chosen is not None
    assert sum(share for name, share in solution.outcome.chosen.items() if "waves" in name) > 0.9


def test_a_crowd_in_a_few_bins_is_not_smoothed() -> None:
    truth = np.zeros(256)
    truth[8::21] = np.arange(1, 13)
    setting, crowd = of_a_crowd(truth, 2, 60, 100_000)
    solution = AUTO.solve(setting.channel, setting.counts)
    smoothed, sparse = (
        wasserstein(crowd, rival.solve(setting.channel, setting.counts).frequencies) for rival in (EMS, MR)
    )
    assert smoothed > 5 * sparse
    assert wasserstein(crowd, solution.frequencies) < 1.2 * sparse
    assert solution.outcome.chosen is not None
    assert list(solution.outcome.chosen) == ["log white"]
    assert np.array_equal(solution.frequencies, MR.solve(setting.channel, setting.counts).frequencies)


def test_steps_are_smoothed_within_and_not_across() -> None:
    truth = np.repeat([1.0, 6.0, 2.0, 9.0, 0.5], 40)
    setting, crowd = of_a_crowd(truth, 3, 30, 1_000_000)
    solution = AUTO.solve(setting.channel, setting.counts)
    assert solution.outcome.chosen is not None
    assert solution.outcome.chosen.get("jumps", 0.0) > 0.9
    rough = wasserstein(crowd, EM.solve(setting.channel, setting.counts).frequencies)
    assert wasserstein(crowd, solution.frequencies) < 0.8 * rough


def test_where_the_tally_says_nothing_it_is_emas() -> None:
    setting, _ = of_a_crowd(np.ones(64), 20, 2, 50)
    solution = AUTO.solve(setting.channel, setting.counts)
    assert solution.outcome.chosen is not None
    assert solution.outcome.chosen["EMAS"] > 0.5


def test_the_outcome_says_what_was_chosen() -> None:
    setting = SETTINGS["line"]
    outcome = AUTO.solve(setting.channel, setting.counts).outcome
    assert outcome.chosen is not None
    assert sum(outcome.chosen.values()) == pytest.approx(1)
    assert outcome.to_dict()["chosen"] == outcome.chosen
    favourite = max(outcome.chosen, key=lambda name: outcome.chosen[name] if outcome.chosen else 0.0)
    assert str(outcome).startswith(f"chosen by evidence: {favourite} ")
    assert "chosen" not in EM.solve(setting.channel, setting.counts).outcome.to_dict()


def test_every_prior_has_a_fit() -> None:
    setting = SETTINGS["line, spiky"]
    fits = evidence_fits(setting.channel, setting.counts, np.full(50, 1 / 50), False)
    assert [fit.name for fit in fits] == [
        *(f"waves {roughness}" for roughness in range(4)),
        *(f"log waves {roughness}" for roughness in (1, 2, 3)),
        "jumps",
        "log white",
    ]
    assert all(np.isfinite(fit.odds) and fit.frequencies.sum() == pytest.approx(1) for fit in fits)
