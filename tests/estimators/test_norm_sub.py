"""Norm-Sub in closed form against the rule it is named after."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflegram.errors import InputError
from shufflegram.estimators import norm_sub

from . import dense_reference


def test_by_hand() -> None:
    # 0.8 and 0.5 are kept: (0.8 + 0.5 - 1) / 2 = 0.15 is taken from each, and -0.1 and 0.1 end below zero
    assert norm_sub([0.8, -0.1, 0.5, 0.1]) == pytest.approx([0.65, 0, 0.35, 0])
    assert norm_sub([0.1, 0.2]) == pytest.approx([0.45, 0.55])
    assert norm_sub([7.0]) == pytest.approx([1.0])


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=30))
def test_agrees_with_the_iteration(estimate: list[float]) -> None:
    projected = norm_sub(estimate)
    assert projected == pytest.approx(dense_reference.norm_sub(estimate), abs=1e-12)
    assert projected.min() >= 0
    assert projected.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("wrong", [[], [[0.5, 0.5]], [np.nan, 1.0], [np.inf, 0.0]])
def test_what_is_no_estimate_is_refused(wrong: list[float]) -> None:
    with pytest.raises(InputError):
        norm_sub(wrong)
