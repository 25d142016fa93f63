"""Descriptions of the players: `personas.json` of the home, filled by imports and edited by people."""

from collections.abc import Callable
from contextlib import suppress

from rolememory.errors import FileError
from rolememory.schema.json_types import JsonObject
from rolememory.storage import role_file
from rolememory.storage.exact_json import listed
from rolememory.storage.look import Watched, watching
from rolememory.storage.people import Same, alone, are_one
from rolememory.storage.port import Revision, Space
from rolememory.text.names import PersonNames

FILE = "personas.json"


class Personas:
    """Reads the file when it changed; an unreadable file keeps its last content. Cost: one stat when nothing changed."""

    def __init__(self, home: Space) -> None:
        self._kept = home.document(FILE)
        self._seen: Revision | None = None
        self._rows: list[JsonObject] = []

    @property
    def watched(self) -> Watched:
        """The file."""
        return watching(self._kept)

    def about(self, user: str | None, same: Same = alone) -> str:
        """The description of the person of this name; "" without one, or with several different ones.

        An exact name goes before linked names.
        """
        if not user:
            return ""
        self._follow()
        own = self._texts(lambda name: name == user)
        texts = own or self._texts(lambda name: are_one(name, user, same))
        return texts.pop() if len(texts) == 1 else ""

    def _texts(self, wanted: Callable[[str], bool]) -> set[str]:
        named = (row for row in self._rows if wanted(str(row.get("name") or "")))
        return {str(row.get("description") or "").strip() for row in named}

    def _follow(self) -> None:
        seen = self._kept.mark()
        if seen == self._seen:
            return
        self._seen = seen
        with suppress(FileError):  # reported by `problem`
            self._rows = rows(role_file.object_in(self._kept)) if seen else []


def problem(home: Space) -> FileError | None:
    """The problem of the file, or None."""
    file = home.document(FILE)
    try:
        if file.mark():
            role_file.object_in(file)
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
    file = home.document(FILE)
    if file.mark() is None:
        return 0
    document = role_file.object_in(file)
    there = rows(document)
    kept = [_without(row, names) for row in there if not names.are(str(row.get("name") or ""))]
    if kept != there:
        file.put(role_file.dump({**document, "personas": kept}))
    return len(there) - len(kept)


def _without(row: JsonObject, names: PersonNames) -> JsonObject:
    return {
        field: names.masked(value) if isinstance(value, str) else value
        for field, value in row.items()
    }
