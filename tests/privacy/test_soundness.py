"""No upper bound may fall below what explicit neighbouring datasets lose: on a grid, and with mutants to catch.

The density ratios of the grid are chosen by what the exact blanket gives, so that delta is in the range in which the
comparison says something; elsewhere 0 >= 0 proves nothing.
"""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

from shufflegram.mechanism import ContinuousSquareWave, SquareWave
from shufflegram.privacy import accounting, bounds, exact
from shufflegram.privacy.bounds import BOUNDS, Bound
from shufflegram.privacy.certify import certify
from shufflegram.privacy.laws import PrivacyLaw, blanket_law, clone_law
from shufflegram.privacy.lower import explicit_laws

from .rational import with_mass_scaled

Wave = SquareWave | ContinuousSquareWave

ONE = Fraction(1)
WAVES: list[Wave] = [
    *(ContinuousSquareWave(Fraction(b), ONE) for b in ("0.02", "0.1", "0.25", "0.3", "0.5")),
    SquareWave(2, 0, ONE),
    SquareWave(16, 0, ONE),
    SquareWave(64, 5, ONE),
    SquareWave(10, 4, ONE),
    SquareWave(24, 2, ONE, circular=True),
    SquareWave(12, 2, ONE, circular=True),
]
CROWDS = (20, 10**4, 10**7)
EPSILONS = (0.01, 0.1, 1.0, 3.0)
AIMS = (1e-11, 1e-6, 0.02)
LOWEST, HIGHEST = 1e-12, 0.1


@dataclass(frozen=True)
class Setting:
    """A mechanism, a crowd, an epsilon, and what explicit datasets lose at least."""

    wave: Wave
    users: int
    epsilon: float
    least: float


def settings() -> list[Setting]:
    found = []
    for wave in WAVES:
        for users in CROWDS:
            for epsilon in EPSILONS:
                for aim in AIMS:
                    ratio = accounting.largest_guaranteed_ratio(wave.window_share, users, epsilon, aim)
                    candidate = wave.with_density_ratio(Fraction(ratio).limit_denominator(10**6))
                    least = max(exact.delta(law, users, epsilon).lower for law in explicit_laws(candidate))
                    if LOWEST < least < HIGHEST:
                        found.append(Setting(candidate, users, epsilon, least))
    return found


@pytest.fixture(scope="module")
def grid() -> list[Setting]:
    found = settings()
    # each wave, crowd, epsilon and order of magnitude is there often enough
    assert len(found) >= 300
    for wave in WAVES:
        assert sum(each.wave.with_density_ratio(ONE) == wave for each in found) >= 20
    for users in CROWDS:
        assert sum(each.users == users for each in found) >= 50
    for epsilon in EPSILONS:
        assert sum(each.epsilon == epsilon for each in found) >= 50
    for low, high in ((LOWEST, 1e-9), (1e-9, 1e-4), (1e-4, HIGHEST)):
        assert sum(low < each.least < high for each in found) >= 40
    return found


def exact_blanket(each: Setting) -> float:
    return exact.delta(blanket_law(each.wave), each.users, each.epsilon).upper


def given_by(bound: Bound) -> Callable[[Setting], float]:
    return lambda each: bound.delta(each.wave, each.users, each.epsilon)


GUARANTEES = {bound.name: given_by(bound) for bound in BOUNDS if bound.is_guarantee} | {"exact_blanket": exact_blanket}


def failures(bound: Callable[[Setting], float], grid: list[Setting]) -> list[Setting]:
    """Where a supposed upper bound is below what is certainly lost."""
    return [each for each in grid if bound(each) < each.least]


def test_every_bound_is_in_the_table() -> None:
    found = {name for name, function in vars(bounds).items() if inspect.isfunction(function) and name[0] != "_"}
    # what is imported, and the logarithm that two of them share
    found -= {"dataclass", "blanket_law", "clone_law", "find_tilt", "log_hoeffding"}
    assert {bound.name.removesuffix("_corrected") for bound in BOUNDS} == found
    assert [bound.name for bound in BOUNDS if not bound.is_guarantee] == ["hoeffding_as_printed"]


@pytest.mark.parametrize("bound", GUARANTEES.values(), ids=GUARANTEES)
def test_no_upper_bound_falls_below_the_lower_bound(bound: Callable[[Setting], float], grid: list[Setting]) -> None:
    assert failures(bound, grid) == []


def test_the_exact_blanket_is_the_tightest_but_for_rounding(grid: list[Setting]) -> None:
    for each in grid:
        lower = exact.delta(blanket_law(each.wave), each.users, each.epsilon).lower
        for name in ("hoeffding_corrected", "bennett", "chernoff"):
            assert GUARANTEES[name](each) >= lower


def test_certificates_are_above_the_exact_value_and_the_explicit_datasets(grid: list[Setting]) -> None:
    chosen = grid[::12]
    assert len(chosen) >= 25
    for each in chosen:
        epsilon = Fraction(each.epsilon)
        bracket = exact.delta(blanket_law(each.wave), each.users, each.epsilon)
        proven = certify(blanket_law(each.wave), each.users, epsilon).delta_upper
        assert bracket.lower <= bracket.upper <= float(proven) * (1 + 1e-5)
        assert proven >= Fraction(bracket.lower)
        assert proven >= Fraction(each.least)


def test_the_public_answer_is_ordered_without_help(grid: list[Setting]) -> None:
    for each in grid:
        # `delta` would make ends that cross by rounding meet: here they do not cross
        answer = accounting.delta(each.wave, each.users, each.epsilon)
        assert answer.upper == exact_blanket(each)
        assert answer.lower == each.least <= answer.upper


# --- what must be caught --------------------------------------------------------------------------------------------


def test_the_printed_theorem_is_caught(grid: list[Setting]) -> None:
    (printed,) = (bound for bound in BOUNDS if not bound.is_guarantee)
    caught = failures(given_by(printed), grid)
    assert len(caught) > len(grid) / 5
    # for each half width that is not small
    wide = [wave for wave in WAVES if wave.window_share >= Fraction(1, 3)]
    assert {each.wave.with_density_ratio(ONE) for each in caught} >= set(wide)


def mutated(change: Callable[[Setting], PrivacyLaw]) -> Callable[[Setting], float]:
    return lambda each: exact.delta(change(each), each.users, each.epsilon).upper


def test_an_atom_with_less_mass_is_caught(grid: list[Setting]) -> None:
    narrow = [each for each in grid if each.wave.window_share <= Fraction(1, 3)]
    thin = mutated(lambda each: with_mass_scaled(blanket_law(each.wave), Fraction(9, 10)))
    assert len(failures(thin, narrow)) > 0.9 * len(narrow)


def test_a_forgotten_atom_is_caught(grid: list[Setting]) -> None:
    def without_the_second(each: Setting) -> PrivacyLaw:
        first, _, *rest = blanket_law(each.wave).atoms
        return PrivacyLaw((first, *rest), ONE)

    def without_the_first(each: Setting) -> PrivacyLaw:
        return PrivacyLaw(blanket_law(each.wave).atoms[1:], ONE)

    # losing what speaks against the target only raises delta: still a bound
    assert failures(mutated(without_the_second), grid) == []
    assert failures(mutated(without_the_first), grid) == grid


def test_a_density_ratio_that_is_a_little_small_is_caught(grid: list[Setting]) -> None:
    narrow = [each for each in grid if each.wave.window_share <= Fraction(1, 3)]
    smaller = mutated(
        lambda each: blanket_law(each.wave.with_density_ratio(1 + (each.wave.density_ratio - 1) * 49 / 50))
    )
    assert len(failures(smaller, narrow)) > 0.9 * len(narrow)


def test_one_user_too_many_is_caught_in_small_crowds(grid: list[Setting]) -> None:
    small = [each for each in grid if each.users == CROWDS[0] and each.wave.window_share <= Fraction(1, 3)]
    more = failures(lambda each: exact_blanket(replace(each, users=each.users + 1)), small)
    assert len(more) > len(small) / 3


def test_clones_with_too_much_weight_are_caught(grid: list[Setting]) -> None:
    def doubled(each: Setting) -> float:
        k = each.wave.density_ratio
        weight = min(ONE, 4 / (k + 1))
        return exact.delta(clone_law(k, weight), each.users, each.epsilon).upper

    assert len(failures(doubled, grid)) > len(grid) / 2


def test_a_sum_that_stops_at_its_first_point_is_caught(grid: list[Setting]) -> None:
    def first_point(each: Setting) -> float:
        law = blanket_law(each.wave)
        contour = exact.evaluate(law, each.users, each.epsilon).contour
        assert contour is not None
        values = zip(law.atoms, exact.law_values(law, each.epsilon), strict=True)
        moved = sum(float(atom.probability) * math.expm1(contour.tilt * value) for atom, value in values)
        return contour.step / (2 * math.pi * each.users) * (1 + moved) ** each.users / contour.tilt**2

    assert len(failures(first_point, grid)) > 0.9 * len(grid)
