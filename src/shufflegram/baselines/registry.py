"""Every baseline, once."""

from functools import partial
from importlib.util import find_spec

from ..domain import Domain
from ..errors import InputError, MissingLibraryError
from ..privacy.budget import Budget
from .baseline import Baseline, BaselineEntry
from .central_gaussian import central_gaussian
from .local_square_wave import local_square_wave
from .trimmed import trimmed_asp

CHUNKS = (16, 32, 64)
# Percent of the reports that are left out at either end: 5, 10 and 15 in the paper's text, 10, 20 and 30 in its table.
TRIMS = (5, 10, 15, 20, 30)

BASELINES: tuple[BaselineEntry, ...] = (
    BaselineEntry("local-sw", "SW in the local model, EMS", "nobody", local_square_wave),
    *(
        BaselineEntry(
            f"gaussian-{chunks}",
            f"Gaussian mechanism on {chunks} chunks in the central model",
            "the server",
            partial(central_gaussian, chunks),
            library="dp_accounting",
        )
        for chunks in CHUNKS
    ),
    *(
        BaselineEntry(
            f"trim-{percent}",
            f"Trim {percent}% of published ASP's reports at either end",
            "the shuffler",
            partial(trimmed_asp, percent / 100),
            accounting="published",
        )
        for percent in TRIMS
    ),
)


def names() -> tuple[str, ...]:
    """The registered names, in order."""
    return tuple(each.name for each in BASELINES)


def entry(name: str) -> BaselineEntry:
    """The named baseline's entry."""
    for each in BASELINES:
        if each.name == name:
            return each
    raise InputError(f"baseline must be one of {', '.join(names())}, got {name!r}")


def require(name: str) -> None:
    """Refuses a baseline whose library is not installed, before any work is done for it."""
    library = entry(name).library
    if library is not None and find_spec(library) is None:
        package = library.replace("_", "-")
        raise MissingLibraryError(
            f"the central Gaussian takes the library {package}, which is not here; do pip install 'shufflegram[lab]'"
        )


def build(name: str, domain: Domain, budget: Budget) -> Baseline:
    """The named baseline for this domain and budget."""
    require(name)
    return entry(name).build(domain, budget)
