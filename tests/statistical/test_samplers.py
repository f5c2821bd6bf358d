"""Every sampler of the square wave against its law, and planted bugs that the same audit must find.

The secure source cannot be seeded: its tests may fail by chance. How often, all of them together, stands in `audit`.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from shufflegram.domain import Domain
from shufflegram.mechanism import ContinuousSquareWave, SquareWave
from shufflegram.randomizers import (
    ContinuousSquareWaveRandomizer,
    SquareWaveRandomizer,
    simulate_continuous_tally,
    simulate_tally,
)
from shufflegram.randomizers.device import draw_report, report_at
from shufflegram.randomizers.square_wave import BLOCK
from shufflegram.randomness import SecureSource, SeededSource, Source

from .audit import FALSE_ALARM, SUITE_FALSE_ALARM, UNSEEDED, continuous_law, findings, law, unit_findings

Integers = NDArray[np.int64]
Sampler = Callable[[SquareWave, int, int], Integers]

SMALL = [
    SquareWave(2, 0, Fraction(3)),
    SquareWave(2, 0, Fraction(5, 2), circular=True),
    SquareWave(5, 0, Fraction(1)),
    SquareWave(9, 1, Fraction(4)),
    SquareWave(6, 2, Fraction(7, 3)),
    SquareWave(16, 7, Fraction(100, 99)),
    SquareWave(7, 0, Fraction(9, 7), circular=True),
    SquareWave(6, 1, Fraction(3, 2), circular=True),
    SquareWave(10, 2, Fraction(11, 4), circular=True),
]
MEDIUM = [
    SquareWave(32, 4, Fraction(5, 2)),
    SquareWave(32, 5, Fraction(9), circular=True),
    SquareWave(16, 0, Fraction(40)),
    SquareWave(20, 9, Fraction(2501, 700)),
]
LARGE = [
    SquareWave(512, 32, Fraction(41833, 10000)),
    SquareWave(512, 32, Fraction(40291, 10000), circular=True),
    # a total weight above 2**32, so that 64-bit arithmetic is needed throughout
    SquareWave(512, 4, Fraction(1_274_680_001, 1_000_000)),
]


def inputs_of(mechanism: SquareWave) -> list[int]:
    """Both edges, their neighbours, where the window leaves the edge, and the middle."""
    m, h = mechanism.cells, mechanism.half_width
    return sorted({0, 1, h, m // 2, m - 1 - h, m - 2, m - 1})


def name(mechanism: SquareWave) -> str:
    shape = "circle" if mechanism.circular else "line"
    return f"{shape} of {mechanism.cells}, half width {mechanism.half_width}, ratio {mechanism.density_ratio}"


def randomizer_for(mechanism: SquareWave) -> SquareWaveRandomizer:
    return SquareWaveRandomizer(Domain(0, 1, mechanism.cells, circular=mechanism.circular), mechanism)


# --- the rule itself: every unit of weight ---------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", SMALL, ids=name)
def test_each_report_of_the_device_owns_exactly_its_weight(mechanism: SquareWave) -> None:
    assert unit_findings(report_at, mechanism) == []


@dataclass
class EnumeratingSource:
    """Not random at all: 0, 1, 2, ... below the bound, round and round."""

    next_unit: int = 0
    bounds: set[int] = field(default_factory=set)

    def integers_below(self, bound: int, size: int) -> Integers:
        units = (self.next_unit + np.arange(size)) % bound
        self.next_unit += size
        self.bounds.add(bound)
        return units

    def order(self, size: int) -> NDArray[np.intp]:
        raise AssertionError("a randomizer orders nothing")


# the last one takes several blocks
@pytest.mark.parametrize("mechanism", [*SMALL, *MEDIUM[:2], SquareWave(40, 3, Fraction(10007, 97))], ids=name)
def test_the_vectorised_sampler_is_the_device_unit_by_unit(mechanism: SquareWave) -> None:
    for cell in inputs_of(mechanism):
        source = EnumeratingSource()
        reports = randomizer_for(mechanism).randomize_cells(np.full(mechanism.total_weight, cell), source)
        expected = [
            report_at(
                unit,
                cell,
                cells=mechanism.cells,
                half_width=mechanism.half_width,
                inside=mechanism.inside_weight,
                outside=mechanism.outside_weight,
                circular=mechanism.circular,
            )
            for unit in range(mechanism.total_weight)
        ]
        assert source.bounds == {mechanism.total_weight}
        assert reports.dtype == np.int64
        assert reports.tolist() == expected


def test_each_user_of_a_long_mixed_crowd_gets_the_report_of_their_own_cell() -> None:
    mechanism = SquareWave(40, 3, Fraction(10007, 97))
    cells = np.random.default_rng(9).integers(0, 40, size=2 * BLOCK + 123)
    reports = randomizer_for(mechanism).randomize_cells(cells, EnumeratingSource())
    expected = [
        report_at(user % mechanism.total_weight, cell, cells=40, half_width=3, inside=10007, outside=97, circular=False)
        for user, cell in enumerate(cells.tolist())
    ]
    assert reports.tolist() == expected


@pytest.mark.parametrize("mechanism", LARGE, ids=name)
def test_the_vectorised_sampler_is_the_device_at_units_of_heavy_mechanisms(mechanism: SquareWave) -> None:
    # the first and last unit of every report's weight, for cells in mixed order
    window, inside, outside = mechanism.window, mechanism.inside_weight, mechanism.outside_weight
    begins = [step * inside for step in range(window)]
    begins += [window * inside + step * outside for step in range(mechanism.report_cells - window)]
    edges = sorted(
        {unit for begin in begins for unit in (begin, begin - 1) if unit >= 0} | {mechanism.total_weight - 1}
    )

    class EdgeSource(EnumeratingSource):
        def integers_below(self, bound: int, size: int) -> Integers:
            return np.array(edges)[super().integers_below(len(edges), size)]

    cells = np.random.default_rng(7).integers(0, mechanism.cells, size=len(edges))
    reports = randomizer_for(mechanism).randomize_cells(cells, EdgeSource())
    for unit, cell, report in zip(edges, cells.tolist(), reports.tolist(), strict=True):
        assert report == report_at(
            unit,
            cell,
            cells=mechanism.cells,
            half_width=mechanism.half_width,
            inside=inside,
            outside=outside,
            circular=mechanism.circular,
        )


# --- samplers against their law --------------------------------------------------------------------------------------


def counted(reports: Integers, mechanism: SquareWave) -> Integers:
    return np.bincount(reports, minlength=mechanism.report_cells)


def by_secure_device(mechanism: SquareWave, cell: int, users: int) -> Integers:
    reports = [
        draw_report(
            cell,
            cells=mechanism.cells,
            half_width=mechanism.half_width,
            inside=mechanism.inside_weight,
            outside=mechanism.outside_weight,
            circular=mechanism.circular,
        )
        for _ in range(users)
    ]
    return counted(np.array(reports), mechanism)


def by_vectors(source: Source) -> Sampler:
    def sample(mechanism: SquareWave, cell: int, users: int) -> Integers:
        return counted(randomizer_for(mechanism).randomize_cells(np.full(users, cell), source), mechanism)

    return sample


def by_tally(mechanism: SquareWave, cell: int, users: int) -> Integers:
    histogram = np.zeros(mechanism.cells, dtype=np.int64)
    histogram[cell] = users
    return simulate_tally(mechanism, histogram, np.random.default_rng([cell, users]))


def audited(sampler: Sampler, mechanism: SquareWave, users: int) -> list[str]:
    """What is found wrong with a sampler, over all the inputs that are tried."""
    return [
        f"true cell {cell}: {finding}"
        for cell in inputs_of(mechanism)
        for finding in findings(sampler(mechanism, cell, users), law(mechanism, cell))
    ]


def test_the_whole_suite_hardly_ever_fails_by_chance() -> None:
    audits = [*MEDIUM, *MEDIUM, *LARGE]
    assert sum(len(inputs_of(mechanism)) for mechanism in audits) == UNSEEDED["statistical/test_samplers.py"]
    assert FALSE_ALARM * sum(UNSEEDED.values()) < SUITE_FALSE_ALARM


@pytest.mark.parametrize("mechanism", MEDIUM, ids=name)
def test_secure_device(mechanism: SquareWave) -> None:
    assert audited(by_secure_device, mechanism, 10_000) == []


@pytest.mark.parametrize("mechanism", [*MEDIUM, *LARGE], ids=name)
def test_secure_vectors(mechanism: SquareWave) -> None:
    assert audited(by_vectors(SecureSource()), mechanism, 400_000) == []


@pytest.mark.parametrize("mechanism", [*MEDIUM, *LARGE], ids=name)
def test_seeded_vectors(mechanism: SquareWave) -> None:
    assert audited(by_vectors(SeededSource(simulation_seed=20)), mechanism, 1_000_000) == []


@pytest.mark.parametrize("mechanism", [*SMALL, *MEDIUM, *LARGE], ids=name)
def test_tally_of_users_who_hold_one_value(mechanism: SquareWave) -> None:
    assert audited(by_tally, mechanism, 100_000_000) == []


# --- planted bugs ----------------------------------------------------------------------------------------------------


def fair_coin_for_the_tail(
    unit: int, cell: int, *, cells: int, half_width: int, inside: int, outside: int, circular: bool
) -> int:
    """Planted, on the line: both tails together get their weight, but each gets half of it, whatever its length."""
    window = 2 * half_width + 1
    if unit < window * inside:
        return cell + unit // inside
    tails: list[list[int]] = [[*range(cell)], [*range(cell + window, cells + 2 * half_width)]]
    beyond = unit - window * inside
    tail = tails[beyond % 2] or tails[1 - beyond % 2]
    return tail[beyond // 2 % len(tail)]


def window_begins_too_late(
    unit: int, cell: int, *, cells: int, half_width: int, inside: int, outside: int, circular: bool
) -> int:
    """Planted: the window is the right one of the next cell."""
    report_cells = cells if circular else cells + 2 * half_width
    sound = report_at(unit, cell, cells=cells, half_width=half_width, inside=inside, outside=outside, circular=circular)
    return (sound + 1) % report_cells


def window_ends_too_early(
    unit: int, cell: int, *, cells: int, half_width: int, inside: int, outside: int, circular: bool
) -> int:
    """Planted: w = 2h instead of 2h + 1, with the total weight of the right one."""
    report_cells = cells if circular else cells + 2 * half_width
    start = cell - half_width if circular else cell
    window = 2 * half_width
    steps = unit // inside if unit < window * inside else window + (unit - window * inside) // outside
    return (start + steps) % report_cells


PLANTED = [fair_coin_for_the_tail, window_begins_too_late, window_ends_too_early]


def by_rule(rule: Callable[..., int], seed: int) -> Sampler:
    def sample(mechanism: SquareWave, cell: int, users: int) -> Integers:
        units = np.random.default_rng([seed, cell]).integers(0, mechanism.total_weight, size=users)
        reports = [
            rule(
                unit,
                cell,
                cells=mechanism.cells,
                half_width=mechanism.half_width,
                inside=mechanism.inside_weight,
                outside=mechanism.outside_weight,
                circular=mechanism.circular,
            )
            for unit in units.tolist()
        ]
        return counted(np.array(reports), mechanism)

    return sample


@pytest.mark.parametrize("rule", PLANTED)
def test_the_enumeration_finds_planted_bugs(rule: Callable[..., int]) -> None:
    assert unit_findings(rule, SquareWave(9, 1, Fraction(4)))


@pytest.mark.parametrize("rule", PLANTED)
@pytest.mark.parametrize("mechanism", [MEDIUM[0], MEDIUM[3]], ids=name)
def test_the_audit_finds_planted_bugs_with_no_more_draws_than_the_device_test_has(
    rule: Callable[..., int], mechanism: SquareWave
) -> None:
    assert audited(by_rule(report_at, seed=1), mechanism, 10_000) == []
    assert audited(by_rule(rule, seed=1), mechanism, 10_000)


class ShortWordModulo(SeededSource):
    """Planted: the rest of a 16-bit word, which favours small numbers unless the bound is a power of two."""

    def integers_below(self, bound: int, size: int) -> Integers:
        return super().integers_below(2**16, size) % bound


def test_the_audit_finds_a_modulo() -> None:
    # total weight 36,955 of 65,536: the first 28,581 units are twice as likely as the others
    mechanism = SquareWave(20, 9, Fraction(1501, 444))
    assert mechanism.total_weight == 36_955
    assert audited(by_vectors(SeededSource(simulation_seed=3)), mechanism, 10_000) == []
    assert audited(by_vectors(ShortWordModulo(simulation_seed=3)), mechanism, 10_000)


# --- the continuous randomizer ---------------------------------------------------------------------------------------

CONTINUOUS = [
    (ContinuousSquareWave(Fraction(1, 4), Fraction(3)), 24),
    (ContinuousSquareWave(Fraction(43, 200), Fraction(2198, 1000)), 64),
    (ContinuousSquareWave(Fraction(1, 2), Fraction(10)), 33),
]
ContinuousSampler = Callable[[ContinuousSquareWave, int, Fraction, int], Integers]


def by_continuous_randomizer(
    mechanism: ContinuousSquareWave, report_cells: int, value: Fraction, users: int
) -> Integers:
    randomizer = ContinuousSquareWaveRandomizer(Domain(-10, 30, 16), mechanism, report_cells)
    source = SeededSource(simulation_seed=int(1_000 * value))
    values = np.full(users, -10 + 40 * float(value))
    return np.bincount(randomizer.randomize(values, source), minlength=report_cells)


def by_points(mechanism: ContinuousSquareWave, report_cells: int, points: NDArray[np.float64]) -> Integers:
    b = float(mechanism.half_width)
    return np.histogram(points, bins=np.linspace(-b, 1 + b, report_cells + 1))[0]


def by_continuous_points(mechanism: ContinuousSquareWave, report_cells: int, value: Fraction, users: int) -> Integers:
    randomizer = ContinuousSquareWaveRandomizer(Domain(-10, 30, 16), mechanism, report_cells)
    values = np.full(users, -10 + 40 * float(value))
    points = randomizer.randomize_points(values, SeededSource(simulation_seed=int(1_000 * value)))
    assert points.min() >= -float(mechanism.half_width)
    assert points.max() <= 1 + float(mechanism.half_width)
    return by_points(mechanism, report_cells, points)


def by_fair_coin_points(mechanism: ContinuousSquareWave, report_cells: int, value: Fraction, users: int) -> Integers:
    """Planted: each tail gets half of what is outside the window."""
    x, b = float(value), float(mechanism.half_width)
    generator = np.random.default_rng(int(1_000 * value))
    inside = generator.random(users) < 2 * b * float(mechanism.inside_density)
    left = (generator.random(users) < 0.5) if 0 < x < 1 else np.full(users, x == 1)
    t = generator.random(users)
    tail = np.where(left, -b + x * t, x + b + (1 - x) * t)
    return by_points(mechanism, report_cells, np.where(inside, x - b + 2 * b * t, tail))


def by_shifted_points(mechanism: ContinuousSquareWave, report_cells: int, value: Fraction, users: int) -> Integers:
    """Planted: the window of a value one report cell further on."""
    step = (1 + 2 * mechanism.half_width) / report_cells
    return by_continuous_points(mechanism, report_cells, min(value + step, Fraction(1)), users)


def audited_continuous(
    sampler: ContinuousSampler, mechanism: ContinuousSquareWave, report_cells: int, users: int
) -> list[str]:
    return [
        f"value {float(value)}: {finding}"
        for value in (Fraction(0), Fraction(1, 64), Fraction(3, 10), Fraction(1, 2), Fraction(15, 16), Fraction(1))
        for finding in findings(
            sampler(mechanism, report_cells, value, users), continuous_law(mechanism, value, value, report_cells)
        )
    ]


@pytest.mark.parametrize(("mechanism", "report_cells"), CONTINUOUS)
def test_continuous_randomizer(mechanism: ContinuousSquareWave, report_cells: int) -> None:
    assert audited_continuous(by_continuous_randomizer, mechanism, report_cells, 400_000) == []
    assert audited_continuous(by_continuous_points, mechanism, report_cells, 400_000) == []


@pytest.mark.parametrize("planted", [by_fair_coin_points, by_shifted_points])
def test_the_audit_finds_bugs_planted_in_the_continuous_randomizer(planted: ContinuousSampler) -> None:
    for mechanism, report_cells in CONTINUOUS:
        assert audited_continuous(planted, mechanism, report_cells, 400_000)


@pytest.mark.parametrize(("mechanism", "report_cells"), CONTINUOUS)
@pytest.mark.parametrize("cells", [2, 16, 100])
def test_continuous_tally_and_the_long_way_round(
    mechanism: ContinuousSquareWave, report_cells: int, cells: int
) -> None:
    domain = Domain(0, 1, cells)
    generator = np.random.default_rng(cells)
    for cell, cell_users in product((0, cells // 3, cells - 1), (400_000,)):
        expected = continuous_law(mechanism, Fraction(cell, cells), Fraction(cell + 1, cells), report_cells)
        histogram = np.zeros(cells, dtype=np.int64)
        histogram[cell] = cell_users
        tally = simulate_continuous_tally(mechanism, histogram, generator, report_cells=report_cells)
        assert findings(tally, expected) == []
        values = (cell + generator.random(cell_users)) / cells
        randomizer = ContinuousSquareWaveRandomizer(domain, mechanism, report_cells)
        reports = randomizer.randomize(values, SeededSource(simulation_seed=cell))
        assert findings(np.bincount(reports, minlength=report_cells), expected) == []


# --- the default -----------------------------------------------------------------------------------------------------


def test_the_default_source_is_the_secure_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = os.urandom

    def urandom(size: int) -> bytes:
        asked.append(size)
        return real(size)

    monkeypatch.setattr(os, "urandom", urandom)
    mechanism = SquareWave(16, 2, Fraction(3))
    randomizer_for(mechanism).randomize(np.linspace(0, 1, 100))
    randomizer_for(mechanism).randomize_cells(np.arange(16))
    assert len(asked) >= 2
