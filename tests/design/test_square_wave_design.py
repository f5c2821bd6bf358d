"""Which parameters are chosen: the paper's numbers, the best half width, and what is refused."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflegram.design import paper_search
from shufflegram.design import square_wave as design
from shufflegram.design.information import mutual_information, paper_bound
from shufflegram.domain import Domain
from shufflegram.errors import BudgetError, InfeasibleError
from shufflegram.mechanism import widest_half_width
from shufflegram.privacy import bounds, exact
from shufflegram.privacy.accounting import largest_guaranteed_ratio
from shufflegram.privacy.bounds import hoeffding
from shufflegram.privacy.budget import Budget
from shufflegram.privacy.certify import certify
from shufflegram.privacy.laws import blanket_law, window_law
from shufflegram.protocols import build

SW = design.sw_half_width
PAPER = Budget(0.01, 1e-5, 100_000)
BUDGETS = [PAPER, Budget(0.1, 1e-5, 100_000), Budget(0.5, 1e-5, 1_000_000), Budget(0.02, 1e-5, 9_987)]


def test_published_asp_is_the_optimum_on_the_corrected_constraint() -> None:
    wave = design.published_asp(PAPER)
    b, k = float(wave.half_width), float(wave.density_ratio)
    assert b == pytest.approx(0.271, abs=1e-3)
    assert k == pytest.approx(2.239, abs=5e-4)
    assert float(wave.inside_density) == pytest.approx(1.011, abs=1e-3)
    assert paper_bound(b, k) == pytest.approx(0.0706, abs=5e-5)


def test_the_paper_point_is_feasible_and_within_the_flat_top() -> None:
    b, k = 0.215, 2.198
    best = paper_bound(float(design.published_asp(PAPER).half_width), float(design.published_asp(PAPER).density_ratio))
    assert hoeffding(k, 2 * b / (1 + 2 * b), PAPER.users, PAPER.epsilon) <= PAPER.delta
    assert 0.97 * best < paper_bound(b, k) < best


def test_ssw_as_published_and_at_its_own_limit() -> None:
    published, own = design.published_by(SW, PAPER), design.exact_by(SW, PAPER)
    assert math.log(published.density_ratio) == pytest.approx(0.810, abs=1e-3)
    assert float(published.half_width) == pytest.approx(0.291, abs=1e-3)
    assert float(published.inside_density) == pytest.approx(0.974, abs=1e-3)
    assert math.log(own.density_ratio) == pytest.approx(1.131, abs=1e-3)
    assert float(own.half_width) == pytest.approx(0.2345, abs=1e-4)
    assert float(own.inside_density) == pytest.approx(1.263, abs=1e-3)


def test_the_rule_of_sw() -> None:
    # the paper's example, the limit at 0, and no seam where the series takes over
    assert design.sw_half_width(0.607) == pytest.approx(0.333, abs=5e-4)
    assert design.sw_half_width(1e-9) == pytest.approx(0.5, abs=1e-8)
    assert design.sw_half_width(0.99999e-4) == pytest.approx(design.sw_half_width(1.00001e-4), abs=1e-7)


@pytest.mark.parametrize("budget", BUDGETS)
def test_slsqp_agrees_with_the_search_along_the_constraint(budget: Budget) -> None:
    wave = design.published_asp(budget)
    found = paper_search.by_slsqp(budget)
    assert found.half_width == pytest.approx(float(wave.half_width), rel=1e-3)
    assert found.information == pytest.approx(paper_bound(float(wave.half_width), float(wave.density_ratio)), rel=1e-4)
    assert found.delta <= budget.delta * (1 + paper_search.TOLERANCE)


@pytest.mark.parametrize("method", ["BFGS", "Powell"])
def test_the_penalty_method_is_never_private(method: paper_search.Method) -> None:
    # A penalty pushes back only where the constraint is already broken, so every solution breaks it: by far with a
    # moderate weight, by a little with an enormous one.
    budget = BUDGETS[1]
    assert paper_search.by_penalty(budget, method, weight=1e6).delta > 5 * budget.delta
    for weight in (1e10, 1e14):
        assert paper_search.by_penalty(budget, method, weight=weight).delta > budget.delta


def test_an_enormous_penalty_holds_powell_where_it_started() -> None:
    budget = BUDGETS[1]
    held = paper_search.by_penalty(budget, "Powell", weight=1e14)
    assert held.half_width == pytest.approx(0.25, abs=1e-4)
    assert held.information < 0.85 * paper_search.by_slsqp(budget).information


@pytest.mark.parametrize("circular", [False, True])
@pytest.mark.parametrize(("cells", "budget"), [(48, BUDGETS[0]), (33, BUDGETS[1]), (64, BUDGETS[3])])
def test_exact_asp_is_the_best_half_width_of_all(cells: int, circular: bool, budget: Budget) -> None:
    chosen = design.exact_asp(cells, circular=circular, budget=budget)
    every = [
        design.at_largest_ratio(cells, half_width, circular=circular, budget=budget)
        for half_width in range(widest_half_width(cells, circular=circular) + 1)
    ]
    assert mutual_information(chosen) == max(mutual_information(wave) for wave in every)


@pytest.mark.parametrize("half_width", [0, 4, 32])
def test_the_ratio_is_as_large_as_it_may_be(half_width: int) -> None:
    budget = BUDGETS[1]
    wave = design.at_largest_ratio(128, half_width, circular=False, budget=budget)
    assert exact.delta(blanket_law(wave), budget.users, budget.epsilon).upper <= budget.delta
    larger = wave.with_density_ratio(1 + (wave.density_ratio - 1) * Fraction(10001, 10000))
    assert exact.delta(blanket_law(larger), budget.users, budget.epsilon).lower > budget.delta


def test_the_local_epsilon_can_be_capped() -> None:
    budget = Budget(1.0, 1e-6, 1_000_000, max_local_epsilon=3.0)
    wave = design.exact_asp(64, circular=False, budget=budget)
    assert wave.local_epsilon <= 3.0
    assert wave.local_epsilon == pytest.approx(3.0, abs=1e-3)


def test_an_expected_histogram_changes_the_choice() -> None:
    budget = BUDGETS[0]
    spiky = [1.0] * 8 + [1000.0] + [1.0] * 55
    chosen = design.exact_asp(64, circular=False, budget=budget, expected=spiky)
    usual = design.exact_asp(64, circular=False, budget=budget)
    assert mutual_information(chosen, spiky) > mutual_information(usual, spiky)


@given(st.floats(min_value=1.0, max_value=1e12))
def test_a_readable_ratio_is_below_and_near(ratio: float) -> None:
    readable = design.readable_ratio(ratio)
    assert 1 <= readable <= Fraction(ratio)
    # at least three digits of what exceeds 1 are kept, unless it is beyond 1e-12
    assert float(readable) - 1 >= (ratio - 1) * (1 - 2e-3) - 1e-12


HOPELESS = [
    Budget(0.01, 1e-5, 50),
    Budget(0.01, 1e-5, 1),
    # here it is the cap that leaves nothing to tell
    Budget(19.0, 1e-5, 13_391, max_local_epsilon=0.00115),
    Budget(0.5, 1e-5, 10**14, max_local_epsilon=1e-7),
]


def named_remedies(message: str, budget: Budget) -> list[Budget]:
    """The budgets that a refusal says would do."""
    words = message.rpartition("; ")[2].removesuffix(" would do")
    remedies = []
    for remedy in words.split(" or "):
        if remedy.endswith(" honest reports"):
            remedies.append(replace(budget, users=int(remedy.split(" ")[0].replace(",", ""))))
        else:
            name, number = remedy.split(" ")
            change: dict[str, Any] = {name: float(number)}
            remedies.append(replace(budget, **change))
    return remedies


@pytest.mark.parametrize("protocol", ["asp", "ssw"])
@pytest.mark.parametrize("budget", HOPELESS)
def test_a_hopeless_collection_is_refused_with_what_would_do(budget: Budget, protocol: str) -> None:
    domain = Domain(0, 1, 24)
    with pytest.raises(InfeasibleError, match="next to nothing") as caught:
        build(protocol, domain, budget)
    message = str(caught.value)
    assert f"{budget.users:,} honest report{'' if budget.users == 1 else 's'}, epsilon" in message
    assert ("max_local_epsilon" in message) == (budget.max_local_epsilon is not None)
    remedies = named_remedies(message, budget)
    assert remedies
    for remedy in remedies:
        assert build(protocol, domain, remedy).mechanism.local_epsilon > 0


def test_a_cap_that_leaves_nothing_is_named_first() -> None:
    with pytest.raises(InfeasibleError) as caught:
        build("asp", Domain(0, 1, 24), HOPELESS[2])
    first, *others = named_remedies(str(caught.value), HOPELESS[2])
    assert first == replace(HOPELESS[2], max_local_epsilon=first.max_local_epsilon)
    assert first.max_local_epsilon is not None
    assert 0.00115 < first.max_local_epsilon < 0.2
    # a larger epsilon does not help here and is not named
    assert {other.epsilon for other in others} == {19.0}


def test_where_no_single_remedy_is_enough_several_are_asked_for() -> None:
    with pytest.raises(InfeasibleError, match="raise several"):
        build("asp", Domain(0, 1, 24), Budget(1e-9, 1e-15, 2, max_local_epsilon=1e-9))


@pytest.mark.parametrize(
    ("budget", "ratio"), [(Budget(3.0, 1e-11, 1000), math.exp(3)), (Budget(0.001, 1e-5, 5), math.exp(0.001))]
)
def test_published_parameters_are_never_worse_than_the_local_guarantee(budget: Budget, ratio: float) -> None:
    # Hoeffding's formula does not know that delta is 0 up to k = exp(epsilon)
    b = Fraction(1, 10)
    assert bounds.log_hoeffding(ratio, float(2 * b / (1 + 2 * b)), budget.users, budget.epsilon) > math.log(
        budget.delta
    )
    for wave in (design.published_asp(budget), design.published_by(SW, budget)):
        assert float(wave.density_ratio) >= 1 + (ratio - 1) * 0.999
        assert exact.delta(blanket_law(wave), budget.users, budget.epsilon).upper <= budget.delta


@pytest.mark.parametrize("budget", [Budget(16.218, 4e-8, 10**6), Budget(10.0, 4e-8, 10**8), Budget(20.0, 1e-5, 10**9)])
def test_a_narrow_window_keeps_its_digits(budget: Budget) -> None:
    wave = design.exact_by(SW, budget)
    assert 0 < wave.half_width < Fraction(1, 10**4)
    expected = design.sw_half_width(wave.local_epsilon)
    assert float(wave.half_width) == pytest.approx(expected, rel=1e-4)
    assert build("ssw", Domain(0, 1, 64), budget).mechanism.local_epsilon > 10


def test_what_is_searched_for_leaves_room_for_the_proof() -> None:
    # a proof is written in a few digits, rounded up: a little wider than the search, and never by all that is left
    widths = []
    for users, epsilon in ((1, 1.0), (1_000, 0.1), (10**5, 0.5), (10**7, 0.1)):
        ratio = largest_guaranteed_ratio(Fraction(1, 16), users, epsilon, 1e-5)
        law = window_law(Fraction(ratio), Fraction(1, 16))
        proven = certify(law, users, Fraction(epsilon)).delta_upper
        widths.append(float(proven / Fraction(exact.delta(law, users, epsilon).upper)))
    assert 1 < max(widths) < 1 / design.PROVABLE


@pytest.mark.parametrize(
    "arguments",
    [
        (0, 1e-5, 10),
        (-1, 1e-5, 10),
        (math.nan, 1e-5, 10),
        (0.1, 0, 10),
        (0.1, 1, 10),
        (0.1, 1e-5, 0),
        (0.1, 1e-5, 10, 0.0),
        (0.1, 1e-5, 10, math.nan),
    ],
)
def test_a_meaningless_budget_is_refused(arguments: tuple[float, ...]) -> None:
    with pytest.raises(BudgetError):
        Budget(*arguments)  # type: ignore[arg-type]  # whatever a person may write
