"""Descriptions of the players: `personas.json` of the home, filled by imports and edited by people."""

from collections.abc import Callable

from rolememory.errors import FileError
from rolememory.schema.json_types import JsonObject
from rolememory.storage.exact_json import listed
from rolememory.storage.json_document import JsonDocument
from rolememory.storage.look import Watched
from rolememory.storage.people import Same, alone, are_one
from rolememory.storage.port import Space
from rolememory.text.names import PersonNames

FILE = "personas.json"


class Personas:
    """Reads the file when it changed; an unreadable file keeps its last content. Cost: one stat when nothing changed."""

    def __init__(self, home: Space) -> None:
        self._file = JsonDocument(home, FILE)

    @property
    def watched(self) -> Watched:
        """The file."""
        return self._file.watched

    def about(self, user: str | None, same: Same = alone) -> str:
        """The description of the person of this name; "" without one, or with several different ones.

        An exact name goes before linked names.
        """
        if not user:
            return ""
        self._file.follow()
        own = self._texts(lambda name: name == user)
        texts = own or self._texts(lambda name: are_one(name, user, same))
        return texts.pop() if len(texts) == 1 else ""

    def _texts(self, wanted: Callable[[str], bool]) -> set[str]:
        named = (row for row in rows(self._file.value) if wanted(str(row.get("name") or "")))
        return {str(row.get("description") or "").strip() for row in named}


def problem(home: Space) -> FileError | None:
    """The problem of the file, or None."""
    try:
        JsonDocument(home, FILE).load()
    except FileError as error:
        return error
    return None


def rows(document: JsonObject) -> list[JsonObject]:
    """The personas in the file, unchanged."""
    return listed(document, "personas", dict)


def forget(home: Space, names: PersonNames) -> int:
    """Remove personas with these names, and the names from the descriptions of others; how many were removed.

    Raises:
        FileError: the file cannot be read.
        NotWrittenError: the disk refused.
    """
    file = JsonDocument(home, FILE)
    there = rows(file.load())
    kept = [_without(row, names) for row in there if not names.are(str(row.get("name") or ""))]
    if kept != there:
        file.save({**file.value, "personas": kept})
    return len(there) - len(kept)


def _without(row: JsonObject, names: PersonNames) -> JsonObject:
    return {
        field: names.masked(value) if isinstance(value, str) else value
        for field, value in row.items()
    }
