"""Norm-Sub: the nearest distribution to an estimate that has negative entries or a sum other than one."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError

Floats = NDArray[np.float64]


def norm_sub(estimate: ArrayLike) -> Floats:
    """max(estimate - shift, 0) with the one shift that makes the sum one.

    It is where the rule "set negative entries to zero, shift the others evenly until the sum is one, repeat" ends,
    and also the Euclidean projection onto the distributions.
    """
    values = np.array(estimate, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.all(np.isfinite(values)):
        raise InputError(f"an estimate must be a flat list of finite numbers, got shape {values.shape}")
    # With the r largest entries kept, shift_r = (their sum - 1) / r. Those kept are the ones above their own shift.
    descending = np.sort(values)[::-1]
    shifts = (np.cumsum(descending) - 1) / np.arange(1, values.size + 1)
    kept = np.flatnonzero(descending > shifts)[-1]
    projected: Floats = np.maximum(values - shifts[kept], 0.0)
    return projected
