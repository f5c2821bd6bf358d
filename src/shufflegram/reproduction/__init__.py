"""The paper's evaluation: one experiment for each of its figures and tables, as a file in this folder named after it.

Beside the files stand the paper's claims, each with what decides from the numbers whether it holds.
"""

from typing import TYPE_CHECKING

from .registry import names, specification, title

if TYPE_CHECKING:
    from ..lab import Claim


def claims_of(name: str) -> "tuple[Claim, ...]":
    """What the paper claims of the figure or table of this name."""
    # Judging takes the lab, which a list of names does not need.
    from .claims import CLAIMS

    return CLAIMS.get(name, ())


__all__ = ["claims_of", "names", "specification", "title"]
