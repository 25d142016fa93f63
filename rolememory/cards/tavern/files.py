"""Reads files of a data folder: leniently, with limits, and names in every error."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from rolememory.cards.limits import MEGABYTE, too_large
from rolememory.errors import FileError
from rolememory.locales import translatable
from rolememory.schema.json_types import JsonObject
from rolememory.text.json_diagnostics import invalid_json
from rolememory.text.plain import replace_surrogates

CHAT = 512 * MEGABYTE  # one chat, all swipes included
LINE = 32 * MEGABYTE  # one message with its swipes
MESSAGES = 200_000  # of one chat
SETTINGS = 64 * MEGABYTE
GROUP = 4 * MEGABYTE
LISTED = 50_000  # files of one folder

_AGAIN = translatable(
    "open it in SillyTavern and save it again, or take a copy from its backups folder"
)


class FileStamp(NamedTuple):
    """Identifies the state of a file without reading it."""

    size: int  # bytes
    changed_ns: int


def stamp(path: Path) -> FileStamp:
    """The current state of a file.

    Raises:
        FileError: not accessible.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    return FileStamp(found.st_size, found.st_mtime_ns)


def listed(folder: Path, *endings: str) -> list[Path]:
    """The files of a folder with one of these endings, by name, without hidden ones; empty if there is no folder.

    Raises:
        FileError: the folder cannot be listed.
    """
    try:
        if not folder.is_dir():
            return []
        found = [
            path
            for path in folder.iterdir()
            if path.suffix.lower() in endings and not path.name.startswith(".") and path.is_file()
        ]
    except OSError as error:
        raise FileError.unreadable(folder, error) from error
    return sorted(found)[:LISTED]


def folders(folder: Path) -> list[Path]:
    """The folders in a folder, by name.

    Raises:
        FileError: it cannot be listed.
    """
    try:
        return (
            sorted(
                path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")
            )
            if folder.is_dir()
            else []
        )
    except OSError as error:
        raise FileError.unreadable(folder, error) from error


@contextmanager
def opened(path: Path, most: int) -> Iterator[BinaryIO]:
    """The file, open for reading.

    Raises:
        FileError: it is no file, larger than `most` bytes, or cannot be read.
    """
    try:
        if not path.is_file():
            raise FileError(path, "is not a file")
        if path.stat().st_size > most:
            raise too_large(str(path), most)
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise FileError.unreadable(path, error) from error


def read_object(path: Path, most: int) -> JsonObject:
    """The JSON object of a small file.

    Raises:
        FileError: unreadable, too large, or no object.
    """
    with opened(path, most) as file:
        data = file.read(most + 1)
    try:
        found = loads(data.removeprefix(b"\xef\xbb\xbf"))
    except JSONDecodeError as error:
        raise invalid_json(data, error, path) from error
    if not isinstance(found, dict):
        raise FileError(path, "expected a JSON object", remedy=_AGAIN)
    return found


def loads(data: bytes) -> Any:
    r"""Parse JSON; lone surrogates, which browsers write when an emoji was cut, are replaced.

    Raises:
        JSONDecodeError: it is no JSON.

    >>> loads(rb'"a\ud83d"') == "a\ufffd"
    True
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        try:
            return _whole(json.loads(data))
        except (ValueError, RecursionError):
            raise error from None


def _whole(value: Any) -> Any:
    """The value without lone surrogates."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, list):
        return [_whole(one) for one in value]
    return (
        {_whole(name): _whole(one) for name, one in value.items()}
        if isinstance(value, dict)
        else value
    )


def texts_of(value: object) -> tuple[str, ...]:
    """The texts of a list, or of a comma-separated text; else empty.

    >>> texts_of(["a", 1, " b "]), texts_of("a, b"), texts_of(None)
    (('a', 'b'), ('a', 'b'), ())
    """
    found = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(one.strip() for one in found if isinstance(one, str) and one.strip())
