"""How much a report tells of a value, in nats: the paper's objective, an older bound, and the exact value.

The paper derives its objective as a bound on the mutual information for every input. It is one for a uniform input,
but not for others: where values pile up at both ends, reports can tell more.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..channel import square_wave_channel
from ..errors import ValuesError
from ..mechanism import ContinuousSquareWave, SquareWave

Floats = NDArray[np.float64]


def paper_bound(b: float, k: float) -> float:
    """I_u, the paper's objective as printed: for a uniform input, with the output's ramps replaced by their mean."""
    q = 1 / (2 * b * k + 1)
    p = k * q
    # h_u = -2 (qb + (p-q) b^2 / 2) log(q + (p-q) b / 2) - (1 - (p-q) b^2 - 2qb) log(1 - (p-q) b^2 - 2qb)
    ramp = q * b + (p - q) * b * b / 2
    middle = 1 - (p - q) * b * b - 2 * q * b
    output_entropy = -2 * ramp * np.log(q + (p - q) * b / 2) - middle * np.log(middle)
    # I_u = h_u + 2bp log p + q log q
    return float(output_entropy + 2 * b * p * np.log(p) + q * np.log(q))


def prior_bound(b: float, k: float) -> float:
    """The bound that SW uses, which holds for every input: as if the output were uniform on [-b, 1 + b]."""
    q = 1 / (2 * b * k + 1)
    p = k * q
    return float(np.log1p(2 * b) + 2 * b * p * np.log(p) + q * np.log(q))


def mutual_information(mechanism: SquareWave | ContinuousSquareWave, histogram: ArrayLike | None = None) -> float:
    """The exact mutual information of a value and its report.

    Values follow the histogram, by default the uniform one; for the continuous wave they are spread evenly within bins.
    """
    if isinstance(mechanism, SquareWave):
        return _discrete(mechanism, _frequencies(histogram, mechanism.cells))
    return _continuous(mechanism, _frequencies(histogram, 1))


def _discrete(mechanism: SquareWave, frequencies: Floats) -> float:
    if frequencies.size != mechanism.cells:
        raise ValuesError(f"the histogram must have {mechanism.cells} cells like the mechanism, got {frequencies.size}")
    p = mechanism.inside_weight / mechanism.total_weight
    q = mechanism.outside_weight / mechanism.total_weight
    w, total = mechanism.window, mechanism.report_cells
    reports = square_wave_channel(mechanism).forward(frequencies)
    # I = h(report) - h(report | value), and the latter is the same for every value. Relative to the uniform report
    # distribution both become small differences, which keeps their difference accurate:
    # I = sum_j p_j phi_value - sum_j r_j log(T r_j)
    given_value = w * p * np.log(total * p) + (total - w) * q * np.log(total * q)
    return float(given_value - reports @ np.log(total * reports))


def _continuous(mechanism: ContinuousSquareWave, frequencies: Floats) -> float:
    b, p, q = (float(x) for x in (mechanism.half_width, mechanism.inside_density, mechanism.outside_density))
    cells = frequencies.size
    # The output density is q + (p - q)(F(y + b) - F(y - b)) with a piecewise linear F: linear between these points.
    edges = np.linspace(0.0, 1.0, cells + 1)
    points = np.unique(np.concatenate((edges - b, edges + b, [-b, 1 + b])))
    cumulative = np.concatenate(([0.0], np.cumsum(frequencies)))

    def share_below(y: Floats) -> Floats:
        return np.interp(y, edges, cumulative)

    density = q + (p - q) * (share_below(points + b) - share_below(points - b))
    entropy = -float(np.sum(_integral_of_x_log_x(density[:-1], density[1:], np.diff(points))))
    return entropy + 2 * b * p * float(np.log(p)) + q * float(np.log(q))


def _integral_of_x_log_x(left: Floats, right: Floats, length: Floats) -> Floats:
    """The integral of g log g over an interval on which g runs straight from left to right."""
    # An antiderivative of g log g in g is g^2/2 log g - g^2/4; where g hardly changes, Simpson's rule is exact enough.
    steep = np.abs(right - left) > 1e-4 * np.maximum(left, right)
    middle = (left + right) / 2
    flat = length * (left * np.log(left) + 4 * middle * np.log(middle) + right * np.log(right)) / 6

    def antiderivative(g: Floats) -> Floats:
        return g * g / 2 * np.log(g) - g * g / 4

    rise = np.where(steep, right - left, 1.0)
    integral: Floats = np.where(steep, length * (antiderivative(right) - antiderivative(left)) / rise, flat)
    return integral


def _frequencies(histogram: ArrayLike | None, cells: int) -> Floats:
    if histogram is None:
        return np.full(cells, 1 / cells)
    weights = np.asarray(histogram, dtype=np.float64)
    if (
        weights.ndim != 1
        or weights.size < 2
        or not np.all(np.isfinite(weights))
        or np.any(weights < 0)
        or weights.sum() <= 0
    ):
        raise ValuesError("a histogram must be a flat list of numbers, none negative, not all zero")
    shares: Floats = weights / weights.sum()
    return shares
