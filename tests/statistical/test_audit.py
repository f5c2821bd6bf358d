"""The audit's own laws and thresholds, by hand."""

from fractions import Fraction

import numpy as np
import pytest

from shufflegram.mechanism import ContinuousSquareWave, SquareWave

from .audit import continuous_law, findings, law, sum_findings


def test_laws_of_tiny_mechanisms_by_hand() -> None:
    # m = 4, h = 1, k = 3 on the line: T = 6, W = 3 * 3 + 3 = 12
    assert law(SquareWave(4, 1, Fraction(3)), 1) == [Fraction(n, 12) for n in (1, 3, 3, 3, 1, 1)]
    # on a circle of 6 the window of cell 0 wraps
    assert law(SquareWave(6, 1, Fraction(3), circular=True), 0) == [Fraction(n, 12) for n in (3, 3, 1, 1, 1, 3)]
    # b = 1/4, k = 3: q = 2/5, p = 6/5; six cells of 1/4 on [-1/4, 5/4], the window of 0 covers the first two
    continuous = ContinuousSquareWave(Fraction(1, 4), Fraction(3))
    zero = Fraction(0)
    assert continuous_law(continuous, zero, zero, 6) == [Fraction(n, 10) for n in (3, 3, 1, 1, 1, 1)]
    # for a value uniform on [0, 1/4] the window covers half of the first and the third cell on average
    assert continuous_law(continuous, zero, Fraction(1, 4), 6) == [Fraction(n, 10) for n in (2, 3, 2, 1, 1, 1)]


def test_an_audit_of_the_truth_finds_nothing() -> None:
    for draws in (1, 10, 1_000, 1_000_000):
        counts = np.random.default_rng(draws).multinomial(draws, [0.5, 0.25, 0.125, 0.125])
        assert findings(counts, [0.5, 0.25, 0.125, 0.125]) == []
    sums = np.random.default_rng(1).binomial(20, 0.5, size=2_000)
    coin = np.array([1.0])
    for _ in range(20):
        coin = np.convolve(coin, [0.5, 0.5])
    assert sum_findings(sums, coin) == []
    assert sum_findings(np.full(2_000, 10), coin), "too little spread is a fault too"


@pytest.mark.parametrize(
    ("counts", "word"),
    [
        ([1_000, 0, 0, 0], "report 0"),  # one outcome takes all
        ([265_000, 235_000, 265_000, 235_000], "report 1"),
        ([0, 500_000, 250_000, 250_000], "report 0"),
    ],
)
def test_an_audit_finds_a_point_mass(counts: list[int], word: str) -> None:
    assert any(word in finding for finding in findings(counts, [0.25] * 4))


def test_an_audit_adds_up_what_is_small_everywhere() -> None:
    # 1,000 outcomes with 1,000 draws each, the first half 2% too frequent: 0.6 standard deviations each
    counts = np.r_[np.full(500, 1_020), np.full(500, 980)]
    found = findings(counts, [1e-3] * 1_000)
    assert any("all up to 499" in finding for finding in found)
    assert not any(finding.startswith("report") for finding in found)
    # every other one 15% too frequent: nothing adds up, but the divergence sees it
    counts = np.tile([1_150, 850], 500)
    found = findings(counts, [1e-3] * 1_000)
    assert found
    assert all("together" in finding for finding in found)


def test_what_cannot_happen_is_a_finding() -> None:
    assert findings([5, 1], [1.0, 0.0]) == ["report 1 was drawn and cannot be"]
    assert findings([5, 1, 0], [0.5, 0.5]) == ["there are 3 different reports, not 2"]
