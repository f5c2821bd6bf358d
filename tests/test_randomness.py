"""Sources of randomness: bounds, uniform integers, uniform orders. Chance tests by the audit, which counts them."""

import itertools
import os
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shufflegram.errors import InputError
from shufflegram.randomness import SecureSource, SeededSource, Source

from .statistical.audit import findings

SOURCES = [SecureSource(), SeededSource(simulation_seed=11)]


def label(source: Source) -> str:
    return type(source).__name__


@pytest.mark.parametrize("source", SOURCES, ids=label)
@pytest.mark.parametrize("bound", [1, 2, 3, 255, 256, 257, 2**32, 2**32 + 1, 2**53, 2**62 - 1, 2**62])
def test_integers_are_below_their_bound(source: Source, bound: int) -> None:
    drawn = source.integers_below(bound, 1_000)
    assert drawn.dtype == np.int64
    assert drawn.shape == (1_000,)
    assert drawn.min() >= 0
    assert drawn.max() < bound
    assert source.integers_below(bound, 0).shape == (0,)


@pytest.mark.parametrize("source", SOURCES, ids=label)
@pytest.mark.parametrize("bound", [0, -1, 2**62 + 1, 2**64])
def test_bounds_that_cannot_be(source: Source, bound: int) -> None:
    with pytest.raises(InputError, match="bound must be in 1"):
        source.integers_below(bound, 5)


@pytest.mark.parametrize("source", SOURCES, ids=label)
@pytest.mark.parametrize("bound", [2, 3, 5, 7, 8, 9, 17, 100, 129])
def test_small_integers_are_uniform(source: Source, bound: int) -> None:
    # Bounds just above a power of two are rejected most often, and a modulo would show there most.
    counts = np.bincount(source.integers_below(bound, 300_000), minlength=bound)
    assert findings(counts, [1 / bound] * bound) == []


@pytest.mark.parametrize("source", SOURCES, ids=label)
@pytest.mark.parametrize("bound", [2**31 + 1, 2**32 + 1, 2**40 + 1, 2**61 + 1, 3 * 2**60])
def test_large_integers_are_uniform_in_their_high_and_low_parts(source: Source, bound: int) -> None:
    drawn = source.integers_below(bound, 300_000)
    # 48 equal stretches of the whole range; the exact share of each is known
    edges = [bound * stretch // 48 for stretch in range(49)]
    counts = np.histogram(drawn, bins=np.array(edges, dtype=np.int64))[0]
    assert findings(counts, [(high - low) / bound for low, high in itertools.pairwise(edges)]) == []
    # the last six bits: all but equally frequent, to one part in 2**25 at least
    assert findings(np.bincount(drawn % 64, minlength=64), [1 / 64] * 64) == []


def test_a_modulo_would_be_found() -> None:
    generator = np.random.default_rng(1)
    words = generator.integers(0, 2**8, size=300_000)
    assert findings(np.bincount(words % 129, minlength=129), [1 / 129] * 129)
    folded = generator.integers(0, 2**62, size=300_000) % (3 * 2**60)
    assert findings(np.bincount(folded // 2**60, minlength=3), [1 / 3] * 3)


@pytest.mark.parametrize("source", SOURCES, ids=label)
def test_every_order_of_three_is_as_likely(source: Source) -> None:
    orders = {order: position for position, order in enumerate(itertools.permutations(range(3)))}
    counts = np.zeros(6, dtype=np.int64)
    for _ in range(20_000):
        counts[orders[tuple(source.order(3).tolist())]] += 1
    assert findings(counts, [1 / 6] * 6) == []
    # a shuffle that swaps every place with any place has 27 paths to 6 orders, and is found
    generator = np.random.default_rng(3)
    naive = np.zeros(6, dtype=np.int64)
    for _ in range(20_000):
        order = [0, 1, 2]
        for place, other in enumerate(generator.integers(0, 3, size=3).tolist()):
            order[place], order[other] = order[other], order[place]
        naive[orders[tuple(order)]] += 1
    assert findings(naive, [1 / 6] * 6)


@pytest.mark.parametrize("source", SOURCES, ids=label)
@pytest.mark.parametrize("size", [0, 1, 2, 100_000])
def test_an_order_is_a_permutation(source: Source, size: int) -> None:
    assert np.sort(source.order(size)).tolist() == list(range(size))


def test_an_order_with_tied_keys_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tied = np.array([5, 1, 5], dtype=np.uint64).tobytes()
    distinct = np.array([5, 1, 3], dtype=np.uint64).tobytes()
    answers = [tied, tied, distinct]
    monkeypatch.setattr(os, "urandom", lambda size: answers.pop(0))
    assert SecureSource().order(3).tolist() == [1, 2, 0]
    assert answers == []


def test_what_is_not_below_the_bound_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def words(*entries: int) -> bytes:
        return np.array(entries, dtype=np.uint64).tobytes()

    # bound 5 keeps three bits: 7 and 6 go back, and only for the places where they came up; higher bits are ignored
    answers = [words(7, 4, 6, 8 + 2), words(5, 3), words(2**63 + 1)]
    monkeypatch.setattr(os, "urandom", lambda size: answers.pop(0))
    assert SecureSource().integers_below(5, 4).tolist() == [1, 4, 3, 2]
    assert answers == []


def test_a_seed_repeats_and_another_does_not() -> None:
    def draw(seed: int) -> NDArray[np.int64]:
        source = SeededSource(simulation_seed=seed)
        return np.concatenate((source.integers_below(1_000, 50), source.order(50)))

    assert (draw(1) == draw(1)).all()
    assert (draw(1) != draw(2)).any()


def test_the_secure_source_does_not_repeat_and_ignores_numpy_seeds() -> None:
    # equal with probability 2**-6200
    first, second = (SecureSource().integers_below(2**62, 100) for _ in range(2))
    assert (first != second).any()


@pytest.mark.parametrize("seed", [-1, 1.5, "1", None, True])
def test_seeds_that_are_none(seed: Any) -> None:
    with pytest.raises(InputError, match="a seed must be a whole number"):
        SeededSource(simulation_seed=seed)


def test_numpy_counts_as_a_seed() -> None:
    seed: Any = np.int64(5)
    assert (SeededSource(seed).order(9) == SeededSource(5).order(9)).all()
