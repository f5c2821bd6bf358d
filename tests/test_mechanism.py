"""Mechanisms: their numbers by hand, their limits, and that no float or short integer gets in."""

import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflegram.errors import MechanismError
from shufflegram.mechanism import WEIGHT_LIMIT, ContinuousSquareWave, SquareWave, widest_half_width


def test_numbers_on_the_line_by_hand() -> None:
    wave = SquareWave(10, 2, Fraction(7, 2))
    assert (wave.window, wave.report_cells, wave.shift) == (5, 14, 0)
    assert (wave.inside_weight, wave.outside_weight, wave.total_weight) == (7, 2, 5 * 7 + 9 * 2)
    assert wave.blanket_mass == Fraction(28, 53)
    assert wave.local_epsilon == pytest.approx(math.log(3.5), rel=1e-15)


def test_numbers_on_the_circle_by_hand() -> None:
    wave = SquareWave(10, 2, Fraction(7, 2), circular=True)
    assert (wave.window, wave.report_cells, wave.shift) == (5, 10, -2)
    assert wave.total_weight == 5 * 7 + 5 * 2
    assert wave.blanket_mass == Fraction(20, 45)


def test_half_width_zero_is_randomized_response() -> None:
    wave = SquareWave(8, 0, Fraction(5))
    assert (wave.window, wave.report_cells, wave.total_weight) == (1, 8, 5 + 7)
    # q = 1 / (wk + T - w), gamma = T q
    assert wave.blanket_mass == Fraction(8, 12)


def test_density_ratio_one_says_nothing() -> None:
    wave = SquareWave(8, 1, Fraction(1))
    assert wave.blanket_mass == 1
    assert wave.local_epsilon == 0


@given(
    cells=st.integers(2, 300),
    half_width=st.integers(0, 80),
    density_ratio=st.fractions(1, 10_000, max_denominator=1_000),
    circular=st.booleans(),
)
def test_weights_and_masses_of_any_mechanism(
    cells: int, half_width: int, density_ratio: Fraction, circular: bool
) -> None:
    half_width = min(half_width, widest_half_width(cells, circular=circular))
    wave = SquareWave(cells, half_width, density_ratio, circular)
    w, t, k = wave.window, wave.report_cells, wave.density_ratio
    q = 1 / (w * k + t - w)
    assert Fraction(wave.inside_weight, wave.total_weight) == k * q
    assert Fraction(wave.outside_weight, wave.total_weight) == q
    assert wave.blanket_mass == t * q <= 1
    assert math.exp(wave.local_epsilon) == pytest.approx(float(k), rel=1e-12)
    assert wave.with_density_ratio(k) == wave
    assert wave.with_density_ratio(k + 1).density_ratio == k + 1


@pytest.mark.parametrize("circular", [False, True])
@pytest.mark.parametrize("cells", [*range(2, 40), 511, 512, 513, 514])
def test_the_widest_half_width_is_the_boundary(cells: int, circular: bool) -> None:
    widest = widest_half_width(cells, circular=circular)
    assert SquareWave(cells, widest, Fraction(2), circular).half_width == widest
    with pytest.raises(MechanismError, match=f"at most {widest} does"):
        SquareWave(cells, widest + 1, Fraction(2), circular)


def test_the_weight_limit_is_the_boundary() -> None:
    # W = inside + outside for two cells and half width 0
    assert SquareWave(2, 0, Fraction(WEIGHT_LIMIT - 2)).total_weight == WEIGHT_LIMIT - 1
    with pytest.raises(MechanismError, match="62 bits"):
        SquareWave(2, 0, Fraction(WEIGHT_LIMIT - 1))


@pytest.mark.parametrize(
    ("cells", "half_width", "density_ratio", "words"),
    [
        (1, 0, Fraction(2), "at least 2 cells"),
        (8, -1, Fraction(2), "cannot be negative"),
        (8, 1, 2.0, "must be a Fraction"),
        (8, 1, 2, "must be a Fraction"),
        (8, 1, Fraction(99, 100), "at least 1"),
        (8.0, 1, Fraction(2), "cells must be a whole number"),
        (True, 0, Fraction(2), "cells must be a whole number"),
        (8, 1.5, Fraction(2), "half_width must be a whole number"),
        (8, "1", Fraction(2), "half_width must be a whole number"),
        (8, None, Fraction(2), "half_width must be a whole number"),
    ],
)
def test_parameters_that_no_square_wave_can_have(cells: Any, half_width: Any, density_ratio: Any, words: str) -> None:
    with pytest.raises(MechanismError, match=words) as caught:
        SquareWave(cells, half_width, density_ratio)
    assert "\n" not in str(caught.value)


def test_numpy_integers_do_not_wrap_round() -> None:
    wave = SquareWave(np.int8(100), np.int8(30), Fraction(10**15))  # type: ignore[arg-type]
    assert wave == SquareWave(100, 30, Fraction(10**15))
    assert type(wave.cells) is int
    assert wave.report_cells == 160
    assert wave.total_weight == 61 * 10**15 + 99


def test_a_mechanism_is_a_value() -> None:
    wave = SquareWave(8, 1, Fraction(4, 2))
    assert wave == SquareWave(8, 1, Fraction(2))
    assert len({wave, SquareWave(8, 1, Fraction(2)), SquareWave(8, 1, Fraction(2), circular=True)}) == 2
    with pytest.raises(AttributeError):
        wave.cells = 9  # type: ignore[misc]


def test_the_continuous_wave_by_hand() -> None:
    wave = ContinuousSquareWave(Fraction(1, 4), Fraction(3))
    assert wave.outside_density == Fraction(2, 5)
    assert wave.inside_density == Fraction(6, 5)
    assert wave.blanket_mass == Fraction(3, 5)
    assert wave.local_epsilon == pytest.approx(math.log(3), rel=1e-15)
    assert wave.with_density_ratio(Fraction(5)) == ContinuousSquareWave(Fraction(1, 4), Fraction(5))


@pytest.mark.parametrize("circular", [False, True])
def test_a_record_gives_back_the_mechanism(circular: bool) -> None:
    for ratio in (Fraction(7, 2), Fraction(5), Fraction(WEIGHT_LIMIT // 16, 3)):
        wave = SquareWave(20, 2, ratio, circular)
        assert SquareWave.from_dict(json.loads(json.dumps(wave.to_dict()))) == wave


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "continuous_square_wave"},
        {"cells": 20.0},
        {"cells": True},
        {"half_width": "2"},
        {"circular": 0},
        {"extra": 1},
        {"density_ratio": 3.5},
        {"density_ratio": "3.5"},
        {"density_ratio": "7/0"},
        {"density_ratio": "-7/2"},
        {"density_ratio": "1/2"},
        {"density_ratio": ""},
        {"density_ratio": "1e999999999"},
        {"density_ratio": "9" * 10_000},
        {"half_width": 100},
    ],
)
def test_a_changed_record_is_refused(change: dict[str, Any]) -> None:
    record = SquareWave(20, 2, Fraction(7, 2)).to_dict()
    with pytest.raises(MechanismError) as caught:
        SquareWave.from_dict({**record, **change})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200
    for key in record:
        with pytest.raises(MechanismError, match="has the keys"):
            SquareWave.from_dict({name: entry for name, entry in record.items() if name != key})


@given(half_width=st.fractions("1/1000", "1/2"), density_ratio=st.fractions(1, 10**6))
def test_the_continuous_wave_integrates_to_one(half_width: Fraction, density_ratio: Fraction) -> None:
    wave = ContinuousSquareWave(half_width, density_ratio)
    # the window has the length 2b, what is outside it the length 1
    assert 2 * half_width * wave.inside_density + wave.outside_density == 1
    assert wave.inside_density / wave.outside_density == density_ratio
    assert 0 < wave.blanket_mass <= 1


@pytest.mark.parametrize(
    ("half_width", "density_ratio", "words"),
    [
        (Fraction(0), Fraction(2), r"in \(0, 1/2\]"),
        (Fraction(51, 100), Fraction(2), r"in \(0, 1/2\]"),
        (Fraction(1, 4), Fraction(1, 2), "at least 1"),
        (0.25, Fraction(2), "half_width must be a Fraction"),
        (Fraction(1, 4), 2.0, "density_ratio must be a Fraction"),
    ],
)
def test_parameters_that_no_continuous_wave_can_have(half_width: Any, density_ratio: Any, words: str) -> None:
    with pytest.raises(MechanismError, match=words) as caught:
        ContinuousSquareWave(half_width, density_ratio)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "ratio",
    [
        Fraction(2**50 + 1, 2**50),
        Fraction(10**9 + 1000017, 10**9 + 7),
        Fraction(3, 2),
        Fraction(2),
        Fraction(4183, 1000),
        Fraction(10**12),
        Fraction(2**61 - 1, 2**30 + 1),
    ],
)
def test_the_local_epsilon_is_never_too_small(ratio: Fraction) -> None:
    with localcontext() as context:
        context.prec = 60
        exact = (Decimal(ratio.numerator) / ratio.denominator).ln()
        for wave in (SquareWave(3, 0, ratio), ContinuousSquareWave(Fraction(1, 4), ratio)):
            assert exact <= Decimal(wave.local_epsilon) <= exact * (1 + Decimal("1e-13"))


def test_whole_numbers_of_numpy_do_not_get_past_the_limit() -> None:
    with pytest.raises(MechanismError, match="62 bits"):
        SquareWave(64, 4, Fraction(np.int64(2**61), np.int64(1)))  # type: ignore[call-overload]  # as somebody may write
    wave = SquareWave(8, 1, Fraction(np.int64(7), np.int64(2)))  # type: ignore[call-overload]
    assert type(wave.density_ratio.numerator) is int


@pytest.mark.parametrize("circular", ["no", 1, None])
def test_circular_is_yes_or_no(circular: Any) -> None:
    with pytest.raises(MechanismError, match="circular"):
        SquareWave(8, 1, Fraction(2), circular)
