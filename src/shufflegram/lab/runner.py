"""Runs an experiment on all cores, in blocks that are kept as they are finished.

What is finished is what is in the folder: nothing else is remembered. So a run may end at any time in any way, and the
next one does what is missing. A number depends on its cell and its repetition alone, never on who computed it or when.
"""

import json
import os
import signal
import threading
import time
from collections.abc import Generator, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..checks import is_whole
from ..errors import ExperimentError, InfeasibleError, MechanismError, ShufflegramError, TableError
from ..files import whole_file
from . import blocks, data
from .blocks import Block, Finished
from .cell import Cell
from .experiment import Experiment
from .measurements import MEASUREMENTS

# So many repetitions share the design of a protocol, and so many are lost if their worker is killed.
MOST_IN_A_BLOCK = 20
# What asks a program to end, where there is such a thing.
ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
# How often a worker looks whether its parent is still there, in seconds.
PARENT_IS_LOOKED_AFTER = 0.5
RESULTS = "results.parquet"
# The columns that say which cell a number is of.
AXES = ("data", "protocol", "accounting", "epsilon", "delta", "users", "bins", "estimator")
PROVENANCE = b"shufflegram.experiment"


@dataclass(frozen=True)
class Work:
    """An experiment in a folder: its cells, how often each is repeated, and the blocks that are not there yet."""

    experiment: Experiment
    folder: Path
    repetitions: int
    cells: tuple[Cell, ...]
    missing: tuple[Block, ...]
    damaged: int

    @property
    def size(self) -> int:
        """The number of repetitions of all cells together."""
        return self.repetitions * len(self.cells)

    @property
    def to_do(self) -> int:
        """How many of them are missing."""
        return sum(len(block.repetitions) for block in self.missing)


def prepare(experiment: Experiment, folder: str | os.PathLike[str], *, quick: bool = False) -> Work:
    """Looks at what is finished already; files that are damaged, or of other versions or data, are removed."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise TableError(f"the folder {place} cannot be made: {problem.strerror}") from problem
    blocks.clear_away(place)
    repetitions = experiment.quick_repetitions if quick else experiment.repetitions
    cells = experiment.cells()
    missing: list[Block] = []
    damaged = 0
    for cell in cells:
        done: set[int] = set()
        for path, finished in blocks.read_all(cell, place):
            if finished is None:
                path.unlink(missing_ok=True)
                damaged += 1
            else:
                done.update(finished.block.repetitions)
        missing += _blocks(cell, [each for each in range(repetitions) if each not in done])
    # In the order of their keys, which is as good as any mixed one: cheap and dear cells alternate, so that the time
    # that is left can be told from the time that has passed, and blocks of one cell stay together.
    missing.sort(key=lambda block: (block.cell.key, block.first))
    return Work(experiment, place, repetitions, cells, tuple(missing), damaged)


def carry_out(work: Work, workers: int | None = None) -> Generator[Block, None, None]:
    """Does what is missing, on all cores unless told otherwise; gives each block when it is in the folder."""
    from joblib import Parallel, delayed

    if workers is not None and (not is_whole(workers) or workers < 1):
        raise ExperimentError(f"workers must be a whole number, at least 1, got {workers!r}")
    if not work.missing:
        return
    parallel = Parallel(
        n_jobs=min(workers or _cores(), len(work.missing)),
        backend="loky",
        batch_size=1,
        max_nbytes=None,
        return_as="generator_unordered",
        initializer=_follow,
        initargs=(os.getpid(),),
    )
    # A worker that is used again was started where another folder may have been the current one.
    place = work.folder.absolute()
    try:
        with closing(parallel(delayed(_finish)(block, place, data.folder()) for block in work.missing)) as finished:
            yield from finished
    except BrokenProcessPool as problem:
        raise ExperimentError(
            "a worker was ended from outside, perhaps for want of memory; what is finished is kept, so try again with "
            "fewer workers"
        ) from problem


def gather(work: Work) -> Path:
    """All numbers in one table, one row for each cell, repetition and metric; the same bytes for the same numbers."""
    import pyarrow
    from pyarrow import parquet

    rows: list[tuple[Any, ...]] = []
    infeasible: dict[str, str] = {}
    for cell in work.cells:
        names = tuple(MEASUREMENTS[cell.measurement].metrics)
        columns = [(names.index(name), name) for name in work.experiment.metrics if name in names]
        found = _values(cell, work.folder, work.repetitions, infeasible)
        axes = tuple(getattr(cell, axis) for axis in AXES)
        rows += [
            (work.experiment.name, *axes, repetition, name, values[place])
            for repetition, values in enumerate(found)
            for place, name in columns
        ]
    text, real, whole = pyarrow.string(), pyarrow.float64(), pyarrow.int64()
    types = {
        "experiment": text,
        "data": text,
        "protocol": text,
        "accounting": text,
        "epsilon": real,
        "delta": real,
        "users": whole,
        "bins": whole,
        "estimator": text,
        "repetition": pyarrow.int32(),
        "metric": text,
        "value": real,
    }
    provenance = {
        "spec": work.experiment.text,
        "versions": blocks.versions(),
        "infeasible": infeasible,
        "data": {name: data.crowd(name).note for name in work.experiment.data},
    }
    table = pyarrow.table(
        {name: pyarrow.array([row[place] for row in rows], kind) for place, (name, kind) in enumerate(types.items())}
    ).replace_schema_metadata({PROVENANCE: json.dumps(provenance)})
    path = work.folder / RESULTS
    with whole_file(path, overwrite=True) as part:
        parquet.write_table(table, part, compression="zstd")
    return path


def infeasible_cells(results: str | os.PathLike[str]) -> dict[str, str]:
    """The cells of a table that no parameters fit, and why; their values are null."""
    from pyarrow import parquet

    found: dict[str, str] = json.loads(parquet.read_schema(results).metadata[PROVENANCE])["infeasible"]
    return found


def _values(cell: Cell, folder: Path, repetitions: int, infeasible: dict[str, str]) -> list[tuple[float | None, ...]]:
    """The numbers of a cell's repetitions in order; all of them are there when everything has been carried out."""
    values: dict[int, tuple[float | None, ...]] = {}
    for _, finished in blocks.read_all(cell, folder):
        if finished is not None:
            values.update(zip(finished.block.repetitions, finished.values, strict=True))
            if finished.infeasible is not None:
                infeasible[str(cell)] = finished.infeasible
    missing = [each for each in range(repetitions) if each not in values]
    if missing:
        raise ExperimentError(f"{len(missing):,} repetitions of {cell} are not finished; run the experiment again")
    return [values[each] for each in range(repetitions)]


def _blocks(cell: Cell, missing: list[int]) -> Iterator[Block]:
    """Runs of consecutive repetitions, none too long."""
    start = 0
    for place in range(1, len(missing) + 1):
        at_the_end = place == len(missing) or missing[place] != missing[place - 1] + 1
        if at_the_end or place - start == MOST_IN_A_BLOCK:
            yield Block(cell, missing[start], missing[place - 1] + 1)
            start = place


def _finish(block: Block, folder: Path, data_folder: str | None) -> Block:
    """Runs in a worker: measures, and puts the block into the folder."""
    # A worker that is used again was started where data may have been read from another folder.
    data.read_from(data_folder)
    from threadpoolctl import threadpool_limits

    measure = MEASUREMENTS[block.cell.measurement].measure
    names = tuple(MEASUREMENTS[block.cell.measurement].metrics)
    reason = None
    try:
        # One thread each: workers are as many as cores, and sums in another order have other last bits.
        with threadpool_limits(1):
            found = [measure(block.cell, block.cell.seed_of(each)) for each in block.repetitions]
        values: list[tuple[float | None, ...]] = [tuple(each[name] for name in names) for each in found]
    except (InfeasibleError, MechanismError) as problem:
        # A result like any other: this protocol cannot do what is asked for.
        reason = str(problem)
        values = [(None,) * len(names) for _ in block.repetitions]
    except ShufflegramError as problem:
        raise ExperimentError(f"{block.cell}: {problem}") from problem
    blocks.write(Finished(block, tuple(values), reason), folder)
    return block


def _follow(parent: int) -> None:
    """A worker ends when its parent does, and not before."""
    # Ctrl-C reaches every process of a terminal: the parent ends the workers, and speaks for all.
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: int) -> None:
    """Without this, the workers of a killed parent would wait for minutes for what to do next."""
    while os.getppid() == parent:
        time.sleep(PARENT_IS_LOOKED_AFTER)
    # as a kill would: a block that is not finished does not count
    os._exit(1)


def _cores() -> int:
    """Those that this process may use."""
    from joblib import cpu_count

    return int(cpu_count())
