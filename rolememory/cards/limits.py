"""Limits for untrusted files (P16), in actual bytes, never as declared by a header."""

from pathlib import Path

from rolememory.errors import FileError
from rolememory.locales import localized, translatable

MEGABYTE = 1 << 20
DAMAGED = translatable("the file is damaged; export it again, or take another copy")

FILE = 128 * MEGABYTE  # a file; cards with many images are large
TEXT = 8 * MEGABYTE  # the JSON of one card, base64 decoded; any decompressed text
BASE64 = TEXT * 3 // 2  # the same, base64 encoded
MARKS = 1_000_000  # brackets, commas and colons in one JSON text: a measure of memory
DEPTH = 100  # nesting of objects and arrays
MEMBERS = 20_000  # of a zip file
CHUNKS = 200_000  # of a PNG file
ENTRIES = 10_000  # of one lorebook


def read_bytes(path: Path) -> bytes:
    """The file, if it is no larger than `FILE`.

    Raises:
        FileError: missing, not a file, or too large; at most one byte more is read.
    """
    try:
        if not path.is_file():
            raise FileError(path, "is not a file")
        with path.open("rb") as file:
            data = file.read(FILE + 1)
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    check_size(data, str(path))
    return data


def check_size(
    data: bytes | bytearray | memoryview,
    file: str,
    most: int = FILE,
    what: str = "file",
    field: str = "",
) -> None:
    """Reject data larger than `most`.

    >>> check_size(b"12345", "card.json", most=4)
    Traceback (most recent call last):
    rolememory.errors.FileError: card.json: the file has more than 4 bytes; that is too large for a card or lorebook
    """
    if len(data) > most:
        raise too_large(file, most, what, field)


def check_entries(entries: object, file: str, field: str) -> None:
    """Reject a lorebook with too many entries."""
    if isinstance(entries, list | dict) and len(entries) > ENTRIES:
        raise FileError(
            file,
            "has {count} entries, at most {entries} are read",
            field=field,
            count=len(entries),
            entries=ENTRIES,
        )


def damaged(file: str, problem: str, field: str = "", /, **values: object) -> FileError:
    """The error for a damaged file."""
    return FileError(file, localized(problem, "", **values), remedy=DAMAGED, field=field)


def too_large(file: str, most: int, what: str = "file", field: str = "") -> FileError:
    """The error for something larger than allowed."""
    size = f"{most // MEGABYTE} MB" if most >= MEGABYTE else f"{most} bytes"
    return FileError(
        file,
        "the {what} has more than {size}",
        remedy="that is too large for a card or lorebook",
        field=field,
        what=what,
        size=size,
    )
