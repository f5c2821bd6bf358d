"""The device's draw: what it gives and what it refuses. Elsewhere: what it may use (test_project), its law."""

import ast
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shufflegram.randomizers import device
from shufflegram.randomizers.device import draw_report, report_at, total_weight

TREE = ast.parse(Path(device.__file__).read_text(encoding="utf-8"))


def test_all_names_the_public_functions() -> None:
    public = [node.name for node in TREE.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    assert sorted(device.__all__) == sorted(public)


@pytest.mark.parametrize("cell", [-1, 8, 100])
def test_a_true_cell_outside_the_domain_is_refused(cell: int) -> None:
    with pytest.raises(ValueError, match=r"must be one of 0\.\.7|at least 0"):
        report_at(0, cell, cells=8, half_width=1, inside=5, outside=2, circular=False)
    with pytest.raises(ValueError, match=r"must be one of 0\.\.7|at least 0"):
        draw_report(cell, cells=8, half_width=1, inside=5, outside=2, circular=True)


def test_units_by_hand() -> None:
    # m = 4, h = 1: T = 6, inside 3, outside 1: cell 1 owns units 0-8 on reports 1, 2, 3, then 4, 5, 0 have one each
    line = [report_at(unit, 1, cells=4, half_width=1, inside=3, outside=1, circular=False) for unit in range(12)]
    assert line == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 0]
    # a circle of 6: the window of cell 0 is 5, 0, 1
    circle = [report_at(unit, 0, cells=6, half_width=1, inside=2, outside=1, circular=True) for unit in range(9)]
    assert circle == [5, 5, 0, 0, 1, 1, 2, 3, 4]


def test_the_draw_asks_the_secure_source_for_one_unit_of_all_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def randbelow(bound: int) -> int:
        asked.append(bound)
        return 9

    monkeypatch.setattr("secrets.randbelow", randbelow)
    assert draw_report(1, cells=4, half_width=1, inside=3, outside=1, circular=False) == 4
    assert asked == [12]


@pytest.mark.parametrize("name", ["unit", "cell", "cells", "half_width", "inside", "outside"])
@pytest.mark.parametrize("number", [3.0, 3.7, "3", True, None, Fraction(3)])
def test_nothing_but_whole_numbers_gets_in(name: str, number: Any) -> None:
    # a fraction of a true value must not come out in the report
    given: dict[str, Any] = {"unit": 3, "cell": 3, "cells": 8, "half_width": 1, "inside": 5, "outside": 2}
    with pytest.raises(TypeError):
        report_at(**{**given, name: number}, circular=False)
    del given["unit"]
    if name != "unit":
        with pytest.raises(TypeError):
            draw_report(**{**given, name: number}, circular=False)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint64])
@pytest.mark.parametrize("circular", [False, True])
def test_short_integers_do_not_wrap_round(kind: Any, circular: bool) -> None:
    given: dict[str, Any] = {"cell": 100, "cells": 110, "half_width": 5, "inside": 7, "outside": 2}
    for unit in range(total_weight(cells=110, half_width=5, inside=7, outside=2, circular=circular)):
        short = report_at(unit, **{name: kind(number) for name, number in given.items()}, circular=circular)
        assert short == report_at(unit, **given, circular=circular)


@pytest.mark.parametrize("unit", [-1, 3 * 5 + 7 * 2, 10**9])
def test_a_unit_beyond_the_total_weight_is_refused(unit: int) -> None:
    with pytest.raises(ValueError, match=r"weight|at least"):
        report_at(unit, 3, cells=8, half_width=1, inside=5, outside=2, circular=False)
