"""What people earn in a year: bundled wages, or personal income from files that cannot be bundled."""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..files import PathLike
from ..randomness import SeededSource
from .acs import BELOW, PERSON_FILES, PERSONAL_INCOME, acs_rows
from .dataset import Dataset
from .mixing import in_mixed_order
from .reading import arrays_of, bundled_arrays, from_folder

PAPER_SIZE = 2_308_374
HISTOGRAM = "income_ipums_2001_2011_hist.npz"
BINS = 512
# The histogram's own bins, two of which make one of ours.
FINE_WIDTH, FINE_BINS = 400, 2 * BINS

CPS = "CPS ASEC 2012-2014, tax units, as carried by the Python package taxcalc 6.8.0 (taxcalc/cps.csv.gz)"


def income(data_dir: PathLike | None = None, simulation_seed: int = 0) -> Dataset:
    """Bundled CPS-based wages, or what the folder holds: ACS person files, else the IPUMS histogram.

    The histogram names no single people, so as many as the paper has are drawn from it with the seed.
    """
    if data_dir is None:
        return _cps_based()
    return from_folder(
        data_dir,
        {
            PERSON_FILES: lambda found: acs_income(*found),
            HISTOGRAM: lambda found: _from_histogram(found[0], simulation_seed),
        },
    )


def acs_income(*paths: PathLike) -> Dataset:
    """Personal income from the official person files of one year; together they are the whole country."""
    rows = acs_rows(paths, [PERSONAL_INCOME])
    return Dataset(
        name="income",
        values=in_mixed_order(rows[:, 0]),
        unit="dollars",
        domain=_domain(BELOW),
        source=f"US Census Bureau, ACS PUMS person files, column PINCP: {', '.join(Path(path).name for path in paths)}",
        licence="public use file of the US Census Bureau",
        note=(
            "0 <= PINCP < 524,288 as in the paper, not rescaled by ADJINC; the paper's year is 2017, and whether its "
            "2,308,374 include those without income is not said"
        ),
        paper_size=PAPER_SIZE,
    )


def _domain(high: int) -> Domain:
    return Domain(0, high, bins=BINS, unit="dollars")


@cache
def _wages() -> NDArray[np.int64]:
    arrays = bundled_arrays("income.npz")
    return in_mixed_order(np.repeat(arrays["dollars"].astype(np.int64), arrays["people"]))


def _cps_based() -> Dataset:
    return Dataset(
        name="income",
        values=_wages(),
        unit="dollars",
        domain=_domain(BELOW),
        source=f"{CPS}, column e00200p",
        licence="CC0-1.0",
        note=(
            "CPS-based wages and not the paper's personal income: 36% have none; below 524,288 dollars as in the "
            "paper; rescaled upstream, so that spikes stand at 1.04006 times round amounts (30,000 at 31,202)"
        ),
        paper_size=PAPER_SIZE,
    )


def _from_histogram(path: Path, simulation_seed: int) -> Dataset:
    """People drawn from the counts, with replacement, each in the middle of a bin of 400 dollars."""
    (count,) = arrays_of(path, "count")
    upto = np.cumsum(count[:FINE_BINS])
    people = SeededSource(simulation_seed).integers_below(int(upto[-1]), PAPER_SIZE)
    values = np.searchsorted(upto, people, side="right") * FINE_WIDTH + FINE_WIDTH // 2
    values.setflags(write=False)
    return Dataset(
        name="income",
        values=values.astype(np.int64, copy=False),
        unit="dollars",
        domain=_domain(FINE_WIDTH * FINE_BINS),
        source="IPUMS USA personal income 2001-2011, the histogram INCOME of DPBench",
        licence="IPUMS USA's terms of use; not to be passed on",
        note=(
            f"{PAPER_SIZE:,} people drawn with replacement from the {int(upto[-1]):,} below 409,600 dollars; other "
            "years than the paper's 2017; that the histogram's bins are 400 dollars wide is inferred from its spikes"
        ),
        resampled=True,
        paper_size=PAPER_SIZE,
    )
