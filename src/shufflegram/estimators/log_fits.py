"""Estimates under priors on the logarithms of the frequencies: f = center * exp(B theta) / sum, theta normal.

The frequencies are the most probable ones at each scale of the prior, found by Gauss-Newton steps, averaged over the
scales. With the posterior's curvature H at its top, Laplace's approximation says how probable a scale makes the tally:

    log evidence = log L(f) + log prior(theta) - log det H / 2 + const,    H = J^T I J + diag(prior precision),

with J = d f / d theta = (diag(f) - f f^T) B and the information I about f.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .crowd_information import CrowdInformation
from .evidence_fits import Fit, lower_factor, over_scales, wave_basis

Floats = NDArray[np.float64]

ROUGHNESS = (1, 2, 3)
WAVE_SCALES = np.geomspace(1e-2, 1e3, 11)
WHITE_SCALES = np.array([0.1, 0.3, 0.7, 1.5, 2.5, 4.0, 6.0, 9.0])
# What a logarithm is free to do beyond its waves: a slope and a bend of this standard deviation.
FREE_DEVIATION = 4.0
# More waves than these say nothing about a logarithm that any of the priors calls smooth.
WAVES = 60
MOST_STEPS = 30
SHORTEST_STEP = 1e-4
SETTLED = 1e-2  # nats that one more step gains


class Logarithms(ABC):
    """The logarithms B theta, and how a prior of some scale bounds theta."""

    @abstractmethod
    def of(self, theta: Floats) -> Floats:
        """B theta."""

    @abstractmethod
    def back(self, slope: Floats) -> Floats:
        """B^T g."""

    @abstractmethod
    def curvature(self, frequencies: Floats) -> Floats:
        """J^T I J."""

    @abstractmethod
    def precision(self, scale: float) -> Floats:
        """The prior's, for each theta."""


@dataclass(frozen=True, eq=False)
class Waves(Logarithms):
    """Smooth waves as columns, and the variance of each at scale 1; NaN where the scale has no say."""

    basis: Floats
    variance: Floats
    # orthonormal columns that such smooth densities can be made of, and the information about them
    seen: Floats
    information: Floats

    def of(self, theta: Floats) -> Floats:
        return self.basis @ theta

    def back(self, slope: Floats) -> Floats:
        return self.basis.T @ slope

    def curvature(self, frequencies: Floats) -> Floats:
        projected = self.seen.T @ (frequencies[:, None] * (self.basis - frequencies @ self.basis))
        squared: Floats = projected.T @ self.information @ projected
        return squared

    def precision(self, scale: float) -> Floats:
        return np.where(np.isnan(self.variance), FREE_DEVIATION**-2.0, 1 / (scale**2 * self.variance))


@dataclass(frozen=True, eq=False)
class White(Logarithms):
    """Every bin for itself: B is the identity."""

    information: Floats

    def of(self, theta: Floats) -> Floats:
        return theta

    def back(self, slope: Floats) -> Floats:
        return slope

    def curvature(self, frequencies: Floats) -> Floats:
        rows = frequencies[:, None] * self.information * frequencies
        sums = rows.sum(axis=1)
        outer = np.outer(frequencies, sums)
        squared: Floats = rows - outer - outer.T + sums.sum() * np.outer(frequencies, frequencies)
        return squared

    def precision(self, scale: float) -> Floats:
        return np.full(len(self.information), scale**-2.0)


def log_wave_fits(known: CrowdInformation, circular: bool) -> list[Fit]:
    """The fits with logarithms that are waves of each roughness."""
    bins = known.center.size
    waves, number, ends = wave_basis(bins, circular, WAVES)
    seen, _ = np.linalg.qr(wave_basis(bins, circular, 2 * WAVES)[0])
    information = seen.T @ known.information @ seen
    fits = []
    for roughness in ROUGHNESS:
        # Roughness s leaves a polynomial of degree s - 1 free: nothing, a slope, a slope and a bend.
        free = min(roughness - 1, ends)
        kept = np.r_[0:free, ends : number.size]
        variance = np.concatenate((np.full(free, np.nan), number[ends:] ** (-2.0 * roughness)))
        logarithms = Waves(waves[:, kept] * np.sqrt(bins), variance, seen, information)
        fits.append(_averaged(f"log waves {roughness}", known, logarithms, WAVE_SCALES))
    return fits


def log_white_fit(known: CrowdInformation) -> Fit:
    """The fit with independent logarithms."""
    return _averaged("log white", known, White(known.information), WHITE_SCALES)


def _averaged(name: str, known: CrowdInformation, logarithms: Logarithms, scales: Floats) -> Fit:
    theta = np.zeros(logarithms.precision(1.0).size)
    found, evidences = [], []
    # from stiff to free, so that each scale begins near its end
    for scale in scales:
        prior = logarithms.precision(float(scale))
        *_, top = _climb(known, logarithms, prior, theta)
        theta = top.theta
        found.append(top.frequencies)
        evidences.append(top.log_posterior + np.sum(np.log(prior)) / 2 - np.sum(np.log(np.diag(top.factor))))
    weights, evidence = over_scales(np.array(evidences), scales)
    return Fit(name, weights @ np.array(found), evidence)


@dataclass(frozen=True, eq=False)
class Step:
    """A place on the way up, and the lower Cholesky factor of the curvature there or one step before."""

    theta: Floats
    frequencies: Floats
    log_posterior: float
    factor: Floats


def _climb(known: CrowdInformation, logarithms: Logarithms, prior: Floats, theta: Floats) -> Iterator[Step]:
    """Gauss-Newton steps, each halved until the posterior rises; the first is where one stands."""
    from scipy.linalg import cho_solve

    def at(place: Floats) -> tuple[Floats, float]:
        exponent = np.log(known.center) + logarithms.of(place)
        frequencies = np.exp(exponent - exponent.max())
        frequencies /= frequencies.sum()
        return frequencies, known.log_likelihood(frequencies) - float(prior @ place**2) / 2

    frequencies, value = at(theta)
    for _ in range(MOST_STEPS):
        slope = known.score - known.information @ (frequencies - known.center)
        gradient = logarithms.back(frequencies * (slope - frequencies @ slope)) - prior * theta
        hessian = logarithms.curvature(frequencies)
        hessian[np.diag_indices_from(hessian)] += prior
        factor = lower_factor(hessian)
        yield Step(theta, frequencies, value, factor)
        direction = cho_solve((factor, True), gradient, check_finite=False)
        length, before = 1.0, value
        tried, reached = at(theta + direction)
        while not reached > before and length > SHORTEST_STEP:
            length /= 2
            tried, reached = at(theta + length * direction)
        if not reached > before:
            return
        theta, frequencies, value = theta + length * direction, tried, reached
        yield Step(theta, frequencies, value, factor)
        if value - before < SETTLED:
            return
