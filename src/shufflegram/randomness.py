"""Where random numbers come from.

`SecureSource` reads the operating system's generator and is the default wherever a real value is randomized or a real
batch shuffled. `SeededSource` can be repeated and therefore protects nobody: it is for simulations and tests, and a
caller has to write its name to get it. Its `generator` is NumPy's, for code that only ever simulates.
"""

import os
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .checks import is_whole
from .errors import InputError

Integers = NDArray[np.int64]


class Source(Protocol):
    """Uniform integers, and orders that are uniform among all orders."""

    def integers_below(self, bound: int, size: int) -> Integers:
        """`size` independent integers, uniform on 0 .. bound - 1."""
        ...

    def order(self, size: int) -> NDArray[np.intp]:
        """A uniformly random permutation of 0 .. size - 1."""
        ...


class SecureSource:
    """The operating system's cryptographic generator. It has no seed and cannot be repeated."""

    def integers_below(self, bound: int, size: int) -> Integers:
        _check(bound)
        # Keep the lowest bits that can hold bound - 1, and draw again what is not below the bound: no modulo, no bias.
        mask = np.uint64((1 << (bound - 1).bit_length()) - 1)
        drawn = np.empty(size, dtype=np.int64)
        missing = np.arange(size)
        while missing.size:
            candidates = (_secure_words(missing.size) & mask).astype(np.int64)
            drawn[missing] = candidates
            missing = missing[candidates >= bound]
        return drawn

    def order(self, size: int) -> NDArray[np.intp]:
        # Sorting distinct random keys gives every order the same chance; with a tie it would not, so draw again.
        while True:
            keys = _secure_words(size)
            order = np.argsort(keys)
            in_order = keys[order]
            if not np.any(in_order[1:] == in_order[:-1]):
                return order


SECURE_SOURCE = SecureSource()


class SeededSource:
    """A repeatable source, for simulation and tests only: whoever knows the seed can undo the randomization."""

    def __init__(self, simulation_seed: int) -> None:
        if not is_whole(simulation_seed) or simulation_seed < 0:
            raise InputError(f"a seed must be a whole number, at least 0, got {simulation_seed!r}")
        self.generator = np.random.default_rng(simulation_seed)

    def integers_below(self, bound: int, size: int) -> Integers:
        _check(bound)
        return self.generator.integers(0, bound, size=size, dtype=np.int64)

    def order(self, size: int) -> NDArray[np.intp]:
        return self.generator.permutation(size)


def _check(bound: int) -> None:
    if not 0 < bound <= 2**62:
        raise InputError(f"bound must be in 1 .. 2**62, got {bound}")


def _secure_words(size: int) -> NDArray[np.uint64]:
    return np.frombuffer(os.urandom(8 * size), dtype=np.uint64)
