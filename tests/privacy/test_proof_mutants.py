"""The small terms that make a bound a bound: each is brought to where the answer would be wrong without it.

Aliasing, rounding, points left out and losses beyond the grid are usually far below the answer's last digit, so no
comparison with the truth would miss them. Here the evaluation is made coarse enough (fewer points, shorter precision,
narrower cores) or asked for enough (1e15 terms, delta 1e-280) that they count.
"""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from numpy.typing import NDArray

from shufflegram.privacy import accounting, certify, contour, exact
from shufflegram.privacy.contour import Contour, Cores, TiltedAtoms, core_bounds, remainder
from shufflegram.privacy.laws import PrivacyLaw, clone_law, window_law

from .rational import exponential, rational_delta

Floats = NDArray[np.float64]

THIRD = Fraction(1, 3)
# Few terms, so that the truth is known in rational numbers, and cores all the same.
SMALL_LAW, SMALL_TERMS, SMALL_EPSILON = window_law(Fraction(4), THIRD), 150, math.log(1.5)


def contour_of(law: PrivacyLaw, terms: int, epsilon: float) -> Contour:
    found = exact.evaluate(law, terms, epsilon).contour
    assert found is not None
    return found


def tilted_atoms(law: PrivacyLaw, terms: int, epsilon: float, tilt: float) -> TiltedAtoms:
    """All atoms, the one at zero included, tilted in the obvious way."""
    values = np.array([*exact.law_values(law, epsilon), 0.0])
    masses = np.array([float(atom.probability) for atom in law.atoms])
    masses = np.append(masses, 1 - masses.sum()) * np.exp(tilt * values)
    return TiltedAtoms(values, masses / masses.sum(), terms)


def sizes(atoms: TiltedAtoms, tilt: float, t: NDArray[np.floating[Any]]) -> Floats:
    """|M(lambda + it)^N / s^2| relative to M(lambda)^N."""
    found: Floats = np.zeros(t.size)
    for block in np.array_split(np.arange(t.size), max(1, t.size // 100_000)):
        moment = np.abs(atoms.masses @ np.exp(1j * np.multiply.outer(atoms.values, t[block])))
        found[block] = moment**atoms.terms / (tilt**2 + t[block] ** 2)
    return found


def integral_of(law: PrivacyLaw, terms: int, epsilon: float, at: Contour) -> certify._Integral:
    """The contour's sum in balls, of the precision that is set."""
    gain = certify._ball(Fraction(epsilon)).exp()
    values = [certify._ball(atom.gain) - gain * certify._ball(atom.loss) for atom in law.atoms]
    masses = [certify._ball(atom.probability) for atom in law.atoms]
    return certify._Integral(values, masses, terms, at)


# --- aliasing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("aliasing", [3.0, 5.0, 8.0])
def test_aliasing_is_taken_off_the_lower_end(aliasing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    # With so few points for a period the sum is above the answer by far more than all that rounding allows for.
    monkeypatch.setattr(contour, "ALIASING", aliasing)
    monkeypatch.setattr(exact, "ALIASING", aliasing)
    for law in (SMALL_LAW, clone_law(Fraction(6), Fraction(2, 7))):
        for terms in (2, 20):
            truth = rational_delta(law, terms, exponential(SMALL_EPSILON))
            bracket = exact.delta(law, terms, SMALL_EPSILON)
            assert Fraction(bracket.lower) <= truth <= Fraction(bracket.upper)


# --- rounding -------------------------------------------------------------------------------------------------------

SHARES = (Fraction(1, 512), THIRD)


def settings(crowds: tuple[int, ...], epsilons: tuple[float, ...], delta: float) -> list[tuple[PrivacyLaw, int, float]]:
    """Laws at the boundary of what is private."""
    return [
        (window_law(Fraction(accounting.largest_guaranteed_ratio(share, terms, epsilon, delta)), share), terms, epsilon)
        for share in SHARES
        for terms in crowds
        for epsilon in epsilons
    ]


def test_the_sum_errs_by_less_than_it_says() -> None:
    worst = 0.0
    for law, terms, epsilon in settings((30, 10**4, 10**9, 10**15), (1e-5, 0.01, 1.0), 1e-5):
        found = contour_of(law, terms, epsilon)
        # a few points of each range: the first, which weigh most, and the last, whose phases are the largest
        points = tuple(
            (at, min(at + 40, last)) for first, last in found.ranges[::7] for at in {first, max(first, last - 40)}
        )
        few = replace(found, ranges=tuple(sorted(points)))
        atoms = tilted_atoms(law, terms, epsilon, found.tilt)
        total, rounding = exact.summed(atoms.values[:-1], atoms.masses[:-1], terms, few)
        with ctx.workprec(256):
            integral = integral_of(law, terms, epsilon, few)
            truth = 1 / integral.tilt**2
            for first, last in few.ranges:
                for j in range(first, last + 1):
                    truth += 2 * integral.term(j)
            error = abs(float(arb(total) - truth))
        assert error <= rounding
        worst = max(worst, error / rounding)
    # what it allows for is of the order of what happens
    assert worst > 1e-3


def test_a_tiny_delta_of_a_vast_crowd_is_not_rounded_down() -> None:
    # M(lambda)^N with N = 1e15 and M next to 1: half a unit in the last place of log M is 1e-8 of the answer
    for law, terms, epsilon in settings((10**12, 10**15), (1e-7, 1e-5), 1e-280):
        evaluation = exact.evaluate(law, terms, epsilon)
        assert evaluation.contour is not None
        with ctx.workprec(256):
            truth = integral_of(law, terms, epsilon, evaluation.contour).upper_bound()
            assert arb(evaluation.delta.upper) >= truth * (1 - arb(10) ** -11)


# --- what is left out -----------------------------------------------------------------------------------------------


def narrowed(found: Contour, factor: float) -> Contour:
    """Cores that reach less far, none but the first of them summed."""
    assert found.cores is not None
    reach = found.cores.reach * factor
    return replace(
        found,
        ranges=((1, math.ceil(reach / found.step) + 1),),
        cores=Cores(found.cores.primary, reach, (), 0.0),
    )


CORED = [
    (window_law(Fraction(1615), THIRD), 10**5, 1.0),
    (window_law(Fraction(40), Fraction(1, 64)), 10**4, 0.3),
    (window_law(Fraction(3), Fraction(1, 2)), 10**5, 0.02),
]


@pytest.mark.parametrize(("factor", "cores"), [(0.05, 1024), (0.2, 1024), (1.0, 1024), (1.0, 2), (1.0, 100)])
@pytest.mark.parametrize(("law", "terms", "epsilon"), CORED)
def test_the_remainder_is_above_all_points_that_are_left_out(
    law: PrivacyLaw, terms: int, epsilon: float, factor: float, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contour, "CORES", cores)
    found = contour_of(law, terms, epsilon)
    atoms = tilted_atoms(law, terms, epsilon, found.tilt)
    cut = narrowed(found, factor)
    assert cut.cores is not None
    bounds = core_bounds(atoms, cut.cores.primary, cut.cores.reach, cut.step)
    cut = replace(cut, cores=replace(cut.cores, left_out=float(bounds.sum())))
    left_out = np.arange(cut.ranges[0][1] + 1, 1_000_000)
    missing = 2 * float(sizes(atoms, cut.tilt, cut.step * left_out).sum())
    assert missing <= remainder(atoms, cut)


@pytest.mark.parametrize("factor", [0.05, 0.2, 1.0])
@pytest.mark.parametrize(("law", "terms", "epsilon"), CORED)
def test_each_core_is_below_its_bound(law: PrivacyLaw, terms: int, epsilon: float, factor: float) -> None:
    found = contour_of(law, terms, epsilon)
    atoms = tilted_atoms(law, terms, epsilon, found.tilt)
    assert found.cores is not None
    reach = found.cores.reach * factor
    bounds = core_bounds(atoms, found.cores.primary, reach, found.step)
    _, distance = atoms.pair(found.cores.primary)
    for core in range(1, 400):
        center = 2 * math.pi * core / distance
        points = np.arange(math.ceil((center - reach) / found.step), math.floor((center + reach) / found.step) + 1)
        t = found.step * points
        # the bound is on |M^N| / t^2
        inside = float((sizes(atoms, found.tilt, t) * (found.tilt**2 + t**2) / t**2).sum())
        assert inside <= bounds[core - 1]


@pytest.mark.parametrize("step", [0.01, 0.3, 5.0])
def test_a_period_is_below_its_bound_wherever_its_points_are(step: float) -> None:
    rate, distance = 40.0, 1.0
    bound = contour._core_sum(rate, distance, step)
    for offset in np.linspace(0, step, 21):
        t = np.arange(-math.pi + offset, math.pi, step)
        assert np.exp(-rate * (1 - np.cos(t * distance))).sum() <= bound


# --- the same in balls ----------------------------------------------------------------------------------------------


def proven_on(found: Contour, law: PrivacyLaw, terms: int, epsilon: float) -> Fraction:
    """What is proven when the search answers with this contour."""
    evaluation = exact.Evaluation(exact.delta(law, terms, epsilon), found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "evaluate", lambda *_: evaluation)
        return certify.certify(law, terms, Fraction(epsilon)).delta_upper


@pytest.mark.parametrize("factor", [0.03, 0.1, 0.3])
@pytest.mark.parametrize(("law", "terms", "epsilon"), CORED)
def test_a_proof_holds_on_cores_that_reach_too_little(
    law: PrivacyLaw, terms: int, epsilon: float, factor: float
) -> None:
    found = contour_of(law, terms, epsilon)
    proven = proven_on(narrowed(found, factor), law, terms, epsilon)
    assert proven >= Fraction(exact.delta(law, terms, epsilon).lower)


def test_a_proof_in_short_precision_keeps_the_upper_end(monkeypatch: pytest.MonkeyPatch) -> None:
    above = 0
    for law, terms, epsilon in settings((10**6, 10**12), (1e-5, 0.01, 0.3), 1e-6):
        found = contour_of(law, terms, epsilon)
        monkeypatch.setattr(certify, "PRECISION", 192)
        truth = proven_on(found, law, terms, epsilon)
        monkeypatch.setattr(certify, "PRECISION", 53)
        proven = proven_on(found, law, terms, epsilon)
        # twelve digits are written, rounded up
        assert proven >= truth * (1 - Fraction(1, 10**11))
        above += proven > truth * (1 + Fraction(1, 10**9))
    # the balls were really wide
    assert above > 3


def test_a_dip_is_not_taken_from_the_wrong_period() -> None:
    # an angle of 2 pi (2^54 + 0.7): as a float it is 2 pi 2^54, whose neighbour is the nearer one
    law, terms, epsilon = CORED[0]
    with ctx.workprec(256):
        integral = integral_of(law, terms, epsilon, contour_of(law, terms, epsilon))
        reach, distance = arb("0.5"), arb(1)
        center = 2 * arb.pi() * (2**54 + arb("0.7"))
        dip = integral.least_dip(center, distance, reach)
        for t in (center - reach, center, center + reach):
            assert dip <= (1 - (t * distance).cos()).upper()
