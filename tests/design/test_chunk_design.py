"""How many dummies Flip and Pure send: as published, at their own limits, and what messages buy."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import shufflegram as sg
import shufflegram.privacy as privacy
from shufflegram.design import chunks as design
from shufflegram.errors import InfeasibleError
from shufflegram.mechanism import Flip, Pure
from shufflegram.privacy.budget import Budget
from shufflegram.protocols import build
from shufflegram.protocols.flip import FlipProtocol
from shufflegram.protocols.pure import PureProtocol

PAPER = Budget(0.01, 1e-5, 100_000)


@pytest.mark.parametrize(("chunks", "published", "own"), [(16, 274, 20), (32, 547, 39), (64, 1094, 77)])
def test_pure_at_the_papers_budget(chunks: int, published: int, own: int) -> None:
    assert design.published_pure(chunks, PAPER).dummies == published
    assert design.exact_pure(chunks, PAPER).dummies == own


def test_flip_at_the_papers_budget() -> None:
    published = design.published_flip(16, PAPER)
    # twice the threshold of 136.6, where q (1 - q) is an eighth
    assert published.dummies == 273
    q = float(published.flip_probability)
    assert q * (1 - q) == pytest.approx(1 / 8, rel=0.01)
    # at the threshold itself the published q is one half
    assert design._flip_probability_of(1 / 4) == 1 / 2
    assert float(design.smallest_flip_probability(1, PAPER)) == pytest.approx(0.2916, abs=5e-5)


def test_the_frontier_trades_messages_for_error() -> None:
    points = design.frontier(16, PAPER)
    assert [point.messages for point in points] == [2, 3, 5, 9, 17, 33, 65, 129, 257, 274]
    deviations = [point.deviation for point in points]
    assert deviations == sorted(deviations, reverse=True)
    for point in points:
        # each is private, and a little less noise is not
        assert privacy.delta(point.mechanism, PAPER.users, PAPER.epsilon).upper <= PAPER.delta
        less = replace(point.mechanism, flip_probability=point.mechanism.flip_probability * Fraction(999, 1000))
        assert privacy.delta(less, PAPER.users, PAPER.epsilon).upper > PAPER.delta
    # the published number of dummies is the last point, with far less noise than the published one
    published = design.published_flip(16, PAPER)
    assert points[-1].messages == published.messages
    assert design.flip_deviation(published, PAPER.users) > 7 * points[-1].deviation
    chosen = design.exact_flip(16, PAPER)
    assert chosen.messages == 17
    assert design.flip_deviation(chosen, PAPER.users) <= 1.05 * deviations[-1]


@pytest.mark.parametrize("name", ["flip-16", "pure-16"])
def test_the_deviation_is_the_one_that_is_seen(name: str) -> None:
    protocol = build(name, sg.Domain(0, 1, 16), replace(PAPER, epsilon=0.1))
    assert isinstance(protocol, FlipProtocol | PureProtocol)
    histogram = np.full(16, PAPER.users // 16)
    counts = np.array([protocol.simulate(histogram, seed).counts for seed in range(2_000)])
    if isinstance(protocol.mechanism, Flip):
        predicted = design.flip_deviation(protocol.mechanism, PAPER.users)
        scale = PAPER.users * (1 - 2 * float(protocol.mechanism.flip_probability))
    else:
        predicted, scale = design.pure_deviation(protocol.mechanism, PAPER.users), PAPER.users
    # a standard deviation from 2,000 draws is known to 1 / sqrt(4,000) = 1.6%; 16 of them, at 7 of these: below 1e-9
    assert counts.std(axis=0) / scale == pytest.approx(predicted, rel=7 * 0.016)


def test_a_cap_on_the_local_epsilon() -> None:
    capped = design.exact_flip(16, replace(PAPER, epsilon=1.0, max_local_epsilon=2.0))
    assert 1.99 < capped.local_epsilon <= 2.0
    for choose in (design.exact_pure, design.published_pure):
        with pytest.raises(InfeasibleError, match="nothing is left if shuffler and analyst collude"):
            choose(16, replace(PAPER, max_local_epsilon=2.0))


def test_budgets_that_leave_nothing_to_tell() -> None:
    with pytest.raises(InfeasibleError, match="would have to flip every second bit"):
        design.exact_flip(16, Budget(1e-9, 1e-12, 1, max_local_epsilon=1e-9))


def test_a_chunk_needs_a_bin() -> None:
    with pytest.raises(sg.errors.MechanismError, match="16 chunks need at least as many bins, the domain has 8"):
        build("pure-16", sg.Domain(0, 1, 8), PAPER)
    assert Pure(16, 1).chunks == 16
