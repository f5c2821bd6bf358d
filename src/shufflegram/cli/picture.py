"""An estimate as a picture: in letters on the terminal, or in a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from ..estimators.estimate import Estimate
    from ..estimators.uncertainty import Band

HEIGHT, WIDTH, MARGIN = 12, 72, 8
EIGHTHS, POINT = " ▁▂▃▄▅▆▇█", "•"
PLAIN_EIGHTHS, PLAIN_POINT = "     ####", "o"


def draw(
    console: "Console",
    estimate: "Estimate",
    truth: "Estimate | None" = None,
    ticks: Sequence[float] | None = None,
    axis: str | None = None,
) -> None:
    """Columns for the estimate's share of users, points for the truth's, over the domain from low to high.

    Each column is one of equal stretches of the bins, so a logarithmic domain is drawn logarithmically.
    """
    import numpy as np
    from rich.text import Text

    width = max(16, min(WIDTH, console.width - MARGIN))
    edges = np.interp(np.linspace(0, 1, width + 1), np.linspace(0, 1, estimate.domain.bins + 1), estimate.domain.edges)
    shares = np.diff(estimate.cdf(edges))
    true_shares = None if truth is None else np.diff(truth.cdf(edges))
    top = max(float(shares.max()), 0.0 if true_shares is None else float(true_shares.max()))
    unicode = _can_show(console, EIGHTHS + POINT)
    eighths, point = (EIGHTHS, POINT) if unicode else (PLAIN_EIGHTHS, PLAIN_POINT)
    legend = f"{eighths[-1]} estimate" + (f"  {point} truth" if truth is not None else "")
    console.print(Text(f"\n{'':{MARGIN}}share of users in each column   {legend}"))
    for row in range(HEIGHT - 1, -1, -1):
        line = Text()
        # a label at the top, in the middle and at the bottom of the scale
        label = f"{(row + 1) / HEIGHT * top:.2%}" if (row + 1) % (HEIGHT // 3) == 0 else ""
        line.append(f"{label:>{MARGIN - 2}} " + ("┤" if unicode and label else "│" if unicode else "|"))
        for place in range(width):
            if true_shares is not None and min(int(true_shares[place] / top * HEIGHT), HEIGHT - 1) == row:
                line.append(point, style="bold yellow")
                continue
            level = shares[place] / top * HEIGHT - row
            line.append(eighths[round(8 * min(max(level, 0.0), 1.0))], style="cyan")
        console.print(line)
    _draw_axis(console, edges, estimate, ticks, axis, width, unicode)


def _draw_axis(
    console: "Console",
    edges: Any,
    estimate: "Estimate",
    ticks: Sequence[float] | None,
    axis: str | None,
    width: int,
    unicode: bool,
) -> None:
    """The line below, its ticks and their labels, each label under its tick and none over another."""
    import numpy as np
    from rich.text import Text

    marks = ticks if ticks is not None else np.interp(np.linspace(0, width, 5), np.arange(width + 1), edges).tolist()
    line, labels = ["─" if unicode else "-"] * (width + 1), [" "] * (width + MARGIN)
    free = 0
    for mark in marks:
        place = round(float(np.interp(mark, edges, np.arange(width + 1))))
        line[place] = "┴" if unicode else "+"
        label = f"{mark:.6g}"
        begin = min(max(place + MARGIN - 1 - len(label) // 2, 0), len(labels) - len(label))
        if begin >= free:
            labels[begin : begin + len(label)] = label
            free = begin + len(label) + 1
    console.print(Text(" " * (MARGIN - 1) + "".join(line)))
    console.print(Text("".join(labels).rstrip()))
    console.print(Text(f"{axis or estimate.domain.unit or 'value':^{width + 2 * MARGIN - 2}}".rstrip()))


def _can_show(console: "Console", letters: str) -> bool:
    try:
        letters.encode(console.encoding)
    except UnicodeEncodeError:
        return False
    return True


def save_picture(path: Path, form: str, estimate: "Estimate", band: "Band | None", title: str) -> None:
    """The estimate, and its band if it has one, as a file of this form: png or svg."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    estimate.plot(figure.subplots(), band=band).set_title(title)
    figure.savefig(path, format=form, dpi=150)


def interval(band: "Band", share: float) -> tuple[float, float]:
    """Between which values the quantile at this share lies, as surely as the band holds the CDF there."""
    import numpy as np

    # The true CDF passes the share where the band holds it: from where the band's upper end first reaches the share to
    # where its lower end last does.
    upper = np.maximum.accumulate(band.upper)
    lower = np.minimum.accumulate(band.lower[::-1])[::-1]
    return _crossing(band.edges, upper, share), _crossing(band.edges, lower, share)


def _crossing(edges: Any, curve: Any, share: float) -> float:
    """Where a rising curve, straight between the edges, first reaches the share."""
    reached = int(curve.searchsorted(share, side="left"))
    if reached == 0:
        return float(edges[0])
    part = (share - curve[reached - 1]) / (curve[reached] - curve[reached - 1])
    return float(edges[reached - 1] + part * (edges[reached] - edges[reached - 1]))
