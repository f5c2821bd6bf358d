"""What a tally says about the histogram of the crowd that reported: a normal likelihood whose noise is known.

Given the crowd's frequencies h, the counts y of n reports have mean n M h and covariance n R,

    R = diag(M h) - M diag(h) M^T,

which holds the mechanism's noise only: the crowd's own sampling is no error, as it is this crowd that is asked about.
At large ratios R is far smaller than the multinomial covariance diag(M h) - M h h^T M^T. With a pilot in the place of
h, the likelihood of h = h_0 + a, where a sums to zero and h_0 is uniform, is normal:

    log L(a) - log L(0) = s^T a - a^T I a / 2,    I = n M^T R^+ M,    s = M^T R^+ (y - n M h_0).

With W = diag(1 / (M p)), A = M^T W M and G = F^(1/2) A F^(1/2), F = diag(p) of the pilot p, the inverse of R costs no
more than one of the size of the bins: on vectors that sum to zero,

    M^T R^+ = (1 + A F^(1/2) (1 - G + r r^T)^-1 F^(1/2)) M^T W,   r = sqrt(p), the one direction that G keeps whole.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# A pilot's zero would claim that nobody is there, and no estimate is that sure; nor is a mechanism free of all noise.
LEAST_FREQUENCY = 1e-9
LEAST_NOISE = 1e-9


@dataclass(frozen=True, eq=False)
class CrowdInformation:
    """s^T a - a^T I a / 2 is the log likelihood of the frequencies `center` + a, relative to `center`'s."""

    center: Floats
    information: Floats
    score: Floats

    def log_likelihood(self, frequencies: Floats) -> float:
        surplus = frequencies - self.center
        return float(self.score @ surplus - surplus @ self.information @ surplus / 2)


def crowd_information(columns: Floats, counts: Floats, center: Floats, pilot: Floats) -> CrowdInformation:
    """What `counts` say about the crowd through the channel with these columns; the noise is that of `pilot`."""
    reports = float(counts.sum())
    share = np.maximum(pilot, LEAST_FREQUENCY)
    share /= share.sum()
    weighted = columns / (columns @ share)[:, None]
    squares = columns.T @ weighted
    root = np.sqrt(share)
    left = np.outer(root, root) - root[:, None] * squares * root
    left[np.diag_indices_from(left)] += 1 + LEAST_NOISE
    solve = _solver(left)
    information = squares + squares @ (root[:, None] * solve(root[:, None] * squares))
    surplus = weighted.T @ (counts - reports * (columns @ center))
    score = surplus + squares @ (root * solve(root * surplus))
    return CrowdInformation(center, reports * (information + information.T) / 2, score)


def _solver(matrix: Floats) -> Callable[[Floats], Floats]:
    from scipy.linalg import cho_factor, cho_solve

    factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)

    def solve(right: Floats) -> Floats:
        solution: Floats = cho_solve(factor, right, check_finite=False)
        return solution

    return solve
