"""What commands say of the promise in a plan, and when it does not hold."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .output import counted, warn

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


def load_plan(path: Path) -> "Plan":
    """The plan in this file, proven again; what a careful reader should be told of it goes to the standard error."""
    from ..planning import Plan, PrivacyWarning

    with warnings.catch_warnings():
        # They are part of the guarantee and told here.
        warnings.simplefilter("ignore", PrivacyWarning)
        plan = Plan.load(path)
    warn(plan.guarantee.warnings())
    return plan


def require_one_number(plan: "Plan") -> None:
    """Files hold one number a user; vectors, and several messages a user, are for Python."""
    if plan.protocol.messages_per_user != 1:
        raise click.UsageError(
            f"a user of {plan.protocol.name} sends {plan.protocol.messages_per_user:,g} messages, which files of "
            f"reports do not hold; plan with a protocol of one message, or use Python"
        )


def too_few(plan: "Plan", reports: int) -> list[str]:
    """A warning if a whole collection has fewer reports than the promise needs."""
    needed, share = plan.fewest_reports, plan.honest_fraction
    if reports >= needed:
        return []
    honest = f" --honest-fraction {share:g}" if share < 1 else ""
    return [
        f"the guarantee needs {needed:,} reports, here are {reports:,}: it does not hold for them "
        f"(`shufflegram privacy PLAN.json --users {reports}{honest}` says what does)"
    ]


def caption(plan: "Plan", reports: int) -> str:
    """The crowd and what it was promised, for the head of a picture."""
    crowd = counted(reports, "user") + (", too few for" if too_few(plan, reports) else ",")
    return f"{crowd} epsilon {plan.guarantee.epsilon:g}, delta {plan.guarantee.delta:g}"
