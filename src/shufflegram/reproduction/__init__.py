"""The paper's evaluation: one experiment for each of its figures, as a file in this folder named after the figure."""

from .registry import names, specification, title

__all__ = ["names", "specification", "title"]
