"""Several attributes of the same users: each is estimated from its own collection and from nothing else."""

import numpy as np
import pytest

from shufflegram.domain import Domain
from shufflegram.errors import InputError, ValuesError
from shufflegram.extensions import SeveralAttributes, evenly, several_attributes
from shufflegram.metrics import wasserstein
from shufflegram.privacy.budget import Budget
from shufflegram.randomness import SeededSource

DOMAINS = [Domain(0, 1, 32), Domain(0, 10, 32), Domain(0, 1, 16)]
BUDGET = Budget(1.0, 1e-6, 20_000)
BUILT = SeveralAttributes(evenly("asp", DOMAINS, BUDGET))
CROWD = np.clip(np.random.default_rng(1).normal([0.3, 6, 0.5], [0.1, 1, 0.2], (20_000, 3)), 0, [1, 10, 1])
HISTOGRAMS = [domain.histogram(column) for domain, column in zip(DOMAINS, CROWD.T, strict=True)]


def test_an_attributes_estimate_depends_on_its_own_histogram_only() -> None:
    first = BUILT.simulate(HISTOGRAMS, 5)
    changed = BUILT.simulate([HISTOGRAMS[0], HISTOGRAMS[1][::-1], HISTOGRAMS[2]], 5)
    same = [np.array_equal(a.frequencies, b.frequencies) for a, b in zip(first, changed, strict=True)]
    assert same == [True, False, True]


def test_attributes_are_drawn_apart_and_a_simulation_can_be_repeated() -> None:
    alike = SeveralAttributes(evenly("asp", DOMAINS[:1] * 2, BUDGET))
    one, other = alike.simulate(HISTOGRAMS[:1] * 2, 5)
    assert not np.array_equal(one.frequencies, other.frequencies)
    again, _ = alike.simulate(HISTOGRAMS[:1] * 2, 5)
    assert np.array_equal(one.frequencies, again.frequencies)
    fresh, _ = alike.simulate(HISTOGRAMS[:1] * 2, 6)
    assert not np.array_equal(one.frequencies, fresh.frequencies)


@pytest.mark.parametrize("way", ["simulated", "run"])
def test_every_attribute_is_estimated(way: str) -> None:
    estimates = BUILT.simulate(HISTOGRAMS, 1) if way == "simulated" else BUILT.run(CROWD, SeededSource(1))
    for estimate, domain, histogram in zip(estimates, DOMAINS, HISTOGRAMS, strict=True):
        assert estimate.domain == domain
        assert estimate.users == 20_000
        # knowing nothing is .2 away
        assert wasserstein(histogram / histogram.sum(), estimate.frequencies) < 0.04


def test_what_a_user_sends_adds_up() -> None:
    assert BUILT.domains == tuple(DOMAINS)
    assert BUILT.messages_per_user == 3
    assert BUILT.bits_per_user == sum(protocol.bits_per_user for protocol in BUILT.protocols) >= 5 + 5 + 4
    many = several_attributes(DOMAINS, BUDGET, "pure-16", "published")
    assert many.messages_per_user == sum(protocol.messages_per_user for protocol in many.protocols) > 3
    assert many.split == evenly("pure-16", DOMAINS, BUDGET, "published")


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="3 histograms"):
        BUILT.simulate(HISTOGRAMS[:2], 1)
    with pytest.raises(ValuesError, match="rows of 3 numbers"):
        BUILT.run(CROWD[:, :2])
    with pytest.raises(ValuesError, match="rows of 3 numbers"):
        BUILT.run([0.1, 0.2, 0.3])
