"""The root command: finds the others, and turns whatever goes wrong into one line and an exit code."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NoReturn

import click

from ..errors import ShufflegramError
from .output import complain

# Command, and what it does. The command itself is the object `command` of the module of that name in this folder.
COMMANDS = {
    "plan": "Make a certified plan for a collection.",
    "privacy": "Say what a plan, or any square wave, promises.",
    "randomize": "Turn a column of values into private reports.",
    "estimate": "Turn reports into a distribution.",
    "simulate": "Try a plan on known data, many times.",
    "protocols": "Say what each protocol and baseline costs and promises.",
    "experiment": "Run an experiment, or go on with it.",
    "reproduce": "Measure the paper's figures and tables again.",
    "demo": "Run a whole collection on real data and look at it.",
}
# How the library calls what are options here.
OPTIONS = {"outside='clamp'": "--outside clamp", "outside='wrap'": "--outside wrap", "overwrite=True": "--force"}
# Under this key of the context a command says what an interruption leaves, if that is more than nothing.
LEFT = "shufflegram.left"
NOTHING_LEFT = "nothing was left half done"
UNHEARD, WRONG_INPUT, INTERRUPTED = 1, 2, 130
# What ends a program from outside, where there is such a thing; a shell reports it as 128 + its number.
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Program(click.Group):
    """A group whose commands are imported one at a time, and whose errors are single lines."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f".{cmd_name}", __package__).command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"there is no command {args[0]!r}; the commands are {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # from the table, so that asking for help imports no command
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            # Left to click, this would print an empty line of its own.
            raise _Interrupted(ctx.meta.get(LEFT, NOTHING_LEFT)) from None
        except _Ended as end:
            end.left = ctx.meta.get(LEFT, NOTHING_LEFT)
            raise

    def main(
        self,
        args: Any = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Runs and exits: 0, or 2 when something that was handed in cannot be used, or 130 after Ctrl-C.

        128 + its number after a signal that ends the program, 1 when nobody reads the standard output any more.
        """
        if sys.stdout is None:
            _fail("error", "the standard output is closed; send it to a file or to another program", WRONG_INPUT)
        for stream in (sys.stdout, sys.stderr):
            # a terminal that lacks a letter shows a question mark
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        try:
            with _ending_signals_raised():
                code = super().main(args, "shufflegram", complete_var, standalone_mode=False, **extra)
            # What is on its way may still fail to arrive.
            sys.stdout.flush()
        except _Interrupted as interruption:
            _fail("interrupted", str(interruption), INTERRUPTED)
        except click.Abort:
            _fail("interrupted", NOTHING_LEFT, INTERRUPTED)
        except _Ended as end:
            _fail("interrupted", end.left, 128 + end.number)
        except click.ClickException as problem:
            _fail("error", problem.format_message(), WRONG_INPUT)
        except ShufflegramError as problem:
            message = str(problem)
            for setting, option in OPTIONS.items():
                message = message.replace(setting, option)
            _fail("error", message, WRONG_INPUT)
        except BrokenPipeError:
            _drop_output()
            sys.exit(UNHEARD)
        except OSError as problem:
            place = f": {problem.filename}" if problem.filename else ""
            _fail("error", f"{problem.strerror or 'input or output failed'}{place}", WRONG_INPUT)
        sys.exit(code if isinstance(code, int) else 0)


class _Interrupted(Exception):
    """Ctrl-C, and what it leaves."""


class _Ended(BaseException):
    """A signal that ends the program, raised where it arrives, so that files are cleared away as after Ctrl-C."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.left = NOTHING_LEFT


@contextmanager
def _ending_signals_raised() -> Iterator[None]:
    def end(number: int, frame: object) -> NoReturn:
        raise _Ended(number)

    # Only a main thread hears signals, and what is ignored (under nohup, say) stays ignored.
    hears = threading.current_thread() is threading.main_thread()
    heard = [number for number in ENDING if hears and signal.getsignal(number) is signal.SIG_DFL]
    for number in heard:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, signal.SIG_DFL)


def _fail(kind: str, message: str, code: int) -> NoReturn:
    complain(kind, message)
    if sys.stdout is not None:
        _drop_output()
    sys.exit(code)


def _drop_output() -> None:
    """What the standard output does not take is dropped, or Python would try again at its end and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):
            sys.stdout.close()


def _show_version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    try:
        number = version("shufflegram")
    except PackageNotFoundError as problem:
        raise click.ClickException("this copy was not installed, so its version is not known") from problem
    click.echo(f"shufflegram {number}")
    ctx.exit()


@click.group(
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  shufflegram demo
  shufflegram plan --help""",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show it and exit.",
)
@click.pass_context
def main(ctx: click.Context) -> None:
    """The distribution of a crowd's numbers, without anyone's number.

    A collection has four steps: PLAN it, RANDOMIZE each value where it is, shuffle the reports, ESTIMATE from them.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
