"""How fast privacy is accounted for: one delta, one search, one certificate, many rounds.

    python benchmarks/privacy.py

One core. Each line is a grid of settings at the boundary of what is private; for each setting the best of a few runs,
and of these the median and the worst. The naive way to the same delta, the multinomial sum written out in NumPy, stands
beside it as far as it can go. Then how far apart the two ends of a delta are, by the size of the crowd.
"""

import math
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from statistics import median

import numpy as np
from scipy.special import gammaln

from shufflegram.mechanism import ContinuousSquareWave, SquareWave
from shufflegram.privacy import accounting, exact
from shufflegram.privacy.certify import certify
from shufflegram.privacy.composition import composed_epsilon, single_delta
from shufflegram.privacy.laws import PrivacyLaw, blanket_law, window_law

Wave = SquareWave | ContinuousSquareWave

ONE = Fraction(1)
WAVES: list[Wave] = [
    ContinuousSquareWave(Fraction(1, 4), ONE),
    SquareWave(512, 0, ONE),
    SquareWave(512, 4, ONE),
    SquareWave(512, 64, ONE),
    SquareWave(512, 250, ONE),
    SquareWave(512, 32, ONE, circular=True),
]
CROWDS = [10**power for power in range(3, 11)]
EPSILONS = [0.01, 0.1, 1.0]
DELTAS = [1e-5, 1e-8]

# For the brackets: from the narrowest windows to the widest, and budgets down to the smallest that are asked for.
SHARES = [Fraction(1, 2048), Fraction(1, 512), Fraction(9, 520), Fraction(65, 576), Fraction(1, 3), Fraction(1, 2)]
FEW_AND_MANY = [3, 30, 100, 300, *CROWDS]
MORE_EPSILONS = [0.01, 0.1, 1.0, 3.0]
MORE_DELTAS = [1e-5, 1e-8, 1e-12]


def seconds(action: Callable[[], object], runs: int) -> float:
    """The least time of several runs."""
    least = math.inf
    for _ in range(runs):
        begin = time.perf_counter()
        action()
        least = min(least, time.perf_counter() - begin)
    return least


def report(name: str, limit: float, taken: dict[str, float]) -> None:
    """Median and worst in milliseconds, beside what is asked for."""
    worst = max(taken, key=lambda setting: taken[setting])
    missed = sum(value > limit for value in taken.values())
    print(
        f"{name:<28}{len(taken):>5}{1e3 * median(taken.values()):>10.2f}{1e3 * taken[worst]:>10.2f}{1e3 * limit:>9.0f}"
        f"{missed:>8}   {worst}"
    )


def print_answers() -> None:
    print("Milliseconds, one core\n")
    print(f"{'':<28}{'grid':>5}{'median':>10}{'worst':>10}{'target':>9}{'missed':>8}   worst at")
    deltas: dict[str, float] = {}
    answers: dict[str, float] = {}
    searches: dict[str, float] = {}
    brackets: dict[str, float] = {}
    certificates: dict[str, float] = {}
    for wave in WAVES:
        share = wave.window_share
        for users in CROWDS:
            for epsilon in EPSILONS:
                for delta in DELTAS:
                    setting = f"share {float(share):.3g}, n {users:.0e}, eps {epsilon:g}, delta {delta:g}"
                    given = share, users, epsilon, delta
                    searches[setting] = seconds(partial(accounting.largest_guaranteed_ratio, *given), 2)
                    ratio = Fraction(accounting.largest_guaranteed_ratio(*given)).limit_denominator(10**6)
                    at_limit = wave.with_density_ratio(ratio)
                    law = blanket_law(at_limit)
                    deltas[setting] = seconds(partial(exact.delta, law, users, epsilon), 3)
                    answers[setting] = seconds(partial(accounting.delta, at_limit, users, epsilon), 3)
                    if delta == DELTAS[0]:
                        both_ends = partial(accounting.largest_density_ratio, at_limit, users, epsilon, delta)
                        brackets[setting] = seconds(both_ends, 2)
                        certificates[setting] = seconds(partial(certify, law, users, Fraction(str(epsilon))), 2)
    report("delta, guaranteed", 2e-3, deltas)
    report("delta, both ends", 2e-3, answers)
    report("largest ratio, guaranteed", 80e-3, searches)
    report("largest ratio, both ends", 80e-3, brackets)
    report("certificate", 0.5, certificates)


def print_rounds() -> None:
    wave = ContinuousSquareWave(Fraction(1, 4), Fraction("3.064"))
    print("\nRounds composed, n = 1e5, delta = 1e-5: milliseconds, epsilon, and adding beside it\n")
    print(f"{'rounds':>8}{'ms':>10}{'epsilon':>10}{'added':>10}{'ratio':>8}")
    for rounds in (1, 10, 100, 1_000, 10_000):
        single_delta.cache_clear()
        begin = time.perf_counter()
        composed = composed_epsilon(wave, 10**5, rounds, 1e-5)
        taken = time.perf_counter() - begin
        added = rounds * accounting.epsilon(wave, 10**5, 1e-5 / rounds).upper
        print(f"{rounds:>8}{1e3 * taken:>10.0f}{composed:>10.4f}{added:>10.4f}{added / composed:>8.2f}")


def multinomial_delta(law: PrivacyLaw, terms: int, epsilon: float) -> float:
    """(1/N) E[(X_1 + ... + X_N)_+] written out over the counts of two atoms and those that are 0."""
    first, second = law.atoms
    gain = math.exp(epsilon)
    i = np.arange(terms + 1.0)
    log_first, log_second = math.log(first.probability), math.log(second.probability)
    log_rest = math.log(1 - first.probability - second.probability)
    total = 0.0
    for j in range(terms + 1):
        ahead = i[: terms + 1 - j]
        rest = terms - j - ahead
        weight = gammaln(terms + 1) - gammaln(ahead + 1) - gammaln(j + 1) - gammaln(rest + 1)
        weight += ahead * log_first + j * log_second + rest * log_rest
        sums = ahead * float(first.gain - gain * first.loss) + j * float(second.gain - gain * second.loss)
        total += float(np.exp(weight) @ np.maximum(sums, 0.0))
    return total / terms


def print_beside_the_sum() -> None:
    print("\nRandomized response over two cells: beside the multinomial sum, eps = 0.1, delta = 1e-5 (milliseconds)\n")
    print(f"{'n':>8}{'sum':>12}{'exact':>9}{'times':>9}   difference")
    for users in (100, 1_000, 4_000):
        ratio = Fraction(accounting.largest_guaranteed_ratio(Fraction(1, 2), users, 0.1, 1e-5))
        law = blanket_law(ContinuousSquareWave(Fraction(1, 2), ratio))
        naive = seconds(partial(multinomial_delta, law, users, 0.1), 1)
        fast = seconds(partial(exact.delta, law, users, 0.1), 5)
        written_out = multinomial_delta(law, users, 0.1)
        difference = exact.delta(law, users, 0.1).upper / written_out - 1
        print(f"{users:>8}{1e3 * naive:>12.2f}{1e3 * fast:>9.2f}{naive / fast:>9.0f}   {difference:.1e}")


def print_widths() -> None:
    print("\nThe blanket's delta at its boundary: (upper - lower) / upper, and the most points that were summed\n")
    print(f"{'n':>8}{'grid':>6}{'median':>10}{'worst':>10}{'points':>8}   worst at")
    for users in FEW_AND_MANY:
        widths: dict[str, float] = {}
        points = 0
        for share in SHARES:
            for epsilon in MORE_EPSILONS:
                for delta in MORE_DELTAS:
                    ratio = Fraction(accounting.largest_guaranteed_ratio(share, users, epsilon, delta))
                    evaluation = exact.evaluate(window_law(ratio, share), users, epsilon)
                    bracket, contour = evaluation.delta, evaluation.contour
                    # next to the local guarantee delta is 0 or beyond all digits
                    if contour is not None and bracket.upper > delta / 2:
                        setting = f"share {share}, eps {epsilon:g}, delta {delta:g}"
                        widths[setting] = (bracket.upper - bracket.lower) / bracket.upper
                        points = max(points, contour.points().size)
        worst = max(widths, key=lambda setting: widths[setting])
        middle = median(widths.values())
        print(f"{users:>8.0e}{len(widths):>6}{middle:>10.1e}{widths[worst]:>10.1e}{points:>8}   {worst}")


if __name__ == "__main__":
    print_answers()
    print_widths()
    print_beside_the_sum()
    print_rounds()
