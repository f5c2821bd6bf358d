"""`shufflegram privacy`: what a plan, or any square wave, promises, and what else one might have heard about it."""

import math
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import HONEST_FRACTION, INPUT, exact_ratio, json_option
from .output import counted, rounded_down, rounded_up, show_facts, show_json, show_table, terminal
from .promise import load_plan

if TYPE_CHECKING:
    from ..mechanism import Mechanism, Wave

ENDS = (
    "Upper ends hold whatever the data are, with room for every rounding; lower ends are reached on some data, so "
    "nothing below them can be promised."
)
LEAST_PROVEN = 1e-300


@click.command(
    "privacy",
    epilog="""\b
Examples:
  shufflegram privacy plan.json
  shufflegram privacy plan.json --honest-fraction 0.9 --honest-fraction 0.5 --rounds 10
  shufflegram privacy --users 100000 --epsilon 0.01 --delta 1e-5 \\
      --half-width 1/4 --density-ratio 3.064 --continuous
  shufflegram privacy --users 100000 --epsilon 0.01 --half-width 32 --density-ratio 4.029 \\
      --bins 512 --circular --json""",
)
@click.argument("plan", type=INPUT, required=False, metavar="[PLAN.json]")
@click.option("--users", type=int, help="How many reports are shuffled together.")
@click.option("--epsilon", type=float, help="At this epsilon: which delta?")
@click.option("--delta", type=float, help="And at this delta: which epsilon?")
@click.option(
    "--half-width", type=exact_ratio, metavar="RATIO", help="In cells with --bins; a share up to 1/2 with --continuous."
)
@click.option(
    "--density-ratio", type=exact_ratio, metavar="RATIO", help="How much likelier a report near the value is."
)
@click.option("--bins", type=int, help="The discrete square wave, on this many cells.")
@click.option("--circular", is_flag=True, help="On a circle (with --bins).")
@click.option("--continuous", is_flag=True, help="The paper's continuous square wave.")
@click.option(
    "--honest-fraction",
    "honest_fractions",
    type=HONEST_FRACTION,
    multiple=True,
    help="And if only this share is honest?",
)
@click.option("--rounds", type=int, help="And after so many rounds about the same users, each shuffled separately?")
@json_option
def command(
    plan: Path | None,
    users: int | None,
    epsilon: float | None,
    delta: float | None,
    honest_fractions: tuple[float, ...],
    rounds: int | None,
    as_json: bool,
    **wave: Any,
) -> None:
    """Say what a plan, or any square wave, promises.

    With PLAN.json: its own mechanism and budget, of which --users, --epsilon and --delta can be replaced to see what
    would be. Without: --users, --epsilon, --half-width, --density-ratio, and --bins or --continuous.
    """
    if plan is not None:
        given = [f"--{name.replace('_', '-')}" for name, value in wave.items() if value]
        if given:
            raise click.UsageError(f"the plan says what the mechanism is; leave {', '.join(given)} out")
        loaded = load_plan(plan)
        mechanism: Mechanism = loaded.mechanism
        users = loaded.guarantee.users if users is None else users
        epsilon = loaded.guarantee.epsilon if epsilon is None else epsilon
        delta = loaded.guarantee.delta if delta is None else delta
    else:
        if users is None or epsilon is None:
            raise click.UsageError("give a PLAN.json, or else --users and --epsilon and a mechanism")
        mechanism = _mechanism(**wave)
    answer = _answer(mechanism, users, epsilon, delta, honest_fractions, rounds)
    if as_json:
        show_json(answer)
    else:
        _show(answer, mechanism)


def _mechanism(
    half_width: Fraction | None, density_ratio: Fraction | None, bins: int | None, circular: bool, continuous: bool
) -> "Wave":
    from ..mechanism import ContinuousSquareWave, SquareWave

    if half_width is None or density_ratio is None:
        raise click.UsageError("a mechanism needs --half-width and --density-ratio (or give a PLAN.json)")
    if (bins is None) == (not continuous):
        raise click.UsageError("say either --bins (the discrete square wave) or --continuous, one of the two")
    if bins is None:
        if circular:
            raise click.UsageError("--circular goes with --bins; the continuous square wave is on a line")
        return ContinuousSquareWave(half_width, density_ratio)
    if half_width.denominator != 1:
        raise click.UsageError(f"with --bins, --half-width counts whole cells, got {half_width}")
    return SquareWave(bins, int(half_width), density_ratio, circular)


def _answer(
    mechanism: "Mechanism",
    users: int,
    epsilon: float,
    delta: float | None,
    honest_fractions: tuple[float, ...],
    rounds: int | None,
) -> dict[str, Any]:
    from .. import privacy
    from ..mechanism import ContinuousSquareWave, SquareWave
    from ..privacy import bounds

    answer: dict[str, Any] = {
        "mechanism": mechanism.to_dict(),
        "users": users,
        "epsilon": epsilon,
        "delta": privacy.delta(mechanism, users, epsilon).to_dict(),
        "local_epsilon": mechanism.local_epsilon,
    }
    if isinstance(mechanism, SquareWave | ContinuousSquareWave):
        found = {bound: bound.delta(mechanism, users, epsilon) for bound in bounds.BOUNDS}
        answer["looser_bounds_on_delta"] = {each.name: value for each, value in found.items() if each.is_guarantee}
        answer["not_a_guarantee"] = {each.name: value for each, value in found.items() if not each.is_guarantee}
    if not isinstance(mechanism, ContinuousSquareWave):
        # A proof of next to nothing takes long, for all of its digits.
        worth = answer["delta"]["upper"] >= LEAST_PROVEN or epsilon >= mechanism.local_epsilon
        answer["proven_delta"] = _proven_delta(mechanism, users, epsilon) if worth else None
    if delta is not None:
        answer["asked_delta"] = delta
        answer["epsilon_at_asked_delta"] = privacy.epsilon(mechanism, users, delta).to_dict()
        answer["fewest_honest_reports"] = _fewest(mechanism, epsilon, delta)
    answer["honest"] = [_with_fewer(mechanism, users, epsilon, delta, fraction) for fraction in honest_fractions]
    if rounds is not None:
        if rounds < 1:
            raise click.UsageError(f"--rounds counts rounds and is at least 1, got {rounds}")
        together: dict[str, Any] = {"rounds": rounds}
        together["delta_upper"] = privacy.composed_delta(mechanism, users, rounds, epsilon)
        if delta is not None:
            together["epsilon_upper_at_asked_delta"] = _composed_epsilon(mechanism, users, rounds, delta)
        answer["composition"] = together
    return answer


def _proven_delta(mechanism: "Mechanism", users: int, epsilon: float) -> float | None:
    """The certified delta, rounded up; None if it cannot be proven."""
    from ..errors import CertificationError
    from ..privacy.certify import certify
    from ..privacy.guarantee import as_written
    from ..privacy.laws import blanket_law, blanket_terms

    try:
        proven = certify(blanket_law(mechanism), blanket_terms(mechanism, users), as_written(epsilon)).delta_upper
    except CertificationError:
        return None
    nearest = float(proven)
    return nearest if nearest >= proven else math.nextafter(nearest, math.inf)


def _fewest(mechanism: "Mechanism", epsilon: float, delta: float) -> int | None:
    """How many honest reports give this budget; None if no number does."""
    from .. import privacy
    from ..errors import BudgetError

    try:
        return privacy.smallest_users(mechanism, epsilon, delta)
    except BudgetError:
        return None


def _composed_epsilon(mechanism: "Mechanism", users: int, rounds: int, delta: float) -> float | None:
    """The epsilon of all rounds together; None if none that means anything can be promised."""
    from .. import privacy
    from ..errors import InfeasibleError

    try:
        return privacy.composed_epsilon(mechanism, users, rounds, delta)
    except InfeasibleError:
        return None


def _with_fewer(
    mechanism: "Mechanism", users: int, epsilon: float, delta: float | None, fraction: float
) -> dict[str, Any]:
    from .. import privacy

    honest = privacy.honest_reports(users, fraction)
    record: dict[str, Any] = {"fraction": fraction, "reports": honest}
    record["delta"] = privacy.delta(mechanism, honest, epsilon).to_dict()
    if delta is not None:
        record["epsilon_at_asked_delta"] = privacy.epsilon(mechanism, honest, delta).to_dict()
    return record


def _show(answer: dict[str, Any], mechanism: "Mechanism") -> None:
    from ..privacy import guarantee

    console = terminal()
    users, epsilon, delta = answer["users"], answer["epsilon"], answer.get("asked_delta")
    facts = [
        ("mechanism", str(mechanism)),
        ("crowd", f"{counted(users, 'honest report')} shuffled together"),
        ("delta", f"{_between(answer['delta'])}  at epsilon {epsilon:g}"),
    ]
    if "proven_delta" in answer:
        proven = answer["proven_delta"]
        words = f"no delta: it cannot be proven, or is below {LEAST_PROVEN:g} and not worth it"
        if proven is not None:
            words = f"delta at most {rounded_up(proven)}  (ball arithmetic)"
        facts.append(("proven", words))
    if delta is not None:
        facts.append(("epsilon", f"{_between(answer['epsilon_at_asked_delta'])}  at delta {delta:g}"))
        fewest = answer["fewest_honest_reports"]
        enough = "no crowd is large enough to" if fewest is None else f"{counted(fewest, 'honest report')}"
        verb = "gives" if fewest == 1 else "give"
        facts.append(("fewest", f"{enough} {verb} epsilon {epsilon:g} and delta {delta:g}"))
    local = guarantee.rounded_up(answer["local_epsilon"])
    facts.append(("local epsilon", f"{local}  what is left if shuffler and analyst collude"))
    if "composition" in answer:
        together = answer["composition"]
        facts.append((counted(together["rounds"], "round"), _composition(together, epsilon, delta)))
    show_facts(console, facts)
    console.print(f"\n{ENDS}")
    if answer["honest"]:
        header = ("honest", "reports", f"delta at {epsilon:g}") + ((f"epsilon at {delta:g}",) if delta else ())
        show_table(console, "If fewer are honest (upper ends)", header, map(_honest_row, answer["honest"]))
    if "looser_bounds_on_delta" in answer:
        _show_bounds(answer)


def _composition(together: dict[str, Any], epsilon: float, delta: float | None) -> str:
    from ..privacy.budget import LARGEST_EPSILON

    words = f"delta at most {rounded_up(together['delta_upper'])} at epsilon {epsilon:g}"
    if delta is None:
        return words
    most = together["epsilon_upper_at_asked_delta"]
    if most is None:
        return f"{words}; no epsilon up to {LARGEST_EPSILON:g} can be promised at delta {delta:g}"
    return f"{words}; epsilon at most {rounded_up(most)} at delta {delta:g}"


def _show_bounds(answer: dict[str, Any]) -> None:
    from ..privacy import bounds

    rows = [("exact blanket (the delta above)", rounded_up(answer["delta"]["upper"]), "guaranteed")]
    for bound in bounds.BOUNDS:
        if bound.is_guarantee:
            rows.append((bound.title, rounded_up(answer["looser_bounds_on_delta"][bound.name]), "guaranteed"))
        else:
            rows.append((bound.title, f"{answer['not_a_guarantee'][bound.name]:.4g}", "NOT a guarantee"))
    show_table(terminal(), f"Bounds on delta at epsilon {answer['epsilon']:g}", ("bound", "delta", ""), rows)


def _honest_row(record: dict[str, Any]) -> tuple[str, ...]:
    row: tuple[str, ...] = (f"{record['fraction']:.4g}", f"{record['reports']:,}", rounded_up(record["delta"]["upper"]))
    if "epsilon_at_asked_delta" in record:
        row += (rounded_up(record["epsilon_at_asked_delta"]["upper"]),)
    return row


def _between(bracket: dict[str, float]) -> str:
    return f"between {rounded_down(bracket['lower'])} and {rounded_up(bracket['upper'])}"
