"""What every verb works with: the home, its roles, and texts from files or standard input."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rolememory.cli.output import out
from rolememory.cli.words import Tongue, say
from rolememory.errors import FileError, InvalidValueError
from rolememory.locales import LocalizedText

if TYPE_CHECKING:
    from rolememory.engine import Home, RoleMemory

MOST_BYTES = 256 * 2**20  # of a file or stream that a command reads whole


class _Process:
    """The home of this process, settled before a verb runs."""

    home = Path()


def settle(home: Path) -> None:
    """Work in this home."""
    _Process.home = home


def home_path() -> Path:
    """The home as the command line names it."""
    return _Process.home


@contextmanager
def open_home(meaning: bool = False, make: bool = False) -> "Iterator[Home]":
    """The home, closed afterwards. `meaning`: with an embedding model; without one nothing heavy is loaded. `make`: where there is nothing, a new one.

    Raises:
        InvalidValueError: there is none here.
    """
    if not make or home_path().expanduser().exists():
        check_home()
    from rolememory.engine import Home

    settings: Mapping[str, Any] | None = None if meaning else {"embedding.backend": "off"}
    with Home.open(home_path(), settings) as home:
        yield home


@contextmanager
def open_role(name: str, meaning: bool = False, reading: bool = False) -> "Iterator[RoleMemory]":
    """A role of the home by id, name or alias. `reading`: tell of a broken file, whose last good state answers."""
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
        out.warn(f"{role_memory.folder}{os.sep}{first.text(Tongue.language)} ({last})")


def check_home() -> None:
    """Refuse to work where no home is.

    Raises:
        InvalidValueError: with the command that makes one.
    """
    path = home_path().expanduser()
    if path.is_dir() and _is_home(path):
        return
    what = LocalizedText("is no home of roles" if path.exists() else "there is no home here")
    make = f"rolememory init {path}" if str(path) != "memories" else "rolememory init"
    raise InvalidValueError(
        "{path}: {what}; make one with `{make}`, or name another with --home",
        path=path,
        what=what,
        make=make,
    )


def _is_home(path: Path) -> bool:
    from rolememory.storage.role_ids import canonical

    if (path / "rolememory.toml").exists():
        return True
    try:
        return any(canonical(entry.name) for entry in path.iterdir())
    except OSError:
        return True  # there is something; opening it will tell what is wrong


def read_text(source: str) -> str:
    """The text of a file, or of standard input for `-`.

    Raises:
        FileError: unreadable, too large, or in no encoding we can tell.
    """
    if source == "-":
        return decoded(_standard_input(), say("standard input"))
    path = Path(source).expanduser()
    try:
        if path.is_dir():
            raise FileError(path, "is a folder", remedy="name a file")
        if path.stat().st_size > MOST_BYTES:
            raise FileError(
                path, "larger than {limit} MB", remedy="split it", limit=MOST_BYTES // 2**20
            )
        return decoded(path.read_bytes(), source)
    except FileNotFoundError as error:
        raise FileError(source, "no such file", remedy="check the path") from error
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        told = getattr(error, "strerror", None) or str(error)
        raise FileError(
            source, "cannot be read: {told}", remedy="check path and rights", told=told
        ) from error


def _standard_input() -> bytes:
    try:
        return sys.stdin.buffer.read(MOST_BYTES)
    except (OSError, ValueError, AttributeError) as error:
        raise FileError(
            say("standard input"), "cannot be read", remedy="pipe something in"
        ) from error


def decoded(data: bytes, name: str) -> str:
    r"""Text from bytes: UTF-8 with or without a mark, UTF-16 with one, else the console's own encoding.

    >>> decoded("灯塔".encode("utf-16"), "note.txt"), decoded(b"\xef\xbb\xbfbeacon", "note.txt")
    ('灯塔', 'beacon')

    Raises:
        FileError: none of these.
    """
    encodings = (
        ["utf-16"]
        if data[:2] in (b"\xff\xfe", b"\xfe\xff")
        else ["utf-8-sig", sys.stdin.encoding or "utf-8"]
    )
    wrong = 0
    for encoding in encodings:
        try:
            return data.decode(encoding).replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            wrong = wrong or error.start
    line = data.count(b"\n", 0, wrong) + 1
    raise FileError(name, "not UTF-8", remedy="save it with encoding UTF-8", line=line)
