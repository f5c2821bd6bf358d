"""Estimates of a crowd's frequencies under priors that say how they may vary, and how probable each makes the tally.

A prior's evidence is the probability of the tally under it, all frequencies weighed by the prior: a prior that is too
stiff cannot explain the tally, one that is too free spreads its bets, and neither needs anything held back. All
evidences are logarithms relative to the uniform distribution, so that those of different families can be compared.

    waves          a sum of smooth waves, Var of wave k falling as k^-2s: white (s = 0), rough, smooth, smoother
    log waves      the logarithm of the density is such a sum: positive by itself (`log_fits`)
    log white      the logarithm of every bin is its own: a few bins hold nearly everything (`log_fits`)
    jumps          neighbouring bins differ by heavy-tailed steps: flat here, an edge there (`jump_fit`)

The scale of each is averaged over, by its evidence too; that of the steps is fitted.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .crowd_information import CrowdInformation
from .plausible import smooth_waves
from .wave_evidence import wave_evidence

Floats = NDArray[np.float64]

ROUGHNESS = (0, 1, 2, 3)
SCALES = np.geomspace(1e-2, 1e16, 181)
ROUNDING = 1e-13

# How probable each kind is before there is a tally, as logarithms. Densities are positive and the logarithms of waves
# know it. Crowds in a few bins are rare, and where reports are mostly noise, to be taken in by a chance likeness costs
# most: they have to be plain to see.
BEFOREHAND = {"waves": 0.0, "log waves": 2.0, "jumps": -2.0, "log white": -25.0, "EMAS": 0.0}


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
    waves, number, _ = wave_basis(bins, circular, bins)
    information, score = waves.T @ known.information @ waves, waves.T @ known.score
    fits = []
    for roughness in ROUGHNESS:
        found = wave_evidence(information, score, number, roughness, SCALES)
        weight, total = over_scales(found.evidences, SCALES)
        gain = found.scales[:, None] / (1 + found.scales[:, None] * found.eigenvalues)
        mean = known.center + waves @ (found.root @ (weight @ (gain * found.projections)))
        fits.append(Fit(f"waves {roughness}", monotone(mean), total))
    return fits


def monotone(values: Floats) -> Floats:
    """The frequencies whose CDF is nearest to the CDF of `values`, which may be negative: it rises from 0 to 1."""
    from scipy.optimize import isotonic_regression

    cdf = np.clip(isotonic_regression(np.cumsum(values)[:-1]).x, 0, 1)
    frequencies: Floats = np.diff(np.concatenate(([0.0], cdf, [1.0])))
    return frequencies


def wave_basis(bins: int, circular: bool, most: int) -> tuple[Floats, Floats, int]:
    """Waves and their numbers, and how many of them, in front, leave the ends of a line open; a circle has no ends."""
    waves, number = smooth_waves(bins, circular, most)
    ends = waves.shape[1] - min(bins - 1, most)
    return (waves[:, ends:], number[ends:], 0) if circular else (waves, number, ends)


def lower_factor(matrix: Floats) -> Floats:
    """The lower Cholesky factor of a matrix that rounding may have left a little short of positive."""
    from scipy.linalg import cholesky

    diagonal = np.diag_indices_from(matrix)
    matrix[diagonal] += ROUNDING * np.max(matrix[diagonal])
    factor: Floats = cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
    return factor


def over_scales(evidences: Floats, scales: Floats) -> tuple[Floats, float]:
    """How probable each scale is, all decades being equally so beforehand, and the evidence for all scales."""
    # log of the integral of exp(evidence) over log10(scale)
    logarithms = evidences + np.log(np.gradient(np.log10(scales)))
    weights = np.exp(logarithms - logarithms.max())
    return weights / weights.sum(), float(logarithms.max() + np.log(weights.sum()))
