"""Where the data are that are not part of the project."""

import os
from pathlib import Path

import pytest

VARIABLE = "SHUFFLEGRAM_DATA_DIR"
BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture
def data_dir() -> Path:
    """The folder of the environment variable, or the one beside the project."""
    folder = Path(os.environ.get(VARIABLE, BESIDE))
    if not folder.is_dir():
        pytest.skip(
            f"the data that are not bundled are not here: {VARIABLE} names no folder, nor is ../shared/data one"
        )
    return folder
