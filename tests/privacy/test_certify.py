"""Certificates: as good as the fast path, rounded up, and not to be had with a contour that does not fit."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from shufflegram.errors import BudgetError, CertificationError
from shufflegram.mechanism import ContinuousSquareWave, SquareWave
from shufflegram.privacy import accounting, certify, exact
from shufflegram.privacy.certify import DIGITS, scientific
from shufflegram.privacy.contour import Contour
from shufflegram.privacy.guarantee import as_written, promise
from shufflegram.privacy.laws import PrivacyLaw, blanket_law, window_law

from .rational import exponential, rational_delta

WAVE = SquareWave(512, 32, Fraction("4.183"))
LAW = blanket_law(WAVE)
USERS, EPSILON, DELTA = 10**5, 0.01, 1e-5


@pytest.mark.parametrize("users", [1, 30, 1_000, 10**6, 10**10])
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 2.0])
def test_certificates_agree_with_the_fast_path(users: int, epsilon: float) -> None:
    for share in (Fraction(1, 64), Fraction(1, 2)):
        ratio = Fraction(accounting.largest_guaranteed_ratio(share, users, epsilon, 1e-6)).limit_denominator(10**9)
        law = window_law(ratio, share)
        proven = certify.certify(law, users, Fraction(epsilon)).delta_upper
        bracket = exact.delta(law, users, epsilon)
        assert proven >= Fraction(bracket.lower)
        assert float(proven) == pytest.approx(bracket.upper, rel=1e-5)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 3), Fraction(7, 5)])
def test_certificates_are_above_the_rational_value(epsilon: Fraction) -> None:
    gain = exponential(float(epsilon))
    for law in (window_law(Fraction(5), Fraction(1, 3)), window_law(Fraction(9, 2), Fraction(1, 2))):
        for terms in (1, 2, 9):
            # the epsilon of the reference is a float a little beside the fraction; a larger one has a smaller delta
            value = rational_delta(law, terms, gain * (1 + Fraction(1, 10**15)))
            assert certify.certify(law, terms, epsilon).delta_upper >= value


def test_nothing_is_lost_where_the_local_guarantee_suffices() -> None:
    assert certify.certify(window_law(Fraction(2), Fraction(1, 3)), 10**6, Fraction(1)).delta_upper == 0
    assert certify.certify(window_law(Fraction(1), Fraction(1, 3)), 1, Fraction(0)).delta_upper == 0


@pytest.mark.parametrize("terms", [10**4, 10**6, 10**15])
def test_next_to_nothing_is_told_as_a_bound_of_few_digits(terms: int) -> None:
    # the last of these deltas has 10**13 digits
    proven = certify.certify(window_law(Fraction(3), Fraction(1, 3)), terms, Fraction(1)).delta_upper
    assert proven == certify.LEAST
    assert scientific(proven) == "1e-300"


def test_a_little_more_than_next_to_nothing_keeps_its_digits() -> None:
    law, terms = window_law(Fraction(3), Fraction(1, 3)), 1_800
    proven = certify.certify(law, terms, Fraction(1)).delta_upper
    assert certify.LEAST < proven < Fraction(1, 10**280)
    assert float(proven) == pytest.approx(exact.delta(law, terms, 1.0).upper, rel=1e-5)
    assert Fraction(Decimal(scientific(proven))) == proven


# --- rounding and writing -------------------------------------------------------------------------------------------


@given(value=st.fractions(Fraction(1, 10**30), 1).filter(lambda value: value > 0))
def test_rounding_is_up_and_short(value: Fraction) -> None:
    with ctx.workprec(certify.PRECISION):
        ball = certify._ball(value).upper()
        rounded = certify._rounded_up(ball)
    assert value <= rounded <= value * (1 + Fraction(1, 10 ** (DIGITS - 2)))
    text = scientific(rounded)
    assert Fraction(Decimal(text)) == rounded
    assert len(text.split("e")[0].replace(".", "")) <= DIGITS + 2


@given(digits=st.integers(1, 10**DIGITS - 1), exponent=st.integers(-300, -DIGITS))
def test_scientific_round_trips(digits: int, exponent: int) -> None:
    value = digits * Fraction(10) ** exponent
    assert Fraction(Decimal(scientific(value))) == value


def test_scientific_by_hand() -> None:
    assert scientific(Fraction(0)) == "0"
    assert Decimal(scientific(Fraction(99998, 10**10))) == Decimal("9.9998e-6")
    assert scientific(Fraction(1, 100)) == "1e-2"
    with pytest.raises(CertificationError, match="more digits"):
        scientific(Fraction(1, 3))


def test_a_certificate_can_be_written_down() -> None:
    certificate = certify.certify(LAW, USERS, as_written(EPSILON))
    written = json.loads(json.dumps(certificate.to_dict()))
    assert Fraction(written["epsilon"]) == Fraction(1, 100)
    assert written["terms"] == USERS
    assert Fraction(Decimal(written["delta_upper"])) == certificate.delta_upper


# --- contours that do not fit ---------------------------------------------------------------------------------------

# About 20 users' worth of reports hide one here, and cores away from zero have to be summed.
CORED = window_law(Fraction(1615), Fraction(1, 3)), 10**5, Fraction(1)


def certify_on(monkeypatch: pytest.MonkeyPatch, change: Callable[[Contour], Contour]) -> Fraction:
    """What is proven for the cored law when the search answers with a changed contour."""
    law, terms, epsilon = CORED
    evaluation = exact.evaluate(law, terms, float(epsilon))
    assert evaluation.contour is not None
    changed = replace(evaluation, contour=change(evaluation.contour))

    def searched(law: PrivacyLaw, terms: int, epsilon: float) -> exact.Evaluation:
        return changed

    monkeypatch.setattr(exact, "evaluate", searched)
    return certify.certify(law, terms, epsilon).delta_upper


def ranges(*changed: tuple[int, int]) -> Callable[[Contour], Contour]:
    return lambda contour: replace(contour, ranges=changed)


def marked(contour: Contour, core: int) -> Contour:
    """The core counts as summed, though it is not."""
    assert contour.cores is not None
    assert core not in contour.cores.summed
    return replace(contour, cores=replace(contour.cores, summed=(*contour.cores.summed, core)))


def reaching(contour: Contour, factor: float) -> Contour:
    assert contour.cores is not None
    return replace(contour, cores=replace(contour.cores, reach=contour.cores.reach * factor))


TAMPERED: dict[str, Callable[[Contour], Contour]] = {
    "the first points are left out": lambda c: replace(c, ranges=((5, c.ranges[0][1]), *c.ranges[1:])),
    "core 0 is cut short": lambda c: replace(c, ranges=((1, c.ranges[0][1] // 2), *c.ranges[1:])),
    "a summed core is left out": lambda c: replace(c, ranges=(c.ranges[0], *c.ranges[2:])),
    "a summed core is cut short": lambda c: replace(c, ranges=(*c.ranges[:-1], (c.ranges[-1][0] + 9, c.ranges[-1][1]))),
    "points are summed twice": lambda c: replace(c, ranges=(*c.ranges, c.ranges[-1])),
    "ranges overlap": lambda c: replace(c, ranges=(c.ranges[0], c.ranges[0], *c.ranges[1:])),
    "a point below the first": lambda c: replace(c, ranges=((-3, c.ranges[0][1]), *c.ranges[1:])),
    "ranges out of order": lambda c: replace(c, ranges=(*c.ranges[1:], c.ranges[0])),
    "a core counts as summed that is not": lambda c: marked(c, 1000),
    "cores reach further than their ranges": lambda c: reaching(c, 1.5),
    "cores overlap": lambda c: reaching(c, 1e6),
    "no cores, and the first points left out": lambda c: replace(c, ranges=((2, 4000),), cores=None),
    "a negative tilt": lambda c: replace(c, tilt=-c.tilt),
    "a negative step": lambda c: replace(c, step=-c.step),
}


@pytest.mark.parametrize("change", TAMPERED.values(), ids=TAMPERED)
def test_a_contour_that_does_not_fit_proves_nothing(
    change: Callable[[Contour], Contour], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CertificationError, match="could not be proven"):
        certify_on(monkeypatch, change)


HARMLESS: dict[str, Callable[[Contour], Contour]] = {
    "as it was": lambda c: c,
    "fewer points, no cores": lambda c: replace(c, ranges=((1, 500),), cores=None),
    "another tilt": lambda c: replace(c, tilt=c.tilt * 0.8),
    "a summed core counts as not summed": lambda c: replace(
        c, cores=None if c.cores is None else replace(c.cores, summed=c.cores.summed[1:])
    ),
    "cores reach less far": lambda c: reaching(c, 0.7),
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_a_poorer_contour_proves_less_but_nothing_wrong(
    change: Callable[[Contour], Contour], monkeypatch: pytest.MonkeyPatch
) -> None:
    law, terms, epsilon = CORED
    truth = Fraction(exact.delta(law, terms, float(epsilon)).lower)
    assert certify_on(monkeypatch, change) >= truth


def test_ranges_were_several_in_these_tests() -> None:
    law, terms, epsilon = CORED
    contour = exact.evaluate(law, terms, float(epsilon)).contour
    assert contour is not None
    assert contour.cores is not None
    assert len(contour.ranges) >= 3
    assert len(contour.cores.summed) >= 2


# --- the promise ----------------------------------------------------------------------------------------------------


def test_a_promise_says_what_it_rests_on() -> None:
    guarantee = promise(LAW, terms=USERS, users=USERS, epsilon=EPSILON, delta=DELTA, local_epsilon=WAVE.local_epsilon)
    assert guarantee.certificate.delta_upper <= Fraction(1, 10**5)
    said = guarantee.statement()
    for part in ("100,000", "0.01", "1e-05", "replaced", "all other users' values", "honest", "collude", "1.44"):
        assert part in said
    assert guarantee.adjacency == "replace one"
    assert [warning.split()[:4] for warning in guarantee.warnings()] == [["delta", "1e-05", "is", "exactly"]]
    written = json.loads(json.dumps(guarantee.to_dict()))
    assert written["adjacency"] == "replace one"
    assert written["users"] == USERS
    assert written["local_epsilon"] == WAVE.local_epsilon


def test_the_words_say_how_much_whatever_the_budget() -> None:
    weak = window_law(Fraction(2), Fraction(1, 3))
    # exp(.8) is 2.2255..., and 2 is less: nothing is left to delta
    said = promise(weak, terms=10, users=10, epsilon=0.8, delta=DELTA, local_epsilon=0.7).statement()
    assert "2.22555 times as likely, plus 1e-05" in said
    assert "proven with delta 0, as at this epsilon the local guarantee alone suffices" in said
    said = promise(weak, terms=10, users=10, epsilon=50.0, delta=0.999, local_epsilon=0.7).statement()
    assert "5.18471e+21 times as likely, plus 0.999" in said


def test_a_local_guarantee_that_bounds_nothing_is_said_to_be_none() -> None:
    guarantee = promise(LAW, terms=USERS, users=USERS, epsilon=EPSILON, delta=DELTA, local_epsilon=math.inf)
    assert guarantee.statement().endswith("If shuffler and analyst collude, nothing is left.")
    assert json.loads(json.dumps(guarantee.to_dict(), allow_nan=False))["local_epsilon"] is None


def test_what_cannot_be_kept_is_not_promised() -> None:
    with pytest.raises(CertificationError, match="do not give"):
        promise(LAW, terms=USERS, users=USERS, epsilon=0.009, delta=DELTA, local_epsilon=1.0)
    larger = blanket_law(WAVE.with_density_ratio(Fraction("4.184")))
    with pytest.raises(CertificationError, match="do not give"):
        promise(larger, terms=USERS, users=USERS, epsilon=EPSILON, delta=DELTA, local_epsilon=1.0)


@pytest.mark.parametrize(
    ("epsilon", "delta", "users"), [(-1.0, DELTA, 10), (1.0, 0.0, 10), (1.0, 1.0, 10), (1.0, 0.1, 0)]
)
def test_a_promise_that_means_nothing(epsilon: float, delta: float, users: int) -> None:
    with pytest.raises(BudgetError):
        promise(LAW, terms=max(users, 1), users=users, epsilon=epsilon, delta=delta, local_epsilon=1.0)


def test_a_delta_above_one_in_n_is_warned_of() -> None:
    wave = ContinuousSquareWave(Fraction(1, 4), Fraction(3))
    guarantee = promise(
        blanket_law(wave), terms=1000, users=1000, epsilon=0.5, delta=0.002, local_epsilon=wave.local_epsilon
    )
    (warning,) = guarantee.warnings()
    assert "above 1/n" in warning
    assert "below 1/n" in warning
    assert guarantee.to_dict()["warnings"] == [warning]


@pytest.mark.parametrize(
    ("users", "epsilon", "delta", "says"),
    [
        (100, 1.0, 0.0099, None),
        (100, 1.0, 0.01, "delta 0.01 is exactly 1/n = 0.01"),
        (10, 1.0, 0.1, "delta 0.1 is exactly 1/n = 0.1"),
        (100, 1.0, 0.011, "delta 0.011 is above 1/n = 0.01"),
        (1, 1.0, 0.999, "delta 0.999 is large"),
        (50, 1.0, 0.011, "delta 0.011 is large"),
        (100, 5.0, 1e-6, None),
        # odds of 1 to 99, times exp(6) = 403.4, are 4.07 to 1
        (100, 6.0, 1e-6, "epsilon 6.0 is large: .* as 80.3% likely"),
    ],
)
def test_a_promise_that_says_little_is_warned_of(users: int, epsilon: float, delta: float, says: str | None) -> None:
    law = window_law(Fraction(2), Fraction(1, 3))
    warnings = promise(law, terms=users, users=users, epsilon=epsilon, delta=delta, local_epsilon=0.7).warnings()
    assert len(warnings) == (says is not None)
    assert all(re.search(says or "", warning) for warning in warnings)


def test_both_halves_of_a_weak_budget_are_warned_of() -> None:
    law = window_law(Fraction(2), Fraction(1, 3))
    warnings = promise(law, terms=9, users=9, epsilon=50.0, delta=0.999, local_epsilon=0.7).warnings()
    assert [warning.split()[0] for warning in warnings] == ["delta", "epsilon"]


def test_a_number_is_what_was_written() -> None:
    assert as_written(0.1) == Fraction(1, 10)
    assert as_written(1e-6) == Fraction(1, 10**6)
    for number in (float("nan"), float("inf")):
        with pytest.raises(CertificationError, match="finite"):
            as_written(number)
