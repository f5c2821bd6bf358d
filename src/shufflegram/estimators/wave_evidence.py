"""How probable a tally is when frequencies are a sum of waves, of which wave k varies as tau^2 k^(-2s)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Reports of a mechanism with density ratio 1 hold no information at all; nothing is divided by less than this.
NEXT_TO_NOTHING = 1e-100


class WaveEvidence(NamedTuple):
    """For one roughness s: coordinates that make the information diagonal, the scales tau^2, and the evidence of each.

    theta = root z, with the information's eigenvalues and the score's projections in z.
    """

    root: Floats
    projections: Floats
    eigenvalues: Floats
    scales: Floats
    evidences: Floats


def wave_evidence(
    information: Floats, score: Floats, wave_number: Floats, roughness: int, scales: Floats
) -> WaveEvidence:
    """The log evidence of each scale, where `scales` are relative to what the reports tell."""
    # In the coordinates z = theta / (tau k^-s), turned so that the information is diagonal with eigenvalues l, and
    # with the score u:  log evidence = sum (tau^2 u^2 / (1 + tau^2 l) - log(1 + tau^2 l)) / 2
    deviation = wave_number ** -float(roughness)
    eigenvalues, turn = np.linalg.eigh(deviation[:, None] * information * deviation)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    root = deviation[:, None] * turn
    u = root.T @ score
    # From a prior that the reports cannot tell from the uniform distribution to one that leaves everything to them.
    scale = scales / max(eigenvalues[-1], NEXT_TO_NOTHING)
    gain = 1 + scale[:, None] * eigenvalues
    evidences = np.sum(scale[:, None] * u**2 / gain - np.log(gain), axis=1) / 2
    return WaveEvidence(root, u, eigenvalues, scale, evidences)
