"""What is going on, for work that may turn out to be long: on the standard error, where somebody may look at it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# The time left is told from the speed of the last so many seconds: parts of long work may take minutes each.
MEMORY = 600.0
# Nobody needs a bar for less than this many seconds.
PATIENCE = 0.5


@contextmanager
def progress(task: str, size: int) -> Iterator[Callable[[int], None]]:
    """A bar, and a function to call with how much of `size` is done by now."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
        speed_estimate_period=MEMORY,
    )
    row = bar.add_task(task, total=size)
    began = time.monotonic()

    def advance(done: int) -> None:
        if not bar.live.is_started and time.monotonic() - began > PATIENCE:
            bar.start()
        bar.update(row, completed=done)

    try:
        yield advance
    finally:
        bar.stop()


@contextmanager
def step(task: str) -> Iterator[None]:
    """A line with the step's name and how long it has taken, gone when it is done."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as line:
        line.add_task(task, total=None)
        yield
