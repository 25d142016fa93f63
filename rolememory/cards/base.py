"""Character cards from files of any known kind; detected by content, never by the file's name.

    card = load(Path("mira.png"))
    card.name, card.book, card.character()
    data = dump(card.with_fields(nickname="Mi"), "charx")

Other packages add formats by an entry point in the group `rolememory.cards` that names a `CardFormat`.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

from rolememory.cards import limits
from rolememory.cards.card import Card
from rolememory.errors import FileError, RegistrationError, UnknownNameError
from rolememory.locales import Listed, translatable
from rolememory.plugins import plugins
from rolememory.text.json_diagnostics import not_utf8

ENTRY_POINT_GROUP = "rolememory.cards"


class CardFormat(Protocol):
    """A file format for characters."""

    @property
    def name(self) -> str:
        """Its name, for example `png`."""
        ...

    def fits(self, data: bytes) -> bool:
        """Whether the bytes look like this format; called for any file, so it is cheap and never raises."""
        ...

    def load(self, data: bytes, file: str) -> Card:
        """Parse a card. `file` is a name for messages.

        Raises:
            FileError: it looks like this format, but cannot be read.
        """
        ...

    def dump(self, card: Card) -> bytes:
        """The card as a file of this format, whatever its own.

        Raises:
            InvalidValueError: the format is read-only.
        """
        ...


Format = TypeVar("Format", bound=type[CardFormat])
FORMATS: dict[str, CardFormat] = {}


def register(format_: Format) -> Format:
    """Register a card format; formats are tried in the order of registration."""
    made = format_()
    if FORMATS.setdefault(made.name, made) is not made:
        raise RegistrationError(
            "card format {name!r} is registered twice; choose another name", name=made.name
        )
    return format_


def third_party() -> Mapping[str, CardFormat]:
    """Formats of other installed packages, by entry point name (group `rolememory.cards`; each names a class)."""
    return _made(tuple(plugins(ENTRY_POINT_GROUP).items()))


@cache
def _made(kinds: tuple[tuple[str, type[CardFormat]], ...]) -> Mapping[str, CardFormat]:
    return {name: kind() for name, kind in kinds}


def formats() -> Mapping[str, CardFormat]:
    """All known formats by name, ours first, in the order in which they are tried."""
    import rolememory.cards.formats  # noqa: F401  # registers ours

    return FORMATS | {name: known for name, known in third_party().items() if name not in FORMATS}


def load(source: Path | str | bytes, name: str = "") -> Card:
    """The character card in a file or in bytes. `name` stands for the file in messages.

    Nothing outside the file is read: no image is decoded, no URL is fetched, nothing is unpacked to disk.

    Raises:
        FileError: no card of a known format, damaged, or too large.
    """
    data, file = read(source, name)
    for known in formats().values():
        if known.fits(data):
            return known.load(data, file)
    raise unknown(data, file)


def dump(card: Card, format: str = "") -> bytes:  # noqa: A002  # the word of the surface
    """The card as a file of that format; by default in its own, byte for byte if unchanged.

    Raises:
        UnknownNameError: there is no such format.
        InvalidValueError: the format is read-only.
    """
    if format in ("", card.format):
        return card.write()
    if format not in (known := formats()):
        raise UnknownNameError("format", format, known)
    return known[format].dump(card)


def read(source: Path | str | bytes, name: str = "") -> tuple[bytes, str]:
    """The bytes, and their name in messages."""
    if isinstance(source, bytes):
        limits.check_size(source, name or "card")
        return source, name or "card"
    return limits.read_bytes(Path(source)), name or str(source)


def unknown(data: bytes, file: str) -> FileError:
    """The error for bytes of no known format."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return not_utf8(data, 0).at(file).error()
    if data.startswith((b"\xff\xd8\xff", b"RIFF", b"GIF8")):
        problem = translatable("is a picture without a card")
    elif not data or data.isspace():
        problem = translatable("is empty")
    else:
        problem = translatable("is no character card of a known kind")
    return FileError(file, problem, remedy="known are {formats}", formats=Listed(formats()))
