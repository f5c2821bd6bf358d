"""The paper map: every row has a status that is declared, and names code that exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "paper_map.md").read_text(encoding="utf-8")
STATUSES = re.findall(r"^\* \*\*([a-z ]+)\*\*:", TEXT, flags=re.MULTILINE)
# a bar within a cell is written \|
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in TEXT.splitlines()
    if line.startswith("| ") and not line.startswith("| paper |")
]


def test_every_row_has_a_declared_status() -> None:
    assert len(STATUSES) == 8
    assert len(ROWS) > 90
    for row in ROWS:
        assert len(row) == 3, row
        assert re.match(rf"({'|'.join(STATUSES)})\b", row[2]), row[2]


@pytest.mark.parametrize("row", [row for row in ROWS if not row[1]], ids=lambda row: row[0][:40])
def test_what_has_no_code_says_so(row: list[str]) -> None:
    assert re.match(r"later|not used|does not hold|corrected", row[2])


def test_every_status_is_used() -> None:
    assert {status for status in STATUSES if any(row[2].startswith(status) for row in ROWS)} == set(STATUSES)
