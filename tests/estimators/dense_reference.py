"""The estimators written the obvious way: dense matrices, one loop, `numpy.exp`. The fast path must agree."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shufflegram.estimators.smoothing import SmoothingTable

Floats = NDArray[np.float64]


def em_step(matrix: Floats, counts: Floats, frequencies: Floats) -> Floats:
    """E-step and M-step."""
    expected: Floats = frequencies * (matrix.T @ (counts / (matrix @ frequencies)))
    expected /= expected.sum()
    return expected


def em(matrix: Floats, counts: Floats, rounds: int) -> Floats:
    frequencies = np.full(matrix.shape[1], 1 / matrix.shape[1])
    for _ in range(rounds):
        frequencies = em_step(matrix, counts, frequencies)
    return frequencies


def smooth(frequencies: Floats, table: SmoothingTable, round_number: int, circular: bool = False) -> Floats:
    """One refinement step: the mean over each bin's window, with the weights of that round."""
    bins = frequencies.size
    fitted = table.fitted(bins, circular)
    position = fitted.position[round_number % len(fitted.position)]
    weighted: Floats = position[0] * frequencies
    weights: Floats = np.full(bins, position[0])
    for distance in range(1, fitted.radius + 1):
        for step in (-distance, distance):
            neighbours = np.roll(frequencies, -step)
            there = circular | ((np.arange(bins) + step >= 0) & (np.arange(bins) + step < bins))
            difference = (frequencies - neighbours) / fitted.frequency_scale
            weight = there * position[distance] * np.exp(-(difference**2) / 2)
            weighted += weight * neighbours
            weights += weight
    smoothed: Floats = weighted / weights
    return smoothed


def distances(bins: int, circular: bool) -> NDArray[np.int64]:
    """How many bins apart each two bins are."""
    apart: NDArray[np.int64] = np.abs(np.arange(bins)[:, None] - np.arange(bins))
    if circular:
        apart = np.minimum(apart, bins - apart)
    return apart


def ems(matrix: Floats, counts: Floats, rounds: int, circular: bool = False) -> Floats:
    bins = matrix.shape[1]
    apart = distances(bins, circular)
    weights = np.where(apart == 0, 1 / 2, np.where(apart == 1, 1 / 4, 0.0))
    weights /= weights.sum(axis=1, keepdims=True)
    frequencies = np.full(bins, 1 / bins)
    for _ in range(rounds):
        frequencies = weights @ em_step(matrix, counts, frequencies)
        frequencies /= frequencies.sum()
    return frequencies


def sigma_1(matrix: Floats, counts: Floats) -> float:
    bins = matrix.shape[1]
    information = (counts * bins**2 / matrix.sum(axis=1) ** 2) @ matrix**2
    return float(np.mean(information**-0.5))


def emas(
    matrix: Floats, counts: Floats, rounds: int, circular: bool = False, radius: int = 3, restart: bool = True
) -> Floats:
    bins = matrix.shape[1]
    scale = sigma_1(matrix, counts)
    window = distances(bins, circular) <= radius
    apart = distances(bins, circular)
    frequencies = np.full(bins, 1 / bins)
    for round_number in range(rounds):
        t = round_number % 50 if restart else round_number
        sigma_2 = 1 / 3 + 1 / 3 * (1 - np.cos(np.pi * t / 50))
        updated = em_step(matrix, counts, frequencies)
        difference = updated[:, None] - updated
        weights = window * np.exp(-(difference**2) / (2 * scale**2)) * np.exp(-(apart**2) / (2 * sigma_2**2))
        weights /= weights.sum(axis=1, keepdims=True)
        frequencies = weights @ updated
        frequencies /= frequencies.sum()
    return frequencies


def emas_banded(matrix: Floats, counts: Floats, rounds: int, radius: int = 3) -> Floats:
    """EMAS on a line, dense but for the weights outside the window: the reference that speed is measured by."""
    bins = matrix.shape[1]
    scale = sigma_1(matrix, counts)
    offsets = np.arange(-radius, radius + 1)
    neighbours = np.arange(bins)[:, None] + offsets
    inside = (neighbours >= 0) & (neighbours < bins)
    neighbours = np.clip(neighbours, 0, bins - 1)
    frequencies = np.full(bins, 1 / bins)
    for round_number in range(rounds):
        sigma_2 = 1 / 3 + 1 / 3 * (1 - np.cos(np.pi * (round_number % 50) / 50))
        updated = em_step(matrix, counts, frequencies)
        nearby = updated[neighbours]
        exponent = (updated[:, None] - nearby) ** 2 / (2 * scale**2) + offsets**2 / (2 * sigma_2**2)
        weights = inside * np.exp(-exponent)
        frequencies = (weights * nearby).sum(axis=1) / weights.sum(axis=1)
        frequencies /= frequencies.sum()
    return frequencies


def mixture_reduction(matrix: Floats, counts: Floats, stages: int, rounds: int, circular: bool = False) -> Floats:
    """EM with merging: groups are lists of bins, and every stage ends with one pass of merges."""
    bins = matrix.shape[1]
    low = min(sigma_1(matrix, counts) / 2, 1 / bins)
    groups: list[list[int]] = [[i] for i in range(bins)]
    frequencies = np.full(bins, 1 / bins)
    for _ in range(stages):
        for _ in range(rounds):
            frequencies = em_step(matrix, counts, frequencies)
            for group in groups:
                frequencies[group] = frequencies[group].mean()
        groups = merge_pass(groups, frequencies, low, circular)
    return frequencies


def merge_pass(groups: list[list[int]], frequencies: Floats, low: float, circular: bool) -> list[list[int]]:
    """Pairs of neighbouring groups that are both low, from the low end to the high, each in one pair at most."""
    means = [frequencies[group].mean() for group in groups]
    pairs = [(g, g + 1) for g in range(len(groups) - 1)]
    if circular and len(groups) > 2:
        pairs.append((len(groups) - 1, 0))
    taken: set[int] = set()
    merged = [list(group) for group in groups]
    for first, second in pairs:
        if means[first] < low and means[second] < low and not {first, second} & taken:
            taken |= {first, second}
            keep, drop = min(first, second), max(first, second)
            merged[keep], merged[drop] = merged[keep] + merged[drop], []
    return [group for group in merged if group]


def norm_sub(estimate: Any) -> Floats:
    """Negative entries to zero, the others shifted evenly until the sum is one, again and again."""
    values = np.array(estimate, dtype=np.float64)
    alive = np.ones(values.size, dtype=bool)
    while True:
        values[alive] += (1 - values[alive].sum()) / alive.sum()
        negative = alive & (values <= 0)
        if not negative.any():
            return values
        values[negative] = 0.0
        alive &= ~negative
