"""Flip's and Pure's devices against their law, and the tally of a whole crowd against the long way round."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from shufflegram.domain import Domain
from shufflegram.errors import MechanismError, ReportError
from shufflegram.mechanism import Flip, Pure
from shufflegram.privacy.budget import Budget
from shufflegram.protocols import build
from shufflegram.randomizers import FlipRandomizer, PureRandomizer, simulate_flip_tally, simulate_pure_tally
from shufflegram.randomizers.chunks import chunk_histogram, chunk_of, spread_over_bins
from shufflegram.randomness import SecureSource, SeededSource

from .audit import findings, sum_findings

Integers = NDArray[np.int64]

FLIP, PURE = Flip(4, 2, Fraction(2, 7)), Pure(5, 3)


def vectors_of(randomizer: FlipRandomizer, value: float, users: int, seed: int) -> Integers:
    """Shape (users, messages, chunks)."""
    drawn = randomizer.randomize(np.full(users, value), SeededSource(simulation_seed=seed))
    return drawn.reshape(users, randomizer.mechanism.messages, randomizer.mechanism.chunks)


def flip_findings(vectors: Integers, true_chunk: int) -> list[str]:
    """Each of the user's vectors, as one outcome of 2^c, against its law."""
    q, chunks = FLIP.flip_probability, FLIP.chunks
    found = []
    for place in range(FLIP.messages):
        started = [int(place == 0 and j == true_chunk) for j in range(chunks)]
        law = []
        for bits in product((0, 1), repeat=chunks):
            chance = Fraction(1)
            for bit, start in zip(bits, started, strict=True):
                chance *= 1 - q if bit == start else q
            law.append(chance)
        number = vectors[:, place] @ (1 << np.arange(chunks)[::-1])
        found += findings(np.bincount(number, minlength=2**chunks), law)
    return found


@pytest.mark.parametrize("true_chunk", [0, 2, 3])
def test_flips_vectors_follow_their_law(true_chunk: int) -> None:
    randomizer = FlipRandomizer(Domain(0, 8, 8), FLIP)
    vectors = vectors_of(randomizer, 2 * true_chunk + 1, 100_000, 1)
    assert flip_findings(vectors, true_chunk) == []
    # planted: ones are never flipped, the pitfall of encoders that perturb one of the two bit values only
    one_sided = vectors.copy()
    one_sided[:, 0, true_chunk] = 1
    assert flip_findings(one_sided, true_chunk)
    # planted: the vector of the neighbouring chunk
    assert flip_findings(np.roll(vectors, 1, axis=2), true_chunk)


@pytest.mark.parametrize("true_chunk", [0, 4])
def test_pures_points_follow_their_law(true_chunk: int) -> None:
    randomizer = PureRandomizer(Domain(0, 10, 10), PURE)
    points = randomizer.randomize(np.full(100_000, 2 * true_chunk + 0.5), SeededSource(simulation_seed=2))
    by_user = points.reshape(-1, PURE.messages)
    assert (by_user[:, 0] == true_chunk).all()
    for place in range(1, PURE.messages):
        assert findings(np.bincount(by_user[:, place], minlength=5), [Fraction(1, 5)] * 5) == []
    # planted: dummies that are never the user's own chunk
    others = by_user[:, 1][by_user[:, 1] != true_chunk]
    assert findings(np.bincount(others, minlength=5), [Fraction(1, 5)] * 5)


def test_devices_draw_from_the_secure_source_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = SecureSource.integers_below

    def integers_below(self: SecureSource, bound: int, size: int) -> Integers:
        asked.append(bound)
        return real(self, bound, size)

    monkeypatch.setattr(SecureSource, "integers_below", integers_below)
    assert FlipRandomizer(Domain(0, 8, 8), FLIP).randomize([1.0, 2.0]).shape == (6, 4)
    assert PureRandomizer(Domain(0, 10, 10), PURE).randomize([1.0, 2.0]).shape == (8,)
    assert asked == [7, 5]


def pure_the_long_way(histogram: Integers, generator: np.random.Generator) -> Integers:
    values = np.repeat(np.arange(5), histogram) + 0.5
    source = SeededSource(int(generator.integers(2**62)))
    return np.bincount(PureRandomizer(Domain(0, 5, 5), PURE).randomize(values, source), minlength=5)


def flip_the_long_way(histogram: Integers, generator: np.random.Generator) -> Integers:
    values = np.repeat(np.arange(4), histogram) + 0.5
    source = SeededSource(int(generator.integers(2**62)))
    counted: Integers = FlipRandomizer(Domain(0, 4, 4), FLIP).randomize(values, source).sum(axis=0)
    return counted


def poisson_like(histogram: Integers, generator: np.random.Generator) -> Integers:
    """Planted: every chunk gets its own number of dummies, so that they do not add up."""
    return histogram + generator.binomial(int(histogram.sum()) * PURE.dummies, 1 / 5, size=5)


def tally_pmf(chances: list[Fraction]) -> NDArray[np.float64]:
    """The law of a sum of independent coins."""
    pmf = np.array([1.0])
    for chance in chances:
        pmf = np.convolve(pmf, [1 - float(chance), float(chance)])
    return pmf


@pytest.mark.parametrize("simulate", [lambda h, g: simulate_pure_tally(PURE, h, g), pure_the_long_way, poisson_like])
def test_pures_tallies_have_the_law_of_the_long_way(
    simulate: Callable[[Integers, np.random.Generator], Integers],
) -> None:
    histogram, generator = np.array([3, 0, 5, 1, 0]), np.random.default_rng(4)
    tallies = np.array([simulate(histogram, generator) for _ in range(4_000)])
    found = [] if (tallies.sum(axis=1) == 9 * PURE.messages).all() else ["messages are lost"]
    for chunks in ([0], [1], [0, 2], [1, 3, 4]):
        own = int(histogram[chunks].sum())
        # (room for sums that cannot be, which only the planted one has)
        possible = tally_pmf([Fraction(len(chunks), 5)] * (9 * PURE.dummies))
        pmf = np.concatenate((np.zeros(own), possible, np.zeros(60)))
        found += sum_findings(tallies[:, chunks].sum(axis=1), pmf)
    assert bool(found) == (simulate is poisson_like)


@pytest.mark.parametrize("simulate", [lambda h, g: simulate_flip_tally(FLIP, h, g), flip_the_long_way])
def test_flips_tallies_have_the_law_of_the_long_way(
    simulate: Callable[[Integers, np.random.Generator], Integers],
) -> None:
    histogram, generator, q = np.array([3, 0, 5, 1]), np.random.default_rng(5), FLIP.flip_probability
    tallies = np.array([simulate(histogram, generator) for _ in range(4_000)])
    for chunks in ([0], [1], [0, 2], [1, 3]):
        ones = int(histogram[chunks].sum())
        zeros = 9 * FLIP.messages * len(chunks) - ones
        assert sum_findings(tallies[:, chunks].sum(axis=1), tally_pmf([1 - q] * ones + [q] * zeros)) == []
        # planted: as if every vector were a dummy
        assert ones < 3 or sum_findings(tallies[:, chunks].sum(axis=1), tally_pmf([q] * (ones + zeros)))


@pytest.mark.parametrize("name", ["pure-64", "flip-64"])
def test_a_crowd_of_any_size_takes_no_memory(name: str) -> None:
    # 10^12 users: a count for each of them, or for each message, would not fit anywhere
    protocol = build(name, Domain(0, 1, 64), Budget(0.5, 1e-6, 20_000))
    histogram = np.full(64, 10**12 // 64)
    tally = protocol.simulate(histogram, simulation_seed=1)
    assert tally.reports == histogram.sum() * protocol.messages_per_user
    estimate = protocol.analyzer.estimate(tally)
    assert estimate.users == histogram.sum()
    assert np.abs(estimate.frequencies - 1 / 64).max() < 1e-4


def test_chunks_of_bins_by_hand() -> None:
    assert chunk_of(np.arange(8), 8, 4).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    # bins that chunks do not divide evenly
    assert chunk_of(np.arange(5), 5, 3).tolist() == [0, 0, 1, 1, 2]
    assert chunk_histogram([1, 2, 3, 4, 5], 3).tolist() == [3, 7, 5]
    assert spread_over_bins(np.array([0.4, 0.2, 0.4]), 5).tolist() == [0.2, 0.2, 0.1, 0.1, 0.4]
    with pytest.raises(MechanismError, match="4 chunks need at least as many bins"):
        FlipRandomizer(Domain(0, 1, 3), FLIP)


def test_messages_of_half_a_user_are_refused() -> None:
    analyzer = build("pure-16", Domain(0, 1, 16), Budget(0.1, 1e-6, 20_000)).analyzer
    with pytest.raises(ReportError, match="are not those of whole users"):
        analyzer.estimate(analyzer.tally([3]))
    flip = build("flip-16", Domain(0, 1, 16), Budget(0.1, 1e-6, 20_000)).analyzer
    for bad in ([[2] * 16], [[0] * 15], [0] * 16, [[0.5] * 16], [[0], [0, 1]]):
        with pytest.raises(ReportError):
            flip.tally(np.array(bad) if len({np.size(row) for row in bad}) == 1 else bad)


def test_each_of_a_users_vectors_is_flipped_on_its_own() -> None:
    vectors = vectors_of(FlipRandomizer(Domain(0, 4, 4), FLIP), 0.5, 50_000, 3)
    pairs = Counter(zip(vectors[:, 1, 0].tolist(), vectors[:, 2, 0].tolist(), strict=True))
    q = FLIP.flip_probability
    law = [(1 - q) ** 2, q * (1 - q), q * (1 - q), q * q]
    assert findings([pairs[first, second] for first, second in product((0, 1), repeat=2)], law) == []
