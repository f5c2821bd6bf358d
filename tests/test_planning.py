"""Plans: certified when made, certified again when read, refused when changed."""

import json
import math
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shufflegram as sg
from shufflegram.design.shapes import SHAPES
from shufflegram.errors import (
    BudgetError,
    CertificationError,
    DomainError,
    InfeasibleError,
    InputError,
    MechanismError,
    PlanError,
)
from shufflegram.planning import _fewest_reports, _written_loss
from shufflegram.privacy.accounting import honest_reports
from shufflegram.privacy.certify import LEAST
from shufflegram.privacy.guarantee import Guarantee, rounded_up
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


Change = Callable[[dict[str, Any]], None]


def change(*path: str, to: Any) -> Change:
    def apply(record: dict[str, Any]) -> None:
        for key in path[:-1]:
            record = record[key]
        record[path[-1]] = to

    return apply


def both(*changes: Change) -> Change:
    def apply(record: dict[str, Any]) -> None:
        for each in changes:
            each(record)

    return apply


def crowd(users: int) -> Change:
    """Another crowd, told consistently."""
    return both(
        change("guarantee", "users", to=users),
        change("certificate", "terms", to=users),
        change("fewest_reports", to=users),
    )


def epsilon(value: float) -> Change:
    """Another epsilon, told consistently."""
    return both(
        change("guarantee", "epsilon", to=value), change("certificate", "epsilon", to=str(Fraction(str(value))))
    )


def delta(value: float) -> Change:
    """Another delta, told consistently."""
    return both(
        change("guarantee", "delta", to=value), change("certificate", "delta_at_most", to=str(Fraction(str(value))))
    )


def more_daring(record: dict[str, Any]) -> None:
    """A larger ratio, with every consequence but the proof written in by someone who knows the format."""
    from shufflegram.protocols import entry

    wave = sg.SquareWave.from_dict(record["mechanism"])
    wave = wave.with_density_ratio(wave.density_ratio * Fraction(11, 10))
    record["mechanism"] = wave.to_dict()
    record["guarantee"]["local_epsilon"] = float(rounded_up(wave.local_epsilon, 6))
    record["digest"] = entry(record["protocol"]).load(sg.Domain.from_dict(record["domain"]), record["mechanism"]).digest


def a_little_less_local(record: dict[str, Any]) -> None:
    """The local epsilon as rounding to the nearest, or down, would tell it."""
    record["guarantee"]["local_epsilon"] = round(record["guarantee"]["local_epsilon"] - 1e-5, 5)


UNPROVABLE: list[Change] = [
    more_daring,
    crowd(50_000),
    crowd(99_000),
    epsilon(0.05),
    epsilon(0.0999),
    delta(1e-9),
    delta(9.99e-7),
]
DOES_NOT_FOLLOW: list[Change] = [
    change("mechanism", "density_ratio", to="900"),
    change("mechanism", "density_ratio", to="2"),
    change("mechanism", "half_width", to=9),
    change("mechanism", "circular", to=True),
    change("domain", "high", to=200_000.0),
    change("domain", "outside", to="clamp"),
    change("domain", "unit", to=[]),
    change("guarantee", "users", to=200_000),
    change("guarantee", "users", to=50_000),
    change("guarantee", "epsilon", to=10**400),
    change("guarantee", "epsilon", to=0.2),
    change("guarantee", "delta", to=2e-6),
    change("certificate", "method", to="trust me"),
    change("certificate", "terms", to=10**9),
    change("certificate", "epsilon", to="1/20"),
    change("certificate", "epsilon", to=0.1),
    change("certificate", "delta_at_most", to="1e-999999"),
    change("certificate", to={}),
    change("guarantee", "local_epsilon", to=0.5),
    a_little_less_local,
    change("guarantee", "local_epsilon", to="abc"),
    change("guarantee", "local_epsilon", to=None),
    change("guarantee", "local_epsilon", to=math.inf),
    change("guarantee", "adjacency", to="add or remove one"),
    # there is no place for prose or for numbers that nobody checks
    change("guarantee", "statement", to="Nothing can go wrong."),
    change("guarantee", "warnings", to=[]),
    change("certificate", "delta_upper", to="1e-999999"),
    change("protocol", to="ssw"),
    change("digest", to="0" * 64),
    change("shufflegram_plan", to=True),
    change("honest_fraction", to=0.5),
    change("honest_fraction", to=True),
    change("honest_fraction", to="1"),
    change("honest_fraction", to=None),
    both(change("honest_fraction", to=2), change("fewest_reports", to=50_000)),
    change("fewest_reports", to=50_000),
    change("fewest_reports", to=None),
]


def changed(made: sg.Plan, change: Change) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(json.dumps(made.to_dict()))
    change(record)
    return record


@pytest.mark.parametrize("tamper", UNPROVABLE)
def test_a_plan_that_promises_too_much_is_refused(made: sg.Plan, tamper: Change) -> None:
    with pytest.raises(PlanError, match="cannot be proven"):
        sg.Plan.from_dict(changed(made, tamper))


@pytest.mark.parametrize("tamper", DOES_NOT_FOLLOW)
def test_a_tampered_plan_is_refused_before_any_proof(
    made: sg.Plan, tamper: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prove(*arguments: object, **named: object) -> None:
        pytest.fail("a proof takes long, and this plan is not worth one")

    monkeypatch.setattr("shufflegram.planning.promise", prove)
    with pytest.raises(PlanError):
        sg.Plan.from_dict(changed(made, tamper))


@pytest.mark.parametrize(
    "weaken",
    [
        epsilon(0.2),
        delta(2e-6),
        crowd(200_000),
        both(change("honest_fraction", to=0.8), change("fewest_reports", to=125_000)),
    ],
)
def test_a_changed_plan_that_says_nothing_false_is_proven_anew(made: sg.Plan, weaken: Change) -> None:
    record = changed(made, weaken)
    read = sg.Plan.from_dict(record)
    assert read.to_dict() == record
    assert read.guarantee.certificate.delta_upper <= Fraction(str(record["guarantee"]["delta"]))


def test_other_words_in_a_later_version_leave_plans_valid(made: sg.Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    record = changed(made, lambda record: None)
    monkeypatch.setattr(Guarantee, "statement", lambda self: "The same in other words.")
    assert sg.Plan.from_dict(record).guarantee.statement() == "The same in other words."
    assert set(record["guarantee"]) == {"epsilon", "delta", "users", "adjacency", "local_epsilon"}


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "plans").iterdir()), ids=lambda path: path.stem)
def test_plans_of_earlier_versions_stay_valid(path: Path) -> None:
    # A change of the proof or of the format that makes one of these red takes every collection's plan away.
    record = json.loads(path.read_text(encoding="utf-8"))
    assert sg.Plan.load(path).to_dict() == record


@pytest.mark.parametrize(
    ("once", "twice"),
    [
        ('"epsilon": 0.1,', '"epsilon": 0.001, "epsilon": 0.1,'),
        ('"guarantee": {', '"guarantee": {"epsilon": 0.001}, "guarantee": {'),
        ('"digest":', '"shufflegram_plan": 1, "digest":'),
    ],
)
def test_a_plan_that_says_two_things_is_refused(made: sg.Plan, tmp_path: Path, once: str, twice: str) -> None:
    made.save(tmp_path / "plan.json")
    text = (tmp_path / "plan.json").read_text(encoding="utf-8")
    assert text.count(once) == 1
    (tmp_path / "plan.json").write_text(text.replace(once, twice), encoding="utf-8")
    with pytest.raises(PlanError, match="twice") as caught:
        sg.Plan.load(tmp_path / "plan.json")
    assert "plan.json says" in str(caught.value)


def test_a_plan_whose_proof_has_millions_of_digits_is_read(made: sg.Plan) -> None:
    # written out, this delta would take minutes
    enormous = both(crowd(10**7), epsilon(3.9), delta(1e-8))
    read = sg.Plan.from_dict(changed(made, enormous))
    assert read.guarantee.certificate.delta_upper == LEAST


def test_a_local_epsilon_without_bound_is_null_in_the_file() -> None:
    assert _written_loss(math.inf) is None
    for k in range(2, 300):
        loss = math.log(k)
        written = _written_loss(loss)
        assert written is not None
        assert loss <= written <= loss * (1 + 1e-5)


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


@pytest.mark.parametrize("section", ["domain", "mechanism", "guarantee", "protocol", "honest_fraction"])
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


def test_a_plan_that_cannot_be_written_is_one_clear_line(made: sg.Plan, tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere" / "plan.json"):
        with pytest.raises(PlanError, match="cannot be written there") as caught:
            made.save(place)
        assert "\n" not in str(caught.value)


def test_a_plan_is_for_a_domain() -> None:
    with pytest.raises(DomainError, match="needs a Domain"):
        sg.plan("0 to 100", users=1000, epsilon=1.0, delta=1e-6)  # type: ignore[arg-type]


def test_only_honest_reports_count() -> None:
    plan = sg.plan(DOMAIN, users=100_000, honest_fraction=0.9, epsilon=0.1, delta=1e-6)
    assert plan.guarantee.users == 90_000
    assert plan.guarantee == sg.plan(DOMAIN, users=90_000, epsilon=0.1, delta=1e-6).guarantee


def test_a_plan_knows_how_many_reports_must_arrive(made: sg.Plan) -> None:
    plan = sg.plan(DOMAIN, users=20_000, honest_fraction=0.95, epsilon=1.0, delta=1e-6)
    assert plan.guarantee.users == 19_000
    assert plan.honest_fraction == 0.95
    assert plan.fewest_reports == 20_000
    assert "at least 20,000 reports" in plan.summary()
    assert "0.95" in plan.summary()
    again = sg.Plan.from_dict(json.loads(json.dumps(plan.to_dict())))
    assert (again, again.fewest_reports) == (plan, 20_000)
    assert made.fewest_reports == made.guarantee.users
    meaningless: list[Any] = [0.0, 1.5, math.nan, "all"]
    for fraction in meaningless:
        with pytest.raises(BudgetError, match="honest_fraction"):
            replace(made, honest_fraction=fraction)
    assert type(replace(made, honest_fraction=1).honest_fraction) is float


@given(users=st.integers(1, 10**9), fraction=st.floats(1e-5, 1.0))
def test_so_many_reports_and_no_fewer(users: int, fraction: float) -> None:
    fewest = _fewest_reports(users, fraction)
    assert honest_reports(fewest, fraction) >= users
    if fewest > 1:
        with suppress(BudgetError):  # not one honest report
            assert honest_reports(fewest - 1, fraction) < users


def test_the_local_epsilon_can_be_capped() -> None:
    plan = sg.plan(DOMAIN, users=1_000_000, epsilon=1.0, delta=1e-7, max_local_epsilon=2.0)
    assert plan.guarantee.local_epsilon <= 2.0


def test_a_delta_above_one_over_n_warns() -> None:
    with pytest.warns(sg.PrivacyWarning, match="above 1/n"):
        sg.plan(DOMAIN, users=1_000, epsilon=1.0, delta=1e-2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.plan(DOMAIN, users=1_000, epsilon=1.0, delta=1e-4)


def test_whoever_reads_a_weak_plan_is_warned_too(tmp_path: Path) -> None:
    with pytest.warns(sg.PrivacyWarning):
        plan = sg.plan(DOMAIN, users=1_000, epsilon=1.0, delta=1e-2)
    plan.save(tmp_path / "plan.json")
    readers: list[Callable[[], sg.Plan]] = [
        lambda: sg.Plan.load(tmp_path / "plan.json"),
        lambda: sg.Plan.from_dict(plan.to_dict()),
    ]
    for read in readers:
        with pytest.warns(sg.PrivacyWarning, match="above 1/n") as told:
            read()
        # it points at the line that reads
        assert [Path(each.filename).name for each in told] == ["test_planning.py"]


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
    with pytest.raises(InputError, match="asp, tuned, ssw"):
        sg.plan(DOMAIN, users=10_000, epsilon=0.5, delta=1e-6, protocol="magic")


def test_the_statement_says_what_to_whom_and_what_is_left(made: sg.Plan) -> None:
    statement = made.guarantee.statement()
    for part in (
        "0.1, 1e-06",
        "100,000 honest",
        "replaced by any other",
        "collude",
        f"epsilon {rounded_up(made.mechanism.local_epsilon)}",
    ):
        assert part in statement


def test_a_guarantee_cannot_be_stretched(made: sg.Plan) -> None:
    for epsilon, delta in ((0.05, 1e-6), (0.2, 1e-6), (0.1, 1e-9)):
        with pytest.raises(CertificationError, match="do not give"):
            replace(made.guarantee, epsilon=epsilon, delta=delta)
    for field in ({"users": 0}, {"local_epsilon": -1.0}, {"local_epsilon": math.nan}):
        with pytest.raises((BudgetError, CertificationError)):
            replace(made.guarantee, **field)
    # what the certificate cannot know, the plan does
    for field in ({"users": 1}, {"users": 10**6}, {"local_epsilon": 0.0}):
        with pytest.raises(PlanError, match="another protocol"):
            sg.Plan(made.protocol, replace(made.guarantee, **field))
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
    users: Any = np.int64(100_000)
    counted = sg.privacy.guarantee_of(made.mechanism, users=users, epsilon=0.1, delta=np.float64(1e-6))
    assert counted == made.guarantee
    assert json.loads(json.dumps(counted.to_dict())) == made.guarantee.to_dict()
    with pytest.raises(CertificationError, match="do not give"):
        sg.privacy.guarantee_of(made.mechanism, users=90_000, epsilon=0.1, delta=1e-6)
    with pytest.raises(MechanismError, match="floats"):
        sg.privacy.guarantee_of(
            sg.ContinuousSquareWave(Fraction(1, 4), Fraction(2)), users=90_000, epsilon=1, delta=1e-6
        )


def test_the_half_width_is_chosen_for_the_error_or_for_information() -> None:
    asked: dict[str, Any] = {"users": 100_000, "epsilon": 0.5, "delta": 1e-6}
    tuned, informative = sg.plan(DOMAIN, **asked), sg.plan(DOMAIN, objective="mutual_information", **asked)
    assert (tuned.protocol.name, informative.protocol.name) == ("tuned", "asp")
    assert informative.mechanism == sg.plan(DOMAIN, protocol="asp", **asked).mechanism
    assert tuned.mechanism != informative.mechanism
    # what it was chosen for: a factor lost on one shape counts as much as on another
    errors = {
        plan: [sg.predicted_error(plan, shape)["wasserstein"] for shape in SHAPES] for plan in (tuned, informative)
    }
    assert math.prod(errors[tuned]) < math.prod(errors[informative])
    with pytest.raises(InputError, match="objective must be one of error, mutual_information, got 'speed'"):
        sg.plan(DOMAIN, objective="speed", **asked)  # type: ignore[arg-type]


def test_expected_errors_are_named_as_measured_ones_are() -> None:
    plan = sg.plan(DOMAIN, users=100_000, epsilon=0.5, delta=1e-6)
    assert set(sg.predicted_error(plan)) == {metric.name for metric in sg.metrics.METRICS}
    assert sg.predicted_error(plan, "smooth") == sg.predicted_error(plan)
    assert sg.predicted_error(plan, [1, 2, 3, 4]) != sg.predicted_error(plan)
    flip = sg.plan(DOMAIN, users=100_000, epsilon=0.5, delta=1e-6, protocol="flip-16")
    with pytest.raises(InputError, match="errors are predicted of square waves, and flip-16 is none; simulate it"):
        sg.predicted_error(flip)


def test_a_wished_for_error_finds_the_users_or_the_epsilon() -> None:
    def hardest(plan: sg.Plan) -> float:
        return max(sg.predicted_error(plan, shape)["wasserstein"] for shape in SHAPES)

    few = sg.plan(DOMAIN, epsilon=0.5, error=0.004, delta=1e-6)
    assert hardest(few) <= 0.004
    fewer = sg.plan(DOMAIN, users=round(few.guarantee.users / 1.1), epsilon=0.5, delta=1e-6)
    assert hardest(fewer) > 0.004
    with_fakes = sg.plan(DOMAIN, epsilon=0.5, error=0.004, delta=1e-6, honest_fraction=0.5)
    assert with_fakes.guarantee.users == few.guarantee.users
    assert with_fakes.fewest_reports == pytest.approx(2 * few.guarantee.users, rel=1e-3)

    private = sg.plan(DOMAIN, users=100_000, error=0.004, delta=1e-6)
    assert hardest(private) <= 0.004
    more_private = sg.plan(DOMAIN, users=100_000, epsilon=private.guarantee.epsilon / 1.1, delta=1e-6)
    assert hardest(more_private) > 0.004


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"users": 1000}, "a plan takes two of users, epsilon and error; leave the one out that is to be found"),
        ({"users": 1000, "epsilon": 1.0, "error": 0.1}, "a plan takes two of users, epsilon and error"),
        ({"epsilon": 1.0, "error": 2.0}, "error is a share of the domain between 0 and 1, got 2.0"),
    ],
)
def test_a_question_that_cannot_be_answered_is_one_line(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        sg.plan(DOMAIN, delta=1e-6, **asked)


@pytest.mark.parametrize("circular", [False, True])
@pytest.mark.parametrize("bins", [2, 3, 4])
def test_few_bins_have_a_plan_and_an_expected_error(bins: int, circular: bool) -> None:
    plan = sg.plan(sg.Domain(0, 1, bins=bins, circular=circular), users=50_000, epsilon=1, delta=1e-6)
    for shape in SHAPES:
        assert all(math.isfinite(error) and error >= 0 for error in sg.predicted_error(plan, shape).values())


def test_a_wished_for_error_is_kept_under_a_cap_on_the_local_epsilon() -> None:
    asked: dict[str, Any] = {"epsilon": 0.5, "error": 0.004, "delta": 1e-6}
    capped = sg.plan(DOMAIN, max_local_epsilon=2, **asked)
    assert capped.mechanism.local_epsilon <= 2
    assert capped.guarantee.users > 2 * sg.plan(DOMAIN, **asked).guarantee.users
    assert max(sg.predicted_error(capped, shape)["wasserstein"] for shape in SHAPES) <= 0.004
    with pytest.raises(InputError, match="honest_fraction"):
        sg.plan(DOMAIN, honest_fraction=0, **asked)


def test_an_error_that_cannot_be_had_is_infeasible() -> None:
    with pytest.raises(
        InfeasibleError,
        match=r"with 200 users no epsilon up to 5 is expected to have an error of 1e-06; the last has 0\.\d+, so",
    ):
        sg.plan(sg.Domain(0, 1, bins=16), users=200, error=1e-6, delta=1e-4)
