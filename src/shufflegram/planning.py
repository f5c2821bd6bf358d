"""From a domain, a budget and a crowd to a certified plan, and the plan's file.

The file is readable JSON of integers, ratios and words. Loading it proves the guarantee again; a file that was
changed, or whose guarantee cannot be proven, is refused.
"""

import json
import math
import os
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from .design.square_wave import readable_ratio, require_information
from .domain import Domain
from .errors import CertificationError, InputError, PlanError
from .mechanism import SquareWave
from .privacy.accounting import honest_reports
from .privacy.budget import Budget
from .privacy.guarantee import Guarantee, promise
from .protocols import registry
from .protocols.channel_analyzer import ChannelAnalyzer
from .protocols.square_wave import SquareWaveProtocol
from .randomizers.square_wave import SquareWaveRandomizer

FORMAT = 1
# A certificate's last digits may differ between machines, as its contour is found in floating point.
AGREEMENT = 1e-4


class PrivacyWarning(UserWarning):
    """A guarantee that holds but promises less than its reader may think."""


@dataclass(frozen=True)
class Plan:
    """A collection as it will be run: the domain, the certified mechanism, and the roles that use it."""

    protocol: SquareWaveProtocol
    guarantee: Guarantee

    @property
    def domain(self) -> Domain:
        return self.protocol.domain

    @property
    def mechanism(self) -> SquareWave:
        mechanism = self.protocol.mechanism
        if not isinstance(mechanism, SquareWave):
            raise PlanError("a plan needs the discrete square wave; a continuous one cannot be deployed")
        return mechanism

    @cached_property
    def randomizer(self) -> SquareWaveRandomizer:
        """Runs on a user's device, with the operating system's secure source unless told otherwise."""
        return SquareWaveRandomizer(self.domain, self.mechanism)

    @property
    def analyzer(self) -> ChannelAnalyzer:
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
        return cls.from_dict(record)

    @classmethod
    def from_dict(cls, record: Any) -> "Plan":
        """As `load`, from the file's content."""
        keys = {"shufflegram_plan", "protocol", "domain", "mechanism", "guarantee", "digest"}
        if not isinstance(record, dict) or "shufflegram_plan" not in record:
            raise PlanError("this is not a shufflegram plan; one is made by `shufflegram plan` or Plan.save")
        if record["shufflegram_plan"] != FORMAT:
            raise PlanError(f"this plan has format {record['shufflegram_plan']!r}; this version reads format {FORMAT}")
        if set(record) != keys:
            raise PlanError(f"a plan has the keys {', '.join(sorted(keys))}; missing or unknown: {_odd(record, keys)}")
        claimed = record["guarantee"]
        try:
            domain = Domain.from_dict(record["domain"])
            mechanism = SquareWave.from_dict(record["mechanism"])
            budget = Budget(claimed["epsilon"], claimed["delta"], claimed["users"])
            protocol = _assemble(record["protocol"], domain, mechanism)
            plan = _certified(protocol, budget)
        except CertificationError as problem:
            raise PlanError(f"the plan's guarantee cannot be proven, so it is refused: {problem}") from problem
        except PlanError:
            raise
        except InputError as problem:
            raise PlanError(f"the plan is damaged: {problem}") from problem
        except (KeyError, TypeError, AttributeError) as problem:
            raise PlanError("the plan is damaged: its domain, mechanism or guarantee is incomplete") from problem
        _require_agreement(record, plan.to_dict())
        return plan

    def summary(self) -> str:
        """A few lines for people."""
        wave = self.mechanism
        return "\n".join(
            (
                f"domain      {self.domain}",
                f"protocol    {self.protocol.name}: one report of {self.protocol.bits_per_user:.0f} bits a user",
                f"mechanism   half width {wave.half_width} of {wave.cells} cells, "
                f"density ratio {float(wave.density_ratio):g} ({wave.density_ratio}), {wave.report_cells} report cells",
                f"guarantee   epsilon {self.guarantee.epsilon:g}, delta {self.guarantee.delta:g} with at least "
                f"{self.guarantee.users:,} honest reports; local epsilon {self.guarantee.local_epsilon:.3g}",
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
    assembly = registry.build(protocol, domain, budget, "exact")
    require_information(assembly.mechanism, budget)
    made = _largest_certified(assembly, budget)
    for warning in made.guarantee.warnings():
        warnings.warn(warning, PrivacyWarning, stacklevel=2)
    return made


def _largest_certified(protocol: SquareWaveProtocol, budget: Budget) -> Plan:
    """The proposal, its density ratio lowered by a hair where the proof does not quite reach it."""
    ratio = protocol.mechanism.density_ratio
    for hair in (0.0, 1e-6, 1e-5, 1e-4, 1e-3):
        lowered = readable_ratio(float(1 + (ratio - 1) * (1 - Fraction(hair)))) if hair else ratio
        wave = protocol.mechanism.with_density_ratio(lowered)
        try:
            return _certified(replace(protocol, mechanism=wave), budget)
        except CertificationError:
            continue
    raise CertificationError("the largest density ratio found could not be proven; choose a slightly larger epsilon")


def _certified(protocol: SquareWaveProtocol, budget: Budget) -> Plan:
    guarantee = promise(
        protocol.law,
        terms=protocol.terms(budget.users),
        users=budget.users,
        epsilon=budget.epsilon,
        delta=budget.delta,
        local_epsilon=protocol.mechanism.local_epsilon,
    )
    return Plan(protocol, guarantee)


def _assemble(name: str, domain: Domain, mechanism: SquareWave) -> SquareWaveProtocol:
    """The named protocol around a mechanism that is already known."""
    protocol = SquareWaveProtocol(name, domain, mechanism, registry.entry(name).estimator)
    SquareWaveRandomizer(domain, mechanism)  # domain and mechanism must fit each other
    return protocol


def _require_agreement(record: dict[str, Any], proven: dict[str, Any]) -> None:
    """Everything a plan says must be what its parameters prove."""
    for key in ("digest", "domain", "mechanism"):
        if record[key] != proven[key]:
            raise PlanError(f"the plan was changed after it was made: its {key} does not agree with the rest")
    claims, facts = dict(record["guarantee"]), dict(proven["guarantee"])
    certificate, proof = dict(claims.pop("certificate")), facts.pop("certificate")
    if not _close(claims.pop("local_epsilon"), facts.pop("local_epsilon")):
        raise PlanError("the plan was changed after it was made: its local epsilon does not follow from its mechanism")
    if not _close(certificate.pop("delta_upper"), proof.pop("delta_upper")) or certificate != proof:
        raise PlanError("the plan was changed after it was made: its certificate is not what its parameters prove")
    # The statement quotes the proven delta, so it is compared without its digits.
    if _words(claims.pop("statement")) != _words(facts.pop("statement")) or claims != facts:
        raise PlanError("the plan was changed after it was made: its guarantee says something else than is proven")


def _close(claimed: Any, proven: Any) -> bool:
    claim, proof = float(claimed), float(proven)
    return math.isclose(claim, proof, rel_tol=AGREEMENT, abs_tol=0.0)


def _words(statement: Any) -> str:
    return str(statement).split("(proven delta")[0] + str(statement).split("(proven delta")[-1].partition(")")[2]


def _odd(record: dict[str, Any], keys: set[str]) -> str:
    return ", ".join(sorted(set(record) ^ keys))


def _reason(problem: Exception) -> str:
    return problem.strerror or "it cannot be opened" if isinstance(problem, OSError) else "it is not text"
