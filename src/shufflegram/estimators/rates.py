"""How fast rounds with fixed weights still converge where they stopped: an estimate from a few more rounds.

`convergence` computes the rate exactly, from the dense Jacobian; this estimate costs about two milliseconds, so that
every run with fixed weights can tell it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# So many products with the Jacobian show its largest eigenvalue, and so many rounds how changes shrink.
DIRECTIONS, ROUNDS = 32, 8
# The length of the step that stands for a derivative: its own error and that of rounding stay below a thousandth.
STEP = 1e-7


@dataclass(frozen=True)
class Rates:
    """`gamma`: the estimated spectral radius of one round's Jacobian; `observed`: by what changes shrink in a round.

    Both are taken where the run stopped; far from the fixed point changes still shrink faster than gamma says.
    """

    gamma: float
    observed: float


def estimated_rates(frequencies: Floats, advanced: Callable[[Floats, int], tuple[Floats, float]]) -> Rates:
    """The rates at these frequencies; `advanced` gives the frequencies after some rounds, and the last L1 change."""
    return Rates(_largest_eigenvalue(frequencies, advanced), _shrinking(frequencies, advanced))


def _largest_eigenvalue(frequencies: Floats, advanced: Callable[[Floats, int], tuple[Floats, float]]) -> float:
    """The largest eigenvalue that a Krylov space shows, of the derivative along directions that sum to zero."""
    after, _ = advanced(frequencies, 1)
    # what still changes is mostly what converges slowest: the best place to begin
    direction = after - frequencies
    if not np.any(direction):
        return 0.0
    steps = min(DIRECTIONS, frequencies.size - 1)
    basis, projected = np.zeros((steps + 1, frequencies.size)), np.zeros((steps + 1, steps))
    basis[0] = direction / np.linalg.norm(direction)
    for place in range(steps):
        # J v = (M(f + h v) - M(f)) / h
        image = (advanced(frequencies + STEP * basis[place], 1)[0] - after) / STEP
        # twice, as once loses orthogonality
        for _ in range(2):
            share = basis[: place + 1] @ image
            image = image - share @ basis[: place + 1]
            projected[: place + 1, place] += share
        projected[place + 1, place] = np.linalg.norm(image)
        if projected[place + 1, place] < 1e-6:
            steps = place + 1
            break
        basis[place + 1] = image / projected[place + 1, place]
    return float(np.max(np.abs(np.linalg.eigvals(projected[:steps, :steps]))))


def _shrinking(frequencies: Floats, advanced: Callable[[Floats, int], tuple[Floats, float]]) -> float:
    """The factor by which the change shrinks in a round; 0 where there is no change left to see."""
    later, first = advanced(frequencies, 1)
    _, last = advanced(later, ROUNDS)
    return float((last / first) ** (1 / ROUNDS)) if first > 1e-14 and last > 0 else 0.0
