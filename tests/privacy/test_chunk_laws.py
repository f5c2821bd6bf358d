"""Flip and Pure from first principles: every pair of neighbouring datasets of tiny collections, in exact numbers."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest

import shufflegram.privacy as privacy
from shufflegram.errors import MechanismError
from shufflegram.mechanism import Flip, Pure
from shufflegram.privacy.laws import blanket_law, blanket_terms, dummy_law, flip_law
from shufflegram.privacy.lower import explicit_laws, explicit_terms

from .rational import exponential, rational_delta, with_mass_scaled

Mechanism = Flip | Pure
Law = dict[tuple[object, ...], Fraction]

TINY: list[tuple[Mechanism, int]] = [
    (Pure(2, 1), 2),
    (Pure(3, 1), 3),
    (Pure(3, 2), 2),
    (Pure(4, 1), 2),
    (Flip(3, 1, Fraction(1, 4)), 2),
    (Flip(3, 0, Fraction(2, 5)), 3),
    (Flip(3, 1, Fraction(2, 5)), 2),
]
GAINS = (Fraction(1), Fraction(6, 5), Fraction(2), Fraction(7, 2))


def messages_of(mechanism: Mechanism, value: int) -> list[dict[object, Fraction]]:
    """The law of each of a user's messages, from what the protocol says."""
    chunks = mechanism.chunks
    if isinstance(mechanism, Pure):
        dummy: dict[object, Fraction] = {point: Fraction(1, chunks) for point in range(chunks)}
        return [{value: Fraction(1)}, *[dummy] * mechanism.dummies]
    q = mechanism.flip_probability
    laws = []
    for started in [tuple(int(j == value) for j in range(chunks)), *[(0,) * chunks] * mechanism.dummies]:
        law: dict[object, Fraction] = {}
        for vector in product((0, 1), repeat=chunks):
            chance = Fraction(1)
            for bit, start in zip(vector, started, strict=True):
                chance *= 1 - q if bit == start else q
            law[vector] = chance
        laws.append(law)
    return laws


def shuffled_law(mechanism: Mechanism, values: tuple[int, ...]) -> Law:
    """The law of the multiset of all users' messages."""
    outputs: Law = {(): Fraction(1)}
    for value in values:
        for law in messages_of(mechanism, value):
            longer: Law = defaultdict(Fraction)
            for output, chance in outputs.items():
                for message, probability in law.items():
                    longer[tuple(sorted((*output, message)))] += chance * probability  # type: ignore[type-var]
            outputs = longer
    return outputs


def largest_divergence(mechanism: Mechanism, users: int, gain: Fraction) -> Fraction:
    most = Fraction(0)
    for others in combinations_with_replacement(range(mechanism.chunks), users - 1):
        laws = [shuffled_law(mechanism, (target, *others)) for target in range(mechanism.chunks)]
        for one, other in product(laws, repeat=2):
            excess = sum((max(one[key] - gain * other.get(key, Fraction(0)), Fraction(0)) for key in one), Fraction(0))
            most = max(most, excess)
    return most


@pytest.fixture(scope="module")
def truths() -> dict[tuple[Mechanism, int, Fraction], Fraction]:
    return {
        (mechanism, users, gain): largest_divergence(mechanism, users, gain)
        for mechanism, users in TINY
        for gain in GAINS
    }


def test_no_neighbours_are_told_apart_better_than_the_law_says(
    truths: dict[tuple[Mechanism, int, Fraction], Fraction],
) -> None:
    for (mechanism, users, gain), truth in truths.items():
        upper = rational_delta(blanket_law(mechanism), blanket_terms(mechanism, users), gain)
        lower = max(rational_delta(law, explicit_terms(mechanism, users), gain) for law in explicit_laws(mechanism))
        assert lower <= truth <= upper, (mechanism, users, gain)
        if isinstance(mechanism, Pure):
            # the others' points can be taken out: nothing is left open
            assert lower == truth == upper


def test_a_law_that_is_a_little_thin_is_caught(truths: dict[tuple[Mechanism, int, Fraction], Fraction]) -> None:
    for thinner in (True, False):
        caught = 0
        for (mechanism, users, gain), truth in truths.items():
            law, terms = blanket_law(mechanism), blanket_terms(mechanism, users)
            # nine tenths of the mass that speaks for the target, or twice the dummies that there are
            if thinner:
                law = with_mass_scaled(law, Fraction(9, 10))
            else:
                terms = 2 * mechanism.dummies * users + 2
            caught += truth > rational_delta(law, terms, gain)
        assert caught > len(truths) / 4


@pytest.mark.parametrize(("chunks", "dummies"), [(16, 20), (32, 39), (64, 77)])
def test_pures_reference_numbers(chunks: int, dummies: int) -> None:
    # n = 1e5, epsilon = .01, delta = 1e-5: so many dummies a user, and not one fewer
    assert privacy.delta(Pure(chunks, dummies), 10**5, 0.01).upper <= 1e-5
    assert privacy.delta(Pure(chunks, dummies - 1), 10**5, 0.01).lower > 1e-5


def test_flips_reference_number() -> None:
    # one dummy a user suffices with q = .2916
    assert privacy.delta(Flip(16, 1, Fraction("0.2916")), 10**5, 0.01).upper <= 1e-5
    assert privacy.delta(Flip(16, 1, Fraction("0.2915")), 10**5, 0.01).upper > 1e-5
    assert privacy.delta(Flip(16, 1, Fraction("0.2")), 10**5, 0.01).lower > 1e-5


def test_laws_by_hand() -> None:
    first, second = dummy_law(4).atoms
    quarter = Fraction(1, 4)
    assert (first.gain, first.loss, first.probability) == (Fraction(4), Fraction(0), quarter)
    assert (second.gain, second.loss, second.probability) == (Fraction(0), Fraction(4), quarter)
    atoms = flip_law(Fraction(1, 4)).atoms
    assert [(atom.gain, atom.loss, atom.probability) for atom in atoms] == [
        (3, Fraction(1, 3), Fraction(3, 16)),
        (Fraction(1, 3), 3, Fraction(3, 16)),
        (3, 3, Fraction(1, 16)),
        (Fraction(1, 3), Fraction(1, 3), Fraction(9, 16)),
    ]
    assert sum(atom.probability for atom in atoms) == 1


def test_searches_and_rounds_work_for_them_too() -> None:
    for mechanism in (Pure(16, 20), Flip(16, 1, Fraction("0.2916"))):
        reached = privacy.epsilon(mechanism, 10**5, 1e-5)
        assert 0 < reached.lower <= reached.upper <= 0.01
        enough = privacy.smallest_users(mechanism, 0.01, 1e-5)
        assert privacy.delta(mechanism, enough, 0.01).upper <= 1e-5 < privacy.delta(mechanism, enough - 1, 0.01).upper
        assert 0.02 < privacy.composed_epsilon(mechanism, 10**5, 4, 1e-5) < 0.04
        assert privacy.guarantee_of(mechanism, users=10**5, epsilon=0.01, delta=1e-5).certificate.delta_upper <= 1e-5


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Flip(2, 1, Fraction(1, 4)), "at least 3 chunks"),
        (lambda: Flip(3, -1, Fraction(1, 4)), "cannot be negative"),
        (lambda: Flip(3, 1, Fraction(1, 2)), "between 0 and 1/2"),
        (lambda: Flip(3, 1, Fraction(0)), "between 0 and 1/2"),
        (lambda: Flip(3, 1, Fraction(1, 2**62)), "beyond 62 bits"),
        (lambda: Flip(3, 1, 0.25), "must be a Fraction"),  # type: ignore[arg-type]
        (lambda: Flip(3.0, 1, Fraction(1, 4)), "whole number"),  # type: ignore[arg-type]
        (lambda: Pure(1, 1), "at least 2 chunks"),
        (lambda: Pure(4, 0), "at least 1"),
        (lambda: Pure(4, True), "whole number"),
        (lambda: Flip.from_dict({"kind": "flip"}), "the record of a flip has the keys"),
        (lambda: Pure.from_dict({"kind": "flip", "chunks": 3, "dummies": 1}), "has the kind 'pure'"),
    ],
)
def test_mechanisms_that_cannot_be(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(MechanismError, match=says):
        make()


def test_what_is_left_without_a_shuffler() -> None:
    assert Pure(4, 3).local_epsilon == float("inf")
    flip = Flip(4, 3, Fraction(1, 4))
    # two bits of one vector, each three times as likely
    assert exponential(flip.local_epsilon) == pytest.approx(9)
    assert exponential(flip.local_epsilon) >= 9
