"""Everything that can go wrong, as one tree.

    ShufflegramError
    ├── InputError (also a ValueError)   something that was handed in cannot be used
    │   ├── DomainError                  the interval, its bins or its edges make no domain
    │   ├── ValuesError                  values that are missing, not numbers, not finite, or outside the domain
    │   ├── MechanismError               parameters that no mechanism can have
    │   ├── ReportError                  reports or tallies that do not belong to this plan
    │   ├── BudgetError                  a privacy budget or a crowd that means nothing (epsilon <= 0, users < 1, ...)
    │   ├── TableError                   a file or a column that cannot be read
    │   ├── PlanError                    a plan file that is unreadable, incomplete, of another version or tampered with
    │   └── ExperimentError              an experiment that is unreadable, incomplete, or asks for what there is not
    ├── InfeasibleError                  the request is well formed, but no parameters can meet it
    ├── CertificationError               a bound could not be proven; nothing may be promised
    └── MissingLibraryError              what was asked for takes a library that is not installed

A message is one line: what was wrong, then what would be right.
"""

__all__ = [
    "BudgetError",
    "CertificationError",
    "DomainError",
    "ExperimentError",
    "InfeasibleError",
    "InputError",
    "MechanismError",
    "MissingLibraryError",
    "PlanError",
    "ReportError",
    "ShufflegramError",
    "TableError",
    "ValuesError",
]


class ShufflegramError(Exception):
    """The root: catch this one to catch everything this package raises on purpose."""


class InputError(ShufflegramError, ValueError):
    """Something that was handed in cannot be used."""


class DomainError(InputError):
    """The interval, its bins or its edges make no domain."""


class ValuesError(InputError):
    """Values that are missing, not numbers, not finite, or outside the domain."""


class MechanismError(InputError):
    """Parameters that no mechanism can have."""


class ReportError(InputError):
    """Reports or tallies that do not belong to this plan."""


class BudgetError(InputError):
    """A privacy budget or a crowd that means nothing."""


class TableError(InputError):
    """A file or a column that cannot be read."""


class PlanError(InputError):
    """A plan file that is unreadable, incomplete, of another version or tampered with."""


class ExperimentError(InputError):
    """An experiment that is unreadable, incomplete, or asks for what there is not."""


class InfeasibleError(ShufflegramError):
    """The request is well formed, but no parameters can meet it."""


class CertificationError(ShufflegramError):
    """A bound could not be proven; nothing may be promised."""


class MissingLibraryError(ShufflegramError):
    """What was asked for takes a library that is not installed."""
