"""What commands say of the promise in a plan, and when it does not hold."""

from typing import TYPE_CHECKING, Any

from .output import counted

if TYPE_CHECKING:
    from ..planning import Plan


def plan_facts(plan: "Plan") -> list[tuple[str, str]]:
    """The plan, and what it promises in words."""
    facts = [line.partition(" ")[::2] for line in plan.summary().splitlines()]
    return [(name, fact.strip()) for name, fact in facts] + [("promise", plan.guarantee.statement())]


def promise_record(plan: "Plan") -> dict[str, Any]:
    """What a device's owner should look at."""
    promised = plan.guarantee
    return {
        "epsilon": promised.epsilon,
        "delta": promised.delta,
        "users": promised.users,
        "local_epsilon": promised.local_epsilon,
    }


def reports_needed(plan: "Plan") -> int:
    """The fewest reports, shuffled together, for which the promise holds."""
    return plan.guarantee.users


def too_few(plan: "Plan", reports: int) -> list[str]:
    """A warning if a whole collection has fewer reports than the promise needs."""
    needed = reports_needed(plan)
    if reports >= needed:
        return []
    return [
        f"the guarantee needs {needed:,} reports, here are {reports:,}: it does not hold for them "
        f"(`shufflegram privacy PLAN.json --users {reports}` says what does)"
    ]


def caption(plan: "Plan", reports: int) -> str:
    """The crowd and what it was promised, for the head of a picture."""
    crowd = counted(reports, "user") + (", too few for" if too_few(plan, reports) else ",")
    return f"{crowd} epsilon {plan.guarantee.epsilon:g}, delta {plan.guarantee.delta:g}"
