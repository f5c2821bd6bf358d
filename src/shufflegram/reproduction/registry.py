"""Every figure that can be measured again, once."""

import tomllib
from functools import cache
from pathlib import Path

from ..errors import InputError

FOLDER = Path(__file__).parent
# In the paper's order.
FIGURES = ("figure-utility", "figure-components", "figure-bins", "figure-users")


def names() -> tuple[str, ...]:
    """The figures, in the paper's order."""
    return FIGURES


def specification(name: str) -> Path:
    """The file that says what is measured for the figure of this name."""
    if name not in FIGURES:
        raise InputError(f"there is nothing to reproduce by the name {name!r}; there are {', '.join(FIGURES)}")
    return FOLDER / f"{name}.toml"


@cache
def title(name: str) -> str:
    """What the figure shows, in a few words."""
    return str(tomllib.loads(specification(name).read_text(encoding="utf-8"))["title"])
