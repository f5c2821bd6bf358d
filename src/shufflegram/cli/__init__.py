"""The command `shufflegram`: one module a command, loaded when that command is used."""

from .program import main

__all__ = ["main"]
