"""The context of every verb: the home and its roles."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rolememory.cli.output import out, pasted, say, worded
from rolememory.errors import InvalidValueError
from rolememory.locales import LocalizedText
from rolememory.schema.json_types import JsonMapping

if TYPE_CHECKING:
    from rolememory.engine import Home, RoleMemory


_SHOWN = 5  # names of people


class ProcessHome:
    """The home of this process, set before a verb runs."""

    path = Path()


def home_path() -> Path:
    """The home from the command line."""
    return ProcessHome.path


@contextmanager
def open_home(meaning: bool = False, make: bool = False) -> "Iterator[Home]":
    """The home, closed afterwards. `meaning`: with an embedding model; else nothing heavy is loaded. `make`: create it if missing.

    Raises:
        InvalidValueError: there is no home.
    """
    if not make or home_path().expanduser().exists():
        check_home()
    from rolememory.engine import Home

    settings: JsonMapping | None = None if meaning else {"embedding.backend": "off"}
    with Home.open(home_path(), settings) as home:
        yield home


@contextmanager
def open_role(name: str, meaning: bool = False, reading: bool = False) -> "Iterator[RoleMemory]":
    """A role of the home by id, name or alias. `reading`: report a broken file, whose last good state is used."""
    with open_home(meaning) as home:
        role_memory = home.role(name)
        if reading:
            _warn_of_broken(role_memory)
        yield role_memory


def _warn_of_broken(role_memory: "RoleMemory") -> None:
    first = next(
        (problem for problem in role_memory.store.snapshot().problems if problem.blocks), None
    )
    if first is not None:
        last = say("the last good state answers, nothing can be written")
        out.warn(f"{role_memory.folder}{os.sep}{worded(first)} ({last})")


def check_home() -> None:
    """Raise an error if there is no home.

    Raises:
        InvalidValueError: with the command that creates one.
    """
    path = home_path().expanduser()
    if path.is_dir() and _is_home(path):
        return
    if path.exists() and not path.is_dir():
        raise InvalidValueError("{path}: is a file; name a folder with --home", path=path)
    what = LocalizedText("is no home of roles" if path.exists() else "there is no home here")
    make = f"rolememory init {pasted(str(path))}" if str(path) != "memories" else "rolememory init"
    raise InvalidValueError(
        "{path}: {what}; make one with `{make}`, or name another with --home",
        path=path,
        what=what,
        make=make,
    )


def _is_home(path: Path) -> bool:
    from rolememory.schema.role_ids import DELETED, canonical

    if (path / "rolememory.toml").exists() or (path / DELETED).exists():
        return True
    try:
        return any(canonical(entry.name) for entry in path.iterdir())
    except OSError:
        return True  # something exists; opening it reports errors


def tell_listeners(role_memory: "RoleMemory", user: str | None) -> None:
    """If no user is given, list users whose messages can be recalled."""
    if user is not None:
        return
    chats = role_memory.chats.chats()
    names = sorted({one for info in chats for one in info.users})[:_SHOWN]
    if names:
        who = ", ".join(names)
        out.warn(
            say("what was said in chats is found with --user, by who was there: {who}", who=who)
        )
