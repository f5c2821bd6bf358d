"""The claims about the options of EMAS: the radius R, the width sigma_2 and its period."""

from collections.abc import Callable

from ...lab.judging import NOTHING, Claim, Comparison, Finding, Verdict, shown, weighed
from ...lab.summary import Place, Point, Summary

RADIUS = 3.0


def _by_value(summary: Summary, option: str) -> dict[float, dict[float, tuple[Place, Point]]]:
    """The points of an option by epsilon and by value."""
    found: dict[float, dict[float, tuple[Place, Point]]] = {}
    for place, point in summary.only(option=option).points.items():
        if place.value is not None:
            found.setdefault(place.epsilon, {})[place.value] = (place, point)
    return found


def _bests(found: dict[float, dict[float, tuple[Place, Point]]]) -> str:
    """The best value at each epsilon."""
    best = {epsilon: min(row, key=lambda value, row=row: row[value][1].mean) for epsilon, row in found.items()}  # type: ignore[misc]
    return "; ".join(
        f"at epsilon {epsilon:g} {value:.3g} ({shown(found[epsilon][value][1])})" for epsilon, value in best.items()
    )


def the_default_radius_is_best(summary: Summary) -> Finding:
    """Compares R = 3 with every other."""
    found = _by_value(summary, "radius")
    comparisons = [
        Comparison(row[value][0], row[RADIUS][1], point, f"R = {value:g}")
        for row in found.values()
        if RADIUS in row
        for value, (_, point) in row.items()
        if value != RADIUS
    ]
    if not comparisons:
        return Finding("cannot be told", NOTHING)
    judged = weighed(comparisons, "R = 3", "another R")
    return Finding(judged.verdict, f"{judged.sentence} The best is {_bests(found)}.")


def varying_is_better_than_fixed(summary: Summary) -> Finding:
    """Compares the default sigma_2, which varies from 1/3 to 1, with every fixed one."""
    varying, fixed = _by_value(summary, "sigma_max"), _by_value(summary, "sigma")
    comparisons = [
        Comparison(place, row[1.0][1], point, f"sigma_2 = {value:g}")
        for epsilon, row in varying.items()
        if 1.0 in row
        for value, (place, point) in fixed.get(epsilon, {}).items()
    ]
    if not comparisons:
        return Finding("cannot be told", NOTHING)
    judged = weighed(comparisons, "the default", "a fixed sigma_2")
    return Finding(judged.verdict, f"{judged.sentence} The best fixed one is {_bests(fixed)}.")


def option_matters(option: str, words: str) -> Callable[[Summary], Finding]:
    """The judge of "another value of the option changes the error": compares the best value with the worst."""

    def judge(summary: Summary) -> Finding:
        found = _by_value(summary, option)
        if not found:
            return Finding("cannot be told", NOTHING)
        sentences, clear = [], 0
        for epsilon, row in found.items():
            best, worst = (pick(row.values(), key=lambda each: each[1].mean) for pick in (min, max))
            clear += Comparison(best[0], best[1], worst[1]).clear > 0
            sentences.append(
                f"epsilon {epsilon:g}: from {shown(best[1])} at {best[0].value:g} to {shown(worst[1])} at "
                f"{worst[0].value:g}"
            )
        verdict: Verdict = "holds" if clear == len(found) else "holds in part" if clear else "does not hold"
        return Finding(verdict, f"{words} {'; '.join(sentences)}.")

    return judge


HYPERPARAMETERS = (
    Claim("A smaller or larger radius than R = 3 has a larger error.", the_default_radius_is_best),
    Claim("The default sigma_2, which varies from 1/3 to 1, is better than a fixed one.", varying_is_better_than_fixed),
    Claim("The largest sigma_2 matters.", option_matters("sigma_max", "The error goes"), ours=True),
    Claim("The period of sigma_2 matters (the paper takes 50).", option_matters("period", "The error goes"), ours=True),
)
