"""`experiment`: runs what is missing, and says how much that was."""

import json
import shutil
from pathlib import Path

import pytest
from pyarrow import parquet

from shufflegram.cli import progress

from .conftest import Run

SMALL = Path(__file__).resolve().parents[1] / "lab" / "small.toml"


@pytest.fixture
def spec(folder: Path) -> str:
    shutil.copy(SMALL, folder / "small.toml")
    return "small.toml"


def test_a_second_run_does_what_is_missing(good: Run, folder: Path, spec: str) -> None:
    base = ("experiment", spec, "--output", "new/results", "--workers", "1", "--quick", "--json")
    first, second = (json.loads(good(*base).stdout) for _ in range(2))
    assert (first["measured_now"], first["measured_before"]) == (12, 0)
    assert (second["measured_now"], second["measured_before"]) == (0, 12)
    assert first["cells"] == 4
    assert first["repetitions"] == 3
    assert parquet.read_table(first["results"]).num_rows == 4 * 3 * 2


def test_a_damaged_block_is_told_of_and_done_again(good: Run, folder: Path, spec: str) -> None:
    base = ("experiment", spec, "--output", "results", "--workers", "1", "--quick")
    text = good(*base).stdout
    assert "12 now, 0 before" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    whole = (folder / "results" / "results.parquet").read_bytes()
    min(folder.glob("results/blocks/*/*.parquet")).write_bytes(b"PAR1")
    again = good(*base)
    assert again.stderr == ("shufflegram: warning: 1 file in results is damaged or out of date, and done again\n")
    assert "3 now, 9 before" in again.stdout
    assert (folder / "results" / "results.parquet").read_bytes() == whole


def test_progress_is_for_terminals(good: Run, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    base = ("experiment", spec, "--workers", "1", "--quick", "--json", "--output")
    assert good(*base, "silent").stderr == ""
    # as on a terminal, and for somebody without patience
    monkeypatch.setattr(progress, "PATIENCE", -1)
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = good(*base, "shown")
    assert "measuring" in shown.stderr
    json.loads(shown.stdout)


def test_a_page_is_written_on_request(good: Run, spec: str, folder: Path) -> None:
    base = ("experiment", spec, "--output", "results", "--workers", "1", "--quick", "--json")
    assert json.loads(good(*base).stdout)["page"] is None
    page = folder / json.loads(good(*base, "--page").stdout)["page"]
    text = page.read_text(encoding="utf-8")
    assert "data:image/svg+xml;base64," in text
    assert "index.html" not in text
    assert page.with_suffix(".csv").exists()
