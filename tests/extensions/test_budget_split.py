"""One budget over several collections: the composed loss stays within it, and hardly any of it is left unused."""

import math
from dataclasses import replace
from functools import cache

import pytest

from shufflegram.domain import Domain
from shufflegram.errors import BudgetError, InfeasibleError, InputError
from shufflegram.extensions import Split, by_composition, evenly, split_budget
from shufflegram.privacy import Round, compose, composed_delta
from shufflegram.privacy.budget import Budget
from shufflegram.protocols import build, names

DOMAIN = Domain(0, 1, 64)
BUDGET = Budget(0.5, 1e-6, 20_000)


@cache
def of_four(name: str) -> Split:
    return by_composition(name, [DOMAIN] * 4, BUDGET)


@pytest.mark.parametrize("name", ["asp", "flip-16", "pure-16"])
def test_composition_allows_each_collection_more_than_an_even_share(name: str) -> None:
    split = of_four(name)
    assert split.each.epsilon > 1.5 * BUDGET.epsilon / 4
    assert split.each.delta == BUDGET.delta / 4
    mechanism = split.protocols[0].mechanism
    assert split.delta == composed_delta(mechanism, BUDGET.users, 4, BUDGET.epsilon) <= BUDGET.delta
    assert split.keeps_budget
    assert split.protocols == (build(name, DOMAIN, split.each),) * 4


@pytest.mark.parametrize("name", ["asp", "flip-16"])
def test_a_split_that_gives_each_more_breaks_the_budget(name: str) -> None:
    split = of_four(name)
    # twice what the search leaves unused, and a lot more
    for factor in (1.01, 1.3):
        more = build(name, DOMAIN, replace(split.each, epsilon=factor * split.each.epsilon))
        assert composed_delta(more.mechanism, BUDGET.users, 4, BUDGET.epsilon) > BUDGET.delta


@pytest.mark.parametrize("accounting", ["exact", "published"])
@pytest.mark.parametrize("name", names())
def test_an_even_share_keeps_the_budget_with_every_protocol(name: str, accounting: str) -> None:
    split = evenly(name, [DOMAIN, DOMAIN], BUDGET, accounting)  # type: ignore[arg-type]
    assert (split.each.epsilon, split.each.delta, split.each.users) == (0.25, 5e-7, 20_000)
    assert split.delta <= BUDGET.delta
    assert split.protocols[0] is split.protocols[1]


def test_the_accounting_says_which_split_it_is() -> None:
    published = split_budget("ssw", [DOMAIN] * 2, BUDGET, "published")
    assert published.protocols == (build("ssw", DOMAIN, published.each, "published"),) * 2
    assert published.each.epsilon == BUDGET.epsilon / 2
    assert split_budget("ssw", [DOMAIN] * 2, BUDGET).each.epsilon > BUDGET.epsilon / 2
    with pytest.raises(InputError, match="accounting must be one of"):
        split_budget("ssw", [DOMAIN] * 2, BUDGET, "guessed")  # type: ignore[arg-type]


def test_one_collection_has_the_whole_budget() -> None:
    split = by_composition("asp", [DOMAIN], BUDGET)
    assert split.each == BUDGET
    assert split.protocols == (build("asp", DOMAIN, BUDGET),)
    assert split.delta <= BUDGET.delta


def test_attributes_may_have_domains_of_their_own() -> None:
    hours = Domain(0, 24, 24, circular=True)
    split = by_composition("asp", [DOMAIN, hours, DOMAIN], BUDGET)
    line, circle, again = split.protocols
    assert (line.domain, circle.domain) == (DOMAIN, hours)
    assert line == again == build("asp", DOMAIN, split.each)
    assert circle == build("asp", hours, split.each)
    rounds = [
        Round(each.law, each.terms(BUDGET.users), each.mechanism.local_epsilon, times)
        for each, times in ((line, 2), (circle, 1))
    ]
    assert split.delta == compose(rounds).delta(BUDGET.epsilon) <= BUDGET.delta
    assert split.each.epsilon > BUDGET.epsilon / 3


def test_where_composition_resolves_nothing_the_even_share_is_left() -> None:
    tiny = replace(BUDGET, delta=1e-15)
    split = by_composition("asp", [DOMAIN] * 2, tiny)
    assert split.each.epsilon == tiny.epsilon / 2
    assert split.keeps_budget


def test_the_even_share_may_tell_nothing_where_the_composed_one_does() -> None:
    poor = Budget(0.1, 1e-6, 500)
    with pytest.raises(InfeasibleError):
        evenly("asp", [DOMAIN] * 8, poor)
    assert by_composition("asp", [DOMAIN] * 8, poor).keeps_budget


def test_without_a_shuffler_the_local_losses_add_up_under_the_cap() -> None:
    split = by_composition("asp", [DOMAIN] * 4, replace(BUDGET, max_local_epsilon=2.0))
    one = split.protocols[0].mechanism.local_epsilon
    assert split.local_epsilon == pytest.approx(4 * one)
    assert 1.9 < split.local_epsilon <= 2.0
    assert "local differential privacy with epsilon" in split.statement()


def test_the_statement_says_what_is_guaranteed() -> None:
    split = evenly("pure-16", [DOMAIN] * 2, BUDGET)
    assert math.isinf(split.local_epsilon)
    said = split.statement()
    assert "All 2 shuffled collections together are (0.5, " in said
    assert "at least 20,000 honest reports" in said
    assert said.endswith("nothing is left.")


@pytest.mark.parametrize("domains", [[], DOMAIN])
def test_there_must_be_a_list_of_domains(domains: list[Domain]) -> None:
    for split in (evenly, by_composition):
        with pytest.raises(BudgetError, match="a list of domains, one for each attribute"):
            split("asp", domains, BUDGET)
