"""The paper's own ways of solving for b and k: SLSQP, which it settled on, and the penalty method, which it gave up.

Both maximise I_u over (b, k) under the corrected Hoeffding bound. They are kept to be compared with the search along
the constraint (`square_wave.published_asp`), which a collection should use.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InfeasibleError
from ..privacy.bounds import hoeffding, log_hoeffding
from ..privacy.budget import Budget
from ..privacy.search import LARGEST_RATIO
from .information import paper_bound
from .square_wave import NARROWEST, WIDEST, published_ratio

Floats = NDArray[np.float64]
Method = Literal["BFGS", "Powell"]

# Where the paper's searches start is not said. A single start is not enough: SLSQP leaps from some of them to a bound
# of the box, where nothing is private or nothing is told. So it starts on the constraint at each of these half
# widths.
STARTS = (0.4, 0.25, 0.1, 0.03, 0.01, 0.003)
# A solution counts as feasible when its delta exceeds the budget by no more than this, relative to it.
TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Found:
    """What a search returned: its parameters, the objective there, and the delta the constraint gives there."""

    half_width: float
    density_ratio: float
    information: float
    delta: float


def by_slsqp(budget: Budget) -> Found:
    """Sequential least squares programming from several starts: the best feasible solution."""
    found = [slsqp_from(budget, b, published_ratio(b, budget)) for b in STARTS]
    feasible = [each for each in found if each.delta <= budget.delta * (1 + TOLERANCE)]
    if not feasible:
        raise InfeasibleError("SLSQP found no parameters within the budget; use the search along the constraint")
    return max(feasible, key=lambda each: each.information)


def slsqp_from(budget: Budget, b: float, k: float) -> Found:
    """Sequential least squares programming on (b, log k) from one start, with the constraint on a logarithmic scale."""
    from scipy.optimize import minimize

    def slack(x: Floats) -> float:
        share = 2 * float(x[0]) / (1 + 2 * float(x[0]))
        return math.log(budget.delta) - log_hoeffding(math.exp(x[1]), share, budget.users, budget.epsilon)

    solved = minimize(
        lambda x: -paper_bound(x[0], math.exp(x[1])),
        x0=np.array([b, math.log(k)]),
        method="SLSQP",
        bounds=[(NARROWEST, WIDEST), (1e-9, math.log(LARGEST_RATIO))],
        constraints=[{"type": "ineq", "fun": slack}],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return _found(float(solved.x[0]), math.exp(float(solved.x[1])), budget)


def by_penalty(budget: Budget, method: Method, weight: float = 1e6) -> Found:
    """The Courant-Beltrami penalty: minimise -I_u + weight * max(0, delta(b, k) - delta)^2 without constraints.

    No solution is private, as the penalty acts only where delta is exceeded. The violation is of the order of delta, so
    its square weighs next to nothing unless the weight is enormous, and then Powell's search does not leave its start.
    """
    from scipy.optimize import minimize

    def loss(x: Floats) -> float:
        b, k = _within(x)
        return -paper_bound(b, k) + weight * max(0.0, _delta(b, k, budget) - budget.delta) ** 2

    b = 0.25
    x0 = np.array([math.log(b / (WIDEST - b)), math.log(published_ratio(b, budget) - 1)])
    solved = minimize(loss, x0=x0, method=method, options={"maxiter": 500})
    return _found(*_within(solved.x), budget)


def _within(x: Floats) -> tuple[float, float]:
    """Unconstrained methods step anywhere: a change of variables keeps b in its range and k above 1."""
    b = WIDEST / (1 + math.exp(-min(max(float(x[0]), -40.0), 40.0)))
    return max(b, NARROWEST), 1 + math.exp(min(max(float(x[1]), -30.0), 25.0))


def _delta(b: float, k: float, budget: Budget) -> float:
    return hoeffding(k, 2 * b / (1 + 2 * b), budget.users, budget.epsilon)


def _found(b: float, k: float, budget: Budget) -> Found:
    return Found(b, k, paper_bound(b, k), _delta(b, k, budget))
