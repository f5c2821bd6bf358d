"""What every registered protocol must do, under either accounting."""

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import shufflegram as sg
from shufflegram import metrics
from shufflegram.errors import PlanError, ReportError
from shufflegram.privacy.budget import Budget
from shufflegram.privacy.guarantee import Guarantee, promise
from shufflegram.protocol import Protocol
from shufflegram.protocols import PROTOCOLS, build
from shufflegram.protocols.registry import Accounting
from shufflegram.randomness import SeededSource

DOMAIN = sg.Domain(0, 100, bins=64, unit="percent")
BUDGET = Budget(0.5, 1e-6, 20_000)
VALUES = np.clip(np.random.default_rng(20).normal(40, 12, 20_000), 0, 100)
TRUTH = DOMAIN.histogram(VALUES)
# Each statistical test below raises a false alarm with at most this probability.
FALSE_ALARM = 1e-9

CASES = [
    pytest.param((entry.name, accounting), id=f"{entry.name}-{accounting}")
    for entry in PROTOCOLS
    for accounting in get_args(Accounting)
]


@pytest.fixture(scope="module", params=CASES)
def protocol(request: pytest.FixtureRequest) -> Protocol:
    name, accounting = request.param
    return build(name, DOMAIN, BUDGET, accounting)


@pytest.fixture(scope="module", params=[entry.name for entry in PROTOCOLS])
def around(request: pytest.FixtureRequest) -> Protocol:
    """Every protocol on a circle, where exact accounting offers it."""
    domain = sg.Domain(0, 24, bins=64, circular=True)
    return build(str(request.param), domain, BUDGET, "exact")


def test_a_protocol_runs_from_end_to_end(protocol: Protocol) -> None:
    estimate = sg.run_protocol(protocol, VALUES, SeededSource(simulation_seed=1))
    assert estimate.users == VALUES.size
    assert estimate.frequencies.sum() == pytest.approx(1.0)
    # Far better than knowing nothing: the uniform distribution is .2 away from the truth.
    truth = TRUTH / TRUTH.sum()
    uniform = metrics.wasserstein(truth, np.full(64, 1 / 64))
    assert metrics.wasserstein(truth, estimate.frequencies) < uniform / 5


def test_a_protocol_runs_around_a_circle(around: Protocol) -> None:
    hours = np.mod(np.random.default_rng(3).normal(0, 3, 20_000), 24)
    estimate = sg.run_protocol(around, hours, SeededSource(simulation_seed=1))
    off = (estimate.mean() + 12) % 24 - 12
    assert abs(off) < 0.5


def test_a_seeded_run_can_be_repeated(protocol: Protocol) -> None:
    first = protocol.randomizer.randomize(VALUES, SeededSource(simulation_seed=7))
    again = protocol.randomizer.randomize(VALUES, SeededSource(simulation_seed=7))
    other = protocol.randomizer.randomize(VALUES, SeededSource(simulation_seed=8))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_order_of_reports_does_not_matter(protocol: Protocol) -> None:
    reports = protocol.randomizer.randomize(VALUES, SeededSource(simulation_seed=7))
    shuffled = sg.shuffle(reports)
    assert sorted(shuffled.tolist()) == sorted(reports.tolist())
    assert protocol.analyzer.tally(shuffled) == protocol.analyzer.tally(reports)


def test_tallies_merge_with_their_own_kind_only(protocol: Protocol) -> None:
    analyzer = protocol.analyzer
    reports = protocol.randomizer.randomize(VALUES, SeededSource(simulation_seed=7))
    whole = analyzer.tally(reports)
    assert analyzer.tally(reports[:123]) + analyzer.tally(reports[123:]) == whole
    assert whole + analyzer.tally([]) == whole
    assert whole.reports == VALUES.size * protocol.messages_per_user
    assert whole.counts.size == protocol.report_cells
    stranger = build(protocol.name, sg.Domain(0, 101, bins=64), BUDGET).analyzer
    with pytest.raises(ReportError, match="different plans"):
        _ = whole + stranger.tally(reports)
    with pytest.raises(ReportError, match="another plan"):
        stranger.estimate(whole)


@pytest.mark.parametrize("bad", [[-1], [10**6], [1.5], ["a"], [[1, 2]], [None]])
def test_reports_it_cannot_have_made_are_refused(protocol: Protocol, bad: list[object]) -> None:
    with pytest.raises(ReportError):
        protocol.analyzer.tally(np.array(bad))


@pytest.mark.parametrize("bad", [None, 3, "abc", ["a", "b"], [1.5, 2.0], [[[1, 2]]], [[1], [1, 2]], [None]])
def test_what_cannot_be_reports_is_not_shuffled_either(bad: Any) -> None:
    with pytest.raises(ReportError, match="whole numbers"):
        sg.shuffle(bad)


def test_nothing_shuffled_is_no_report() -> None:
    nothing = sg.shuffle([])
    assert nothing.dtype == np.int64
    assert nothing.size == 0


def test_nothing_cannot_be_estimated(protocol: Protocol) -> None:
    with pytest.raises(ReportError, match="no reports"):
        protocol.analyzer.estimate(protocol.analyzer.tally([]))


def test_a_simulated_tally_has_the_law_of_a_real_one(protocol: Protocol) -> None:
    # Two tallies of equally many reports: sum of (a - b)^2 / (a + b). Given the true histogram each count varies less
    # than in a multinomial draw, so the chi-square tail is a safe threshold; every cell expects hundreds of reports.
    # A continuous wave's simulation spreads values evenly within bins, so values are drawn that way.
    rng = np.random.default_rng(11)
    cells = np.repeat(np.arange(64), TRUTH * 10)
    spread = DOMAIN.edges[cells] + rng.random(cells.size) * DOMAIN.widths[cells]
    long_way = protocol.analyzer.tally(protocol.randomizer.randomize(spread, SeededSource(simulation_seed=2)))
    short_way = protocol.simulate(DOMAIN.histogram(spread), simulation_seed=3)
    assert short_way.reports == long_way.reports
    threshold = stats.chi2.isf(FALSE_ALARM, long_way.counts.size)

    def distance(counts: NDArray[np.int64]) -> float:
        both = long_way.counts + counts
        return float(np.sum((long_way.counts - counts)[both > 0] ** 2 / both[both > 0]))

    assert distance(short_way.counts) < threshold
    # the same test does notice reports that are one cell off
    assert distance(np.roll(short_way.counts, 1)) > threshold


def guarantee_for(protocol: Protocol) -> Guarantee:
    return promise(
        protocol.law,
        terms=protocol.terms(BUDGET.users),
        users=BUDGET.users,
        epsilon=BUDGET.epsilon,
        delta=BUDGET.delta,
        local_epsilon=protocol.mechanism.local_epsilon,
    )


def test_its_law_keeps_the_budget(protocol: Protocol) -> None:
    assert float(guarantee_for(protocol).certificate.delta_upper) <= BUDGET.delta


def test_it_tells_its_costs(protocol: Protocol) -> None:
    assert protocol.messages_per_user >= 1
    assert 2 <= protocol.resolution <= DOMAIN.bins
    assert 2 ** (protocol.bits_per_user / protocol.messages_per_user) >= protocol.report_cells


def test_what_may_be_deployed_is_planned_and_loaded_again(protocol: Protocol) -> None:
    if not protocol.deployable:
        with pytest.raises(PlanError, match="real devices"):
            sg.Plan(protocol, guarantee_for(protocol))
        return
    plan = sg.Plan(protocol, guarantee_for(protocol))
    assert sg.Plan.from_dict(plan.to_dict()) == plan
    with pytest.raises(PlanError, match="another protocol"):
        sg.Plan(build(protocol.name, DOMAIN, replace(BUDGET, epsilon=0.01)), plan.guarantee)


def test_a_plan_takes_no_guarantee_that_counts_otherwise(protocol: Protocol) -> None:
    # A certificate for a hundred times as many terms as these users give, and one for another local epsilon.
    few = BUDGET.users // 100
    proven = guarantee_for(protocol)
    assert proven.certificate.terms != protocol.terms(few)
    other = proven.local_epsilon / 2 if np.isfinite(proven.local_epsilon) else 5.0
    for false in (replace(proven, users=few), replace(proven, local_epsilon=other)):
        with pytest.raises(PlanError, match="another protocol" if protocol.deployable else "real devices"):
            sg.Plan(protocol, false)


def test_the_sum_of_tallies_is_the_tally_of_all(protocol: Protocol) -> None:
    analyzer = protocol.analyzer
    reports = protocol.randomizer.randomize(VALUES, SeededSource(simulation_seed=7))
    assert sum(analyzer.tally(part) for part in np.array_split(reports, 3)) == analyzer.tally(reports)
    with pytest.raises(TypeError):
        _ = 1 + analyzer.tally(reports)
    with pytest.raises(ValueError, match="read-only"):
        analyzer.tally(reports).counts[0] = 5


def test_what_was_not_counted_is_not_estimated(protocol: Protocol) -> None:
    reports = protocol.randomizer.randomize(VALUES[:10], SeededSource(simulation_seed=7))
    for uncounted in (reports, reports.tolist(), None, "tally"):
        with pytest.raises(ReportError, match="count the reports first"):
            protocol.analyzer.estimate(uncounted)  # type: ignore[arg-type]


def test_exact_accounting_is_no_worse_than_published_for_20_000_users_at_epsilon_one_tenth() -> None:
    """At this budget, on a normal distribution in 64 bins: nobody says that it is so elsewhere."""
    budget = replace(BUDGET, epsilon=0.1)
    for entry in PROTOCOLS:
        errors = {}
        for accounting in get_args(Accounting):
            protocol = build(entry.name, DOMAIN, budget, accounting)
            runs = [protocol.analyzer.estimate(protocol.simulate(TRUTH, simulation_seed=seed)) for seed in range(20)]
            truth = TRUTH / TRUTH.sum()
            errors[accounting] = np.mean([metrics.wasserstein(truth, run.frequencies) for run in runs])
        # (Pure sends whole dummies, and here both ask for one)
        assert errors["exact"] <= errors["published"]
