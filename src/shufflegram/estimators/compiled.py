"""The EM loop, compiled. Nothing else in the package is, and nothing imports this file before the first estimate.

One round costs O(m + T): the channel's products are prefix sums over the arrays of `WindowChannel`, and the smoothing
weights, which are symmetric, are evaluated once for each pair of bins. Nothing is allocated inside the loop. The tests
compare it with dense matrices and `numpy.exp`.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

# Sums may be reordered and multiply-adds fused, so that the compiler may use vectors. Infinities and NaN keep their
# meaning.
FASTMATH = {"reassoc", "contract", "nsz"}


def _compile(signature: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile ahead for one signature; keep the machine code on disk where there is a place that can be written."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return numba.njit(signature, cache=True, nogil=True, fastmath=FASTMATH, error_model="numpy")(function)
        except (RuntimeError, OSError):
            # Neither beside this file nor in the user's cache folder may anything be written: compile for this process.
            return numba.njit(signature, nogil=True, fastmath=FASTMATH, error_model="numpy")(function)

    return decorate


@numba.njit(inline="always")
def _exp_of_minus(y: float) -> float:
    """exp(-y) for y >= 0, within 3e-14 of it; where y > 40 it stays at exp(-40), about 4e-18.

    Multiplications only, so that the loop around it becomes vector instructions: exp(-y) = exp(-y / 128)^128, where
    y / 128 <= 5/16 and the Taylor polynomial about the middle, 5/32, has a remainder below 1e-16.
    """
    u = 0.15625 - min(y, 40.0) * 0.0078125
    p = 1.0 + u * (1.0 / 10)
    p = 1.0 + u * p * (1.0 / 9)
    p = 1.0 + u * p * (1.0 / 8)
    p = 1.0 + u * p * (1.0 / 7)
    p = 1.0 + u * p * (1.0 / 6)
    p = 1.0 + u * p * (1.0 / 5)
    p = 1.0 + u * p * (1.0 / 4)
    p = 1.0 + u * p * (1.0 / 3)
    p = 1.0 + u * p * (1.0 / 2)
    p = 1.0 + u * p
    p *= 0.8553453273074225  # exp(-5/32)
    p *= p
    p *= p
    p *= p
    p *= p
    p *= p
    p *= p
    p *= p
    return p


@numba.njit(fastmath=FASTMATH, error_model="numpy")
def _expect(  # type: ignore[no-untyped-def]
    frequencies,
    shares,
    outside,
    rise,
    start,
    stop,
    wraps,
    partial_input,
    partial_report,
    partial_extra,
    steps,
    partial,
    ratio,
):
    """E-step: ratio_j = share_j / report_j, report_j = outside + rise * (f_i whose windows hold j) + partial extras."""
    steps[:] = 0.0
    covered = 0.0  # by the windows that cross from the last report cell to the first
    for i in range(frequencies.size):
        steps[start[i]] += frequencies[i]
        steps[stop[i]] -= frequencies[i]
        covered += wraps[i] * frequencies[i]
    if partial_extra.size:
        partial[:] = 0.0
        for e in range(partial_extra.size):
            partial[partial_report[e]] += partial_extra[e] * frequencies[partial_input[e]]
    for j in range(shares.size):
        covered += steps[j]
        steps[j] = covered
    for j in range(shares.size):
        # A cell without reports adds nothing, even where the model gives it no probability.
        ratio[j] = shares[j] / (outside + rise * steps[j] + partial[j]) if shares[j] > 0.0 else 0.0


@numba.njit(fastmath=FASTMATH, error_model="numpy")
def _maximise(  # type: ignore[no-untyped-def]
    frequencies,
    ratio,
    outside,
    rise,
    start,
    stop,
    wraps,
    partial_input,
    partial_report,
    partial_extra,
    running,
    updated,
):
    """M-step: updated_i = f_i * sum_j ratio_j M_ji, which sums to one as the shares do."""
    total = 0.0
    for j in range(ratio.size):
        total += ratio[j]
        running[j + 1] = total
    for i in range(frequencies.size):
        in_window = running[stop[i]] - running[start[i]] + wraps[i] * total
        updated[i] = outside * total + rise * in_window
    for e in range(partial_extra.size):
        updated[partial_input[e]] += partial_extra[e] * ratio[partial_report[e]]
    for i in range(frequencies.size):
        updated[i] *= frequencies[i]


@numba.njit(fastmath=FASTMATH, error_model="numpy")
def _merge(updated, group, group_size, sums):  # type: ignore[no-untyped-def]
    """Every bin takes the mean of its group."""
    sums[:] = 0.0
    for i in range(updated.size):
        sums[group[i]] += updated[i]
    for i in range(updated.size):
        updated[i] = sums[group[i]] / group_size[group[i]]


@numba.njit(fastmath=FASTMATH, error_model="numpy")
def _weigh(padded, bins, position, scale, circular, weight, flow):  # type: ignore[no-untyped-def]
    """Each pair of neighbouring bins is weighed once; what one gains from the pair (`flow`), the other loses."""
    radius = position.size - 1
    if circular:
        for d in range(radius):
            padded[d] = padded[bins + d]
            padded[radius + bins + d] = padded[radius + d]
    for d in range(1, radius + 1):
        pairs = bins if circular else bins - d
        near = position[d]
        if scale == 0.0:
            for i in range(pairs):
                weight[d, radius + i] = near
                flow[d, radius + i] = near * (padded[radius + i + d] - padded[radius + i])
        else:
            for i in range(pairs):
                difference = padded[radius + i + d] - padded[radius + i]
                scaled = scale * difference
                pair_weight = near * _exp_of_minus(scaled * scaled)
                weight[d, radius + i] = pair_weight
                flow[d, radius + i] = pair_weight * difference
        if circular:
            for i in range(d):
                weight[d, radius - d + i] = weight[d, radius + bins - d + i]
                flow[d, radius - d + i] = flow[d, radius + bins - d + i]


@numba.njit(fastmath=FASTMATH, error_model="numpy")
def _smooth(updated, position, weight, flow, refined, total_weight):  # type: ignore[no-untyped-def]
    """The weighted mean of each bin's neighbourhood, and the sum of all: f_i + sum of flows / sum of weights."""
    radius = position.size - 1
    for i in range(updated.size):
        refined[i] = 0.0
        total_weight[i] = position[0]
    for d in range(1, radius + 1):
        for i in range(updated.size):
            refined[i] += flow[d, radius + i] - flow[d, radius - d + i]
            total_weight[i] += weight[d, radius + i] + weight[d, radius - d + i]
    total = 0.0
    for i in range(updated.size):
        refined[i] = updated[i] + refined[i] / total_weight[i]
        total += refined[i]
    return total


# frequencies (read as the start, written as the result), shares, outside, rise, start, stop, wraps, partial_input,
# partial_report, partial_extra, group, group_size, position, frequency_scale, circular, rounds, tolerance
SIGNATURE = (
    "Tuple((int64, float64))(float64[::1], float64[::1], float64, float64, int64[::1], int64[::1], float64[::1], "
    "int64[::1], int64[::1], float64[::1], int64[::1], float64[::1], float64[:, ::1], float64, boolean, int64, float64)"
)


@_compile(SIGNATURE)
def run_rounds(  # type: ignore[no-untyped-def]
    frequencies,
    shares,
    outside,
    rise,
    start,
    stop,
    wraps,
    partial_input,
    partial_report,
    partial_extra,
    group,
    group_size,
    position,
    frequency_scale,
    circular,
    rounds,
    tolerance,
):
    """Rounds of E-step, M-step and refinement until the L1 change is below `tolerance`: (rounds done, last change).

    `shares` are the counts divided by their sum. `stop` is folded into 0 .. T and `wraps` is 1.0 where it was.
    `group` is empty, or gives each bin a group whose members share their mean after every M-step.
    """
    bins = frequencies.size
    cells = shares.size
    radius = position.shape[1] - 1
    # (f_i - f_j)^2 / (2 sigma_1^2) = (scale (f_i - f_j))^2; an infinite sigma_1 makes the scale zero
    scale = 1.0 / (frequency_scale * np.sqrt(2.0))

    steps, partial = np.empty(cells + 1), np.zeros(cells)
    ratio, running = np.empty(cells), np.zeros(cells + 1)
    sums = np.zeros(group_size.size)
    # `radius` places of margin on either side hold the neighbours across the cut of a circle; on a line, zero weights.
    padded = np.zeros(bins + 2 * radius)
    updated = padded[radius : radius + bins]
    weight = np.zeros((radius + 1, bins + radius))
    flow = np.zeros((radius + 1, bins + radius))
    refined, total_weight = np.empty(bins), np.empty(bins)

    change = np.inf
    done = 0
    while done < rounds:
        near = position[done % position.shape[0]]
        done += 1
        _expect(
            frequencies, shares, outside, rise, start, stop, wraps, partial_input, partial_report, partial_extra,
            steps, partial, ratio,
        )  # fmt: skip
        _maximise(
            frequencies, ratio, outside, rise, start, stop, wraps, partial_input, partial_report, partial_extra,
            running, updated,
        )  # fmt: skip
        if group.size:
            _merge(updated, group, group_size, sums)
        _weigh(padded, bins, near, scale, circular, weight, flow)
        normalise = 1.0 / _smooth(updated, near, weight, flow, refined, total_weight)
        # f^{t+1} = refined / sum(refined), and how far it is from f^t
        change = 0.0
        for i in range(bins):
            new = refined[i] * normalise
            change += abs(new - frequencies[i])
            frequencies[i] = new
        if change < tolerance:
            break
    return done, change
