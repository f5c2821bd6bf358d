"""Truths that a tally of reports leaves plausible: what this crowd's histogram may have been.

The tally is a linear image of the crowd's frequencies h with noise of a known covariance, and the crowd is itself a
draw of n people from a distribution f:

    counts / n = M h + noise,   h = f + sampling,   sampling ~ N(0, (diag(f) - f f^T) / n),

so that counts / n = M f + all noise together, ~ N(0, (diag(r) - r r^T) / n) with r = M f. The covariances are taken at
the estimate. The distribution gets a Gaussian prior, f = 1/m + B theta, with smooth waves as columns of B and
Var theta_k = tau^2 k^(-2s). Roughness s (0, 1 or 2) and scale tau are drawn too, by how probable they make the tally,
so that jagged data widens the band by itself; then f is drawn, and then the crowd h around it, each given the tally.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..channel import WindowChannel
from .wave_evidence import NEXT_TO_NOTHING, wave_evidence

Floats = NDArray[np.float64]

# Beyond this many waves a smooth prior leaves nothing to see, and the work grows with their cube.
MOST_WAVES = 512
ROUGHNESS = (0, 1, 2)
SCALES = np.geomspace(1e-2, 1e16, 361)


class Evidence(Protocol):
    """What was seen, kept beside an estimate to say how far off it may be."""

    @property
    def reports(self) -> float:
        """How many reports were seen."""
        ...

    def plausible_truths(
        self, frequencies: Floats, draws: int, generator: np.random.Generator, assume_smooth: bool
    ) -> Floats:
        """`draws` rows of frequencies that could have led to what was seen; they sum to one and may dip below zero."""
        ...


@dataclass(frozen=True, eq=False)
class WindowEvidence:
    """Counts of reports, and the channel and the shape of the domain that they came through."""

    channel: WindowChannel
    counts: Floats
    circular: bool = False

    @property
    def reports(self) -> float:
        return float(self.counts.sum())

    def plausible_truths(
        self, frequencies: Floats, draws: int, generator: np.random.Generator, assume_smooth: bool
    ) -> Floats:
        bins = self.channel.cells
        waves, wave_number = smooth_waves(bins, self.circular, MOST_WAVES if assume_smooth else bins)
        # The last of them are orthonormal; what leaves the ends of the domain open stands before.
        orthonormal = waves[:, -min(bins - 1, waves.shape[1]) :]
        if not assume_smooth:
            waves = orthonormal
        users = self.counts.sum()
        expected = self.channel.forward(frequencies)
        # On vectors that sum to zero, as all columns of M B do, all noise together has the precision n diag(1 / r).
        precision = np.divide(users, expected, out=np.zeros(expected.size), where=expected > 0)
        surplus = self.counts / users - self.channel.forward(np.full(bins, 1 / bins))
        images = np.column_stack([self.channel.forward(wave) for wave in waves.T])
        information = images.T @ (precision[:, None] * images)
        score = images.T @ (precision * surplus)
        sampling = _sampling_covariance(orthonormal, frequencies, users)
        if not assume_smooth:
            theta = _unbiased_coefficients(information, score, sampling, draws, generator)
            return 1 / bins + theta @ waves.T
        theta = _plausible_coefficients(information, score, wave_number, draws, generator)
        seen = slice(waves.shape[1] - orthonormal.shape[1], None)
        unexplained = score[seen] - theta @ information[:, seen]
        around = _crowd_coefficients(information[seen, seen], unexplained, sampling, generator)
        return 1 / bins + theta @ waves.T + around @ orthonormal.T


def smooth_waves(bins: int, circular: bool, most: int) -> tuple[Floats, Floats]:
    """The smoothest vectors on the bins that sum to zero, as columns of length one, and the wave number of each."""
    number = np.arange(1, min(bins, most + 1))
    position = (np.arange(bins)[:, None] + 0.5) / bins
    if circular:
        # Sine and cosine of 1, 2, ... full waves take turns; at bins / 2 waves only the one that sees every other bin
        # is left.
        wave_number = (number + 1) // 2
        phase = np.where(number % 2 == 1, np.pi / 4, -np.pi / 4)
        waves = np.cos(2 * np.pi * wave_number * position + phase)
    else:
        wave_number = number
        waves = np.cos(np.pi * number * position)
    # k half waves between the ends of a line are flat at both ends, and full waves on a circle meet at the cut: there a
    # CDF is read from, and a step would shift all of it. A line and a parabola leave both open.
    ends = np.hstack((position - 0.5, (position - 0.5) ** 2))
    waves = np.hstack((ends - ends.mean(axis=0), waves))
    norms = np.linalg.norm(waves, axis=0)
    some = norms > 1e-9
    return (waves / np.where(some, norms, 1.0))[:, some], np.concatenate(([1.0, 1.0], wave_number))[some]


def _sampling_covariance(waves: Floats, frequencies: Floats, users: float) -> Floats:
    """How a crowd of n people varies around its distribution, in coordinates of orthonormal waves."""
    # B^T (diag(f) - f f^T) B / n
    mean = waves.T @ frequencies
    covariance: Floats = (waves.T @ (frequencies[:, None] * waves) - np.outer(mean, mean)) / users
    return covariance


def _plausible_coefficients(
    information: Floats, score: Floats, wave_number: Floats, draws: int, generator: np.random.Generator
) -> Floats:
    """Coefficients of f drawn given the tally; roughness and scale are drawn too, by how probable they make it."""
    found = [wave_evidence(information, score, wave_number, roughness, SCALES) for roughness in ROUGHNESS]
    evidence = np.stack([each.evidences for each in found])
    chance = np.exp(evidence - evidence.max()).ravel()
    chosen = np.sort(generator.choice(chance.size, size=draws, p=chance / chance.sum()))
    theta = np.empty((draws, wave_number.size))
    for index, waves in enumerate(found):
        mine = chosen // SCALES.size == index
        scale = waves.scales[chosen[mine] % SCALES.size]
        variance = scale[:, None] / (1 + scale[:, None] * waves.eigenvalues)
        noise = generator.standard_normal(variance.shape)
        theta[mine] = (variance * waves.projections + np.sqrt(variance) * noise) @ waves.root.T
    return theta


def _crowd_coefficients(
    information: Floats, unexplained: Floats, sampling: Floats, generator: np.random.Generator
) -> Floats:
    """How the crowd differs from f, a row for each f: normal given the score that f leaves unexplained."""
    # mean = G u,  covariance = G - G I G,  with the sampling covariance G and the information I of all noise together
    eigenvalue, turn = np.linalg.eigh(sampling - sampling @ information @ sampling)
    noise = generator.standard_normal(unexplained.shape)
    drawn: Floats = unexplained @ sampling + (np.sqrt(np.maximum(eigenvalue, 0.0)) * noise) @ turn.T
    return drawn


def _unbiased_coefficients(
    information: Floats, score: Floats, sampling: Floats, draws: int, generator: np.random.Generator
) -> Floats:
    """The crowd's coefficients when the reports alone speak; what the mechanism does not show stays all but unknown."""
    eigenvalue, turn = np.linalg.eigh(information)
    variance = 1 / np.maximum(eigenvalue, max(1e-12 * eigenvalue[-1], NEXT_TO_NOTHING))
    deviation = np.sqrt(variance)
    # I^-1 is the covariance of all noise together, of which the crowd's own sampling G is no error: I^-1 - G is left.
    # In coordinates in which I^-1 is the identity:
    own = (turn.T @ sampling @ turn) / np.outer(deviation, deviation)
    share, axes = np.linalg.eigh(np.eye(deviation.size) - own)
    noise = (np.sqrt(np.maximum(share, 0.0)) * generator.standard_normal((draws, deviation.size))) @ axes.T
    theta: Floats = (variance * (turn.T @ score) + deviation * noise) @ turn.T
    return theta
