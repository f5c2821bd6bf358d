"""How far products of estimated marginals are from the joint distribution of several values a user."""

from functools import lru_cache
from typing import cast

from ...extensions import JointTruth, SeveralAttributes, several_attributes
from ...privacy.budget import Budget
from ...protocols import registry
from ..cell import Cell
from ..contenders import is_protocol
from ..data import folder, rows_of
from .measurement import Measurement

WAYS = (2, 3)


def marginals(cell: Cell, seed: int) -> dict[str, float]:
    """Means over all pairs and over all triples of the values.

    Against the joint distribution; against the product of the true marginals, which is what noise does; and the floor,
    which is what a product of the true marginals misses of the joint distribution.
    """
    _, histograms = cell.crowd
    truth = _truth(cell.data, cell.bins, cell.users, cell.circular, folder())
    estimates = _collections(cell).simulate(histograms, seed)
    scores = truth.score([estimate.frequencies for estimate in estimates])
    return {
        **{f"marginals_{ways}": scores[ways].against_joint for ways in WAYS},
        **{f"marginals_{ways}_noise": scores[ways].against_product for ways in WAYS},
        **{f"marginals_{ways}_floor": truth.floors[ways] for ways in WAYS},
    }


@lru_cache(maxsize=2)
def _collections(cell: Cell) -> SeveralAttributes:
    domain, histograms = cell.crowd
    budget = Budget(cell.epsilon, cell.delta, cell.users)
    accounting = cast(registry.Accounting, cell.accounting)
    return several_attributes([domain] * len(histograms), budget, cell.protocol, accounting)


@lru_cache(maxsize=1)
def _truth(data: str, bins: int, users: int, circular: bool, place: str | None) -> JointTruth:
    """One for all cells on the same data, wherever these are read from."""
    _, rows = rows_of(data, bins, users, circular)
    return JointTruth(rows, bins)


MARGINALS = Measurement(
    {
        "marginals_2": "two ways",
        "marginals_3": "three ways",
        "marginals_2_noise": "two ways, noise alone",
        "marginals_3_noise": "three ways, noise alone",
        "marginals_2_floor": "two ways, without noise",
        "marginals_3_floor": "three ways, without noise",
    },
    marginals,
    joint=True,
    of=is_protocol,
)
