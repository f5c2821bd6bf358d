"""The estimator that finds out from the tally how smooth the crowd is, and where: `AUTO`.

Priors of several kinds (`evidence_fits`) each give an estimate, and the tally says how probable each prior makes it
under the mechanism's own noise (`crowd_information`). The estimate is their mean, weighed by those probabilities:

    f = sum_k w_k f_k,    w_k proportional to (probability of prior k beforehand) * exp(log evidence of prior k).

Mostly one of them has all the weight; where the tally cannot tell them apart, the mean hedges. Two of them are not what
their prior gives:

* EMAS has the weight of a prior that makes the tally e^5 times as probable as the uniform distribution does. Where the
  tally says next to nothing, nothing can be chosen by it, and EMAS is there to fall back on.
* The prior under which a few bins hold nearly everything is a good judge of whether that is so, and a poor estimate:
  mixture reduction, which finds such bins, takes its place.

Nothing is drawn at random: the same tally gives the same estimate. On a circle with as many report cells as bins the
tally is first turned to a place that depends on the tally alone, so that a crowd that moves round the circle takes its
estimate with it. More than `MOST_GROUPS` bins are looked at in groups of neighbours, and within a group the shares are
those of EMAS.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..channel import WindowChannel
from .crowd_information import crowd_information
from .em import ExpectationMaximization, Outcome, Solution, Stop, checked_counts, log_likelihood
from .evidence_fits import Fit, wave_fits
from .jump_fit import jump_fit
from .log_fits import log_wave_fits, log_white_fit
from .merging import MixtureReduction
from .smoothing import AdaptiveSmoothing

Floats = NDArray[np.float64]

# The matrices of this many bins take well below a second, and the work grows with their cube.
MOST_GROUPS = 512
# A weight below this is none.
LEAST_WEIGHT = 1e-3
# Where EMAS sees nobody in a whole group, the bins of the group share evenly.
LEAST_SHARE = 1e-12
# The prior whose place mixture reduction takes.
SPARSE = "log white"
# The evidence that speaks for EMAS, as it has no prior whose evidence could be found.
EMAS_EVIDENCE = 5.0
# After these rounds, a third of its limit as published, EMAS goes round in what is nearly a circle.
PILOT = ExpectationMaximization(AdaptiveSmoothing(), max_iterations=3000)


@dataclass(frozen=True)
class EvidenceMean:
    """The mean of estimates under several priors, each weighed by how probable its prior makes the tally."""

    sparse: MixtureReduction = field(default_factory=MixtureReduction)

    def solve(self, channel: WindowChannel, counts: ArrayLike, *, circular: bool = False) -> Solution:
        tally = checked_counts(channel, counts)
        turn = _turn(tally) if circular and channel.report_cells == channel.cells else 0
        solution = self._solve(channel, np.roll(tally, -turn), circular)
        return Solution(np.roll(solution.frequencies, turn), solution.outcome)

    def _solve(self, channel: WindowChannel, tally: Floats, circular: bool) -> Solution:
        from threadpoolctl import threadpool_limits

        pilot = PILOT.solve(channel, tally, circular=circular)
        # On a busy machine linear algebra on several threads waits for them, up to a hundred times as long as one
        # thread would take.
        with threadpool_limits(1):
            fits = evidence_fits(channel, tally, pilot.frequencies, circular)
        fits.append(Fit("EMAS", pilot.frequencies, EMAS_EVIDENCE))
        weights = evidence_weights([fit.odds for fit in fits])
        chosen = {fit.name: float(weight) for fit, weight in zip(fits, weights, strict=True) if weight > 0}
        frequencies = np.zeros(channel.cells)
        stop, rounds, change = Stop.CONVERGED, pilot.outcome.rounds, 0.0
        for fit, weight in zip(fits, weights, strict=True):
            if weight > 0 and fit.name == SPARSE:
                found = self.sparse.solve(channel, tally, circular=circular)
                stop, change = found.outcome.stop, found.outcome.last_change
                rounds += found.outcome.rounds
                frequencies += weight * found.frequencies
            else:
                frequencies += weight * fit.frequencies
        likelihood = log_likelihood(channel, tally, frequencies)
        return Solution(frequencies, Outcome(stop, rounds, likelihood, change, chosen=chosen))


def evidence_fits(channel: WindowChannel, tally: Floats, pilot: Floats, circular: bool) -> list[Fit]:
    """All priors' estimates on the bins of the channel, with their evidences."""
    bins = channel.cells
    if bins == 1:
        return [Fit("waves 0", np.ones(1), 0.0)]
    # group g holds the bins whose number, times the number of groups, begins at g
    groups = min(bins, MOST_GROUPS)
    group = np.arange(bins) * groups // bins
    size = np.bincount(group)
    columns = np.stack([channel.forward((group == place) / size[place]) for place in range(groups)], axis=1)
    seen = np.bincount(group, weights=pilot)
    known = crowd_information(columns, tally, size / bins, seen.astype(np.float64))
    waves = wave_fits(known, circular)
    fits = [*waves, *log_wave_fits(known, circular), jump_fit(known, waves[1].frequencies), log_white_fit(known)]
    shares = pilot + LEAST_SHARE / bins
    within = shares / np.bincount(group, weights=shares)[group]
    return [Fit(fit.name, fit.frequencies[group] * within, fit.evidence) for fit in fits]


def evidence_weights(odds: ArrayLike) -> Floats:
    """exp(log odds), so that they sum to one; what is next to nothing is nothing."""
    logarithms = np.asarray(odds, dtype=np.float64)
    weights: Floats = np.exp(logarithms - logarithms.max())
    weights /= weights.sum()
    weights[weights < LEAST_WEIGHT] = 0.0
    weights /= weights.sum()
    return weights


def _turn(tally: Floats) -> int:
    """Where to begin on a circle: the place from which the counts, read round it, come first from high to low."""
    places = np.flatnonzero(tally == tally.max())
    rounds = np.concatenate((tally, tally))
    depth = 1
    # Of the places that are level so far, those whose next count is largest stay.
    while places.size > 1 and depth < tally.size:
        following = rounds[places + depth]
        places = places[following == following.max()]
        depth += 1
    return int(places[0])
