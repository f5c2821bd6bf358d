"""From a domain, a budget and a crowd to a certified plan, and the plan's file.

The file is readable JSON of integers, ratios and words. Loading it proves the guarantee again; a file that was
changed, or whose guarantee cannot be proven, is refused.
"""

import json
import math
import os
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from .domain import Domain
from .errors import CertificationError, InputError, PlanError
from .mechanism import Mechanism
from .privacy.accounting import honest_reports
from .privacy.budget import Budget
from .privacy.guarantee import Guarantee, promise, rounded_up
from .protocol import Analyzer, DeviceRandomizer, Protocol
from .protocols import registry

FORMAT = 1
# How far numbers found in floating point may differ between the machine that made a plan and the one that reads it.
AGREEMENT = 1e-9
NUMBER = re.compile(r"[0-9.]+(e-?[0-9]+)?")


class PrivacyWarning(UserWarning):
    """A guarantee that holds but promises less than its reader may think."""


@dataclass(frozen=True)
class Plan:
    """A collection as it will be run: the protocol, and the guarantee that was proven for exactly this protocol."""

    protocol: Protocol
    guarantee: Guarantee

    def __post_init__(self) -> None:
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

    def to_dict(self) -> dict[str, Any]:
        return {
            "shufflegram_plan": FORMAT,
            "protocol": self.protocol.name,
            "domain": self.domain.to_dict(),
            "mechanism": self.mechanism.to_dict(),
            "guarantee": self.guarantee.to_dict(),
            "digest": self.digest,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan as JSON."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Plan":
        """Read a plan and prove its guarantee again; refuse it if anything does not agree."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise PlanError(f"the plan {os.fspath(path)} cannot be read: {_reason(problem)}") from problem
        try:
            record = json.loads(text)
        except json.JSONDecodeError as problem:
            raise PlanError(
                f"the plan {os.fspath(path)} is not JSON: line {problem.lineno}, {problem.msg}"
            ) from problem
        except (ValueError, RecursionError) as problem:
            raise PlanError(
                f"the plan {os.fspath(path)} is not one that was written here: it is too deep or long"
            ) from problem
        return cls.from_dict(record)

    @classmethod
    def from_dict(cls, record: Any) -> "Plan":
        """As `load`, from the file's content."""
        if not isinstance(record, dict) or "shufflegram_plan" not in record:
            raise PlanError("this is not a shufflegram plan; one is made by `shufflegram plan` or Plan.save")
        if type(record["shufflegram_plan"]) is not int or record["shufflegram_plan"] != FORMAT:
            raise PlanError(f"this plan has another format than {FORMAT}, which is what this version reads")
        keys = {"shufflegram_plan", "protocol", "domain", "mechanism", "guarantee", "digest"}
        if set(record) != keys:
            odd = ", ".join(sorted(map(str, set(record) ^ keys)))
            raise PlanError(f"a plan has the keys {', '.join(sorted(keys))}; missing or unknown: {odd:.60}")
        try:
            claimed = record["guarantee"]
            budget = Budget(claimed["epsilon"], claimed["delta"], claimed["users"])
            domain = Domain.from_dict(record["domain"])
            plan = _certified(registry.entry(record["protocol"]).load(domain, record["mechanism"]), budget)
            agrees = _agree(record, plan.to_dict())
        except CertificationError as problem:
            raise PlanError(f"the plan's guarantee cannot be proven, so it is refused: {problem}") from problem
        except InputError as problem:
            raise PlanError(f"the plan is damaged: {problem}") from problem
        except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as problem:
            raise PlanError(
                "the plan is damaged: its domain, mechanism or guarantee is not what it should be"
            ) from problem
        if not agrees:
            raise PlanError("the plan was changed after it was made: it says something else than its parameters prove")
        return plan

    def summary(self) -> str:
        """A few lines for people."""
        promised = self.guarantee
        return "\n".join(
            (
                f"domain      {self.domain}",
                f"protocol    {self.protocol.name}: {self.protocol.messages_per_user:g} message of "
                f"{self.protocol.bits_per_user:.0f} bits a user",
                f"mechanism   {self.mechanism}",
                f"guarantee   epsilon {promised.epsilon}, delta {promised.delta} with at least "
                f"{promised.users:,} honest reports; local epsilon {rounded_up(promised.local_epsilon)}",
            )
        )


def plan(
    domain: Domain,
    *,
    users: int,
    epsilon: float,
    delta: float,
    protocol: str = "asp",
    honest_fraction: float = 1.0,
    max_local_epsilon: float | None = None,
) -> Plan:
    """A certified plan for a collection.

    `users` is the fewest honest reports that will arrive; if only a share of the users is honest, say so by
    `honest_fraction`. `max_local_epsilon` caps what is left if shuffler and analyst collude. The half width maximises
    the mutual information between a value and its report (for values spread evenly), until a predicted error takes
    its place.
    """
    budget = Budget(epsilon, delta, honest_reports(users, honest_fraction), max_local_epsilon)
    made = _certified(registry.build(protocol, domain, budget, "exact"), budget)
    for warning in made.guarantee.warnings():
        warnings.warn(warning, PrivacyWarning, stacklevel=2)
    return made


def _certified(protocol: Protocol, budget: Budget) -> Plan:
    guarantee = promise(
        protocol.law,
        terms=protocol.terms(budget.users),
        users=budget.users,
        epsilon=budget.epsilon,
        delta=budget.delta,
        local_epsilon=protocol.mechanism.local_epsilon,
    )
    return Plan(protocol, guarantee)


def _agree(record: dict[str, Any], proven: dict[str, Any]) -> bool:
    """Whether a plan's file says what its parameters prove, word for word.

    Two numbers may differ in their last digits, as they are found in floating point on the machine that proves.
    """
    claims, facts = record["guarantee"], proven["guarantee"]
    claimed, fact = claims["certificate"]["delta_upper"], facts["certificate"]["delta_upper"]
    if not (isinstance(claimed, str) and NUMBER.fullmatch(claimed)):
        return False
    if not math.isclose(float(claimed), float(fact), rel_tol=AGREEMENT):
        return False
    if not math.isclose(claims["local_epsilon"], facts["local_epsilon"], rel_tol=AGREEMENT):
        return False
    same_digits = {
        **claims,
        "local_epsilon": facts["local_epsilon"],
        "certificate": {**claims["certificate"], "delta_upper": fact},
        "statement": claims["statement"].replace(f"(proven delta {claimed})", f"(proven delta {fact})"),
    }
    return {**record, "guarantee": same_digits} == proven


def _reason(problem: Exception) -> str:
    return problem.strerror or "it cannot be opened" if isinstance(problem, OSError) else "it is not text"
