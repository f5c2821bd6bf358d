"""The channel's prefix sums against the plain matrix, and the matrix against the definition."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from shufflegram.channel import WindowChannel, continuous_square_wave_channel, square_wave_channel
from shufflegram.mechanism import ContinuousSquareWave, SquareWave, widest_half_width

from .statistical.audit import continuous_law, law


@st.composite
def discrete_mechanisms(draw: st.DrawFn) -> SquareWave:
    cells = draw(st.integers(2, 24))
    circular = draw(st.booleans())
    half_width = draw(st.integers(0, widest_half_width(cells, circular=circular)))
    return SquareWave(cells, half_width, draw(st.fractions(1, 1_000, max_denominator=100)), circular)


@st.composite
def continuous_channels(draw: st.DrawFn) -> tuple[ContinuousSquareWave, int, int]:
    mechanism = ContinuousSquareWave(
        draw(st.fractions("1/200", "1/2", max_denominator=1_000)), draw(st.fractions(1, 1_000, max_denominator=100))
    )
    return mechanism, draw(st.integers(2, 12)), draw(st.integers(2, 16))


def exact(columns: list[list[Fraction]]) -> NDArray[np.float64]:
    return np.array([[float(entry) for entry in column] for column in columns]).T


def assert_products_agree(channel: WindowChannel) -> None:
    matrix = channel.dense()
    generator = np.random.default_rng(channel.cells)
    frequencies = generator.random(channel.cells)
    weights = generator.normal(size=channel.report_cells)
    assert matrix.shape == (channel.report_cells, channel.cells)
    np.testing.assert_allclose(channel.forward(frequencies), matrix @ frequencies, rtol=0, atol=1e-13)
    np.testing.assert_allclose(channel.backward(weights), matrix.T @ weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(channel.squared.dense(), matrix**2, rtol=0, atol=1e-14)
    np.testing.assert_allclose(channel.squared.forward(frequencies), matrix**2 @ frequencies, rtol=0, atol=1e-13)
    np.testing.assert_allclose(channel.squared.backward(weights), (matrix**2).T @ weights, rtol=0, atol=1e-12)


def assert_well_formed(channel: WindowChannel) -> None:
    """What the compiled loops rely on when they read the arrays."""
    assert ((channel.start >= 0) & (channel.start < channel.report_cells)).all()
    assert ((channel.stop >= channel.start) & (channel.stop <= channel.start + channel.report_cells)).all()
    assert ((channel.partial_report >= 0) & (channel.partial_report < channel.report_cells)).all()
    assert (np.diff(channel.partial_input) >= 0).all()
    # no cell is counted as covered in full and in part
    for cell, report in zip(channel.partial_input, channel.partial_report, strict=True):
        assert not channel.start[cell] <= report < channel.stop[cell]
    assert len(set(zip(channel.partial_input.tolist(), channel.partial_report.tolist(), strict=True))) == len(
        channel.partial_input
    )


@given(discrete_mechanisms())
def test_the_discrete_channel_is_the_law(mechanism: SquareWave) -> None:
    channel = square_wave_channel(mechanism)
    matrix = exact([law(mechanism, cell) for cell in range(mechanism.cells)])
    np.testing.assert_allclose(channel.dense(), matrix, rtol=1e-13, atol=0)
    np.testing.assert_allclose(channel.dense().sum(axis=0), 1.0, rtol=1e-13)
    assert_well_formed(channel)
    assert_products_agree(channel)


@given(continuous_channels())
def test_the_continuous_channel_is_the_law_averaged_over_bins(case: tuple[ContinuousSquareWave, int, int]) -> None:
    mechanism, cells, report_cells = case
    channel = continuous_square_wave_channel(mechanism, cells, report_cells)
    matrix = exact(
        [
            continuous_law(mechanism, Fraction(cell, cells), Fraction(cell + 1, cells), report_cells)
            for cell in range(cells)
        ]
    )
    np.testing.assert_allclose(channel.dense(), matrix, rtol=0, atol=1e-12)
    np.testing.assert_allclose(channel.dense().sum(axis=0), 1.0, rtol=1e-12)
    assert_well_formed(channel)
    assert_products_agree(channel)


@pytest.mark.parametrize("half_width", [Fraction(43, 200), Fraction(1, 4), Fraction(1, 2), Fraction(1, 1_000)])
def test_the_paper_sized_channel(half_width: Fraction) -> None:
    mechanism = ContinuousSquareWave(half_width, Fraction(2198, 1000))
    channel = continuous_square_wave_channel(mechanism, 512, 512)
    np.testing.assert_allclose(channel.dense().sum(axis=0), 1.0, rtol=1e-12)
    for cell in (0, 1, 255, 511):
        column = [
            float(entry) for entry in continuous_law(mechanism, Fraction(cell, 512), Fraction(cell + 1, 512), 512)
        ]
        np.testing.assert_allclose(channel.dense()[:, cell], column, rtol=0, atol=1e-14)
    assert_well_formed(channel)
    assert_products_agree(channel)
    # Its structure must stay sparse: two ends of a window, a few cells each.
    assert channel.partial_input.size <= 8 * 512


def test_a_distribution_stays_one() -> None:
    generator = np.random.default_rng(2)
    for channel in (
        square_wave_channel(SquareWave(64, 7, Fraction(11, 3))),
        square_wave_channel(SquareWave(64, 7, Fraction(11, 3), circular=True)),
        continuous_square_wave_channel(ContinuousSquareWave(Fraction(1, 5), Fraction(4)), 64, 80),
    ):
        frequencies = generator.dirichlet(np.ones(64))
        reports = channel.forward(frequencies)
        assert reports.sum() == pytest.approx(1.0, abs=1e-13)
        assert reports.min() > 0
        np.testing.assert_allclose(channel.backward(np.ones(channel.report_cells)), 1.0, rtol=1e-13)
