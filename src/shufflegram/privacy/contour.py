"""Where the integral behind delta is taken, and what the points that are left out can add.

The integrand at s = lambda + it is M(s)^N / s^2, on the grid t_j = j * step. For the exponentially tilted atoms, with
masses a, c and distance d for a pair, |M(lambda + it) / M(lambda)|^2 = 1 - sum over pairs of 2ac (1 - cos td), so

    |M(lambda + it)^N| <= M(lambda)^N exp(-sum over pairs of r (1 - cos td)),    r = N a c.

One pair, the `primary` one, says where the integrand can be large at all: in cores around t = 2 pi k / d. The other
pairs say in which of these cores it is not. The rest are summed point by point, and everything else is bounded here.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Aliasing is about exp(-ALIASING), and a point outside every core is below exp(-DEAD) relative to the largest.
ALIASING = 64.0
DEAD = 32.0
# Cores up to this one are bounded one by one, later ones together.
CORES = 1024
# A core is summed rather than bounded when it could add more than this, relative to the largest term, as long as the
# cores away from 0 have not more points than this together, their margins not counted.
WORTH_SUMMING = 1e-11
MOST_POINTS = 4000
# Without a pair that confines the integrand to cores, this many points are summed and the rest is bounded by 1/t^2.
UNCONFINED_POINTS = 4000

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cores:
    """The places where the integrand can be large: |t - 2 pi k / distance| <= reach, by the pair of atoms `primary`.

    Some are `summed`; at most `left_out` is in the others up to CORES.
    """

    primary: tuple[int, int]
    reach: float
    summed: tuple[int, ...]
    left_out: float


@dataclass(frozen=True, slots=True)
class Contour:
    """The tilt, the step, the ranges (first, last) of grid points j >= 1 that are summed, and the cores they cover."""

    tilt: float
    step: float
    ranges: tuple[tuple[int, int], ...]
    cores: Cores | None

    def points(self) -> Floats:
        """The numbers j of all points to be summed."""
        # all ranges at once: each point is its place in the row plus how far its range lies from that place
        first, last = np.array(self.ranges).T
        size = last - first + 1
        points: Floats = np.arange(float(size.sum())) + np.repeat(first + size - np.cumsum(size), size)
        return points


@dataclass(frozen=True, slots=True)
class TiltedAtoms:
    """All atoms, the one at zero included, under the tilt: values, masses, and the number of terms N."""

    values: Floats
    masses: Floats
    terms: int

    def pair(self, primary: tuple[int, int]) -> tuple[float, float]:
        """The rate r and the distance d of a pair."""
        left, right = primary
        rate = self.terms * float(self.masses[left] * self.masses[right])
        return rate, abs(float(self.values[left] - self.values[right]))

    def pairs(self) -> list[tuple[int, int]]:
        count = len(self.values)
        return [(i, j) for i in range(count) for j in range(i + 1, count)]


def find_tilt(values: list[float], masses: list[float], terms: int, power: float = 2.0) -> float:
    """A tilt near the minimum of M(lambda)^N / lambda^power (log-convex). Any is valid; this one is good."""
    low, high = 0.0, 700.0 / max(max(values), 1e-300)
    # Start where a Gaussian of the same spread, its mean left out, has its saddle: lambda^2 N sigma^2 = 2.
    spread = math.sqrt(sum(mass * value * value for mass, value in zip(masses, values, strict=True)))
    tilt = min(math.sqrt(2.0 / terms) / spread, high / 2)
    for _ in range(60):
        moment, mean, square = 1.0, 0.0, 0.0
        for mass, value in zip(masses, values, strict=True):
            moment += mass * math.expm1(tilt * value)
            weight = mass * math.exp(tilt * value) * value
            mean += weight
            square += weight * value
        mean, square = mean / moment, square / moment
        slope = terms * mean - power / tilt
        curvature = terms * (square - mean * mean) + power / (tilt * tilt)
        low, high = (tilt, high) if slope < 0 else (low, tilt)
        newton = tilt - slope / curvature
        moved = newton if low < newton < high else (low + high) / 2
        if abs(moved - tilt) < 1e-3 * tilt:
            return moved
        tilt = moved
    return tilt


def choose_contour(atoms: TiltedAtoms, tilt: float) -> Contour:
    """The step from the aliasing wanted, the points from where the integrand can be large."""
    step = 2 * math.pi * tilt / ALIASING
    confining = [pair for pair in atoms.pairs() if _confines(*atoms.pair(pair), step)]
    if not confining:
        return Contour(tilt, step, ((1, UNCONFINED_POINTS),), None)
    # The narrowest cores take the fewest points.
    primary = min(confining, key=lambda pair: _reach(*atoms.pair(pair)))
    rate, distance = atoms.pair(primary)
    reach = _reach(rate, distance)
    each = core_bounds(atoms, primary, reach, step)
    worth = np.flatnonzero(each * tilt * tilt > WORTH_SUMMING) + 1
    affordable = int(MOST_POINTS * step / (2 * reach))
    if worth.size > affordable:
        worth = np.sort(np.argsort(-each, kind="stable")[:affordable] + 1)
    ranges = [(1, math.ceil(reach / step) + 1)]
    for core in worth.tolist():
        center = 2 * math.pi * core / distance
        first = math.floor((center - reach) / step) - 1
        ranges.append((max(first, ranges[-1][1] + 1), math.ceil((center + reach) / step) + 1))
    left_out = float(np.delete(each, worth - 1).sum())
    return Contour(tilt, step, tuple(ranges), Cores(primary, reach, tuple(worth.tolist()), left_out))


def remainder(atoms: TiltedAtoms, contour: Contour) -> float:
    """At most this is missing from 2 * sum over j >= 1 of |M^N / s^2| / M(lambda)^N when only the ranges are summed."""
    step, tilt = contour.step, contour.tilt
    if contour.cores is None:
        # |M| <= M(lambda): sum over j > J of 1/t_j^2 <= 1 / (step^2 J)
        return 2.0 / (step * step * contour.ranges[-1][1])
    cores = contour.cores
    rate, distance = atoms.pair(cores.primary)
    # sum over k > K of 1 / ((2k - 1) pi / d)^2 <= (d / pi)^2 / (4K)
    later = _core_sum(rate, distance, step) * (distance / math.pi) ** 2 / (4 * CORES)
    # sum over all j >= 1 of 1 / (lambda^2 + t_j^2) <= pi / (2 lambda step)
    dead = math.exp(-rate * (1 - math.cos(cores.reach * distance))) * math.pi / (2 * tilt * step)
    return 2 * (cores.left_out + later + dead) * (1 + 1e-9)


def core_bounds(atoms: TiltedAtoms, primary: tuple[int, int], reach: float, step: float) -> Floats:
    """For each core k = 1 .. CORES, at most this is its sum of |M^N| / (M(lambda)^N t^2)."""
    rate, distance = atoms.pair(primary)
    center = 2 * math.pi / distance * np.arange(1, CORES + 1)
    exponent = np.zeros(CORES)
    for pair in atoms.pairs():
        if pair != primary:
            other_rate, other_distance = atoms.pair(pair)
            angle = center * other_distance
            # how far the angle stays from a multiple of 2 pi all through the core
            away = np.abs(angle - 2 * math.pi * np.round(angle / (2 * math.pi))) - reach * other_distance
            exponent += other_rate * one_minus_cosine_and_sine(np.clip(away * (1 - 1e-6), 0.0, math.pi))[0]
    return _core_sum(rate, distance, step) * np.exp(-exponent * (1 - 1e-9)) / (center - reach) ** 2


def one_minus_cosine_and_sine(angle: Floats) -> tuple[Floats, Floats]:
    """1 - cos and sin of an angle, neither with cancellation.

    With u = tan(angle / 2) they are 2u^2 / (1 + u^2) and 2u / (1 + u^2). Where the processor has wide vectors, NumPy's
    tangent takes an eighth of the time of its sine or cosine, which would be half of all the work.
    """
    half_tangent = np.tan(angle / 2)
    sine = 2 * half_tangent / (1 + half_tangent * half_tangent)
    return half_tangent * sine, sine


def _confines(rate: float, distance: float, step: float) -> bool:
    return rate >= DEAD and distance > 0 and _reach(rate, distance) <= MOST_POINTS * step


def _reach(rate: float, distance: float) -> float:
    """Within pi / d of a core's center, the integrand is below exp(-DEAD) beyond this distance."""
    return math.acos(1 - DEAD / rate) / distance


def _core_sum(rate: float, distance: float, step: float) -> float:
    """The sum of exp(-r (1 - cos td)) over the grid points of one period: at most its integral over the step, plus 1.

    With 1 - cos x >= 2 x^2 / pi^2 the integral is at most (pi / d) sqrt(pi / (2r)).
    """
    return math.pi / distance * math.sqrt(math.pi / (2 * rate)) / step + 1.0
