"""What the lab's tests share: a small experiment, a way to run it, and what must be the same to the bit."""

from pathlib import Path

import pytest

from shufflegram import lab

SPEC = Path(__file__).with_name("small.toml")


@pytest.fixture
def experiment() -> lab.Experiment:
    return lab.Experiment.load(SPEC)


def changed(old: str, new: str) -> lab.Experiment:
    """The small experiment with one word changed."""
    text = SPEC.read_text(encoding="utf-8")
    assert old in text
    return lab.Experiment.from_text(text.replace(old, new))


def measured(
    experiment: lab.Experiment, folder: Path, *, quick: bool = False, workers: int = 1
) -> list[tuple[str, int]]:
    """Runs what is missing, and says which repetitions those were."""
    done = lab.carry_out(lab.prepare(experiment, folder, quick=quick), workers)
    return sorted((block.cell.key, repetition) for block in done for repetition in block.repetitions)


def table(experiment: lab.Experiment, folder: Path, *, quick: bool = False) -> bytes:
    """The bytes of the table, when nothing is missing."""
    return lab.gather(lab.prepare(experiment, folder, quick=quick)).read_bytes()
