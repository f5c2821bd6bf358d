"""How far an estimate will be from the truth, before anything is collected: a formula and no simulation.

For a crowd of n users with frequencies f (F = diag f), reports through the channel M estimate f without bias, and the
noise that is left, given the crowd, has the covariance

    V = ((M' diag(1 / Mf) M)^-1 - F) / n:

what n independent users would have, without their own sampling. Real estimators smooth. In logarithms, theta = log f,
one that pays lambda |D theta|^2 for roughness, D a difference of first or second order, turns noise e and truth into

    theta_hat - theta = G e + (G - 1) theta,   G = (1 + lambda W D'D)^-1,   W = F^-1 V F^-1,

and the CDF at a point is off by a normal number whose mean and variance follow. The least expected error over lambda
and the order stands for an estimator that adapts. What the formula does not know: that frequencies are not negative,
which helps where noise is large and bins are empty, and that an estimator has to find lambda.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.special import ndtr

from ..channel import WindowChannel
from ..metrics import LEVELS

Floats = NDArray[np.float64]

# Cells that the formula looks at: what is finer changes sums over many bins by little.
CELLS = 128
ORDERS = (1, 2)
# From no smoothing at all to a straight line, relative to the noise.
STRENGTHS = np.concatenate(([0.0], np.geomspace(1e-5, 1e8, 27)))
# No estimator can know that a crowd is flat: so many degrees of freedom are left to the data.
LEAST_FREEDOM = 4.0
# A cell in which next to nobody is counts as if a third of a user were.
FEWEST = 1 / 3
# Nodes and weights of the mean over a normal number.
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(15)


@dataclass(frozen=True, eq=False)
class ExpectedError:
    """The error of the CDF at the upper edge of each cell: a fixed part, and rows that multiply unit normal numbers."""

    frequencies: Floats
    bias: Floats
    spread: Floats

    @cached_property
    def deviation(self) -> Floats:
        """The standard deviation at each edge."""
        deviation: Floats = np.sqrt((self.spread**2).sum(axis=1))
        return deviation

    @property
    def wasserstein(self) -> float:
        """The expected W1."""
        return float(_mean_absolute(self.bias, self.deviation).mean())

    def ranges(self, share: float) -> float:
        """The expected error of ranges of this share of the domain, the mean over where they start."""
        cells = self.bias.size
        edges = np.arange(cells + 1) / cells
        begin = edges[edges <= 1 - share + 1e-12]
        weights = _interpolation(edges, begin + share) - _interpolation(edges, begin)
        at_edges = np.concatenate((np.zeros((1, self.spread.shape[1])), self.spread))
        bias = weights @ np.concatenate(([0.0], self.bias))
        return float(_mean_absolute(bias, np.sqrt(((weights @ at_edges) ** 2).sum(axis=1))).mean())

    def quantiles(self) -> float:
        """The expected error of the quantiles, the mean over their levels."""
        edges = np.arange(self.bias.size + 1) / self.bias.size
        cumulative = np.concatenate(([0.0], np.cumsum(self.frequencies)))
        # to invert, the CDF must rise everywhere
        rising = cumulative + edges * 1e-9
        levels = np.asarray(LEVELS)
        at = np.interp(levels, rising, edges)
        upper = edges[1:]
        bias, deviation = np.interp(at, upper, self.bias), np.interp(at, upper, self.deviation)
        # Q moves to where F + error = level, with the error as it is at Q
        moved = np.interp(levels[:, None] - bias[:, None] - deviation[:, None] * NODES, rising, edges)
        return float((np.abs(moved - at[:, None]) @ WEIGHTS / WEIGHTS.sum()).mean())

    def to_dict(self) -> dict[str, float]:
        """By the names of the metrics."""
        return {
            "wasserstein": self.wasserstein,
            "range_0.2": self.ranges(0.2),
            "range_0.4": self.ranges(0.4),
            "quantile": self.quantiles(),
        }


def expected_error(channel: WindowChannel, frequencies: Floats, users: int, *, circular: bool = False) -> ExpectedError:
    """The error that is to be expected of a crowd with these frequencies, on as many cells as the channel or fewer."""
    from threadpoolctl import threadpool_limits

    # matrices this small gain nothing from more threads, and lose much where these wait for a core
    with threadpool_limits(1):
        return _expected_error(channel, frequencies, users, circular)


def _expected_error(channel: WindowChannel, frequencies: Floats, users: int, circular: bool) -> ExpectedError:
    f = np.maximum(frequencies, FEWEST / users)
    f = f / f.sum()
    matrix = grouped(channel, f.size)
    information = matrix.T @ (matrix / (matrix @ f)[:, None])
    noise = (np.linalg.inv(information) - np.diag(f)) / users
    in_logarithms = noise / f[:, None] / f[None, :]
    # W = L L'; rounding may leave what is next to nothing below 0
    values, vectors = np.linalg.eigh((in_logarithms + in_logarithms.T) / 2)
    values = np.maximum(values, values[-1] * 1e-14)
    root, inverse_root = vectors * np.sqrt(values), (vectors / np.sqrt(values)).T
    # theta -> CDF: f_i = exp(theta_i) / sum exp(theta), so dF = cumsum(f u) - F (f . u)
    to_cdf = np.tril(np.ones((f.size, f.size))) * f - np.outer(np.cumsum(f), f)
    if circular:
        # a cut may shift all of a circle's CDF
        to_cdf -= to_cdf.mean(axis=0)
    theta = np.log(f)
    tried: list[ExpectedError] = []
    for order in ORDERS:
        roughness = _differences(f.size, order, circular)
        # L' D'D L = U diag(e) U', so G = L U diag(1 / (1 + lambda e)) U' L^-1
        costs, directions = scipy.linalg.eigh(root.T @ (roughness.T @ roughness) @ root, driver="evd")
        costs = np.maximum(costs, 0.0)
        to_cdf_along = to_cdf @ (root @ directions)
        along = directions.T @ (inverse_root @ theta)
        for strength in STRENGTHS:
            kept = 1 / (1 + strength * costs)
            # without smoothing, which is tried first, all cells are free, however few they are
            if strength > 0 and kept.sum() < LEAST_FREEDOM:
                break
            tried.append(ExpectedError(f, to_cdf_along @ ((kept - 1) * along), to_cdf_along * kept))
    return min(tried, key=lambda each: each.wasserstein)


def grouped(channel: WindowChannel, cells: int) -> Floats:
    """The channel on fewer cells: values spread evenly over each, and reports counted in groups of the same size."""
    edges = np.round(np.linspace(0, channel.cells, cells + 1)).astype(int)
    columns = []
    for first, stop in pairwise(edges):
        spread = np.zeros(channel.cells)
        spread[first:stop] = 1 / (stop - first)
        columns.append(channel.forward(spread))
    matrix = np.stack(columns, axis=1)
    reports = max(cells, round(cells * channel.report_cells / channel.cells))
    starts = np.round(np.linspace(0, channel.report_cells, min(reports, channel.report_cells) + 1)).astype(int)[:-1]
    counted: Floats = np.add.reduceat(matrix, starts, axis=0)
    return counted


def _mean_absolute(mean: Floats, deviation: Floats) -> Floats:
    """E|X| of normal numbers: s sqrt(2 / pi) exp(-m^2 / (2 s^2)) + m (1 - 2 Phi(-m / s))."""
    safe = np.maximum(deviation, 1e-300)
    ratio = mean / safe
    absolute: Floats = safe * np.sqrt(2 / np.pi) * np.exp(-(ratio**2) / 2) + mean * (1 - 2 * ndtr(-ratio))
    return absolute


def _differences(cells: int, order: int, circular: bool) -> Floats:
    matrix = np.eye(cells)
    for _ in range(order):
        matrix = (np.roll(matrix, -1, axis=0) - matrix) if circular else np.diff(matrix, axis=0)
    # of the same size whatever the number of cells
    scaled: Floats = matrix * (cells / 64) ** (order - 0.5)
    return scaled


def _interpolation(points: Floats, at: Floats) -> Floats:
    """The matrix that interpolates values at equally spaced points linearly at others."""
    position = np.clip(at * (points.size - 1), 0, points.size - 1)
    left = np.minimum(position.astype(int), points.size - 2)
    weights = np.zeros((at.size, points.size))
    weights[np.arange(at.size), left] = 1 - (position - left)
    weights[np.arange(at.size), left + 1] = position - left
    return weights
