"""What the analyst does: from counts of reports to an estimate of the distribution.

    EM, EMS, EMAS, MR     the estimators as values: `EMAS.solve(channel, counts)`
    AUTO                  finds out from the tally how smooth the crowd is, and where
    norm_sub              for unbiased estimates, which can be negative
    Estimate              what comes out: frequencies, cdf, quantiles, a band, files and a picture
    convergence_rate      how fast EM with fixed weights settles

The EM loop is compiled, and the compiler is imported at the first estimate only.
"""

from .adaptive import EvidenceMean
from .convergence import ConvergenceRate, convergence_rate
from .em import (
    Estimator,
    ExpectationMaximization,
    Outcome,
    Solution,
    Stop,
    expectation_maximization,
)
from .estimate import Estimate
from .merging import MixtureReduction
from .norm_sub import norm_sub
from .plausible import WindowEvidence
from .rates import Rates
from .smoothing import (
    AdaptiveSmoothing,
    BinomialSmoothing,
    GaussianSmoothing,
    NoSmoothing,
    Refinement,
)
from .uncertainty import Band

EM = ExpectationMaximization(NoSmoothing())
EMS = ExpectationMaximization(BinomialSmoothing())
EMAS = ExpectationMaximization(AdaptiveSmoothing())
MR = MixtureReduction()
AUTO = EvidenceMean()

__all__ = [
    "AUTO",
    "EM",
    "EMAS",
    "EMS",
    "MR",
    "AdaptiveSmoothing",
    "Band",
    "BinomialSmoothing",
    "ConvergenceRate",
    "Estimate",
    "Estimator",
    "EvidenceMean",
    "ExpectationMaximization",
    "GaussianSmoothing",
    "MixtureReduction",
    "NoSmoothing",
    "Outcome",
    "Rates",
    "Refinement",
    "Solution",
    "Stop",
    "WindowEvidence",
    "convergence_rate",
    "expectation_maximization",
    "norm_sub",
]
