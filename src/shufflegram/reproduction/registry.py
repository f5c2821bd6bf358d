"""Every figure and table that can be measured again, once."""

import tomllib
from functools import cache
from pathlib import Path

from ..errors import InputError

FOLDER = Path(__file__).parent
# In the paper's order; the last is from its text.
ITEMS = (
    "figure-information",
    "figure-utility",
    "figure-messages",
    "figure-components",
    "figure-hyperparameters",
    "figure-bins",
    "figure-users",
    "table-marginals",
    "table-comparison",
    "time-of-estimates",
)


def names() -> tuple[str, ...]:
    """The figures and tables, in the paper's order."""
    return ITEMS


def specification(name: str) -> Path:
    """The file that says what is measured for the item of this name."""
    if name not in ITEMS:
        raise InputError(f"there is nothing to reproduce by the name {name!r}; there are {', '.join(ITEMS)}")
    return FOLDER / f"{name}.toml"


@cache
def title(name: str) -> str:
    """What the item shows, in a few words."""
    return str(tomllib.loads(specification(name).read_text(encoding="utf-8"))["title"])
