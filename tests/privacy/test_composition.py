"""Several rounds: an upper bound that is close, held against products that can be enumerated."""

import math
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from flint import arb, arb_poly, ctx

from shufflegram.errors import BudgetError, InfeasibleError
from shufflegram.mechanism import ContinuousSquareWave, SquareWave
from shufflegram.privacy import accounting, composition, exact
from shufflegram.privacy.composition import MOST_ROUNDS, Round, compose, composed_delta, composed_epsilon
from shufflegram.privacy.laws import Atom, PrivacyLaw, blanket_law, window_law

from .rational import exponential

BASE = ContinuousSquareWave(Fraction(1, 4), Fraction("3.064"))
HALF = Fraction(1, 2)
# gain and loss both have mean 1, and swapping them gives another law
LOPSIDED = PrivacyLaw(
    (
        Atom(Fraction(2), HALF, Fraction(1, 4)),
        Atom(HALF, Fraction(1), HALF),
        Atom(Fraction(1), Fraction(3, 2), Fraction(1, 4)),
    ),
    Fraction(1),
)


def round_of(mechanism: ContinuousSquareWave | SquareWave, users: int, times: int = 1) -> Round:
    return Round(blanket_law(mechanism), users, mechanism.local_epsilon, times)


def outcomes(law: PrivacyLaw, terms: int) -> list[tuple[Fraction, Fraction]]:
    """Every outcome of one round as its two probabilities: the dominating pair, written out."""
    rest = 1 - sum((atom.probability for atom in law.atoms), Fraction(0))
    atoms = [*law.atoms, Atom(Fraction(0), Fraction(0), rest)]
    found = []
    for drawn in product(atoms, repeat=terms):
        weight = math.prod((atom.probability for atom in drawn), start=Fraction(1)) / terms
        if weight:
            found.append((weight * sum(atom.gain for atom in drawn), weight * sum(atom.loss for atom in drawn)))
    return found


def enumerated_delta(rounds: list[tuple[PrivacyLaw, int]], epsilon: float) -> Fraction:
    """The hockey-stick divergence of the product pair, the larger of both orders, in rational arithmetic."""
    pairs = [(Fraction(1), Fraction(1))]
    for law, terms in rounds:
        pairs = [(p * p2, q * q2) for p, q in pairs for p2, q2 in outcomes(law, terms)]
    gain = exponential(epsilon)
    return max(
        sum((max(p - gain * q, Fraction(0)) for p, q in pairs), Fraction(0)),
        sum((max(q - gain * p, Fraction(0)) for p, q in pairs), Fraction(0)),
    )


def test_the_written_out_pair_is_a_pair_of_distributions() -> None:
    for law in (window_law(Fraction(3), Fraction(1, 3)), LOPSIDED):
        drawn = outcomes(law, 2)
        assert sum(p for p, _ in drawn) == 1
        assert sum(q for _, q in drawn) == 1


@pytest.mark.parametrize("terms", [2, 3])
@pytest.mark.parametrize("law", [window_law(Fraction(3), Fraction(1, 3)), window_law(Fraction(7, 2), HALF), LOPSIDED])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 1.0])
def test_two_rounds_are_above_the_enumerated_pair_and_close(law: PrivacyLaw, terms: int, epsilon: float) -> None:
    truth = enumerated_delta([(law, terms), (law, terms)], epsilon)
    composed = compose([Round(law, terms, math.log(4), 2)]).delta(epsilon)
    assert Fraction(composed) >= truth
    # with two or three terms the single delta is itself not known better than this
    assert composed <= float(truth) * 1.03 + 1e-6


def test_an_enumerated_pair_of_different_rounds() -> None:
    first, second = window_law(Fraction(3), Fraction(1, 3)), window_law(Fraction(7, 2), HALF)
    for epsilon in (0.0, 0.3, 0.9):
        truth = enumerated_delta([(first, 2), (second, 3), (LOPSIDED, 1)], epsilon)
        rounds = [Round(first, 2, math.log(3)), Round(second, 3, math.log(3.5)), Round(LOPSIDED, 1, math.log(4))]
        composed = compose(rounds).delta(epsilon)
        assert Fraction(composed) >= truth
        assert composed <= float(truth) * 1.05 + 1e-6


def test_one_order_of_a_lopsided_law_would_not_do() -> None:
    loss = compose([Round(LOPSIDED, 2, math.log(4), 3)])
    one, other = (order.delta(0.4) for order in loss.orders)
    assert abs(one - other) > 0.005 * max(one, other)
    assert loss.delta(0.4) == max(one, other)
    assert len(compose([round_of(BASE, 1000)]).orders) == 1


@pytest.mark.parametrize("epsilon", [0.0, 0.005, 0.01, 0.02])
def test_one_round_is_the_plain_delta(epsilon: float) -> None:
    plain = exact.delta(blanket_law(BASE), 10**5, epsilon)
    composed = composed_delta(BASE, 10**5, 1, epsilon)
    assert plain.lower <= composed <= plain.upper * 1.001


def test_between_grid_points_it_is_still_above() -> None:
    loss = compose([round_of(BASE, 10**4)])
    for epsilon in np.linspace(0.0011, 0.08, 37):
        assert loss.delta(float(epsilon)) >= exact.delta(blanket_law(BASE), 10**4, float(epsilon)).lower


@pytest.mark.parametrize("rounds", [2, 5, 30])
def test_rounds_lie_between_one_and_their_sum(rounds: int) -> None:
    wave = SquareWave(64, 4, Fraction(5))
    composed = composed_epsilon(wave, 10**4, rounds, 1e-6)
    assert composed > accounting.epsilon(wave, 10**4, 1e-6).upper
    # adding: each round has its share of delta
    assert composed < rounds * accounting.epsilon(wave, 10**4, 1e-6 / rounds).upper


def test_rounds_follow_the_gaussian_limit() -> None:
    # mu adds in squares: T rounds at ratio k lose what one round with n / T users does, nearly
    composed = composed_epsilon(BASE, 10**6, 16, 1e-6)
    assert composed == pytest.approx(accounting.epsilon(BASE, 10**6 // 16, 1e-6).upper, rel=0.02)


def test_rounds_may_differ_and_their_order_does_not_matter() -> None:
    narrow, wide = SquareWave(64, 1, Fraction(4)), SquareWave(64, 16, Fraction(2), circular=False)
    rounds = [round_of(narrow, 5_000, 3), round_of(wide, 20_000, 2), round_of(BASE, 10**5)]
    epsilon = compose(rounds).epsilon(1e-6)
    assert compose(rounds[::-1]).epsilon(1e-6) == pytest.approx(epsilon, rel=1e-6)
    # leaving a round out, or running it once less, loses less
    assert compose(rounds[:2]).epsilon(1e-6) < epsilon
    assert compose([round_of(narrow, 5_000, 2), *rounds[1:]]).epsilon(1e-6) < epsilon
    # the same rounds one by one
    singly = [*[round_of(narrow, 5_000)] * 3, *[round_of(wide, 20_000)] * 2, round_of(BASE, 10**5)]
    assert compose(singly).epsilon(1e-6) == pytest.approx(epsilon, rel=1e-6)


def test_delta_and_epsilon_are_inverse() -> None:
    loss = compose([round_of(BASE, 10**5, 12)])
    for delta in (1e-4, 1e-6, 1e-9):
        epsilon = loss.epsilon(delta)
        assert delta * 0.999 < loss.delta(epsilon) <= delta


def test_masses_are_a_distribution_or_a_little_more() -> None:
    for order in compose([round_of(BASE, 10**5, 50)]).orders:
        assert order.masses.min() >= 0
        assert 1 <= order.masses.sum() + order.infinite <= 1 + 1e-6
        assert 0 < order.infinite < 1e-12
        assert 0 < order.rounding < 1e-9


# --- what is added to be safe ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 1.5])
def test_losses_beyond_the_grid_count_in_every_round(
    times: int, epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the grid ends so early that the answer is wrong without what is beyond it, once for each round
    monkeypatch.setattr(composition, "BEYOND_GRID", 1e-2)
    law = window_law(Fraction(3), Fraction(1, 3))
    truth = enumerated_delta([(law, 3)] * times, epsilon)
    assert Fraction(compose([Round(law, 3, math.log(3), times)]).delta(epsilon)) >= truth


def test_what_transforms_err_by_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composition, "POINTS", 60)
    for users, times in ((100, 2), (10**5, 7), (10**4, 40)):
        each = round_of(BASE, users, times)
        (together,) = compose([each]).orders
        count = (together.masses.size - 1) // (2 * times)
        single = composition._connect_the_dots(each, count, together.spacing)
        with ctx.workprec(256):
            power = arb_poly([arb(float(mass)) for mass in single.masses]) ** times
            error = sum((abs(arb(float(m)) - power[i]) for i, m in enumerate(together.masses)), arb(0))
            assert 0 < float(error) <= together.rounding
            # and it is not so much more that deltas of any use would drown in it
            assert together.rounding < 1e-10


def test_the_line_of_dots_is_not_below_its_corners() -> None:
    few = window_law(Fraction(10**6), Fraction(1, 512))
    for law, users in ((blanket_law(BASE), 10**5), (blanket_law(BASE), 3), (few, 1000)):
        local = math.log(max(float(atom.gain) for atom in law.atoms))
        reach = accounting.smallest_epsilon(partial(composition.single_delta, law, users), 1e-15, local)
        count = 200
        spacing = reach / count
        single = composition._connect_the_dots(Round(law, users, local), count, spacing)
        with ctx.workprec(256):
            gains = [(arb(spacing) * j).exp() for j in range(-count, count + 1)]
            # from the last dot down: sum of p_j (1 - E / exp(eps_j)) over the dots above
            mass, shrunk = arb(0), arb(0)
            for dot in range(2 * count, count - 1, -1):
                line = arb(single.infinite) + mass - gains[dot] * shrunk
                if single.masses[dot] > 0:
                    known = composition.single_delta(law, users, spacing * (dot - count))
                    assert line >= arb(known)
                mass += arb(float(single.masses[dot]))
                shrunk += arb(float(single.masses[dot])) / gains[dot]


def test_ten_thousand_rounds_can_be_composed() -> None:
    # a hundred times more users than for 100 rounds: nearly the same loss
    epsilon = composed_epsilon(BASE, 10**7, 10_000, 1e-5)
    assert epsilon == pytest.approx(composed_epsilon(BASE, 10**5, 100, 1e-5), rel=0.02)


def test_what_cannot_be_composed() -> None:
    with pytest.raises(BudgetError, match="at least one"):
        compose([])
    for times in (0, -1, 1.5, True):
        with pytest.raises(BudgetError, match="a whole number of times"):
            compose([Round(blanket_law(BASE), 1000, 1.0, times)])  # type: ignore[arg-type]
    with pytest.raises(BudgetError, match="rounds can be composed"):
        compose([round_of(BASE, 1000, MOST_ROUNDS), round_of(BASE, 1000)])
    with pytest.raises(BudgetError, match="users"):
        compose([Round(blanket_law(BASE), 0, 1.0)])


def test_numpy_counts_rounds_too() -> None:
    times: Any = np.int64(3)
    assert compose([round_of(BASE, 1000, times)]).delta(0.1) == compose([round_of(BASE, 1000, 3)]).delta(0.1)


def test_a_delta_that_cannot_be_resolved() -> None:
    with pytest.raises(InfeasibleError, match="below what this composition can resolve"):
        composed_epsilon(BASE, 10**5, 100, 1e-16)
