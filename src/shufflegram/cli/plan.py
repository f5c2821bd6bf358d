"""`shufflegram plan`: from a domain, a budget and a crowd to a certified plan."""

import warnings
from pathlib import Path
from typing import Any

import click

from .options import (
    HONEST_FRACTION,
    OUTPUT,
    POSITIVE,
    domain_from,
    domain_options,
    force_option,
    json_option,
    protocol_name,
)
from .output import show_facts, show_json, terminal, warn
from .promise import plan_facts


@click.command(
    "plan",
    epilog="""\b
Examples:
  shufflegram plan --low 0 --high 86400 --bins 512 --circular --unit seconds \\
      --users 100000 --epsilon 0.5 --delta 1e-6 --output plan.json
  shufflegram plan --low 1 --high 1e6 --bins 256 --log --unit dollars --outside clamp \\
      --users 20000 --honest-fraction 0.95 --epsilon 1 --delta 1e-6 --json
  shufflegram plan --edges 0,1,2,5,10,30,100 --users 50000 --epsilon 0.2 --delta 1e-6""",
)
@domain_options
@click.option("--users", type=int, help="The fewest reports that will arrive.  [required]")
@click.option("--epsilon", type=float, help="What the shuffled reports may tell of one user.  [required]")
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
    "--protocol", type=protocol_name, metavar="NAME", default="asp", show_default=True, help="A registered protocol."
)
@click.option("--output", type=OUTPUT, help="Write the plan to this file.")
@force_option
@json_option
def command(
    users: int,
    epsilon: float,
    delta: float,
    honest_fraction: float,
    max_local_epsilon: float | None,
    protocol: str,
    output: Path | None,
    force: bool,
    as_json: bool,
    **domain: Any,
) -> None:
    """Make a certified plan for a collection.

    The plan fixes the domain, the mechanism and the promise, which is proven before it is shown. Its file is what
    devices, shuffler and analyst work from.
    """
    from ..files import require_apart, require_writable, whole_file
    from ..planning import PrivacyWarning
    from ..planning import plan as make_plan

    # Left out options are told all at once, so the library's types hold from here on.
    asked = domain_from(domain, users=users, epsilon=epsilon, delta=delta)
    if output is not None:
        require_apart(output, [domain["edges"]] if domain["edges"] else [])
        require_writable(output, overwrite=force)
    with warnings.catch_warnings():
        # They are part of the guarantee and shown below.
        warnings.simplefilter("ignore", PrivacyWarning)
        plan = make_plan(
            asked,
            users=users,
            epsilon=epsilon,
            delta=delta,
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
    show_facts(terminal(), [*plan_facts(plan), ("file", kept)])
