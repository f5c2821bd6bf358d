"""Baselines: the noise they promise, their laws, and that they are what they say."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from shufflegram.baselines import BASELINES, build, names
from shufflegram.baselines.central_gaussian import SENSITIVITY, CentralGaussian, central_gaussian, least_deviation
from shufflegram.baselines.local_square_wave import LocalSquareWave, local_square_wave
from shufflegram.baselines.trimmed import Trimmed, trimmed, trimmed_asp
from shufflegram.domain import Domain
from shufflegram.errors import InputError, MechanismError, MissingLibraryError
from shufflegram.mechanism import ContinuousSquareWave
from shufflegram.metrics import wasserstein
from shufflegram.privacy.budget import Budget

BUDGET = Budget(0.5, 1e-5, 50_000)
DOMAIN = Domain(0, 1, 64)
HISTOGRAM = DOMAIN.histogram(np.clip(np.random.default_rng(1).normal(0.4, 0.15, 50_000), 0, 1))
TRUTH = HISTOGRAM / HISTOGRAM.sum()


def gaussian_delta(sigma: float, epsilon: float) -> float:
    """The exact delta of the Gaussian mechanism with sensitivity 1."""
    above = norm.cdf(1 / (2 * sigma) - epsilon * sigma)
    return float(above - math.exp(epsilon) * norm.cdf(-1 / (2 * sigma) - epsilon * sigma))


@pytest.mark.parametrize(("epsilon", "delta"), [(0.01, 1e-5), (0.1, 1e-5), (1.0, 1e-5), (0.5, 1e-8)])
def test_the_gaussians_noise_keeps_the_budget_and_hardly_more(epsilon: float, delta: float) -> None:
    sigma = least_deviation(epsilon, delta)
    assert gaussian_delta(sigma, epsilon) <= delta
    assert gaussian_delta(0.999 * sigma, epsilon) > delta


def test_the_gaussians_reference_number() -> None:
    built = central_gaussian(16, DOMAIN, Budget(0.01, 1e-5, 100_000))
    assert built.sigma == pytest.approx(344.8, abs=0.05)
    assert built.sigma / SENSITIVITY == pytest.approx(243.8, abs=0.05)


def test_the_gaussians_noise_has_its_deviation() -> None:
    # counts so large that Norm-Sub only shifts: each chunk's error keeps (c - 1) / c of the variance
    built = CentralGaussian(Domain(0, 1, 16), 16, BUDGET)
    flat = np.full(16, 100_000)
    errors = np.array([built.simulate(flat, seed).frequencies * flat.sum() - flat for seed in range(500)])
    assert np.abs(errors.sum(axis=1)).max() < 1e-5
    # 8,000 normal numbers show their deviation to 1 / sqrt(16,000) = 0.8%: seven of these are passed below 1e-11
    assert errors.std() == pytest.approx(built.sigma * math.sqrt(15 / 16), rel=7 * 0.008)


def test_local_sw_spends_all_of_epsilon_on_one_report() -> None:
    built = local_square_wave(DOMAIN, BUDGET)
    assert isinstance(built, LocalSquareWave)
    wave = built.protocol.mechanism
    assert BUDGET.epsilon * (1 - 1e-4) < wave.local_epsilon <= BUDGET.epsilon
    with pytest.raises(MechanismError, match="this domain is circular"):
        local_square_wave(Domain(0, 1, 64, circular=True), BUDGET)


def test_trimming_by_hand() -> None:
    counts = np.array([3, 0, 4, 2, 1])
    assert trimmed(counts, 0).tolist() == [3, 0, 4, 2, 1]
    assert trimmed(counts, 2).tolist() == [1, 0, 4, 1, 0]
    assert trimmed(counts, 4).tolist() == [0, 0, 2, 0, 0]


def test_what_is_trimmed_counts_reports_at_the_ends_of_the_domain() -> None:
    built = trimmed_asp(0.0, DOMAIN, BUDGET)
    assert isinstance(built, Trimmed)
    everybody_low = np.zeros(64, dtype=np.int64)
    everybody_low[0] = 50_000
    estimate = built.simulate(everybody_low, 1)
    wave = built.protocol.mechanism
    assert isinstance(wave, ContinuousSquareWave)
    # Of values spread over the first bin, reports from -b to 1/64: p (b + 1/128) in the window, q/128 below it.
    p, q, b = (float(number) for number in (wave.inside_density, wave.outside_density, wave.half_width))
    # 50,000 coins: seven standard deviations, and a report cell that is cut at the bin's end
    room = 7 * 0.5 / math.sqrt(50_000) + p * (1 + 2 * b) / 64 / 4
    assert estimate.frequencies[0] == pytest.approx(p * (b + 1 / 128) + q / 128, abs=room)
    assert estimate.users == 50_000
    assert trimmed_asp(0.1, DOMAIN, BUDGET).simulate(HISTOGRAM, 1).users == 40_000


@pytest.mark.parametrize("name", names())
def test_every_baseline_estimates_a_distribution(name: str) -> None:
    built = build(name, DOMAIN, BUDGET)
    first, again, other = (built.simulate(HISTOGRAM, seed) for seed in (1, 1, 2))
    assert first.frequencies.sum() == pytest.approx(1)
    assert np.array_equal(first.frequencies, again.frequencies)
    assert not np.array_equal(first.frequencies, other.frequencies)
    assert 2 <= built.resolution <= DOMAIN.bins
    # nothing here is worse than knowing nothing, but for what trims a lot
    assert wasserstein(TRUTH, first.frequencies) < 0.25


def test_the_central_model_is_better_than_the_local_one() -> None:
    errors = {
        name: wasserstein(TRUTH, build(name, DOMAIN, BUDGET).simulate(HISTOGRAM, 3).frequencies)
        for name in ("gaussian-64", "local-sw")
    }
    assert errors["gaussian-64"] < errors["local-sw"] / 3


@pytest.mark.parametrize(
    ("stem", "trust", "bits", "promise"),
    [
        ("local", "nobody", 6, "(0.5, 0)-local differential privacy, whoever sees the report"),
        ("gaussian", "the server", 6, "(0.5, 1e-05)-differential privacy towards everyone but the server, which sees"),
        ("trim", "the shuffler", 6, "shuffle model, as published ASP: (0.5, 1e-05)-differential privacy of the"),
    ],
)
def test_what_they_cost_and_promise(stem: str, trust: str, bits: float, promise: str) -> None:
    entries = [each for each in BASELINES if each.name.startswith(stem)]
    assert entries
    for entry in entries:
        built = entry.build(DOMAIN, BUDGET)
        assert entry.trust == trust
        assert built.promise.startswith(promise)
        assert (built.messages_per_user, built.bits_per_user) == (1, bits)
        # 65 bins do not fit 6 bits
        assert entry.build(Domain(0, 1, 65), BUDGET).bits_per_user == 7


def test_without_its_package_the_gaussian_is_refused_when_it_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shufflegram.baselines.registry.find_spec", lambda name: None)
    with pytest.raises(
        MissingLibraryError, match="the central Gaussian takes the library dp-accounting, which is not here"
    ):
        build("gaussian-16", DOMAIN, BUDGET)


def test_names_are_those_of_the_registry() -> None:
    assert len(set(names())) == len(BASELINES) == 9
    with pytest.raises(InputError, match="baseline must be one of local-sw, gaussian-16"):
        build("nothing", DOMAIN, BUDGET)
