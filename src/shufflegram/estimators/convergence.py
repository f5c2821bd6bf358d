"""How fast EM with fixed weights converges: the rate at its fixed point, and the rate that is seen.

Near its fixed point a round M multiplies the distance by the Jacobian dM/df. In the long run the distance shrinks by
the spectral radius of that matrix, on the directions in which frequencies can differ: those that sum to zero. The
paper's theorem states a norm of the Jacobian, which bounds the radius from above and may exceed one where the rounds
converge all the same; both are given.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..channel import WindowChannel
from ..errors import InputError
from .em import Outcome, Stop, advance, checked_counts, log_likelihood
from .smoothing import Refinement, SmoothingTable

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ConvergenceRate:
    """`gamma`: spectral radius of one round's Jacobian; `norm`: its 2-norm; `observed`: how successive changes shrink.

    All three are meant at the fixed point: where `outcome` says that the limit stopped the run, at its last iterate.
    """

    gamma: float
    norm: float
    observed: float
    outcome: Outcome


def convergence_rate(
    channel: WindowChannel,
    counts: ArrayLike,
    refinement: Refinement,
    circular: bool = False,
    max_iterations: int = 1_000_000,
) -> ConvergenceRate:
    """Run a fixed-weight refinement to its fixed point and compare the rate in theory with the one observed."""
    tally = checked_counts(channel, counts)
    table = refinement.table(channel, tally).fitted(channel.cells, circular)
    if not table.is_fixed:
        raise InputError(
            "a convergence rate needs fixed weights, such as BinomialSmoothing; adaptive weights never settle"
        )
    frequencies = np.full(channel.cells, 1 / channel.cells)
    # Between changes of 1e-9 and 1e-12 the rounds are near the fixed point and still far from rounding errors.
    before, first_change = advance(channel, tally, frequencies, table, circular, max_iterations, 1e-9)
    between, change = advance(channel, tally, frequencies, table, circular, max(1, max_iterations - before), 1e-12)
    observed = (change / first_change) ** (1 / between) if first_change > 0 else 0.0
    rounds = before + between
    if change > 1e-14 and rounds < max_iterations:
        settling, change = advance(channel, tally, frequencies, table, circular, max_iterations - rounds, 1e-14)
        rounds += settling
    stop = Stop.CONVERGED if change < 1e-12 else Stop.ITERATION_LIMIT
    outcome = Outcome(stop, rounds, log_likelihood(channel, tally, frequencies), change)
    tangent = _tangent(round_jacobian(channel, tally, frequencies, table, circular))
    return ConvergenceRate(
        gamma=float(np.max(np.abs(np.linalg.eigvals(tangent)))),
        norm=float(np.linalg.norm(tangent, 2)),
        observed=float(observed),
        outcome=outcome,
    )


def round_jacobian(
    channel: WindowChannel, tally: Floats, frequencies: Floats, table: SmoothingTable, circular: bool
) -> Floats:
    """The derivative of one whole round (E-step, M-step, smoothing, normalisation) at the given frequencies."""
    matrix = channel.dense()
    shares = tally / tally.sum()
    reports = channel.forward(frequencies)
    gain = channel.backward(shares / reports)
    # M-step: F_i = f_i g_i,  dF_i/df_k = [i = k] g_i - f_i sum_j share_j M_ji M_jk / report_j^2
    em = np.diag(gain) - frequencies[:, None] * (matrix.T @ ((shares / reports**2)[:, None] * matrix))
    smoothing = smoothing_matrix(table, channel.cells, circular)
    smoothed = smoothing @ (frequencies * gain)
    # Normalisation: N(x) = x / s with s = sum x,  dN = (I - N(x) 1^T) / s
    total = smoothed.sum()
    normalisation = (np.eye(channel.cells) - (smoothed / total)[:, None]) / total
    jacobian: Floats = normalisation @ smoothing @ em
    return jacobian


def smoothing_matrix(table: SmoothingTable, bins: int, circular: bool) -> Floats:
    """The matrix of a fixed smoothing: row i holds the weights of bin i's window, which sum to one."""
    table = table.fitted(bins, circular)
    apart = np.abs(np.arange(bins)[:, None] - np.arange(bins))
    if circular:
        apart = np.minimum(apart, bins - apart)
    weights: Floats = np.where(apart <= table.radius, table.position[0][np.minimum(apart, table.radius)], 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def _tangent(jacobian: Floats) -> Floats:
    """The Jacobian on the directions that sum to zero, in an orthonormal basis of them."""
    bins = len(jacobian)
    # Completing (1, ..., 1) to an orthogonal basis: all columns but the first are orthogonal to it.
    basis = np.linalg.qr(np.column_stack((np.ones(bins), np.eye(bins)[:, 1:])))[0][:, 1:]
    restricted: Floats = basis.T @ jacobian @ basis
    return restricted
