"""`shufflegram plan`: from a domain, a budget and a crowd to a certified plan."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import (
    HONEST_FRACTION,
    LEVEL,
    OUTPUT,
    POSITIVE,
    domain_from,
    domain_options,
    force_option,
    json_option,
    protocol_name,
)
from .output import show_facts, show_json, terminal, warn
from .progress import step
from .promise import plan_facts

if TYPE_CHECKING:
    from ..planning import Objective, Plan


@click.command(
    "plan",
    epilog="""\b
Examples:
  shufflegram plan --low 0 --high 86400 --bins 512 --circular --unit seconds \\
      --users 100000 --epsilon 0.5 --delta 1e-6 --output plan.json
  shufflegram plan --low 1 --high 1e6 --bins 256 --log --unit dollars --outside clamp \\
      --users 20000 --honest-fraction 0.95 --epsilon 1 --delta 1e-6 --json
  shufflegram plan --edges 0,1,2,5,10,30,100 --users 50000 --epsilon 0.2 --delta 1e-6
  shufflegram plan --low 0 --high 100 --bins 128 --epsilon 0.5 --error 0.002 --delta 1e-7""",
)
@domain_options
@click.option("--users", type=int, help="The fewest reports that will arrive.")
@click.option("--epsilon", type=float, help="What the shuffled reports may tell of one user.")
@click.option(
    "--error",
    type=LEVEL,
    help="Instead of one of the two: the W1 to expect at most on any of four shapes, a share of the domain.",
)
@click.option("--delta", type=float, help="How often that may fail; well below 1/users.  [required]")
@click.option(
    "--honest-fraction",
    type=HONEST_FRACTION,
    default=1.0,
    show_default=True,
    help="The share of users who randomize.",
)
@click.option("--max-local-epsilon", type=POSITIVE, help="A cap on what is left if shuffler and analyst collude.")
@click.option(
    "--objective",
    type=click.Choice(["error", "mutual_information"]),
    default="error",
    show_default=True,
    help="What the window's width is chosen for.",
)
@click.option(
    "--protocol",
    type=protocol_name,
    metavar="NAME",
    help="A protocol by name (see `shufflegram protocols`), which then chooses.",
)
@click.option("--output", type=OUTPUT, help="Write the plan to this file.")
@force_option
@json_option
def command(
    users: int | None,
    epsilon: float | None,
    error: float | None,
    delta: float,
    honest_fraction: float,
    max_local_epsilon: float | None,
    objective: "Objective",
    protocol: str | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    **domain: Any,
) -> None:
    """Make a certified plan for a collection.

    The plan fixes the domain, the mechanism and the promise, which is proven before it is shown. Its file is what
    devices, shuffler and analyst work from. With --error in place of --users or --epsilon it finds the fewest users or
    the least epsilon that are expected to do.
    """
    from ..files import require_apart, require_writable, whole_file
    from ..planning import PrivacyWarning
    from ..planning import plan as make_plan

    # Left out options are told all at once, so the library's types hold from here on.
    asked = domain_from(domain, **({"users": users, "epsilon": epsilon} if error is None else {}), delta=delta)
    if (users, epsilon, error).count(None) != 1:
        raise click.UsageError("give two of --users, --epsilon and --error; the third follows")
    if output is not None:
        require_apart(output, [domain["edges"]] if domain["edges"] else [])
        require_writable(output, overwrite=force)
    with warnings.catch_warnings(), step("planning" if error is None else "looking for the plan with this error"):
        # They are part of the guarantee and shown below.
        warnings.simplefilter("ignore", PrivacyWarning)
        plan = make_plan(
            asked,
            users=users,
            epsilon=epsilon,
            error=error,
            delta=delta,
            objective=objective,
            protocol=protocol,
            honest_fraction=honest_fraction,
            max_local_epsilon=max_local_epsilon,
        )
    warn(plan.guarantee.warnings())
    if output is not None:
        with whole_file(output, overwrite=force) as part:
            plan.save(part)
    if as_json:
        show_json(plan.to_dict())
        return
    kept = "none; --output plan.json keeps the plan" if output is None else str(output)
    show_facts(terminal(), [*plan_facts(plan), *_expected(plan), ("file", kept)])


def _expected(plan: "Plan") -> list[tuple[str, str]]:
    """The errors to expect, where a formula says it."""
    from ..design.shapes import SHAPES
    from ..errors import MechanismError
    from ..planning import predicted_error

    try:
        found = {name: predicted_error(plan, name)["wasserstein"] for name in SHAPES}
    except MechanismError:
        return []
    errors = ", ".join(f"{name} {error:.2g}" for name, error in found.items())
    return [("expected", f"W1 as a share of the domain, if the crowd's shape is {errors}")]
