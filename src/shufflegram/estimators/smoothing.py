"""What happens to the frequencies between an M-step and the next E-step: the refinement step, as a value.

Every refinement here is a weighted mean over the neighbours of a bin, and every one is told to the EM loop by the same
table: one row of position weights for each round of a cycle, and one scale for the frequency weight.

    w_ij = position[t][|i - j|] * exp(-(f_i - f_j)^2 / (2 sigma_1^2)),   f_i <- sum_j w_ij f_j / sum_j w_ij

EM is the table of radius 0, EMS one row with an infinite sigma_1, EMAS a cosine in 50 rows. The weights are always
divided by their sum, also at the ends of the line, where the window is cut; on a circle the window wraps.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..channel import WindowChannel
from ..checks import is_finite, is_whole
from ..errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SmoothingTable:
    """Position weights by round of the cycle and distance (rounds x radius + 1), and sigma_1, the frequency scale."""

    position: Floats
    frequency_scale: float

    @property
    def radius(self) -> int:
        return int(self.position.shape[1]) - 1

    @property
    def is_fixed(self) -> bool:
        """The weights depend neither on the round nor on the frequencies: smoothing is one fixed matrix."""
        return self.position.shape[0] == 1 and math.isinf(self.frequency_scale)

    def fitted(self, bins: int, circular: bool) -> "SmoothingTable":
        """The same table with its radius cut so that a window never meets a bin twice."""
        widest = (bins - 1) // 2 if circular else bins - 1
        return SmoothingTable(np.ascontiguousarray(self.position[:, : widest + 1]), self.frequency_scale)


class Refinement(Protocol):
    """A refinement step: its table may depend on the channel and on how many reports there are, and where."""

    def table(self, channel: WindowChannel, counts: Floats) -> SmoothingTable:
        """The weights of every round, for these reports."""
        ...


@dataclass(frozen=True)
class NoSmoothing:
    """EM itself: the M-step's output is taken as it is."""

    def table(self, channel: WindowChannel, counts: Floats) -> SmoothingTable:
        return SmoothingTable(np.ones((1, 1)), math.inf)


@dataclass(frozen=True)
class BinomialSmoothing:
    """EMS: half of a bin and a quarter of each neighbour."""

    def table(self, channel: WindowChannel, counts: Floats) -> SmoothingTable:
        return SmoothingTable(np.array([[1 / 2, 1 / 4]]), math.inf)


@dataclass(frozen=True)
class GaussianSmoothing:
    """EMAS with its weights fixed, as the convergence theorem supposes: a Gaussian in the distance, nothing else."""

    radius: int = 3
    sigma: float = 2 / 3

    def __post_init__(self) -> None:
        _check_radius(self.radius)
        _check_sigma("sigma", self.sigma)

    def table(self, channel: WindowChannel, counts: Floats) -> SmoothingTable:
        return SmoothingTable(_gaussian(self.radius, np.array([self.sigma])), math.inf)


@dataclass(frozen=True)
class AdaptiveSmoothing:
    """EMAS: neighbours count less the further they are and the more their frequency differs.

    The width in position, sigma_2, grows along a cosine from `sigma_min` to `sigma_max` over `period` rounds and
    starts again; with `restart=False` it comes back along the same cosine. Equal sigmas make it constant. The width
    in frequency, sigma_1, is the standard deviation that the Cramer-Rao bound leaves to an estimate
    (`frequency_deviation`).
    """

    radius: int = 3
    sigma_min: float = 1 / 3
    sigma_max: float = 1.0
    period: int = 50
    restart: bool = True

    def __post_init__(self) -> None:
        _check_radius(self.radius)
        _check_sigma("sigma_min", self.sigma_min)
        _check_sigma("sigma_max", self.sigma_max)
        if self.sigma_min > self.sigma_max:
            raise InputError(f"sigma_min must not exceed sigma_max, got {self.sigma_min:g} > {self.sigma_max:g}")
        if not is_whole(self.period) or self.period < 1:
            raise InputError(f"period must be a whole number of rounds, at least 1, got {self.period!r}")

    def sigmas(self) -> Floats:
        """sigma_2 in each round of a cycle, round 0 first."""
        if self.sigma_min == self.sigma_max:
            return np.array([self.sigma_min])
        # sigma_2(t) = sigma_min + (sigma_max - sigma_min) / 2 * (1 - cos(pi t / period)): there and back in 2 periods
        rounds = np.arange(self.period if self.restart else 2 * self.period)
        return self.sigma_min + (self.sigma_max - self.sigma_min) / 2 * (1 - np.cos(np.pi * rounds / self.period))

    def table(self, channel: WindowChannel, counts: Floats) -> SmoothingTable:
        return SmoothingTable(_gaussian(self.radius, self.sigmas()), frequency_deviation(channel, counts))


def frequency_deviation(channel: WindowChannel, counts: Floats) -> float:
    """sigma_1: the mean over bins of the least standard deviation of an estimate, near the uniform distribution."""
    # sigma_1 = mean_j (sum_i n_i m^2 M_ij^2 / (sum_s M_is)^2)^(-1/2): the inverse root of each bin's Fisher information
    seen = counts > 0
    expected = channel.forward(np.full(channel.cells, 1 / channel.cells))
    information = channel.squared.backward(np.divide(counts, expected**2, out=np.zeros(counts.size), where=seen))
    return float(np.mean(information**-0.5))


def _gaussian(radius: int, sigmas: Floats) -> Floats:
    # The factor 1 / (sigma sqrt(2 pi)) is the same for the whole window and leaves when the weights are divided by
    # their sum.
    return np.exp(-(np.arange(radius + 1) ** 2) / (2 * sigmas[:, None] ** 2))


def _check_radius(radius: int) -> None:
    if not is_whole(radius) or radius < 0:
        raise InputError(f"radius counts bins and must be a whole number, at least 0, got {radius!r}")


def _check_sigma(name: str, sigma: float) -> None:
    if not is_finite(sigma) or sigma <= 0:
        raise InputError(f"{name} is a width in bins and must be positive and finite, got {sigma!r}")
