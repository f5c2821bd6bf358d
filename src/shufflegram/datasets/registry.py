"""The data sets by name."""

from collections.abc import Callable

from ..errors import InputError
from ..files import PathLike
from .dataset import Dataset
from .income import income
from .income_types import income_types
from .normal import normal
from .retirement import retirement
from .taxi import taxi

# From the folder to read instead of the bundled data (or None) and the seed of what is drawn.
Loader = Callable[[PathLike | None, int], Dataset]

DATASETS: dict[str, Loader] = {
    "normal": lambda data_dir, seed: normal(simulation_seed=seed),  # nothing to read
    "taxi": lambda data_dir, seed: taxi(data_dir=data_dir),
    "retirement": lambda data_dir, seed: retirement(data_dir),
    "income": lambda data_dir, seed: income(data_dir, seed),
    "income_types": lambda data_dir, seed: income_types(data_dir),
}


def load(
    name: str,
    data_dir: PathLike | None = None,
    *,
    users: int | None = None,
    paper_size: bool = False,
    simulation_seed: int = 0,
) -> Dataset:
    """The data set of this name, on request at the paper's size, of which the first `users` are kept."""
    if name not in DATASETS:
        raise InputError(f"there is no data set {name!r}; there are {', '.join(DATASETS)}")
    data = DATASETS[name](data_dir, simulation_seed)
    if paper_size:
        data = data.at_paper_size(simulation_seed)
    return data if users is None else data.first(users)
