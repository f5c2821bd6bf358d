"""`shufflegram protocols`: what there is to compare, what each costs, and what it really spends of a budget."""

from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any, get_args

import click

from .options import domain_from, domain_options, json_option, names_a_domain
from .output import counted, rounded_down, rounded_up, show_facts, show_json, terminal
from .progress import progress

if TYPE_CHECKING:
    from rich.console import Console

    from ..baselines import BaselineEntry
    from ..domain import Domain
    from ..mechanism import Mechanism
    from ..privacy.budget import Budget
    from ..protocols import Facts, Unavailable

BUDGET = ("users", "epsilon", "delta")
# Where the options say nothing of the domain.
LOW, HIGH, BINS = 0.0, 1.0, 512
# The paper's letters; a parameter that has none goes by its own name.
LETTERS = {"half_width": "b", "density_ratio": "k", "dummies": "s", "flip_probability": "q"}
# Not chosen by a protocol for a budget: they are in its name or in the domain.
GIVEN = {"kind", "cells", "circular", "chunks"}
# Nobody tells smaller shares of delta apart.
LEAST_SHARE = 1e-99
HEADER = ("protocol", "accounting", "messages", "bits", "local", "epsilon", "delta", "chosen")
LEGEND = (
    ("messages, bits", "of one user, without transport"),
    ("local", "the epsilon that is left if shuffler and analyst collude; inf: nothing is left"),
    ("epsilon", "what is really spent at the budget's delta, at most; -: no epsilon up to 50 is enough"),
    ("delta", "what is really spent at the budget's epsilon, at most, as a share of its delta; far below 1 is waste"),
    (
        "chosen",
        "b half width (published: a share of the domain; exact: in bins), k density ratio, s dummies a user, q flip "
        "probability",
    ),
)


@click.command(
    "protocols",
    epilog="""\b
Examples:
  shufflegram protocols
  shufflegram protocols --users 100000 --epsilon 0.5 --delta 1e-6
  shufflegram protocols --users 20000 --epsilon 1 --delta 1e-6 \\
      --low 0 --high 24 --bins 96 --circular --json""",
)
@click.option("--users", type=int, help="For so many honest users.")
@click.option("--epsilon", type=float, help="At this epsilon.")
@click.option("--delta", type=float, help="At this delta.")
@domain_options
@json_option
def command(users: int | None, epsilon: float | None, delta: float | None, as_json: bool, **chosen: Any) -> None:
    """Say what each protocol and baseline costs and promises.

    Without options it lists them. With --users, --epsilon and --delta it says for each protocol, as published and under
    exact accounting: messages, bits, parameters, and by exact accounting how much of the budget they really spend. The
    domain is 512 bins from 0 to 1, unless the options say otherwise.
    """
    asked = dict(zip(BUDGET, (users, epsilon, delta), strict=True))
    missing = ", ".join(f"--{name}" for name, value in asked.items() if value is None)
    if users is None and epsilon is None and delta is None and not names_a_domain(chosen):
        _list(as_json)
        return
    if users is None or epsilon is None or delta is None:
        raise click.UsageError(f"costs and promises are those at a budget; missing: {missing}")
    from ..privacy.budget import Budget

    domain, budget = _domain(chosen), Budget(epsilon, delta, users)
    rows, baselines = _measured(domain, budget)
    if as_json:
        protocols = [each.to_dict() for each in rows]
        show_json({"domain": domain.to_dict(), **asked, "protocols": protocols, "baselines": baselines})
    else:
        _show(domain, budget, rows, baselines)


def _list(as_json: bool) -> None:
    from ..baselines import BASELINES
    from ..protocols import PROTOCOLS

    if as_json:
        show_json(
            {
                "protocols": [{"name": each.name, "title": each.title} for each in PROTOCOLS],
                "baselines": [
                    {"name": each.name, "title": each.title, "users_trust": each.trust} for each in BASELINES
                ],
            }
        )
        return
    console = terminal()
    console.print("Protocols, whose users trust the shuffler", style="bold")
    show_facts(console, [(each.name, each.title) for each in PROTOCOLS])
    console.print("\nBaselines, and whom their users trust", style="bold")
    show_facts(console, [(each.name, f"{each.title}: {each.trust}") for each in BASELINES])
    console.print("\nWith --users, --epsilon and --delta: what each costs, and what it makes of that budget.")


def _domain(chosen: dict[str, Any]) -> "Domain":
    """The domain of the options, with ends and bins where they leave them out."""
    if chosen["edges"] is None:
        usual = {"low": LOW, "high": HIGH, "bins": BINS}
        chosen = {**chosen, **{name: value for name, value in usual.items() if chosen[name] is None}}
    return domain_from(chosen)


def _measured(domain: "Domain", budget: "Budget") -> tuple[list["Facts | Unavailable"], list[dict[str, Any]]]:
    """The facts of every protocol under either accounting, and the records of all baselines."""
    from ..baselines import BASELINES
    from ..protocols import PROTOCOLS, facts_of
    from ..protocols.registry import Accounting

    cases = [(entry.name, accounting) for entry in PROTOCOLS for accounting in get_args(Accounting)]
    rows: list[Facts | Unavailable] = []
    baselines = []
    with progress("accounting", len(cases) + len(BASELINES)) as advance:
        for name, accounting in cases:
            rows.append(facts_of(name, domain, budget, accounting))
            advance(len(rows))
        for entry in BASELINES:
            baselines.append(_baseline(entry, domain, budget))
            advance(len(rows) + len(baselines))
    return rows, baselines


def _baseline(entry: "BaselineEntry", domain: "Domain", budget: "Budget") -> dict[str, Any]:
    """What a baseline costs and promises, or why it cannot be had."""
    from ..baselines import require
    from ..errors import InfeasibleError, MechanismError, MissingLibraryError

    record: dict[str, Any] = {"name": entry.name, "users_trust": entry.trust}
    try:
        require(entry.name)
        built = entry.build(domain, budget)
    except (InfeasibleError, MechanismError, MissingLibraryError) as problem:
        return record | {"reason": str(problem)}
    costs = {"messages_per_user": built.messages_per_user, "bits_per_user": built.bits_per_user}
    return record | costs | {"promise": built.promise}


def _show(
    domain: "Domain", budget: "Budget", rows: list["Facts | Unavailable"], baselines: list[dict[str, Any]]
) -> None:
    console = terminal()
    crowd = f"epsilon {budget.epsilon:g} and delta {budget.delta:g} with {counted(budget.users, 'honest user')}"
    show_facts(console, [("domain", str(domain)), ("budget", crowd)])
    _show_table(console, rows)
    show_facts(console, LEGEND)
    remarks = [(f"{each.name}, {each.accounting}", remark) for each in rows if (remark := _remark(each))]
    if remarks:
        console.print("\nNot as promised, or not to be had", style="bold")
        show_facts(console, remarks)
    console.print("\nBaselines", style="bold")
    show_facts(console, _described(baselines))


def _show_table(console: "Console", rows: list["Facts | Unavailable"]) -> None:
    """Where the terminal is narrow the last column wraps, and nothing else."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for place, name in enumerate(HEADER[:-1]):
        table.add_column(name, justify="left" if place < 2 else "right", no_wrap=True)
    table.add_column(HEADER[-1], overflow="fold")
    for row in rows:
        table.add_row(*_row(row))
    console.print(table)


def _row(facts: "Facts | Unavailable") -> tuple[str, ...]:
    from ..protocols import Unavailable

    if isinstance(facts, Unavailable):
        return (facts.name, facts.accounting, *["-"] * (len(HEADER) - 2))
    share = facts.share_of_delta
    return (
        facts.name,
        facts.accounting,
        _number(facts.messages_per_user),
        _number(facts.bits_per_user),
        rounded_up(facts.local_epsilon, 3),
        "-" if facts.epsilon is None else rounded_up(facts.epsilon.upper, 3),
        f"<{LEAST_SHARE:g}" if share < LEAST_SHARE else rounded_up(share, 3),
        _parameters(facts.mechanism),
    )


def _parameters(mechanism: "Mechanism") -> str:
    """What was chosen for the budget, by the paper's letters."""
    chosen = {name: value for name, value in mechanism.to_dict().items() if name not in GIVEN}
    return " ".join(f"{LETTERS.get(name, name)}={_number(float(Fraction(value)))}" for name, value in chosen.items())


def _number(value: float) -> str:
    """Whole where it is whole and not too long, else three digits."""
    return f"{value:,.0f}" if value.is_integer() and value < 10**6 else f"{value:.3g}"


def _remark(facts: "Facts | Unavailable") -> str:
    """What a careful reader should be told; nothing where the budget is kept."""
    from ..protocols import Unavailable

    if isinstance(facts, Unavailable):
        return facts.reason
    lower, upper = rounded_down(facts.delta.lower), rounded_up(facts.delta.upper)
    return {
        True: "",
        False: f"the budget is NOT kept: at epsilon {facts.budget.epsilon:g} delta is at least {lower}",
        None: f"not known to keep the budget: at epsilon {facts.budget.epsilon:g} delta is from {lower} to {upper}",
    }[facts.kept]


def _described(baselines: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Baselines that differ in a number only stand together: trim-5, -10, -15."""

    def alike(baseline: dict[str, Any]) -> tuple[str, str]:
        stem, _, _ = baseline["name"].rpartition("-")
        if "reason" in baseline:
            return stem, f"not to be had: {baseline['reason']}"
        costs = f"{baseline['messages_per_user']:g} message, {baseline['bits_per_user']:g} bits"
        return stem, f"{costs}: {baseline['promise']}"

    facts = []
    for (stem, words), group in groupby(baselines, alike):
        first, *others = (each["name"] for each in group)
        facts.append((", ".join([first, *(name.removeprefix(stem) for name in others)]), words))
    return facts
