"""Numbers from a normal distribution, drawn as the paper draws its synthetic data."""

import numpy as np

from ..checks import is_whole
from ..domain import Domain
from ..errors import InputError
from ..randomness import SeededSource
from .dataset import Dataset

PAPER_SIZE = 100_000
DEVIATION = 10.0
# As numpy.random.normal(0, 10) takes it. The other reading gives the same histogram: the interval is in deviations.
# Beyond five standard deviations lies one value in 1.7 million.
REACH = 5 * DEVIATION


def normal(users: int = PAPER_SIZE, simulation_seed: int = 0) -> Dataset:
    """So many draws from N(0, 10), 10 being the standard deviation, moved to -50 or 50 where they lie beyond."""
    if not is_whole(users) or users < 1:
        raise InputError(f"users must be a whole number, at least 1, got {users!r}")
    drawn = SeededSource(simulation_seed).generator.normal(0.0, DEVIATION, users)
    values = np.clip(drawn, -REACH, REACH)
    values.setflags(write=False)
    return Dataset(
        name="normal",
        values=values,
        unit="units",
        domain=Domain(-REACH, REACH, bins=256),
        source=f"drawn by NumPy from N(0, 10) with the simulation seed {simulation_seed}",
        licence="none needed; the numbers are drawn",
        note=(
            "the paper says neither whether 10 is the standard deviation or the variance nor on which interval the "
            "bins lie; here it is the standard deviation, and values beyond five of them are moved to -50 or 50"
        ),
        paper_size=PAPER_SIZE,
    )
