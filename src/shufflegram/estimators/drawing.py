"""An estimate as a figure: its density, and below it how far off its CDF may be."""

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..domain import Domain
from ..errors import InputError
from .uncertainty import Band

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .estimate import Estimate

Floats = NDArray[np.float64]

# Numbers beside an axis: written out, with commas between the thousands.
PLAIN = "{x:,.10g}"
# On a logarithmic axis that spans less than this factor, powers of ten alone are too few.
FEW_DECADES = 1000


def draw(estimate: "Estimate", ax: "Axes | None", truth: ArrayLike | None, band: Band | None) -> "Axes":
    """The axes with the density; a band takes the lowest quarter of their place for a panel of its own."""
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(9, 4.5 if band is None else 6), layout="constrained")[1]
    domain = estimate.domain
    extent, label = _extent(domain)
    # No baseline: lines down to zero at both ends would say that nobody is just beyond them.
    ax.stairs(
        100 * estimate.frequencies / extent, domain.edges, baseline=None, label="estimate", color="C0", linewidth=1.4
    )
    true = None if truth is None else _frequencies(truth, domain)
    if true is not None:
        ax.stairs(100 * true / extent, domain.edges, label="truth", color="0.3", alpha=0.35, fill=True, zorder=0)
    ax.set(xlabel=domain.unit or "value", ylabel=label, xlim=(domain.low, domain.high), ylim=(0, None))
    if domain.spacing == "log":
        ax.set_xscale("log")
        if domain.high < FEW_DECADES * domain.low:
            ax.xaxis.set_minor_formatter(_two_or_five)
    ax.xaxis.set_major_formatter(PLAIN)
    ax.yaxis.set_major_formatter(PLAIN)
    ax.legend()
    if band is not None:
        _draw_band(estimate, ax, true, band)
    return ax


def _extent(domain: Domain) -> tuple[Floats | float, str]:
    """What the share in a bin is divided by, and what that makes of it."""
    if domain.spacing == "log":
        # The bins look equally wide on their axis.
        return 1.0, "% of users in each bin"
    # a power of ten, of which 10 to 99 make the domain
    stretch = 10.0 ** (math.floor(math.log10(domain.high - domain.low)) - 1)
    return domain.widths / stretch, f"% of users per {stretch:,.10g} {domain.unit or 'in value'}"


def _two_or_five(value: float, place: float) -> str:
    return PLAIN.format(x=value) if f"{value:e}"[0] in "25" else ""


def _frequencies(truth: ArrayLike, domain: Domain) -> Floats:
    shares = np.asarray(truth, dtype=np.float64)
    if shares.shape != (domain.bins,):
        raise InputError(f"truth must be {domain.bins} frequencies, one for each bin, got shape {shares.shape}")
    return shares


def _draw_band(estimate: "Estimate", ax: "Axes", true: Floats | None, band: Band) -> None:
    """Below the density: the band less the true CDF, or less the estimated one where the truth is not known."""
    place, figure = ax.get_subplotspec(), ax.get_figure(root=False)
    if place is None or figure is None:
        raise InputError("a band needs a panel below the axes, so they must be in a grid, as those of subplots() are")
    parts = place.subgridspec(2, 1, height_ratios=(3, 1))
    ax.set_subplotspec(parts[0])
    below = figure.add_subplot(parts[1], sharex=ax)
    estimated = estimate.cdf(band.edges)
    level = estimated if true is None else np.concatenate(([0.0], np.cumsum(true)))
    lower, upper = 100 * (band.lower - level), 100 * (band.upper - level)
    below.fill_between(band.edges, lower, upper, color="C0", alpha=0.25, label=f"{band.level:.0%} band ({band.kind})")
    if true is None:
        below.axhline(0, color="C0", linewidth=1.2, label="estimate")
        below.set_ylabel("share so far minus\nestimate (% points)")
    else:
        below.axhline(0, color="0.3", linewidth=0.8)
        below.plot(band.edges, 100 * (estimated - level), color="C0", linewidth=1.2, label="estimate - truth")
        below.set_ylabel("error of the share\nso far (% points)")
    below.margins(y=0.2)
    below.yaxis.set_major_formatter(PLAIN)
    below.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False, borderaxespad=0.1)
    below.set_xlabel(ax.get_xlabel())
    ax.set_xlabel("")
    ax.tick_params(labelbottom=False, which="both")
