"""Reads and writes whole files, and standard input."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rolememory.cli.output import out, say, worded
from rolememory.errors import FileError, InvalidValueError

if TYPE_CHECKING:
    from rolememory.authoring.convert import Converted

MOST_BYTES = 256 * 2**20  # maximum of a file or stream


def read_text(source: str) -> str:
    """The text of a file, or of standard input for `-`.

    Raises:
        FileError: unreadable, too large, or in an unknown encoding.
    """
    if source == "-":
        return decoded(_standard_input(), say("standard input"))
    return decoded(read_bytes(Path(source).expanduser()), source)


def read_bytes(path: Path) -> bytes:
    """The content of a file.

    Raises:
        FileError: unreadable, or too large.
    """
    try:
        if path.is_dir():
            raise FileError(path, "is a folder", remedy="name a file")
        if path.stat().st_size > MOST_BYTES:
            raise FileError(
                path, "larger than {limit} MB", remedy="split it", limit=MOST_BYTES // 2**20
            )
        return path.read_bytes()
    except FileNotFoundError as error:
        raise FileError(path, "no such file", remedy="check the path") from error
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError.unreadable(path, error) from error


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


def write_file(path: Path, text: str | bytes, yes: bool) -> None:
    """Write a file; ask before overwriting."""
    from rolememory.storage.files.atomic import write

    sure = yes or not path.exists()
    if not sure and out.asks:
        sure = out.ask(say("{path} is there already; replace it?", path=path))
    if not sure:
        raise InvalidValueError("{path} is there already; --yes replaces it", path=path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            path.parent,
            "cannot be made: {strerror}",
            remedy="check the path",
            strerror=error.strerror,
        ) from error
    mode = path.stat().st_mode if path.exists() else 0o666 & ~_umask()
    write(path, text.encode("utf-8") if isinstance(text, str) else text)
    path.chmod(mode & 0o777)  # outside a home, files have the usual permissions


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def give_converted(made: "Converted", file: str | None, yes: bool, **more: Any) -> None:
    """Write a converted card or book to a file, and list lost fields; without a file, print it."""
    losses = [
        {"field": one.field, "why": worded(one), "kept": one.kept or None} for one in made.losses
    ]
    row = {"file": file, "format": made.result.format, "losses": losses, **more}
    if file is None:
        if not out.json({**row, "document": made.result.raw}):
            print_converted(made)
        return
    write_file(Path(file).expanduser(), made.data, yes)
    if out.json(row):
        return
    if losses:
        out.table(losses, "field why kept", why=say("what happens"))
        out.say(
            "written to {out} ({to}, {count} {count:field|fields} it cannot hold)",
            out=file,
            to=row["format"],
            count=len(losses),
        )
    else:
        out.say("written to {out} ({to}, nothing lost)", out=file, to=row["format"])


def print_converted(made: "Converted") -> None:
    """Print a card or book on standard output, and lost fields on standard error.

    Raises:
        InvalidValueError: it is binary.
    """
    if b"\0" in made.data[:64]:
        raise InvalidValueError(
            "{to} is no text; write it into a file with --out FILE", to=made.result.format
        )
    out.warn(*(f"{loss.field}{say(': ')}{worded(loss)}" for loss in made.losses))
    out.raw(made.data.decode("utf-8"))
