"""Estimates of a crowd's frequencies under priors that say how they may vary, and how probable each makes the tally.

A prior's evidence is the probability of the tally under it, all frequencies weighed by the prior: a prior that is too
stiff cannot explain the tally, one that is too free spreads its bets, and neither needs anything held back. All
evidences are logarithms relative to the uniform distribution, so that those of different families can be compared.

    waves          a sum of smooth waves, Var of wave k falling as k^-2s: white (s = 0), rough, smooth, smoother
    log waves      the logarithm of the density is such a sum: positive by itself, nearly zero where it has to be
    jumps          neighbouring bins differ by heavy-tailed steps: flat here, an edge there
    log white      the logarithm of every bin is its own: a few bins hold nearly everything

The scale of each is averaged over, by its evidence too; that of the steps is fitted.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .crowd_information import CrowdInformation
from .plausible import smooth_waves

Floats = NDArray[np.float64]

ROUGHNESS = (0, 1, 2, 3)
LOG_ROUGHNESS = (1, 2, 3)
# From a prior that the reports cannot tell from the uniform distribution to one that leaves everything to them.
SCALES = np.geomspace(1e-2, 1e16, 181)
LOG_SCALES = np.geomspace(1e-2, 1e3, 11)
LOG_WHITE_SCALES = np.array([0.1, 0.3, 0.7, 1.5, 2.5, 4.0, 6.0, 9.0])
# What a logarithm of a density is free to do beyond its waves: a slope and a bend of this standard deviation.
FREE_DEVIATION = 4.0
# More waves than these say nothing about a logarithm that any of the priors calls smooth.
LOG_WAVES = 60
NEXT_TO_NOTHING = 1e-100
ROUNDING = 1e-13

# How probable each kind is before there is a tally, as logarithms. Densities are positive and the logarithms of waves
# know it. Crowds in a few bins are rare, and where a hundred thousand reports are mostly noise, to be taken in by a
# chance likeness costs most: they have to be plain to see.
BEFOREHAND = {"waves": 0.0, "log waves": 2.0, "jumps": -2.0, "log white": -10.0, "EMAS": 0.0}

MOST_NEWTON_STEPS = 30
SETTLED = 1e-2  # nats that one more Newton step gains
JUMP_ROUNDS = 12
TAIL = 1.0  # degrees of freedom of a jump: Cauchy
SMALLEST_STEP = 1e-8


@dataclass(frozen=True, eq=False)
class Fit:
    """Frequencies by one prior, and the log evidence for that prior."""

    name: str
    frequencies: Floats
    evidence: float

    @property
    def odds(self) -> float:
        """The log of how probable the prior is with the tally known, up to a constant that all have in common."""
        return self.evidence + BEFOREHAND[self.name.rstrip(" 0123456789")]


def wave_fits(known: CrowdInformation, circular: bool) -> list[Fit]:
    """The posterior means under waves of each roughness, made into frequencies."""
    bins = known.center.size
    waves, number, _ = _basis(bins, circular, bins)
    information, score = waves.T @ known.information @ waves, waves.T @ known.score
    fits = []
    for roughness in ROUGHNESS:
        # In the coordinates z = theta / (tau k^-s), turned so that the information is diagonal with eigenvalues l, and
        # with the score u:  log evidence = sum (tau^2 u^2 / (1 + tau^2 l) - log(1 + tau^2 l)) / 2
        deviation = number ** -float(roughness)
        eigenvalue, turn = np.linalg.eigh(deviation[:, None] * information * deviation)
        eigenvalue = np.maximum(eigenvalue, 0.0)
        root = deviation[:, None] * turn
        u = root.T @ score
        scale = SCALES / max(eigenvalue[-1], NEXT_TO_NOTHING)
        gain = 1 + scale[:, None] * eigenvalue
        evidence = np.sum(scale[:, None] * u**2 / gain - np.log(gain), axis=1) / 2
        weight, total = _over_scales(evidence, SCALES)
        mean = known.center + waves @ (root @ (weight @ (scale[:, None] * u / gain)))
        fits.append(Fit(f"waves {roughness}", monotone(mean), total))
    return fits


def log_wave_fits(known: CrowdInformation, circular: bool) -> list[Fit]:
    """The most probable densities whose logarithms are waves of each roughness, by Laplace's approximation."""
    bins = known.center.size
    waves, number, ends = _basis(bins, circular, LOG_WAVES)
    # The curvature is taken on what densities this smooth can be made of.
    seen, _ = np.linalg.qr(_basis(bins, circular, 2 * LOG_WAVES)[0])
    information = seen.T @ known.information @ seen
    fits = []
    for roughness in LOG_ROUGHNESS:
        # the prior of roughness s leaves a polynomial of degree s - 1 free: nothing, a slope, a slope and a bend
        free = min(roughness - 1, ends)
        kept = np.r_[0:free, ends : number.size]
        basis = waves[:, kept] * np.sqrt(bins)
        variance = np.concatenate((np.full(free, np.nan), number[ends:] ** (-2.0 * roughness)))

        def curvature(f: Floats, basis: Floats = basis) -> Floats:
            # J = d f / d theta = diag(f) (B - 1 f^T B)
            projected = seen.T @ (f[:, None] * (basis - f @ basis))
            squared: Floats = projected.T @ information @ projected
            return squared

        def precision(scale: float, variance: Floats = variance) -> Floats:
            return np.where(np.isnan(variance), FREE_DEVIATION**-2.0, 1 / (scale**2 * variance))

        found = _log_fit(known, lambda t, b=basis: b @ t, lambda g, b=basis: b.T @ g, curvature, precision, LOG_SCALES)
        fits.append(Fit(f"log waves {roughness}", *found))
    return fits


def log_white_fit(known: CrowdInformation) -> Fit:
    """The most probable frequencies whose logarithms are independent, by Laplace's approximation."""
    bins = known.center.size

    def curvature(f: Floats) -> Floats:
        # J^T I J with J = diag(f) - f f^T
        rows = f[:, None] * known.information * f
        sums = rows.sum(axis=1)
        squared: Floats = rows - np.outer(f, sums) - np.outer(sums, f) + sums.sum() * np.outer(f, f)
        return squared

    def same(vector: Floats) -> Floats:
        return vector

    found = _log_fit(known, same, same, curvature, lambda scale: np.full(bins, scale**-2.0), LOG_WHITE_SCALES)
    return Fit("log white", *found)


def jump_fit(known: CrowdInformation, near: Floats) -> Fit:
    """The mean under heavy-tailed steps between neighbours, by variational Bayes from steps as large as those `near`."""
    from scipy.linalg import lapack, solve_triangular
    from scipy.special import digamma, gammaln

    bins = known.center.size
    # f = center + K delta, delta the bins - 1 steps: cumulative sums, less their mean
    steps = np.tril(np.ones((bins, bins)), -1)[:, : bins - 1]
    steps -= steps.mean(axis=0)
    information, score = steps.T @ known.information @ steps, steps.T @ known.score
    # delta_i ~ N(0, tau^2 / w_i),  w_i ~ Gamma(nu / 2, nu / 2): a step of Student's law with nu degrees of freedom
    shape = (TAIL + 1) / 2
    scale, rate = max(float(np.mean(np.diff(near) ** 2)), SMALLEST_STEP**2), np.full(bins - 1, shape)
    mean, evidence = np.zeros(bins - 1), -np.inf
    for _ in range(JUMP_ROUNDS):
        weight = shape / rate
        precision = information.copy()
        precision[np.diag_indices_from(precision)] += weight / scale
        factor = _factor(precision)
        half = solve_triangular(factor, score, lower=True, check_finite=False)
        mean = solve_triangular(factor, half, lower=True, trans=1, check_finite=False)
        inverse, _ = lapack.dtrtri(factor, lower=1)
        # E delta^2 = mean^2 + diag(H^-1),  H = I + diag(w) / tau^2
        square = mean**2 + np.sum(np.tril(inverse) ** 2, axis=0)
        # the evidence for normal steps with these weights, less what was paid to choose the weights:
        # sum E log w - log E w over 2, and the divergence of Gamma(shape, rate) from Gamma(nu / 2, nu / 2)
        normal = half @ half / 2 - np.sum(np.log(np.diag(factor))) + np.sum(np.log(weight / scale)) / 2
        divergence = (
            (shape - TAIL / 2) * digamma(shape) - gammaln(shape) + gammaln(TAIL / 2)
            + TAIL / 2 * (np.log(rate) - np.log(TAIL / 2)) + shape * (TAIL / 2 - rate) / rate
        )  # fmt: skip
        evidence = normal + np.sum((digamma(shape) - np.log(shape)) / 2 - divergence)
        scale = float(np.clip(np.mean(weight * square), scale / 3, scale * 3))
        rate = (TAIL + square / scale) / 2
    # The bound pays for its factorised form even where there is nothing to learn; that much is given back.
    return Fit("jumps", monotone(known.center + steps @ mean), float(evidence + (bins - 1) * _price_of_nothing()))


def monotone(values: Floats) -> Floats:
    """The frequencies whose CDF is nearest to the CDF of `values`, which may be negative: it rises from 0 to 1."""
    from scipy.optimize import isotonic_regression

    cdf = np.clip(isotonic_regression(np.cumsum(values)[:-1]).x, 0, 1)
    frequencies: Floats = np.diff(np.concatenate(([0.0], cdf, [1.0])))
    return frequencies


def _basis(bins: int, circular: bool, most: int) -> tuple[Floats, Floats, int]:
    """Waves and their numbers, and how many of them, in front, leave the ends of a line open; a circle has no ends."""
    waves, number = smooth_waves(bins, circular, most)
    ends = waves.shape[1] - min(bins - 1, most)
    return (waves[:, ends:], number[ends:], 0) if circular else (waves, number, ends)


def _factor(matrix: Floats) -> Floats:
    """The lower Cholesky factor of a matrix that rounding may have left a little short of positive."""
    from scipy.linalg import cholesky

    diagonal = np.diag_indices_from(matrix)
    matrix[diagonal] += ROUNDING * np.max(matrix[diagonal])
    factor: Floats = cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
    return factor


def _over_scales(evidences: Floats, scales: Floats) -> tuple[Floats, float]:
    """How probable each scale is, equally many decades being equally so beforehand, and the evidence for all of them."""
    # log of the integral of exp(evidence) over log10(scale)
    logarithms = evidences + np.log(np.gradient(np.log10(scales)))
    weights = np.exp(logarithms - logarithms.max())
    return weights / weights.sum(), float(logarithms.max() + np.log(weights.sum()))


def _price_of_nothing() -> float:
    """What the bound loses for each step about which nothing is known: there the fixed point has E delta^2 = tau^2 / w."""
    from scipy.special import digamma, gammaln

    shape = (TAIL + 1) / 2
    # rate = (nu + E delta^2 / tau^2) / 2 with E delta^2 = tau^2 rate / shape
    rate = TAIL / (2 - 1 / shape)
    divergence = (
        (shape - TAIL / 2) * digamma(shape) - gammaln(shape) + gammaln(TAIL / 2)
        + TAIL / 2 * (np.log(rate) - np.log(TAIL / 2)) + shape * (TAIL / 2 - rate) / rate
    )  # fmt: skip
    return float(divergence - (digamma(shape) - np.log(shape)) / 2)


def _log_fit(
    known: CrowdInformation,
    image: Callable[[Floats], Floats],
    pulled: Callable[[Floats], Floats],
    curvature: Callable[[Floats], Floats],
    precision: Callable[[float], Floats],
    scales: Floats,
) -> tuple[Floats, float]:
    """The frequencies f = exp(B theta) / sum of largest posterior, averaged over the scales, and the evidence for all."""
    found, evidences = [], []
    theta = np.zeros(precision(1.0).size)
    # from stiff to free: each start is near its end
    for scale in scales:
        prior = precision(float(scale))
        theta, frequencies, value, factor = _climb(known, image, pulled, curvature, prior, theta)
        # Laplace: log posterior at its top, + sum log prior / 2 - log det H / 2
        evidence = value + np.sum(np.log(prior)) / 2 - np.sum(np.log(np.diag(factor)))
        found.append(frequencies)
        evidences.append(evidence)
    weight, total = _over_scales(np.array(evidences), scales)
    return weight @ np.array(found), total


def _climb(
    known: CrowdInformation,
    image: Callable[[Floats], Floats],
    pulled: Callable[[Floats], Floats],
    curvature: Callable[[Floats], Floats],
    prior: Floats,
    theta: Floats,
) -> tuple[Floats, Floats, float, Floats]:
    """Gauss-Newton steps, each halved until the posterior rises."""
    from scipy.linalg import cho_solve

    def at(place: Floats) -> tuple[Floats, float]:
        logarithm = np.log(known.center) + image(place)
        frequencies = np.exp(logarithm - logarithm.max())
        frequencies /= frequencies.sum()
        return frequencies, known.log_likelihood(frequencies) - float(prior @ place**2) / 2

    frequencies, value = at(theta)
    for _ in range(MOST_NEWTON_STEPS):
        slope = known.score - known.information @ (frequencies - known.center)
        gradient = pulled(frequencies * (slope - frequencies @ slope)) - prior * theta
        hessian = curvature(frequencies)
        hessian[np.diag_indices_from(hessian)] += prior
        factor = _factor(hessian)
        step = cho_solve((factor, True), gradient, check_finite=False)
        length, gain = 1.0, 0.0
        while length > 1e-4 and gain <= 0:
            tried = at(theta + length * step)
            gain, length = tried[1] - value, length / 2
        if gain <= 0:
            break
        theta, (frequencies, value) = theta + 2 * length * step, tried
        if gain < SETTLED:
            break
    return theta, frequencies, value, factor
