"""Channels, truths and tallies that several tests share."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shufflegram.channel import WindowChannel, continuous_square_wave_channel, square_wave_channel
from shufflegram.mechanism import ContinuousSquareWave, SquareWave

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """A channel, and the tally of a crowd that came through it."""

    channel: WindowChannel
    counts: Floats
    circular: bool


def smooth_truth(bins: int, center: float = 0.45, width: float = 0.15) -> Floats:
    position = (np.arange(bins) + 0.5) / bins
    density: Floats = np.exp(-(((position - center) / width) ** 2) / 2)
    density /= density.sum()
    return density


def spiky_truth(bins: int, seed: int = 7) -> Floats:
    return np.random.default_rng(seed).dirichlet(np.full(bins, 0.3))


def tally(channel: WindowChannel, truth: Floats, users: int, seed: int) -> Floats:
    return np.random.default_rng(seed).multinomial(users, channel.forward(truth)).astype(np.float64)


def discrete(
    bins: int, half_width: int, ratio: int, circular: bool, *, users: int = 100_000, spiky: bool = False, seed: int = 1
) -> Setting:
    channel = square_wave_channel(SquareWave(bins, half_width, Fraction(ratio), circular))
    truth = spiky_truth(bins) if spiky else smooth_truth(bins)
    return Setting(channel, tally(channel, truth, users, seed), circular)


def continuous(bins: int, report_cells: int, half_width: Fraction, ratio: int, *, users: int = 100_000) -> Setting:
    mechanism = ContinuousSquareWave(half_width, Fraction(ratio))
    channel = continuous_square_wave_channel(mechanism, bins, report_cells)
    return Setting(channel, tally(channel, smooth_truth(bins), users, 2), False)


SETTINGS = {
    "line": discrete(64, 8, 3, False),
    "line, spiky": discrete(50, 4, 30, False, spiky=True),
    "line, no window": discrete(48, 0, 300, False, spiky=True),
    "line, few users": discrete(40, 3, 5, False, users=60),
    "circle": discrete(60, 7, 4, True),
    "circle, no window": discrete(32, 0, 50, True, spiky=True),
    "circle, tiny": discrete(6, 1, 4, True, users=500),
    "line, two bins": discrete(2, 0, 4, False, users=500),
    "continuous": continuous(64, 64, Fraction(215, 1000), 2),
    "continuous, narrow": continuous(40, 56, Fraction(1, 50), 40),
}
