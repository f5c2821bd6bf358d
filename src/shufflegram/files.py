"""Files that appear whole or not at all, and never over something that should be kept."""

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import TableError

PathLike = str | os.PathLike[str]


@contextmanager
def whole_file(path: PathLike, *, overwrite: bool = False) -> Iterator[Path]:
    """A path to write to, renamed to `path` when the block ends well and removed when it does not."""
    target = Path(path)
    part = target.with_name(f".shufflegram-{secrets.token_hex(8)}.part")
    try:
        require_writable(target, overwrite=overwrite)
        # While it is not whole, nobody else may read it.
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        yield part
        # Somebody else may have written there in the meantime.
        require_writable(target, overwrite=overwrite)
        part.chmod(0o666 & ~_umask())
        part.replace(target)
    except OSError as problem:
        # Not its own words: they may name the temporary file.
        reason = os.strerror(problem.errno) if problem.errno else "unknown reason"
        raise TableError(f"{target} cannot be written: {reason}") from problem
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def require_writable(path: PathLike, *, overwrite: bool) -> None:
    """Refuse a place where no file can be put, or where one would be lost."""
    target = Path(path)
    if target.is_dir():
        raise TableError(f"{target} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise TableError(f"there is no folder {target.parent}; make it first")
    if not os.access(target.parent, os.W_OK):
        raise TableError(f"{target} cannot be written: the folder {target.parent} is not yours to write in")
    if target.exists() and not overwrite:
        raise TableError(f"{target} exists already; choose another name, or replace it with overwrite=True")


def require_apart(path: PathLike, inputs: Iterable[PathLike]) -> None:
    """Refuse to write over a file that is read, by whatever name or link, even where files may be replaced."""
    for file in inputs:
        # What does not exist cannot be lost.
        with suppress(OSError):
            if os.path.samefile(path, file):
                raise TableError(f"{os.fspath(path)} is one of the inputs and would be lost; choose another name")


def _umask() -> int:
    """The permissions that new files do not get, which can only be read by setting them."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
