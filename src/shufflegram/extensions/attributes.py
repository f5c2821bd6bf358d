"""Several attributes of the same users: one collection each, on one budget."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..domain import Domain
from ..errors import InputError, ValuesError
from ..estimators.estimate import Estimate
from ..privacy.budget import Budget
from ..protocol import Protocol, run_protocol
from ..protocols.registry import Accounting
from ..randomness import SECURE_SOURCE, SeededSource, Source
from .budget_split import Split, split_budget


@dataclass(frozen=True)
class SeveralAttributes:
    """Every user reports every attribute, each in a collection that is shuffled on its own.

    Reports about different attributes are drawn independently given the values, so each is estimated by itself.
    """

    split: Split

    @property
    def protocols(self) -> tuple[Protocol, ...]:
        """One for each attribute, in their order."""
        return self.split.protocols

    @property
    def domains(self) -> tuple[Domain, ...]:
        return tuple(protocol.domain for protocol in self.protocols)

    @property
    def messages_per_user(self) -> float:
        """How many messages a user sends for all attributes, on average."""
        return math.fsum(protocol.messages_per_user for protocol in self.protocols)

    @property
    def bits_per_user(self) -> float:
        """How many bits these messages take, without transport."""
        return math.fsum(protocol.bits_per_user for protocol in self.protocols)

    def run(self, rows: ArrayLike, source: Source = SECURE_SOURCE) -> tuple[Estimate, ...]:
        """Everything that the collections do, from rows of values, one a user, to an estimate for each attribute."""
        values = np.asarray(rows)
        if values.ndim != 2 or values.shape[1] != len(self.protocols):
            raise ValuesError(f"values must be rows of {len(self.protocols)} numbers, got shape {values.shape}")
        return tuple(
            run_protocol(protocol, column, source) for protocol, column in zip(self.protocols, values.T, strict=True)
        )

    def simulate(
        self, histograms: Sequence[ArrayLike] | NDArray[np.int64], simulation_seed: int
    ) -> tuple[Estimate, ...]:
        """Estimates as users with these histograms of true values, one an attribute, would give: simulation only."""
        if len(histograms) != len(self.protocols):
            raise InputError(f"there must be {len(self.protocols)} histograms, one an attribute, got {len(histograms)}")
        seeds = SeededSource(simulation_seed).integers_below(2**62, len(self.protocols))
        return tuple(
            protocol.analyzer.estimate(protocol.simulate(histogram, int(seed)))
            for protocol, histogram, seed in zip(self.protocols, histograms, seeds, strict=True)
        )


def several_attributes(
    domains: Sequence[Domain], budget: Budget, protocol: str = "asp", accounting: Accounting = "exact"
) -> SeveralAttributes:
    """The named protocol for each of these domains, with the budget split over all of them."""
    return SeveralAttributes(split_budget(protocol, domains, budget, accounting))
