"""What protocols cost and spend: brackets of the right order, and no promise that is not kept goes unsaid."""

from fractions import Fraction
from typing import get_args

import pytest

from shufflegram import privacy
from shufflegram.domain import Domain
from shufflegram.mechanism import ContinuousSquareWave, SquareWave
from shufflegram.privacy import Bracket
from shufflegram.privacy.budget import Budget
from shufflegram.protocols import PROTOCOLS, Facts, Unavailable, build, facts_of
from shufflegram.protocols.registry import Accounting

DOMAIN = Domain(0, 1, 128)
CASES = [
    pytest.param(entry.name, accounting, id=f"{entry.name}-{accounting}")
    for entry in PROTOCOLS
    for accounting in get_args(Accounting)
]
# What is published is published for an epsilon of at most 1.
BUDGETS = [Budget(0.01, 1e-5, 100_000), Budget(0.1, 1e-6, 3_000), Budget(0.5, 1e-6, 100_000), Budget(1.0, 1e-8, 20_000)]


def known(name: str, domain: Domain, budget: Budget, accounting: Accounting) -> Facts:
    facts = facts_of(name, domain, budget, accounting)
    assert isinstance(facts, Facts)
    return facts


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize(("name", "accounting"), CASES)
def test_every_protocol_keeps_its_budget_and_tells_its_own_costs(
    name: str, accounting: Accounting, budget: Budget
) -> None:
    facts = known(name, DOMAIN, budget, accounting)
    assert facts.delta.lower <= facts.delta.upper <= budget.delta
    assert facts.kept is True
    assert facts.share_of_delta <= 1
    assert facts.epsilon is not None
    # (exact accounting comes so close that the search's own precision is seen)
    assert 0 < facts.epsilon.lower <= facts.epsilon.upper <= budget.epsilon * (1 + 1e-7)
    # both ends of epsilon say the same as delta does
    assert privacy.delta(facts.mechanism, budget.users, facts.epsilon.upper).upper <= budget.delta * (1 + 1e-7)
    assert privacy.delta(facts.mechanism, budget.users, facts.epsilon.lower).upper >= budget.delta * (1 - 1e-3)
    protocol = build(name, DOMAIN, budget, accounting)
    assert facts.mechanism == protocol.mechanism
    assert facts.messages_per_user == protocol.messages_per_user
    assert facts.bits_per_user == protocol.bits_per_user
    assert facts.local_epsilon == protocol.mechanism.local_epsilon


def test_published_formulas_leave_much_of_the_budget_unused() -> None:
    budget = Budget(0.5, 1e-6, 100_000)
    published, exact = (known("asp", DOMAIN, budget, accounting) for accounting in get_args(Accounting))
    assert published.epsilon is not None
    assert exact.epsilon is not None
    assert published.epsilon.upper < 0.2
    assert published.share_of_delta < 1e-20
    assert exact.epsilon.lower > 0.499
    assert exact.share_of_delta > 0.999


def test_what_no_parameters_meet_says_why() -> None:
    circle = Domain(0, 24, 128, circular=True)
    missing = facts_of("asp", circle, BUDGETS[0], "published")
    reason = "published ASP is for a line; on a circular domain use exact accounting"
    assert missing == Unavailable("asp", "published", reason)
    assert missing.to_dict() == {"name": "asp", "accounting": "published", "reason": reason}
    few = facts_of("asp", DOMAIN, Budget(0.001, 1e-6, 10), "exact")
    assert isinstance(few, Unavailable)
    assert "would do" in few.reason


def test_pure_as_published_is_caught_where_it_breaks_its_promise() -> None:
    # By hand: one dummy each of 100 users. None falls on a given chunk with probability (15/16)^100 = .00157, and then
    # whoever knows the others' values rules that chunk out for the target, whatever epsilon is.
    facts = known("pure-16", DOMAIN, Budget(10.0, 1e-3, 100), "published")
    assert facts.mechanism.to_dict()["dummies"] == 1
    assert facts.kept is False
    assert facts.delta.lower == pytest.approx((15 / 16) ** 100, rel=0.01)
    assert facts.share_of_delta > 1.5
    assert facts.epsilon is None
    assert facts.to_dict()["epsilon"] is None
    assert known("pure-16", DOMAIN, Budget(10.0, 1e-3, 100), "exact").kept is True


@pytest.mark.parametrize(
    ("lower", "upper", "kept"), [(0.0, 1e-6, True), (1e-7, 2e-6, None), (1.1e-6, 2e-6, False), (1e-6, 2e-6, None)]
)
def test_what_is_between_the_ends_is_not_known(lower: float, upper: float, kept: bool | None) -> None:
    wave = SquareWave(16, 2, Fraction(3))
    facts = Facts("asp", "exact", Budget(1.0, 1e-6, 100), wave, 1.0, 5.0, Bracket(lower, upper), None)
    assert facts.kept is kept
    assert facts.to_dict()["kept"] is kept


def test_a_record_holds_everything_but_the_budget() -> None:
    facts = known("spm", DOMAIN, BUDGETS[0], "published")
    assert isinstance(facts.mechanism, ContinuousSquareWave)
    assert facts.epsilon is not None
    assert facts.to_dict() == {
        "name": "spm",
        "accounting": "published",
        "mechanism": facts.mechanism.to_dict(),
        "messages_per_user": 1.0,
        "bits_per_user": 7.0,
        "local_epsilon": facts.local_epsilon,
        "delta": facts.delta.to_dict(),
        "share_of_delta": facts.delta.upper / 1e-5,
        "epsilon": facts.epsilon.to_dict(),
        "kept": True,
    }
