"""SSW, SPM, ASP and their combinations are one protocol: a square wave and an estimator, with somebody's numbers."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from typing import Protocol as Interface

from numpy.typing import ArrayLike

from ..channel import WindowChannel, continuous_square_wave_channel, square_wave_channel
from ..design.square_wave import informative
from ..domain import Domain
from ..errors import MechanismError
from ..estimators.em import Estimator
from ..mechanism import ContinuousSquareWave, SquareWave, Wave
from ..privacy.budget import Budget
from ..privacy.laws import PrivacyLaw, blanket_law, blanket_terms
from ..protocol import Tally, digest_of
from ..randomizers.continuous import ContinuousSquareWaveRandomizer
from ..randomizers.simulation import simulate_tally_through
from ..randomizers.square_wave import SquareWaveRandomizer
from ..randomness import SeededSource
from .channel_analyzer import ChannelAnalyzer
from .entry import Entry


class ChooseInCells(Interface):
    """Parameters in whole cells for a budget, under exact accounting."""

    def __call__(self, cells: int, *, circular: bool, budget: Budget) -> SquareWave: ...


@dataclass(frozen=True)
class SquareWaveProtocol:
    """One message a user: the report cell of a square wave. The continuous wave is counted in as many cells as bins."""

    name: str
    domain: Domain
    mechanism: Wave
    estimator: Estimator

    def __post_init__(self) -> None:
        _ = self.randomizer  # domain and mechanism must fit each other

    @property
    def report_cells(self) -> int:
        return self.channel.report_cells

    @property
    def resolution(self) -> int:
        """How many parts of the domain the estimate can tell apart."""
        return self.domain.bins

    @property
    def deployable(self) -> bool:
        """The continuous wave draws floats and is for reproduction only."""
        return isinstance(self.mechanism, SquareWave)

    @cached_property
    def randomizer(self) -> SquareWaveRandomizer | ContinuousSquareWaveRandomizer:
        if isinstance(self.mechanism, SquareWave):
            return SquareWaveRandomizer(self.domain, self.mechanism)
        return ContinuousSquareWaveRandomizer(self.domain, self.mechanism, self.domain.bins)

    @cached_property
    def channel(self) -> WindowChannel:
        if isinstance(self.mechanism, SquareWave):
            return square_wave_channel(self.mechanism)
        return continuous_square_wave_channel(self.mechanism, self.domain.bins, self.domain.bins)

    @cached_property
    def analyzer(self) -> ChannelAnalyzer:
        return ChannelAnalyzer(self.domain, self.channel, self.estimator, self.digest)

    @cached_property
    def digest(self) -> str:
        return digest_of(self.name, self.domain, self.mechanism)

    @property
    def messages_per_user(self) -> float:
        return 1.0

    @property
    def bits_per_user(self) -> float:
        return float(math.ceil(math.log2(self.report_cells)))

    @cached_property
    def law(self) -> PrivacyLaw:
        return blanket_law(self.mechanism)

    def terms(self, users: int) -> int:
        """Each honest report is one term."""
        return blanket_terms(self.mechanism, users)

    def simulate(self, histogram: ArrayLike, simulation_seed: int) -> Tally:
        """A tally as users with this histogram of true values would give, in one draw: for simulation only."""
        counts = simulate_tally_through(self.channel, histogram, SeededSource(simulation_seed).generator)
        return Tally(counts, int(counts.sum()), self.digest)


def square_wave_entry(
    name: str,
    title: str,
    published: Callable[[Budget], ContinuousSquareWave],
    in_cells: ChooseInCells,
    estimator: Estimator,
) -> Entry:
    """A protocol that is a square wave: who chooses its numbers, as published and in whole cells, and its estimator."""

    def as_published(domain: Domain, budget: Budget) -> SquareWaveProtocol:
        if domain.circular:
            called = title.partition(" (")[0]
            raise MechanismError(f"published {called} is for a line; on a circular domain use exact accounting")
        return SquareWaveProtocol(name, domain, published(budget), estimator)

    def exact(domain: Domain, budget: Budget) -> SquareWaveProtocol:
        def choose(budget: Budget) -> SquareWave:
            return in_cells(domain.bins, circular=domain.circular, budget=budget)

        return SquareWaveProtocol(name, domain, informative(choose, budget), estimator)

    def load(domain: Domain, record: Mapping[str, Any]) -> SquareWaveProtocol:
        return SquareWaveProtocol(name, domain, SquareWave.from_dict(record), estimator)

    return Entry(name, title, as_published, exact, load, square_wave=True)
