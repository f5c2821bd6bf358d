"""What a bundled dataset says of itself."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain


@dataclass(frozen=True, eq=False)
class Dataset:
    """One value a user, in `unit`, and the domain that suits them; where they come from and under which licence."""

    name: str
    values: NDArray[np.int64] = field(repr=False)
    unit: str
    domain: Domain
    source: str
    licence: str
    note: str
