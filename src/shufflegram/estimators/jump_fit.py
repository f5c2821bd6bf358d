"""An estimate under the prior that neighbouring bins differ by heavy-tailed steps: flat here, an edge there.

    f = center + K delta,    delta_i ~ N(0, tau^2 / w_i),    w_i ~ Gamma(nu / 2, nu / 2),

so that a step delta_i has Student's law with nu degrees of freedom. Variational Bayes fits a normal law of delta and
Gamma laws of w in turn, and its lower bound stands for the log evidence. The bound pays for its factorised form even
where there is nothing to learn; what it then pays for each step is given back, so that it compares with evidences.
"""

import numpy as np
from numpy.typing import NDArray

from .crowd_information import CrowdInformation
from .evidence_fits import Fit, lower_factor, monotone

Floats = NDArray[np.float64]

TAIL = 1.0  # nu: Cauchy
# the shape of every w's law, given delta
SHAPE = (TAIL + 1) / 2
ROUNDS = 30
SMALLEST_STEP = 1e-8


def jump_fit(known: CrowdInformation, near: Floats) -> Fit:
    """The mean under heavy-tailed steps, which in the first round are as large as those of `near`."""
    from scipy.linalg import lapack, solve_triangular

    bins = known.center.size
    # K: cumulative sums of the bins - 1 steps, less their mean
    steps = np.tril(np.ones((bins, bins)), -1)[:, : bins - 1]
    steps -= steps.mean(axis=0)
    information, score = steps.T @ known.information @ steps, steps.T @ known.score
    scale, rate = max(float(np.mean(np.diff(near) ** 2)), SMALLEST_STEP**2), np.full(bins - 1, SHAPE)
    mean, evidence = np.zeros(bins - 1), -np.inf
    for _ in range(ROUNDS):
        weight = SHAPE / rate
        precision = information.copy()
        precision[np.diag_indices_from(precision)] += weight / scale
        factor = lower_factor(precision)
        half = solve_triangular(factor, score, lower=True, check_finite=False)
        mean = solve_triangular(factor, half, lower=True, trans=1, check_finite=False)
        inverse, _ = lapack.dtrtri(factor, lower=1)
        # E delta^2 = mean^2 + diag(H^-1),  H = I + diag(w) / tau^2
        square = mean**2 + np.sum(np.tril(inverse) ** 2, axis=0)
        # the evidence for normal steps with these weights, less what it costs to choose them
        normal = half @ half / 2 - np.sum(np.log(np.diag(factor))) + np.sum(np.log(weight / scale)) / 2
        evidence = float(normal - np.sum(_price(rate)))
        scale = float(np.clip(np.mean(weight * square), scale / 3, scale * 3))
        rate = (TAIL + square / scale) / 2
    # Where nothing is known of a step, E delta^2 = tau^2 rate / shape, and rate = (nu + E delta^2 / tau^2) / 2 gives:
    unknown = np.array([TAIL / (2 - 1 / SHAPE)])
    return Fit("jumps", monotone(known.center + steps @ mean), evidence + (bins - 1) * float(_price(unknown)[0]))


def _price(rate: Floats) -> Floats:
    """What the bound pays for a step's weight with the law Gamma(shape, rate)."""
    from scipy.special import digamma, gammaln

    # KL(Gamma(a, b) | Gamma(c, c)) = (a - c) psi(a) - ln G(a) + ln G(c) + c ln(b / c) + a (c - b) / b,  c = nu / 2
    prior = TAIL / 2
    divergence: Floats = (
        (SHAPE - prior) * digamma(SHAPE)
        - gammaln(SHAPE)
        + gammaln(prior)
        + prior * np.log(rate / prior)
        + SHAPE * (prior - rate) / rate
    )
    # and (ln E w - E ln w) / 2
    price: Floats = divergence + (np.log(SHAPE) - digamma(SHAPE)) / 2
    return price
