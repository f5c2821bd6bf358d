"""Plans: certified when made, certified again when read, refused when changed."""

import json
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import shufflegram as sg
from shufflegram.errors import (
    BudgetError,
    CertificationError,
    InfeasibleError,
    InputError,
    MechanismError,
    PlanError,
)
from shufflegram.privacy.guarantee import rounded_up
from shufflegram.protocols import SquareWaveProtocol

DOMAIN = sg.Domain(0, 300_000, bins=64, unit="dollars")


@pytest.fixture(scope="module")
def made() -> sg.Plan:
    return sg.plan(DOMAIN, users=100_000, epsilon=0.1, delta=1e-6)


def test_a_plan_is_certified(made: sg.Plan) -> None:
    assert 0.999e-6 < float(made.guarantee.certificate.delta_upper) <= 1e-6
    assert made.guarantee.users == 100_000
    bracket = sg.privacy.delta(made.mechanism, users=100_000, epsilon=0.1)
    assert bracket.upper <= float(made.guarantee.certificate.delta_upper) * (1 + 1e-9)


def test_a_plan_survives_its_file(made: sg.Plan, tmp_path: Path) -> None:
    made.save(tmp_path / "plan.json")
    loaded = sg.Plan.load(tmp_path / "plan.json")
    assert loaded.to_dict() == made.to_dict()
    assert loaded == made
    # and the two understand each other's tallies
    reports = made.randomizer.randomize([1_000.0, 2_000.0])
    assert loaded.analyzer.tally(reports) + made.analyzer.tally(reports) == made.analyzer.tally([*reports, *reports])


@pytest.mark.parametrize(
    "domain",
    [
        sg.Domain(0, 24, bins=48, circular=True, unit="hours", outside="wrap"),
        sg.Domain.log(1, 1e5, bins=40, unit="ms", outside="clamp"),
        sg.Domain.from_edges([0, 1, 2.5, 7, 100]),
    ],
)
def test_every_kind_of_domain_can_be_planned(domain: sg.Domain, tmp_path: Path) -> None:
    plan = sg.plan(domain, users=50_000, epsilon=0.5, delta=1e-6, protocol="ssw")
    plan.save(tmp_path / "plan.json")
    assert sg.Plan.load(tmp_path / "plan.json") == plan


def change(*path: str, to: Any) -> Callable[[dict[str, Any]], None]:
    def apply(record: dict[str, Any]) -> None:
        for key in path[:-1]:
            record = record[key]
        record[path[-1]] = to

    return apply


def more_daring(record: dict[str, Any]) -> None:
    """A larger ratio, with every consequence but the proof written in by someone who knows the format."""
    from shufflegram.protocols import entry

    wave = sg.SquareWave.from_dict(record["mechanism"])
    wave = wave.with_density_ratio(wave.density_ratio * Fraction(11, 10))
    record["mechanism"] = wave.to_dict()
    record["guarantee"]["local_epsilon"] = wave.local_epsilon
    record["digest"] = entry("asp").load(sg.Domain.from_dict(record["domain"]), record["mechanism"]).digest


def no_strings_attached(record: dict[str, Any]) -> None:
    """Other words around the proven number."""
    statement = record["guarantee"]["statement"]
    record["guarantee"]["statement"] = statement.replace("(proven delta ", "(proven delta 0, whoever colludes; really ")


@pytest.mark.parametrize(
    "tamper",
    [
        more_daring,
        change("mechanism", "density_ratio", to="900"),
        change("mechanism", "density_ratio", to="2"),
        change("mechanism", "half_width", to=9),
        change("mechanism", "circular", to=True),
        change("domain", "high", to=200_000.0),
        change("domain", "outside", to="clamp"),
        change("guarantee", "users", to=200_000),
        change("guarantee", "users", to=50_000),
        change("guarantee", "epsilon", to=0.05),
        change("guarantee", "epsilon", to=0.2),
        change("guarantee", "delta", to=1e-9),
        change("guarantee", "local_epsilon", to=0.5),
        change("guarantee", "adjacency", to="add or remove one"),
        change("guarantee", "statement", to="Nothing can go wrong."),
        change("guarantee", "warnings", to=["none"]),
        change("guarantee", "certificate", "delta_upper", to="1e-12"),
        change("guarantee", "certificate", "terms", to=10**9),
        change("guarantee", "certificate", "method", to="trust me"),
        change("protocol", to="ssw"),
        change("digest", to="0" * 64),
        no_strings_attached,
        change("shufflegram_plan", to=True),
        change("guarantee", "certificate", to=5),
        change("guarantee", "certificate", to={}),
        change("guarantee", "certificate", "delta_upper", to=1e-6),
        change("guarantee", "certificate", "delta_upper", to="nan"),
        change("guarantee", "certificate", "delta_upper", to="9.998e-7"),
        change("guarantee", "local_epsilon", to="abc"),
        change("guarantee", "local_epsilon", to=None),
        change("guarantee", "epsilon", to=10**400),
        change("guarantee", "statement", to=5),
        change("domain", "unit", to=[]),
    ],
)
def test_a_tampered_plan_is_refused(made: sg.Plan, tamper: Callable[[dict[str, Any]], None]) -> None:
    record = json.loads(json.dumps(made.to_dict()))
    tamper(record)
    with pytest.raises(PlanError):
        sg.Plan.from_dict(record)


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ([], "not a shufflegram plan"),
        ({}, "not a shufflegram plan"),
        ({"shufflegram_plan": 99}, "another format"),
        ({"shufflegram_plan": 1}, "missing or unknown"),
    ],
)
def test_what_is_no_plan_is_refused(record: Any, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        sg.Plan.from_dict(record)


@pytest.mark.parametrize("section", ["domain", "mechanism", "guarantee", "protocol"])
@pytest.mark.parametrize("junk", [None, 3, "x", [], {}, {"epsilon": "x"}, {"epsilon": 1, "delta": 2, "users": 3}])
def test_a_damaged_plan_is_refused(made: sg.Plan, section: str, junk: Any) -> None:
    with pytest.raises(PlanError):
        sg.Plan.from_dict({**made.to_dict(), section: junk})


def test_unreadable_files_are_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "text.json").write_text("{", encoding="utf-8")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    (tmp_path / "long.json").write_text('{"users": ' + "9" * 5_001 + "}", encoding="utf-8")
    for name in ("text.json", "binary.json", "missing.json", ".", "deep.json", "long.json"):
        with pytest.raises(PlanError) as caught:
            sg.Plan.load(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_only_honest_reports_count() -> None:
    plan = sg.plan(DOMAIN, users=100_000, honest_fraction=0.9, epsilon=0.1, delta=1e-6)
    assert plan.guarantee.users == 90_000
    assert plan == sg.plan(DOMAIN, users=90_000, epsilon=0.1, delta=1e-6)


def test_the_local_epsilon_can_be_capped() -> None:
    plan = sg.plan(DOMAIN, users=1_000_000, epsilon=1.0, delta=1e-7, max_local_epsilon=2.0)
    assert plan.guarantee.local_epsilon <= 2.0


def test_a_delta_above_one_over_n_warns() -> None:
    with pytest.warns(sg.PrivacyWarning, match="above 1/n"):
        sg.plan(DOMAIN, users=1_000, epsilon=1.0, delta=1e-2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.plan(DOMAIN, users=1_000, epsilon=1.0, delta=1e-4)


def test_what_cannot_be_met_is_refused_with_what_could() -> None:
    with pytest.raises(InfeasibleError, match=r"honest reports or epsilon .* would do"):
        sg.plan(DOMAIN, users=50, epsilon=0.01, delta=1e-6)
    with pytest.raises(InfeasibleError, match="next to nothing"):
        sg.plan(DOMAIN, users=1000, epsilon=1.0, delta=1e-6, max_local_epsilon=1e-4)


@pytest.mark.parametrize(
    "arguments",
    [
        {"epsilon": 0},
        {"epsilon": float("inf")},
        {"epsilon": "a lot"},
        {"delta": 0},
        {"delta": 1.5},
        {"users": 0},
        {"users": 10.5},
        {"honest_fraction": 0},
        {"honest_fraction": 1.1},
        {"max_local_epsilon": -1},
        {"max_local_epsilon": "2"},
        {"max_local_epsilon": True},
    ],
)
def test_a_meaningless_request_is_a_budget_error(arguments: dict[str, Any]) -> None:
    request: dict[str, Any] = {"users": 10_000, "epsilon": 0.5, "delta": 1e-6, **arguments}
    with pytest.raises(BudgetError):
        sg.plan(DOMAIN, **request)


def test_an_unknown_protocol_is_named_beside_the_known_ones() -> None:
    with pytest.raises(InputError, match="asp, ssw"):
        sg.plan(DOMAIN, users=10_000, epsilon=0.5, delta=1e-6, protocol="magic")


def test_the_statement_says_what_to_whom_and_what_is_left(made: sg.Plan) -> None:
    statement = made.guarantee.statement()
    for part in (
        "0.1, 1e-06",
        "100,000 honest",
        "replaced by any other",
        "collude",
        "epsilon 4.0",
    ):
        assert part in statement


def test_a_guarantee_cannot_be_stretched(made: sg.Plan) -> None:
    for epsilon, delta in ((0.05, 1e-6), (0.2, 1e-6), (0.1, 1e-9)):
        with pytest.raises(CertificationError, match="do not give"):
            replace(made.guarantee, epsilon=epsilon, delta=delta)
    assert isinstance(made.protocol, SquareWaveProtocol)
    bolder = replace(made.protocol, mechanism=sg.SquareWave(64, 0, Fraction(10**6)))
    with pytest.raises(PlanError, match="another protocol"):
        sg.Plan(bolder, made.guarantee)


def test_the_words_never_promise_more_than_the_numbers() -> None:
    # 0.5000004 is not 0.5, and a local epsilon of 6.6821 is not 6.68
    plan = sg.plan(DOMAIN, users=100_000, epsilon=0.5000004, delta=1.0000004e-6)
    for words in (plan.guarantee.statement(), plan.summary()):
        assert "0.5000004" in words
        assert "1.0000004e-06" in words
    for k in range(2, 300):
        loss = math.log(k)
        assert loss <= float(rounded_up(loss)) <= loss * 1.01


def test_a_guarantee_of_a_mechanism(made: sg.Plan) -> None:
    again = sg.privacy.guarantee_of(made.mechanism, users=100_000, epsilon=0.1, delta=1e-6)
    assert again == made.guarantee
    with pytest.raises(CertificationError, match="do not give"):
        sg.privacy.guarantee_of(made.mechanism, users=90_000, epsilon=0.1, delta=1e-6)
    with pytest.raises(MechanismError, match="floats"):
        sg.privacy.guarantee_of(
            sg.ContinuousSquareWave(Fraction(1, 4), Fraction(2)), users=90_000, epsilon=1, delta=1e-6
        )
