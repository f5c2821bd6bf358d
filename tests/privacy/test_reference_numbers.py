"""The reference numbers of the project, to the digits given (rounded or cut: one unit of the last)."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from shufflegram.mechanism import ContinuousSquareWave, SquareWave
from shufflegram.privacy import accounting, bounds, exact
from shufflegram.privacy.composition import composed_epsilon
from shufflegram.privacy.laws import Atom, PrivacyLaw, blanket_law
from shufflegram.privacy.lower import explicit_laws

from .rational import rational_delta

DELTA = 1e-5
BASE = ContinuousSquareWave(Fraction(1, 4), Fraction("3.064"))


def agrees(value: float, text: str) -> bool:
    """Whether the value is within one unit of the last digit that is given."""
    given = Decimal(text)
    exponent = given.as_tuple().exponent
    assert isinstance(exponent, int)
    return abs(Decimal(value) - given) <= Decimal(10) ** exponent


def test_one_unit_of_the_last_digit() -> None:
    assert agrees(8.4156, "8.416")
    assert agrees(69076.0, "6.907e4")
    assert not agrees(8.418, "8.416")
    assert not agrees(69096.0, "6.907e4")


# n, eps | printed, Hoeffding, Bennett, clones 1/k, clones 2/(k+1), exact blanket, lower bound
TABLE = """
1e4   .01 | 1.831  1.345   1.425   1.416   1.454   1.546   1.546
1e4   .1  | 16.1   5.252   6.583   5.503   7.825   8.416   8.416
1e5   .01 | 4.397  2.227   2.556   2.427   2.784   3.064   3.064
1e5   .1  | 130    28.6    40.4    30.1    55.7    56.6    56.6
1e6   .01 | 21.7   6.505   8.472   7.301   11.1    11.76   11.76
1e6   .1  | 1265   253     371     268     531     531.8   531.8
2.3e6 .01 | 45.3   11.5    15.8    13.1    22.2    22.99   22.99
2.3e6 1   | 1.63e5 3.505e4 4.037e4 3.454e4 6.907e4 6.907e4 6.908e4
""".strip().splitlines()


@pytest.mark.parametrize("row", TABLE)
def test_largest_density_ratio_of_each_accountant(row: str) -> None:
    setting, numbers = row.split("|")
    users, epsilon = int(float(setting.split()[0])), float(setting.split()[1])
    wave = ContinuousSquareWave(Fraction(1, 4), Fraction(2))
    share = float(wave.window_share)

    def clones(k: float) -> float:
        return bounds.clones(wave.with_density_ratio(Fraction(k)), users, epsilon)

    def stronger_clones(k: float) -> float:
        return bounds.stronger_clones(wave.with_density_ratio(Fraction(k)), users, epsilon)

    found = [
        accounting.largest_ratio_under(bound, epsilon, DELTA)
        for bound in (
            lambda k: bounds.hoeffding_as_printed(k, share, users, epsilon),
            lambda k: bounds.hoeffding(k, share, users, epsilon),
            lambda k: bounds.bennett(k, share, users, epsilon),
            clones,
            stronger_clones,
        )
    ]
    ratio = accounting.largest_density_ratio(wave, users, epsilon, DELTA)
    found += [ratio.lower, ratio.upper]
    given = numbers.split()
    assert len(found) == len(given)
    assert [value for value, text in zip(found, given, strict=True) if not agrees(value, text)] == []


@pytest.mark.parametrize(
    ("half_width", "guaranteed", "possible"),
    [("0.1", "3.706", "3.706"), ("0.2", "3.187", "3.187"), ("0.3", "2.976", "3.132"), ("0.5", "2.784", "3.375")],
)
def test_other_half_widths(half_width: str, guaranteed: str, possible: str) -> None:
    wave = ContinuousSquareWave(Fraction(half_width), Fraction(2))
    ratio = accounting.largest_density_ratio(wave, 10**5, 0.01, DELTA)
    assert agrees(ratio.lower, guaranteed)
    assert agrees(ratio.upper, possible)


@pytest.mark.parametrize(
    ("cells", "half_width", "users", "epsilon", "circular", "ratio"),
    [
        (512, 0, 10**6, 0.1, False, "848.60"),
        (512, 32, 10**5, 0.01, False, "4.1833"),
        (512, 32, 10**5, 0.01, True, "4.0291"),
        (512, 4, 2_308_374, 0.1, False, "1274.68"),
    ],
)
def test_the_discrete_mechanism(
    cells: int, half_width: int, users: int, epsilon: float, circular: bool, ratio: str
) -> None:
    wave = SquareWave(cells, half_width, Fraction(2), circular)
    found = accounting.largest_density_ratio(wave, users, epsilon, DELTA)
    assert agrees(found.lower, ratio)
    # no windows larger than a third here: others can stay out of sight, so nothing is left open
    assert found.upper == pytest.approx(found.lower, rel=1e-4)


def paper_example() -> tuple[ContinuousSquareWave, float]:
    """n = 1e5, b = .215, p = 1.13, from which k = p / q and q = 1 - 2bp follow."""
    b, p = Fraction("0.215"), Fraction("1.13")
    wave = ContinuousSquareWave(b, p / (1 - 2 * b * p))
    assert agrees(float(wave.density_ratio), "2.198")
    return wave, float(wave.window_share)


def test_the_papers_example_is_more_private_than_it_says() -> None:
    wave, share = paper_example()
    reached = accounting.epsilon(wave, 10**5, DELTA)
    assert agrees(reached.lower, "0.00573")
    assert agrees(reached.upper, "0.00573")
    # the two below are given for k as it is rounded in print
    assert agrees(bounds.hoeffding(2.198, share, 10**5, 0.01), "9.28e-6")
    assert agrees(bounds.hoeffding_as_printed(2.198, share, 10**5, 0.01), "6.3e-13")


@pytest.mark.parametrize(
    ("users", "epsilon", "ratio", "proven"),
    [(10**5, 0.01, "4.39", "1.19e-4"), (10**6, 0.1, "1265", "4.6e-4"), (10**4, 1.0, "711", "1.67e-3")],
)
def test_the_printed_theorem_promises_what_is_not_so(users: int, epsilon: float, ratio: str, proven: str) -> None:
    wave = ContinuousSquareWave(Fraction(1, 4), Fraction(ratio))
    printed = bounds.hoeffding_as_printed(float(ratio), float(wave.window_share), users, epsilon)
    assert printed <= 1.01e-5
    reached = accounting.delta(wave, users, epsilon)
    assert reached.lower >= float(proven)
    assert reached.lower < 1.02 * float(proven)


def test_what_the_printed_theorem_says_of_the_first_proven_case() -> None:
    assert agrees(bounds.hoeffding_as_printed(4.39, float(BASE.window_share), 10**5, 0.01), "9.8e-6")


# --- the variation-ratio value is not a bound -------------------------------------------------------------------------


def variation_ratio_law(b: Fraction, k: Fraction) -> PrivacyLaw:
    """The three outcomes that are left when the reports outside both windows are not told apart."""
    window = 2 * b / (2 * b * k + 1)
    other = (1 - (k + 1) * window) / (1 - 2 * window)
    one = Fraction(1)
    return PrivacyLaw(
        (Atom(k, one, window), Atom(one, k, window), Atom(other, other, 1 - 2 * window)),
        one,
    )


def test_the_rational_counterexample() -> None:
    b, k, gain, users = Fraction(1, 5), Fraction(6), Fraction(3, 2), 8
    wave = ContinuousSquareWave(b, k)
    lower = max(rational_delta(law, users, gain) for law in explicit_laws(wave))
    claimed = rational_delta(variation_ratio_law(b, k), users, gain)
    assert agrees(float(lower), "0.216737")
    assert agrees(float(claimed), "0.216608")
    assert claimed < lower <= rational_delta(blanket_law(wave), users, gain)
    # the fast path holds the rational one, loosely: with so few terms the integrand fades slowly
    reached = accounting.delta(wave, users, math.log(1.5))
    assert 0.99 * float(lower) < reached.lower <= float(lower) * (1 + 1e-12)


def test_the_large_counterexample() -> None:
    b, k = Fraction("0.1"), Fraction("15.02")
    assert agrees(exact.delta(variation_ratio_law(b, k), 1000, 0.5).upper, "9.99e-6")
    reached = accounting.delta(ContinuousSquareWave(b, k), 1000, 0.5)
    assert agrees(reached.lower, "1.009e-5")


# --- in the field ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("honest_fraction", "epsilon"), [(0.95, "0.0103"), (0.9, "0.0106"), (0.8, "0.0114"), (0.5, "0.0148")]
)
def test_only_honest_reports_count(honest_fraction: float, epsilon: str) -> None:
    honest = accounting.honest_reports(10**5, honest_fraction)
    reached = accounting.epsilon(BASE, honest, DELTA)
    assert agrees(reached.lower, epsilon)
    assert agrees(reached.upper, epsilon)


@pytest.mark.parametrize(
    ("rounds", "composed", "added"), [(4, "0.0218", "0.047"), (10, "0.0363", "0.128"), (100, "0.129", "1.52")]
)
def test_rounds_compose(rounds: int, composed: str, added: str) -> None:
    assert agrees(composed_epsilon(BASE, 10**5, rounds, DELTA), composed)
    # adding: each round has its share of delta
    assert agrees(rounds * accounting.epsilon(BASE, 10**5, DELTA / rounds).upper, added)


def test_chernoff_proves_about_three_times_the_exact_delta() -> None:
    for users, epsilon in ((10**4, 0.01), (10**5, 0.1), (10**6, 1.0)):
        ratio = Fraction(accounting.largest_guaranteed_ratio(BASE.window_share, users, epsilon, DELTA))
        law = blanket_law(BASE.with_density_ratio(ratio))
        by_hand = bounds.chernoff(law, users, epsilon) / exact.delta(law, users, epsilon).upper
        assert 2.9 < by_hand < 3.7
