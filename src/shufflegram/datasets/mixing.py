"""An order of users that says nothing of them and is the same everywhere."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def in_mixed_order(values: NDArray[Any]) -> NDArray[Any]:
    """The same entries or rows, mixed and read-only."""
    mixed: NDArray[Any] = values[np.argsort(_mixing_keys(values.shape[0]))]
    mixed.setflags(write=False)
    return mixed


def _mixing_keys(size: int) -> NDArray[np.uint64]:
    """Distinct numbers without visible order: SplitMix64, as NumPy's own streams may change with its version."""
    state = (np.arange(size, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))
