"""What is measured in a cell, and how another measurement joins."""

from pathlib import Path

import numpy as np
import pytest

from shufflegram import lab, metrics
from shufflegram.errors import ExperimentError
from shufflegram.lab import measure

from .conftest import changed, measured, table


def test_chunks_hold_what_their_bins_hold() -> None:
    frequencies = np.array([0.1, 0.2, 0.3, 0.4])
    assert measure.in_chunks(frequencies, 4) == pytest.approx(frequencies)
    assert measure.in_chunks(frequencies, 2) == pytest.approx([0.3, 0.7])
    # a bin that lies in two chunks is spread evenly
    assert measure.in_chunks(frequencies, 3) == pytest.approx([0.1 + 0.2 / 3, 0.4 / 3 + 0.2, 0.1 + 0.4])


def test_errors_on_chunks_are_those_between_chunks(experiment: lab.Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = experiment.cells()[0]
    _, histogram = cell.crowd
    truth = histogram / histogram.sum()
    # one that resolves every bin is the same on both
    everywhere = measure.estimation_errors(cell, 7)
    assert all(everywhere[each.name] == everywhere[f"{each.name}_on_chunks"] for each in metrics.METRICS)

    protocol = measure.built(cell)
    found = protocol.analyzer.estimate(protocol.simulate(histogram, 7)).frequencies

    class Coarse:
        resolution = 4
        analyzer = protocol.analyzer
        simulate = staticmethod(protocol.simulate)

    monkeypatch.setattr(measure, "built", lambda cell: Coarse)
    errors = measure.estimation_errors(cell, 7)
    coarse = metrics.wasserstein(truth.reshape(4, 4).sum(axis=1), found.reshape(4, 4).sum(axis=1))
    assert errors["wasserstein"] == everywhere["wasserstein"]
    assert errors["wasserstein_on_chunks"] == pytest.approx(coarse)
    assert errors["wasserstein_on_chunks"] != errors["wasserstein"]


def test_another_measurement_is_one_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def messages(cell: lab.Cell, seed: int) -> dict[str, float]:
        calls.append(seed)
        return {"messages": measure.built(cell).messages_per_user}

    with pytest.raises(ExperimentError, match="metrics must be some of"):
        changed('"quantile"', '"messages"')
    monkeypatch.setitem(measure.MEASUREMENTS, "messages", lab.Measurement(("messages",), messages))
    both = changed('"quantile"', '"messages"')
    assert {cell.measurement for cell in both.cells()} == {"errors", "messages"}
    measured(both, tmp_path, quick=True)
    # every repetition of every cell once, each with a seed of its own
    assert len(calls) == len(set(calls)) == 4 * 3
    table(both, tmp_path, quick=True)
    assert len(calls) == 4 * 3
