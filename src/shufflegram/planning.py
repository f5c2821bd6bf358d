"""From a domain, a budget and a crowd to a certified plan, and the plan's file.

The file is readable JSON of numbers and names: what is run, and what is promised of it. It holds no proof and no prose.
Loading it proves the guarantee anew; a file that says anything else than what follows from its parameters, or whose
guarantee cannot be proven, is refused.
"""

import json
import math
import os
import warnings
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, cast

from numpy.typing import ArrayLike

from .domain import Domain
from .errors import BudgetError, CertificationError, DomainError, InputError, PlanError
from .mechanism import Mechanism
from .prediction import Wish, predicted_errors
from .privacy.accounting import honest_reports
from .privacy.budget import Budget, check_share
from .privacy.certify import METHOD
from .privacy.guarantee import ADJACENCY, Guarantee, as_written, promise, rounded_up
from .protocol import Analyzer, DeviceRandomizer, Protocol
from .protocols import registry

FORMAT = 1
# What the half width is chosen for, and the protocol that does so.
Objective = Literal["error", "mutual_information"]
OBJECTIVES: dict[Objective, str] = {"error": "tuned", "mutual_information": "asp"}
# A file tells the local epsilon in this many digits, rounded up: other machines' logarithms differ in later ones.
LOCAL_DIGITS = 6
KEYS = {
    "shufflegram_plan",
    "protocol",
    "domain",
    "mechanism",
    "guarantee",
    "certificate",
    "honest_fraction",
    "fewest_reports",
    "digest",
}


class PrivacyWarning(UserWarning):
    """A guarantee that holds but promises less than its reader may think."""


@dataclass(frozen=True)
class Plan:
    """A collection as it will be run: the protocol, and the guarantee that was proven for exactly this protocol.

    The guarantee counts honest reports, of which `honest_fraction` is the share expected among those that arrive. Who
    shuffles waits for `fewest_reports`; what is estimated from fewer was collected without the guarantee, and an
    analyzer does not know.
    """

    protocol: Protocol
    guarantee: Guarantee
    honest_fraction: float = 1.0

    def __post_init__(self) -> None:
        check_share("honest_fraction", self.honest_fraction)
        object.__setattr__(self, "honest_fraction", float(self.honest_fraction))
        if not self.protocol.deployable:
            raise PlanError("a plan is for real devices, and this protocol draws floats; use exact accounting")
        proven = self.guarantee
        if (
            proven.law != self.protocol.law
            or proven.certificate.terms != self.protocol.terms(proven.users)
            or proven.local_epsilon != self.protocol.mechanism.local_epsilon
        ):
            raise PlanError("this guarantee was proven for another protocol; make the plan anew")

    @property
    def domain(self) -> Domain:
        return self.protocol.domain

    @property
    def mechanism(self) -> Mechanism:
        return self.protocol.mechanism

    @property
    def randomizer(self) -> DeviceRandomizer:
        """Runs on a user's device, with the operating system's secure source unless told otherwise."""
        # what a deployable protocol promises of its randomizer
        return cast(DeviceRandomizer, self.protocol.randomizer)

    @property
    def analyzer(self) -> Analyzer:
        """Runs after the shuffler."""
        return self.protocol.analyzer

    @property
    def digest(self) -> str:
        """The stamp of this plan's tallies."""
        return self.protocol.digest

    @property
    def fewest_reports(self) -> int:
        """How many reports must arrive, so that the honest ones among them are enough for the guarantee."""
        return _fewest_reports(self.guarantee.users, self.honest_fraction)

    def to_dict(self) -> dict[str, Any]:
        """The content of the plan's file."""
        promised = self.guarantee
        return _record(self.protocol, promised.epsilon, promised.delta, promised.users, self.honest_fraction)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan as JSON."""
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        try:
            Path(path).write_text(text + "\n", encoding="utf-8")
        except OSError as problem:
            raise PlanError(
                f"the plan cannot be written there: {_reason(problem)}; name a file in a folder that can be written to"
            ) from problem

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Plan":
        """Read a plan and prove its guarantee again; refuse it if it says anything else than what follows from it."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise PlanError(f"the plan {os.fspath(path)} cannot be read: {_reason(problem)}") from problem
        try:
            record = json.loads(text, object_pairs_hook=_each_key_once)
        except PlanError as problem:
            raise PlanError(f"the plan {os.fspath(path)} {problem}") from None
        except json.JSONDecodeError as problem:
            raise PlanError(
                f"the plan {os.fspath(path)} is not JSON: line {problem.lineno}, {problem.msg}"
            ) from problem
        except (ValueError, RecursionError) as problem:
            raise PlanError(
                f"the plan {os.fspath(path)} is not one that was written here: it is too deep or long"
            ) from problem
        read = _read(record)
        _tell(read.guarantee)
        return read

    @classmethod
    def from_dict(cls, record: Any) -> "Plan":
        """As `load`, from the file's content."""
        read = _read(record)
        _tell(read.guarantee)
        return read

    def summary(self) -> str:
        """A few lines for people."""
        promised = self.guarantee
        return "\n".join(
            (
                f"domain      {self.domain}",
                f"protocol    {self.protocol.name}: {_messages(self.protocol)} a user",
                f"mechanism   {self.mechanism}",
                f"guarantee   epsilon {promised.epsilon}, delta {promised.delta} with at least "
                f"{promised.users:,} honest reports; local epsilon {rounded_up(promised.local_epsilon)}",
                f"crowd       at least {self.fewest_reports:,} reports must arrive, if a share of "
                f"{self.honest_fraction} of them is honest",
            )
        )


def plan(
    domain: Domain,
    *,
    delta: float,
    users: int | None = None,
    epsilon: float | None = None,
    error: float | None = None,
    objective: Objective = "error",
    protocol: str | None = None,
    honest_fraction: float = 1.0,
    max_local_epsilon: float | None = None,
) -> Plan:
    """A certified plan for a collection.

    `users` is the fewest honest reports that will arrive; if only a share of the users is honest, say so by
    `honest_fraction`. `max_local_epsilon` caps what is left if shuffler and analyst collude. The half width is the one
    of the least expected error over a family of shapes, or, with `objective="mutual_information"`, the one whose
    reports tell most of a value; a protocol that is named chooses its own.

    Instead of the users or of epsilon one may say what `error` (W1, a share of the domain) is to be expected at most,
    whatever the crowd's shape in the family: the plan is then for the fewest users, or the least epsilon, that do.
    """
    if not isinstance(domain, Domain):
        raise DomainError(f"a plan needs a Domain, such as Domain(0, 100, bins=64), got {type(domain).__name__}")
    name = _protocol_for(objective) if protocol is None else protocol
    if (users is None) + (epsilon is None) + (error is None) != 1:
        raise BudgetError("a plan takes two of users, epsilon and error; leave the one out that is to be found")
    if error is not None:
        check_share("honest_fraction", honest_fraction)
        wish = Wish(error, domain, name, max_local_epsilon)
        if users is None and epsilon is not None:
            users = _fewest_reports(wish.users(epsilon, delta), honest_fraction)
        elif users is not None:
            epsilon = wish.epsilon(honest_reports(users, honest_fraction), delta)
    budget = Budget(cast(float, epsilon), delta, honest_reports(cast(int, users), honest_fraction), max_local_epsilon)
    made = _certified(registry.build(name, domain, budget, "exact"), budget, honest_fraction)
    _tell(made.guarantee)
    return made


def _protocol_for(objective: Objective) -> str:
    if objective not in OBJECTIVES:
        raise BudgetError(f"objective must be one of {', '.join(OBJECTIVES)}, got {objective!r}")
    return OBJECTIVES[objective]


def predicted_error(plan: Plan, shape: str | ArrayLike = "smooth") -> dict[str, float]:
    """The errors to expect of a plan, by the names of the metrics, if its crowd has this shape.

    A shape is `uniform`, `smooth`, `skewed`, `spiky`, or a histogram on equal bins of the domain. Errors are shares of
    the domain (W1 and quantiles) and of the users (ranges).
    """
    return predicted_errors(plan.protocol, plan.guarantee.users, shape)


def _messages(protocol: Protocol) -> str:
    number, bits = protocol.messages_per_user, protocol.bits_per_user / protocol.messages_per_user
    return f"{number:,g} message{'' if number == 1 else 's'} of {bits:.0f} bits"


def _tell(guarantee: Guarantee) -> None:
    """What a careful reader should be told, as Python's warnings, as if from the line that made or read the plan."""
    for warning in guarantee.warnings():
        warnings.warn(warning, PrivacyWarning, stacklevel=3)


def _certified(protocol: Protocol, budget: Budget, honest_fraction: float) -> Plan:
    guarantee = promise(
        protocol.law,
        terms=protocol.terms(budget.users),
        users=budget.users,
        epsilon=budget.epsilon,
        delta=budget.delta,
        local_epsilon=protocol.mechanism.local_epsilon,
    )
    return Plan(protocol, guarantee, honest_fraction)


def _record(protocol: Protocol, epsilon: float, delta: float, users: int, honest_fraction: float) -> dict[str, Any]:
    """All that a plan's file says: its parameters, and what follows from them without a proof."""
    return {
        "shufflegram_plan": FORMAT,
        "protocol": protocol.name,
        "domain": protocol.domain.to_dict(),
        "mechanism": protocol.mechanism.to_dict(),
        "guarantee": {
            "epsilon": epsilon,
            "delta": delta,
            "users": users,
            "adjacency": ADJACENCY,
            "local_epsilon": _written_loss(protocol.mechanism.local_epsilon),
        },
        # what was proven, in exact numbers: a bound below delta would depend on how the proof went
        "certificate": {
            "method": METHOD,
            "epsilon": str(as_written(epsilon)),
            "terms": protocol.terms(users),
            "delta_at_most": str(as_written(delta)),
        },
        "honest_fraction": honest_fraction,
        "fewest_reports": _fewest_reports(users, honest_fraction),
        "digest": protocol.digest,
    }


def _read(record: Any) -> Plan:
    """The plan with this record, proven; the proof comes last, since everything else is cheap."""
    if not isinstance(record, dict) or "shufflegram_plan" not in record:
        raise PlanError("this is not a shufflegram plan; one is made by `shufflegram plan` or Plan.save")
    if type(record["shufflegram_plan"]) is not int or record["shufflegram_plan"] != FORMAT:
        raise PlanError(f"this plan has another format than {FORMAT}, which is what this version reads")
    if set(record) != KEYS:
        odd = ", ".join(sorted(map(str, set(record) ^ KEYS)))
        raise PlanError(f"a plan has the keys {', '.join(sorted(KEYS))}; missing or unknown: {odd:.60}")
    try:
        claimed, honest_fraction = record["guarantee"], record["honest_fraction"]
        budget = Budget(claimed["epsilon"], claimed["delta"], claimed["users"])
        check_share("honest_fraction", honest_fraction)
        domain = Domain.from_dict(record["domain"])
        protocol = registry.entry(record["protocol"]).load(domain, record["mechanism"])
        if record != _record(protocol, budget.epsilon, budget.delta, budget.users, honest_fraction):
            raise PlanError("it says something else than what follows from its parameters; make the plan anew")
        return _certified(protocol, budget, honest_fraction)
    except CertificationError as problem:
        raise PlanError(f"the plan's guarantee cannot be proven, so it is refused: {problem}") from problem
    except InputError as problem:
        raise PlanError(f"the plan is damaged: {problem}") from problem
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as problem:
        raise PlanError("the plan is damaged: its domain, mechanism or guarantee is not what it should be") from problem


def _fewest_reports(users: int, honest_fraction: float) -> int:
    # the smallest n with floor(n * fraction) >= users, where the fraction is the decimal that was written
    return math.ceil(users / Fraction(repr(float(honest_fraction))))


def _written_loss(loss: float) -> float | None:
    """A loss as a file tells it: never too small, and null if nothing bounds it, since JSON has no infinity."""
    return float(rounded_up(loss, LOCAL_DIGITS)) if math.isfinite(loss) else None


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of a key that stands twice, readers of JSON take one or the other: then a file says two things."""
    record: dict[str, Any] = {}
    for key, entry in pairs:
        if key in record:
            raise PlanError(f"says {key!r:.60} twice; each key may stand once")
        record[key] = entry
    return record


def _reason(problem: Exception) -> str:
    return problem.strerror or "it cannot be opened" if isinstance(problem, OSError) else "it is not text"
