"""The command `rolememory`: sets language and home, runs one verb, and maps errors to one line and an exit code.

0 success; 1 failure; 2 usage error; 3 `doctor` found faults; 130 interrupted.
"""

import logging
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import typer

from rolememory.cli import command_line, context, language, usage
from rolememory.cli.output import one_line, out, say, worded
from rolememory.cli.verbs import VerbGroup
from rolememory.errors import RoleMemoryError
from rolememory.locales import translatable

FAILED = 1
WRONG_LINE = 2
INTERRUPTED = 130


def application() -> typer.Typer:
    """The command with all its verbs."""
    app = typer.Typer(
        name="rolememory",
        cls=VerbGroup,
        help=translatable(
            "A memory for role-play characters: in files you can edit, with a reason for every line."
        ),
        no_args_is_help=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback(invoke_without_command=True)(_start)
    return app


def _start(
    ctx: typer.Context,
    version: bool = typer.Option(False, "--version", help=translatable("show the version")),
) -> None:
    if version:
        from rolememory import __version__

        typer.echo(f"rolememory {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def main() -> None:
    """Run the command line of this process."""
    code = run(sys.argv[1:])
    _flush()
    if code == INTERRUPTED or _still_loading():
        os._exit(code)  # loading a model would delay the exit
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return the exit code. Errors are one line."""
    language.set_from_arguments(arguments)
    _quiet()
    out.begin()
    try:
        asked = command_line.read(arguments)
        language.set_from_home(asked.home, arguments)
        out.begin(asked.as_json)
        context.ProcessHome.path = asked.home
        _perform(typer.main.get_command(application()), list(asked.rest))
        sys.stdout.flush()
        return 0
    except typer.Exit as error:
        return error.exit_code
    except BrokenPipeError:
        _close_pipe()
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("ROLEMEMORY_TRACEBACK"):
            raise
        return INTERRUPTED if _on_the_way_out(error) else _told(error)


def _on_the_way_out(error: BaseException) -> bool:
    """Whether the error only follows from Ctrl-C, for example while importing a library.

    >>> try:
    ...     try:
    ...         raise KeyboardInterrupt
    ...     finally:
    ...         import no_such_library
    ... except ImportError as error:
    ...     print(_on_the_way_out(error))
    True
    """
    before = error.__context__
    return before is not None and (isinstance(before, KeyboardInterrupt) or _on_the_way_out(before))


def _perform(command: Any, arguments: list[str]) -> None:
    """Run the command; we word its errors. (typer's own `main` would exit on a closed pipe.)"""
    if "_ROLEMEMORY_COMPLETE" in os.environ:
        command.main(arguments, prog_name="rolememory")
    with command.make_context("rolememory", arguments) as context:
        command.invoke(context)


def _told(error: Exception) -> int:
    """Print the error in one line; return the exit code."""
    code = FAILED
    if isinstance(error, RoleMemoryError):
        message = worded(error)
        if isinstance(error, command_line.UsageError):
            code = WRONG_LINE
    elif isinstance(error, usage.MISTAKE):
        message = usage.worded(error)
        code = WRONG_LINE
    elif type(error).__name__ == "Abort":
        return INTERRUPTED
    else:
        message = _unexpected(error)
    out.warn(say("error: ") + one_line(message))
    return code


def _unexpected(error: Exception) -> str:
    """The text of an unexpected error: the system's for files, else a bug report."""
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return say(
            "{place}{strerror}; check path, rights and room",
            place=place,
            strerror=error.strerror.lower(),
            strerror2=error.strerror,
        )
    told = f"{type(error).__name__}: {str(error)[:300]}"
    return say(
        "{told}; this is a fault of rolememory, please report it (ROLEMEMORY_TRACEBACK=1 shows where)",
        told=told,
    )


def _quiet() -> None:
    """Silence libraries between our lines: their relevant messages are in results and errors."""
    logging.getLogger("rolememory").addHandler(logging.NullHandler())
    if not sys.warnoptions:
        warnings.simplefilter("ignore")


def _still_loading() -> bool:
    import threading

    return any(thread.name == "rolememory-model" for thread in threading.enumerate())


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()


def _close_pipe() -> None:
    """After a closed pipe: redirect Python's final flush to nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
