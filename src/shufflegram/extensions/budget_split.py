"""One budget for d collections about the same users, each shuffled on its own.

The paper splits "the total budget epsilon into d dimensions" and says no more. `evenly` gives each collection
epsilon/d, and, which is our reading, delta/d: basic composition then proves the whole. `by_composition` gives each the
largest epsilon at delta/d whose privacy loss, composed over all d, stays within the whole budget.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..domain import Domain
from ..errors import BudgetError, InfeasibleError
from ..privacy.accounting import guaranteed_delta
from ..privacy.budget import Budget
from ..privacy.composition import Round, compose
from ..privacy.guarantee import rounded_up
from ..protocol import Protocol
from ..protocols.registry import Accounting, build

# The search for a collection's epsilon stops when it is known to this factor.
CLOSE = 1.005


@dataclass(frozen=True)
class Split:
    """Protocols for one collection each, and what the budget of each is.

    All collections together are (budget.epsilon, delta)-differentially private with `budget.users` honest reports in
    each: an upper bound, in floating point with its rounding added, and not certified as a plan's is.
    """

    budget: Budget
    each: Budget
    protocols: tuple[Protocol, ...] = field(repr=False)
    delta: float

    @property
    def keeps_budget(self) -> bool:
        """Whether `delta` is within the budget's; parameters as published make no promise that it is."""
        return self.delta <= self.budget.delta

    @property
    def local_epsilon(self) -> float:
        """What is left if shuffler and analyst collude: the local losses of all collections add up."""
        return math.fsum(protocol.mechanism.local_epsilon for protocol in self.protocols)

    def statement(self) -> str:
        """What the composition guarantees, for a person."""
        local = "nothing is left"
        if math.isfinite(self.local_epsilon):
            local = f"local differential privacy with epsilon {rounded_up(self.local_epsilon)} is left"
        return (
            f"All {len(self.protocols)} shuffled collections together are ({self.budget.epsilon}, "
            f"{rounded_up(self.delta)})-differentially private when all values of one user are replaced by any others. "
            f"This holds if each collection is shuffled on its own, with at least {self.budget.users:,} honest reports "
            f"in it, the user's own included. If shuffler and analyst collude, {local}."
        )


def split_budget(name: str, domains: Sequence[Domain], budget: Budget, accounting: Accounting = "exact") -> Split:
    """As published: even shares, with published parameters. Exact: as much as the composed loss allows."""
    return by_composition(name, domains, budget) if accounting == "exact" else evenly(name, domains, budget, accounting)


def evenly(name: str, domains: Sequence[Domain], budget: Budget, accounting: Accounting = "exact") -> Split:
    """Each collection has epsilon/d and delta/d."""
    return _split(name, domains, budget, budget.epsilon / _number_of(domains), accounting)


def by_composition(name: str, domains: Sequence[Domain], budget: Budget) -> Split:
    """Each collection has delta/d and the largest epsilon that the composed loss allows: never less than epsilon/d."""
    # epsilon/d needs no composition, and a collection that loses more than the whole budget is not looked for
    low, high = budget.epsilon / _number_of(domains), budget.epsilon
    best: Split | None = None
    while high / low > CLOSE:
        middle = math.sqrt(low * high)
        try:
            tried = _split(name, domains, budget, middle, "exact")
        except InfeasibleError:
            # nothing can be told within so little, so any more is still allowed
            low = middle
            continue
        if tried.keeps_budget:
            best, low = tried, middle
        else:
            high = middle
    return best or evenly(name, domains, budget)


def _split(name: str, domains: Sequence[Domain], budget: Budget, epsilon: float, accounting: Accounting) -> Split:
    """Every collection has this epsilon, and its share of delta and of the cap on the local epsilon."""
    number = len(domains)
    cap = budget.max_local_epsilon
    each = replace(
        budget,
        epsilon=epsilon,
        delta=budget.delta / number,
        max_local_epsilon=None if cap is None else cap / number,
    )
    # attributes with the same domain share a protocol
    built = {domain: build(name, domain, each, accounting) for domain in dict.fromkeys(domains)}
    protocols = tuple(built[domain] for domain in domains)
    return Split(budget, each, protocols, _delta_of(protocols, budget))


def _delta_of(protocols: Sequence[Protocol], budget: Budget) -> float:
    """All collections together lose at most this delta at the budget's epsilon."""
    times = Counter(
        Round(protocol.law, protocol.terms(budget.users), protocol.mechanism.local_epsilon) for protocol in protocols
    )
    composed = compose([replace(each, times=number) for each, number in times.items()]).delta(budget.epsilon)
    # basic composition: the sum of the deltas at epsilon/d. It is the smaller only where one composes (almost) nothing
    # or where delta is too small for the grid of losses to resolve.
    share = budget.epsilon / len(protocols)
    basic = math.fsum(guaranteed_delta(protocol.mechanism, budget.users, share) for protocol in protocols)
    return min(composed, basic)


def _number_of(domains: Sequence[Domain]) -> int:
    if isinstance(domains, Domain) or len(domains) == 0:
        raise BudgetError("a budget is split over a list of domains, one for each attribute; for one of them [domain]")
    return len(domains)
