"""The questions a person asks: answers that invert each other, exact boundaries, and no crash anywhere."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shufflegram.privacy as privacy
from shufflegram.errors import BudgetError, CertificationError, InfeasibleError, MechanismError, ShufflegramError
from shufflegram.mechanism import ContinuousSquareWave, Pure, SquareWave, widest_half_width
from shufflegram.privacy import accounting, exact
from shufflegram.privacy.accounting import honest_reports, largest_ratio_under, smallest_users
from shufflegram.privacy.bracket import Bracket
from shufflegram.privacy.budget import LARGEST_EPSILON
from shufflegram.privacy.laws import PrivacyLaw, blanket_law, window_law
from shufflegram.privacy.lower import explicit_laws, explicit_window_laws

from .rational import with_mass_scaled

Wave = SquareWave | ContinuousSquareWave

WAVES: list[Wave] = [
    ContinuousSquareWave(Fraction(1, 4), Fraction("3.064")),
    ContinuousSquareWave(Fraction(1, 2), Fraction(12)),
    SquareWave(512, 32, Fraction(8)),
    SquareWave(512, 0, Fraction(60)),
    SquareWave(2, 0, Fraction(2)),
    SquareWave(48, 4, Fraction(5), circular=True),
]


# --- answers that invert each other ---------------------------------------------------------------------------------


@pytest.mark.parametrize("wave", WAVES, ids=str)
@pytest.mark.parametrize("users", [1_000, 10**6])
@pytest.mark.parametrize("delta", [1e-4, 1e-9])
def test_epsilon_inverts_delta(wave: Wave, users: int, delta: float) -> None:
    reached = privacy.epsilon(wave, users, delta)
    assert 0 < reached.lower <= reached.upper < wave.local_epsilon
    # the upper end is guaranteed ...
    assert privacy.delta(wave, users, reached.upper).upper <= delta
    # ... and a little less is not
    assert exact.delta(blanket_law(wave), users, reached.upper * (1 - 1e-6)).upper > delta
    # at the lower end explicit datasets lose more, a little above they need not
    assert privacy.delta(wave, users, reached.lower).lower > delta
    assert privacy.delta(wave, users, reached.lower * (1 + 1e-6)).lower <= delta


def test_an_epsilon_is_found_where_one_of_50_drowns_in_rounding() -> None:
    # Pure has no local epsilon, so the search begins at 50, where nothing but delta <= 1 can be computed.
    pure = Pure(64, 1)
    assert privacy.delta(pure, 5_000, LARGEST_EPSILON).upper > 1e-6
    assert privacy.delta(pure, 5_000, 4.0).upper < 1e-30
    reached = privacy.epsilon(pure, 5_000, 1e-6)
    assert reached.lower <= reached.upper < 4
    assert privacy.delta(pure, 5_000, reached.upper).upper <= 1e-6
    assert privacy.delta(pure, 5_000, reached.upper * (1 - 1e-6)).upper > 1e-6
    # one dummy among two users is enough at no epsilon: it may well not fall on a given chunk
    with pytest.raises(InfeasibleError, match="no epsilon up to 50"):
        privacy.epsilon(pure, 2, 1e-6)


@pytest.mark.parametrize("wave", WAVES, ids=str)
def test_what_is_private_without_a_crowd_stays_so(wave: Wave) -> None:
    # one user and a tiny delta: the local epsilon, and a rounding error at most above it
    reached = privacy.epsilon(wave, 1, 1e-300)
    assert reached.upper == pytest.approx(wave.local_epsilon, rel=1e-14)
    assert reached.upper >= wave.local_epsilon
    silent = wave.with_density_ratio(Fraction(1))
    assert privacy.epsilon(silent, 1, 1e-12) == Bracket(0.0, 0.0)
    assert privacy.delta(silent, 1, 0.0) == Bracket(0.0, 0.0)


@pytest.mark.parametrize("wave", WAVES, ids=str)
@pytest.mark.parametrize(("users", "epsilon", "delta"), [(1_000, 0.3, 1e-4), (10**5, 0.01, 1e-5), (10**9, 1.0, 1e-10)])
def test_the_largest_density_ratio_is_the_largest(wave: Wave, users: int, epsilon: float, delta: float) -> None:
    ratio = privacy.largest_density_ratio(wave, users, epsilon, delta)
    for value, holds in ((ratio.lower, True), (ratio.lower * (1 + 1e-6), False)):
        law = window_law(Fraction(value), wave.window_share)
        assert (exact.delta(law, users, epsilon).upper <= delta) is holds
    # above the upper end, explicit datasets lose more
    too_large = max(
        exact.delta(law, users, epsilon).lower for law in explicit_window_laws(Fraction(ratio.upper), wave.window_share)
    )
    assert ratio.upper == ratio.lower or too_large > delta


@pytest.mark.parametrize("wave", WAVES[:4], ids=str)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (0.5, 1e-9), (0.01, 1e-3)])
def test_the_smallest_crowd_is_the_smallest(wave: Wave, epsilon: float, delta: float) -> None:
    users = smallest_users(wave, epsilon, delta)
    assert users > 1
    assert privacy.delta(wave, users, epsilon).upper <= delta
    assert privacy.delta(wave, users - 1, epsilon).upper > delta


def test_one_user_is_enough_where_the_local_guarantee_suffices() -> None:
    assert smallest_users(WAVES[0], 1.2, 1e-12) == 1


def test_no_crowd_is_large_enough() -> None:
    with pytest.raises(BudgetError, match="no crowd is large enough"):
        smallest_users(ContinuousSquareWave(Fraction(1, 4), Fraction(10**9)), 1e-6, 1e-12)


def test_a_budget_so_small_that_nothing_is_private() -> None:
    with pytest.raises(InfeasibleError, match="no parameters are private"):
        privacy.largest_density_ratio(WAVES[0], 1, 0.0, 1e-15)


def test_another_bound_can_be_searched_too() -> None:
    # delta = (k - 2)_+ / 10 stays within 0.1 up to k = 3
    found = largest_ratio_under(lambda k: max(k - 2, 0.0) / 10, 0.5, 0.1)
    assert found <= 3
    assert found == pytest.approx(3, rel=1e-8)


@pytest.mark.parametrize("delta", [1 - 1e-16, 1 - 1e-12, 0.999])
def test_deltas_next_to_one(delta: float) -> None:
    # a search must not take for small enough what is not
    ratio = accounting.largest_guaranteed_ratio(Fraction(1, 3), 1, 0.1, delta)
    assert exact.delta(window_law(Fraction(ratio), Fraction(1, 3)), 1, 0.1).upper <= delta


# --- honest reports -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("users", "fraction", "honest"),
    [
        (100, 0.29, 29),
        (100, 0.57, 57),
        (1000, 0.001, 1),
        (10, 1, 10),
        (7, 0.5, 3),
        (10**15, 0.7, 7 * 10**14),
        (3, 0.999, 2),
    ],
)
def test_honest_reports_by_hand(users: int, fraction: float, honest: int) -> None:
    assert honest_reports(users, fraction) == honest


@given(percent=st.integers(1, 100), users=st.integers(1, 10**12))
def test_honest_reports_are_what_was_written(percent: int, users: int) -> None:
    written = percent / 100
    if users * percent < 100:
        with pytest.raises(BudgetError, match="not one honest report"):
            honest_reports(users, written)
    else:
        assert honest_reports(users, written) == users * percent // 100


@pytest.mark.parametrize("fraction", [0, -0.1, 1.01, math.nan, math.inf, "half", None, True])
def test_fractions_that_mean_nothing(fraction: Any) -> None:
    with pytest.raises(BudgetError, match="honest_fraction must be"):
        honest_reports(100, fraction)


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("users", [0, -1, 1.5, "many", None, True, 10**16])
def test_crowds_that_mean_nothing(users: Any) -> None:
    for question in (
        lambda: privacy.delta(WAVES[0], users, 0.1),
        lambda: privacy.epsilon(WAVES[0], users, 1e-5),
        lambda: privacy.largest_density_ratio(WAVES[0], users, 0.1, 1e-5),
        lambda: honest_reports(users, 0.5),
    ):
        with pytest.raises(BudgetError, match="the number of users must be"):
            question()


@pytest.mark.parametrize("delta", [0, 1, -1e-5, 1.5, math.nan, math.inf, "small", None, True])
def test_deltas_that_mean_nothing(delta: Any) -> None:
    for question in (
        lambda: privacy.epsilon(WAVES[0], 100, delta),
        lambda: privacy.largest_density_ratio(WAVES[0], 100, 0.1, delta),
        lambda: smallest_users(WAVES[0], 0.1, delta),
        lambda: largest_ratio_under(lambda k: 0.0, 0.1, delta),
    ):
        with pytest.raises(BudgetError, match="delta must be"):
            question()


@pytest.mark.parametrize("epsilon", [-1, math.nan, math.inf, "some", None, True, 1e6])
def test_epsilons_that_mean_nothing(epsilon: Any) -> None:
    for question in (
        lambda: privacy.delta(WAVES[0], 100, epsilon),
        lambda: privacy.largest_density_ratio(WAVES[0], 100, epsilon, 1e-5),
        lambda: smallest_users(WAVES[0], epsilon, 1e-5),
    ):
        with pytest.raises(BudgetError, match="epsilon must be"):
            question()


def test_ends_that_contradict_each_other_are_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_a_thinner_blanket(wave: Wave) -> PrivacyLaw:
        return with_mass_scaled(window_law(wave.density_ratio, wave.window_share), Fraction(9, 10))

    monkeypatch.setattr(accounting, "blanket_law", of_a_thinner_blanket)
    with pytest.raises(CertificationError, match="contradict each other"):
        privacy.delta(WAVES[0], 10**5, 0.01)
    with pytest.raises(CertificationError, match="contradict each other"):
        privacy.epsilon(WAVES[0], 10**5, 1e-5)


def test_ends_that_cross_by_rounding_meet() -> None:
    assert accounting._agreeing(1e-5 * (1 + 1e-12), 1e-5) == Bracket(1e-5, 1e-5)
    assert accounting._agreeing(0.0, 0.0) == Bracket(0.0, 0.0)
    with pytest.raises(CertificationError):
        accounting._agreeing(1e-300, 0.0)


def test_a_bracket_is_ordered() -> None:
    with pytest.raises(ArithmeticError, match="ordered"):
        Bracket(2.0, 1.0)
    with pytest.raises(ArithmeticError, match="ordered"):
        Bracket(math.nan, 1.0)
    assert Bracket(1.0, 2.0).to_dict() == {"lower": 1.0, "upper": 2.0}
    assert str(Bracket(0.5, 0.25 * 3)) == "between 0.5 and 0.75"


# --- absurd and random input ----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("users", [1, 2, 10**10, 10**15])
@pytest.mark.parametrize("epsilon", [0.0, 1e-12, 0.1, 20.0, LARGEST_EPSILON])
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(10**9 + 1, 10**9), Fraction(3), Fraction(10**12)])
def test_absurd_input_is_answered(users: int, epsilon: float, ratio: Fraction) -> None:
    waves: list[Wave] = [
        SquareWave(2, 0, ratio),
        SquareWave(5000, 0, ratio) if ratio < 10**9 else SquareWave(3, 0, ratio),
        SquareWave(2, 0, ratio, circular=True),
        ContinuousSquareWave(Fraction(1, 2), ratio),
        ContinuousSquareWave(Fraction(1, 10**9), ratio),
    ]
    for wave in waves:
        # no warning, and no contradiction: the ends are of different laws, and crossed ones are refused
        answer = privacy.delta(wave, users, epsilon)
        assert (answer.upper > 0) == (wave.local_epsilon > epsilon * (1 + 1e-12))
        assert answer.upper <= 1


def any_wave(generator: np.random.Generator, epsilon: float) -> Wave | None:
    """A mechanism from anywhere, or with a ratio next to e^epsilon; None where there is no such mechanism."""
    if generator.random() < 0.3:
        ratio = math.exp(epsilon) * (1 + 10 ** generator.uniform(-16, 1))
    else:
        ratio = 1 + 10 ** generator.uniform(-12, 12)
    if not ratio <= 1e12:
        return None
    exact_ratio = Fraction(ratio)
    if generator.random() < 0.5:
        half_width = Fraction(generator.random() / 2).limit_denominator(10 ** int(generator.integers(1, 9)))
        return ContinuousSquareWave(half_width or Fraction(1, 7), exact_ratio)
    cells, circular = (
        int(generator.choice([2, 3, 4, 5, int(generator.integers(2, 5000))])),
        bool(generator.random() < 0.5),
    )
    half_width_cells = int(generator.integers(0, widest_half_width(cells, circular=circular) + 1))
    rounded = exact_ratio.limit_denominator(1000)
    try:
        return SquareWave(cells, half_width_cells, rounded, circular)
    except MechanismError:
        return None


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("count", [1200, pytest.param(100_000, marks=pytest.mark.long)])
def test_random_input_is_answered(count: int) -> None:
    generator = np.random.default_rng(3)
    answered = 0
    while answered < count:
        users = int(10 ** generator.uniform(0, 12))
        epsilon = float(generator.choice([0.0, 20.0, generator.uniform(0, 20), 10 ** generator.uniform(-12, 1)]))
        wave = any_wave(generator, epsilon)
        if wave is None:
            continue
        try:
            answer = privacy.delta(wave, users, epsilon)
        except ShufflegramError:  # none is expected here, and none may be anything else
            pytest.fail(f"{wave}, {users}, {epsilon} was refused")
        answered += 1
        # ends are those of two independent evaluations, and they do not cross
        least = max(exact.delta(law, users, epsilon).lower for law in explicit_laws(wave))
        assert least <= answer.upper == exact.delta(blanket_law(wave), users, epsilon).upper


@settings(max_examples=25)
@given(
    users=st.integers(1, 10**12),
    epsilon=st.floats(1e-6, 20),
    delta=st.floats(1e-15, 0.5),
    share=st.fractions(Fraction(1, 1000), Fraction(1, 2), max_denominator=1000),
)
def test_searches_end_on_the_safe_side(users: int, epsilon: float, delta: float, share: Fraction) -> None:
    ratio = accounting.largest_guaranteed_ratio(share, users, epsilon, delta)
    assert exact.delta(window_law(Fraction(ratio), share), users, epsilon).upper <= delta
    assert ratio >= 1 + math.expm1(epsilon) * (1 - 1e-6)
