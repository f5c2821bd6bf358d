"""What a data set holds, and what it says of itself."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import is_whole
from ..domain import Domain
from ..errors import InputError
from ..randomness import SeededSource


@dataclass(frozen=True, eq=False)
class Dataset:
    """One value a user, in `unit`, and the domain that suits them; where they come from and under which licence.

    With `columns`, `values` holds joint rows: one row a user, one named column a value, all in the same domain. The
    users come in no order of theirs. `resampled` says that users were drawn with replacement from fewer or from counts.
    """

    name: str
    values: NDArray[Any] = field(repr=False)  # whole numbers or floats
    unit: str
    domain: Domain
    source: str
    licence: str
    note: str
    resampled: bool = False
    paper_size: int | None = None
    columns: tuple[str, ...] = ()

    @property
    def users(self) -> int:
        """How many there are."""
        return int(self.values.shape[0])

    def histogram(self) -> NDArray[np.int64]:
        """How many users have a value in each bin of the domain."""
        if self.columns:
            raise InputError(f"{self.name} holds joint rows; ask one column for its histogram: {self._shown_columns()}")
        return self.domain.histogram(self.values)

    def column(self, name: str) -> "Dataset":
        """One column of joint rows as a data set of its own."""
        if name not in self.columns:
            there = f"it has {self._shown_columns()}" if self.columns else "it has one value a user and no columns"
            raise InputError(f"{self.name} has no column {name!r}; {there}")
        values = self.values[:, self.columns.index(name)]
        return replace(self, name=f"{self.name}.{name}", values=values, columns=())

    def first(self, users: int) -> "Dataset":
        """So many of the users: as they are in no order of theirs, a draw without replacement."""
        if not is_whole(users):
            raise InputError(f"users must be a whole number, got {users!r}")
        if not 1 <= users <= self.users:
            raise InputError(f"the {self.name} data holds 1 to {self.users:,} users, got {users:,}")
        return replace(self, values=self.values[:users])

    def at_paper_size(self, simulation_seed: int = 0) -> "Dataset":
        """As many users as the paper's: the first ones where there are enough, else drawn with replacement."""
        if self.paper_size is None:
            raise InputError(f"the paper does not say how many users {self.name} has; take the data as they are")
        if self.users >= self.paper_size:
            return self.first(self.paper_size)
        # Independent uniform users: the counts of their values are multinomial, with the shares that are there.
        drawn = SeededSource(simulation_seed).integers_below(self.users, self.paper_size)
        values = self.values[drawn]
        values.setflags(write=False)
        note = f"{self.note}; drawn with replacement from {self.users:,} users, to the paper's {self.paper_size:,}"
        return replace(self, values=values, note=note, resampled=True)

    def _shown_columns(self) -> str:
        return ", ".join(self.columns)
