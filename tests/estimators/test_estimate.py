"""What an estimate answers, by hand-computed cases on a line, a logarithmic line, given edges and a circle."""

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

from shufflegram.domain import Domain
from shufflegram.errors import InputError, TableError, ValuesError
from shufflegram.estimators import EMS, Estimate
from shufflegram.estimators.plausible import WindowEvidence

from .settings import SETTINGS


def of(domain: Domain, *frequencies: float) -> Estimate:
    return Estimate(domain, np.array(frequencies), 1000)


LINE = of(Domain(0, 10, 5), 0.1, 0.2, 0.0, 0.4, 0.3)
LOG = of(Domain.log(1, 1000, 3), 0.5, 0.3, 0.2)
GIVEN = of(Domain.from_edges([0, 1, 5, 6]), 0.2, 0.6, 0.2)
CLOCK = of(Domain(0, 24, 4, circular=True, unit="hours"), 0.4, 0.1, 0.1, 0.4)


def with_evidence() -> Estimate:
    setting = SETTINGS["line"]
    solution = EMS.solve(setting.channel, setting.counts)
    evidence = WindowEvidence(setting.channel, setting.counts)
    return Estimate(Domain(0, 64, 64), solution.frequencies, 100_000, solution.outcome, evidence)


def test_cdf() -> None:
    assert LINE.cdf(0) == 0
    assert LINE.cdf(1) == pytest.approx(0.05)
    assert LINE.cdf(5) == pytest.approx(0.3)
    assert LINE.cdf(10) == 1
    assert LINE.cdf(-3) == 0
    assert LINE.cdf(12) == 1
    assert LINE.cdf([[2, 7], [8, 9]]) == pytest.approx(np.array([[0.1, 0.5], [0.7, 0.85]]))
    assert LOG.cdf(10) == pytest.approx(0.5)
    assert LOG.cdf(55) == pytest.approx(0.5 + 0.3 * 45 / 90)
    assert GIVEN.cdf(3) == pytest.approx(0.5)


def test_quantile() -> None:
    assert LINE.quantile(0) == 0
    assert LINE.quantile(0.05) == pytest.approx(1)
    assert LINE.quantile(0.5) == pytest.approx(7)
    assert LINE.quantile(1) == pytest.approx(10)
    # From 4 to 6 there is nobody: the least value with 30% at or below it is 4.
    assert LINE.quantile(0.1 + 0.2) == pytest.approx(4)
    assert LINE.quantile([0.1, 0.85]) == pytest.approx([2, 9])
    assert LOG.quantile(0.65) == pytest.approx(55)
    assert GIVEN.quantile(0.5) == pytest.approx(3)
    assert isinstance(LINE.quantile(0.5), float)


def test_quantile_and_cdf_undo_each_other() -> None:
    shares = np.linspace(0, 1, 101)
    for estimate in (LOG, GIVEN, CLOCK):
        assert estimate.cdf(estimate.quantile(shares)) == pytest.approx(shares)


def test_quantile_on_a_circle_counts_from_the_cut() -> None:
    assert CLOCK.quantile(0.5) == pytest.approx(12)
    # from noon: 0.1 until 18, 0.4 until midnight, so the median is at 24 = 0
    assert CLOCK.quantile(0.5, cut=12) == pytest.approx(24)
    assert CLOCK.quantile(0.75, cut=12) == pytest.approx(6 * 0.25 / 0.4)
    assert CLOCK.quantile(0.0, cut=12) == 12
    assert CLOCK.quantile(1.0, cut=12) == pytest.approx(12)
    assert CLOCK.quantile([0.05, 0.3], cut=12) == pytest.approx([15, 21])


def test_probability() -> None:
    assert LINE.probability(1, 7) == pytest.approx(0.45)
    assert LINE.probability(-100, 100) == 1
    assert LINE.probability(4, 6) == pytest.approx(0)
    assert CLOCK.probability(6, 18) == pytest.approx(0.2)
    # from 18 through midnight to 6
    assert CLOCK.probability(18, 6) == pytest.approx(0.8)
    assert CLOCK.probability(21, 3) == pytest.approx(0.4)


def test_mean() -> None:
    assert LINE.mean() == pytest.approx(0.1 * 1 + 0.2 * 3 + 0.4 * 7 + 0.3 * 9)
    assert GIVEN.mean() == pytest.approx(0.2 * 0.5 + 0.6 * 3 + 0.2 * 5.5)
    # within a logarithmic bin, too, the mass is spread evenly
    assert LOG.mean() == pytest.approx(0.5 * 5.5 + 0.3 * 55 + 0.2 * 550)


def test_mean_on_a_circle() -> None:
    # alike on both sides of midnight
    assert CLOCK.mean() % 24 == pytest.approx(0, abs=1e-9) or CLOCK.mean() == pytest.approx(24)
    shifted = of(Domain(-12, 12, 4, circular=True), 0.0, 0.5, 0.5, 0.0)
    assert shifted.mean() == pytest.approx(0, abs=1e-12)
    three = of(Domain(0, 24, 4, circular=True), 1.0, 0.0, 0.0, 0.0)
    assert three.mean() == pytest.approx(3)
    assert math.isnan(of(Domain(0, 24, 4, circular=True), *[0.25] * 4).mean())


def test_files(tmp_path: Path) -> None:
    estimate = with_evidence()
    estimate.to_json(tmp_path / "estimate.json")
    record = json.loads((tmp_path / "estimate.json").read_text())
    assert record == estimate.to_dict()
    assert Domain.from_dict(record["domain"]) == estimate.domain
    assert record["frequencies"] == estimate.frequencies.tolist()
    assert record["outcome"]["stop"] == "converged"
    assert "outcome" not in LINE.to_dict()
    LINE.to_csv(tmp_path / "estimate.csv")
    with (tmp_path / "estimate.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5
    assert rows[1]["low"] == "2.0"
    assert [float(row["frequency"]) for row in rows] == [0.1, 0.2, 0.0, 0.4, 0.3]
    assert float(rows[-1]["cumulative"]) == 1


def test_a_file_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    for write in (LINE.to_csv, LINE.to_json):
        for place in (tmp_path, tmp_path / "nowhere" / "estimate"):
            with pytest.raises(TableError, match="cannot be written there") as caught:
                write(place)
            assert "\n" not in str(caught.value)


@pytest.fixture
def plots() -> Iterator[Any]:
    """matplotlib.pyplot, drawing into memory."""
    with mpl.rc_context({"backend": "agg"}):
        import matplotlib.pyplot as plt

        yield plt
        plt.close("all")


def labels(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_plot_shows_density_truth_and_band(plots: Any, tmp_path: Path) -> None:
    estimate = with_evidence()
    band, truth = estimate.band(), np.full(64, 1 / 64)
    for known, below_it in (
        (None, np.concatenate(([0.0], np.cumsum(estimate.frequencies)))),
        (truth, np.arange(65) / 64),
    ):
        ax = estimate.plot(truth=known, band=band)
        density, below = ax.figure.axes
        assert density is ax
        assert labels(ax) == ["estimate"] + ([] if known is None else ["truth"])
        assert labels(below)[0] == "90% band (pointwise)"
        assert labels(below)[1] == ("estimate" if known is None else "estimate - truth")
        # the band in percentage points, less what the zero line stands for
        corners = np.asarray(below.collections[0].get_paths()[0].vertices)[:, 1]
        assert corners.max() == pytest.approx(100 * (band.upper - below_it).max())
        assert corners.min() == pytest.approx(100 * (band.lower - below_it).min())
        if known is not None:
            off = 100 * (estimate.cdf(band.edges) - below_it)
            assert below.lines[1].get_ydata() == pytest.approx(off)
    plots.savefig(tmp_path / "estimate.png")
    assert (tmp_path / "estimate.png").stat().st_size > 5000
    with pytest.raises(InputError, match="truth"):
        LINE.plot(truth=[1.0])
    with pytest.raises(InputError, match="in a grid"):
        estimate.plot(plots.figure().add_axes((0, 0, 1, 1)), band=band)


def test_plot_counts_in_readable_numbers(plots: Any) -> None:
    for estimate, x_label, y_label, values in (
        # the middle bin is 4 wide and holds 60%: 15% per unit, 1.5% per tenth of it
        (GIVEN, "value", "% of users per 0.1 in value", [2, 1.5, 2]),
        (CLOCK, "hours", "% of users per 1 hours", [40 / 6, 10 / 6, 10 / 6, 40 / 6]),
        (LOG, "value", "% of users in each bin", [50, 30, 20]),
        (of(Domain(0, 300_000, 2, unit="dollars"), 0.6, 0.4), "dollars", "% of users per 10,000 dollars", [4, 8 / 3]),
    ):
        ax: Any = estimate.plot()
        assert (ax.get_xlabel(), ax.get_ylabel()) == (x_label, y_label)
        assert ax.patches[0].get_data().values == pytest.approx(values)
        # no line down to zero at the ends
        assert ax.patches[0].get_data().baseline is None
        ax.figure.canvas.draw()
        ticks = [text.get_text() for text in (*ax.get_xticklabels(), *ax.get_yticklabels())]
        assert not [tick for tick in ticks if "e" in tick]
        assert ax.xaxis.get_offset_text().get_text() == ax.yaxis.get_offset_text().get_text() == ""
        assert x_label != "dollars" or "300,000" in ticks
    assert LOG.plot().get_xscale() == "log"


def test_plot_of_few_decades_labels_more_than_powers_of_ten(plots: Any) -> None:
    for high, shown in ((700, ["200", "500"]), (1e6, [])):
        ax = of(Domain.log(100, high, 3), 0.5, 0.3, 0.2).plot()
        minor = zip(
            ax.get_xticks(minor=True), (text.get_text() for text in ax.get_xticklabels(minor=True)), strict=True
        )
        assert [text for tick, text in minor if text and 100 <= tick <= high] == shown


def test_questions_that_mean_nothing_are_refused() -> None:
    wrong: Any
    for wrong in (-0.1, 1.1, math.nan, "half", []):
        with pytest.raises(ValuesError):
            LINE.quantile(wrong)
    for wrong in (math.nan, "low", []):
        with pytest.raises(ValuesError):
            LINE.cdf(wrong)
    with pytest.raises(ValuesError, match="low must not exceed high"):
        LINE.probability(7, 1)
    with pytest.raises(ValuesError):
        LINE.probability(math.nan, 1)
    ends: list[tuple[Any, Any]] = [("a", 3), (3, "a"), (None, 3), ([1, 2], 3)]
    for low, high in ends:
        with pytest.raises(ValuesError):
            LINE.probability(low, high)
    for wrong in ([[1], [1, 2]], ["a", "b"], None):
        with pytest.raises(ValuesError):
            LINE.cdf(wrong)
        with pytest.raises(ValuesError):
            LINE.quantile(wrong)
    with pytest.raises(InputError, match="cut"):
        LINE.quantile(0.5, cut=3)
    with pytest.raises(ValuesError, match="circle"):
        CLOCK.cdf(25)
    with pytest.raises(ValuesError, match="circle"):
        CLOCK.quantile(0.5, cut=-1)
    with pytest.raises(InputError, match="tally"):
        LINE.band()


def test_frequencies_that_are_no_distribution_are_refused() -> None:
    for wrong in ([0.5, 0.5], [0.5, 0.6, -0.1, 0, 0], [0.2, 0.2, 0.2, 0.2, 0.3], [math.nan] * 5):
        with pytest.raises(InputError):
            of(Domain(0, 10, 5), *wrong)


def test_an_estimate_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        LINE.frequencies[0] = 1.0
