"""A small JSON object that people edit, such as `people.json`."""

from contextlib import suppress

from rolememory.errors import FileError
from rolememory.schema.json_types import JsonObject
from rolememory.storage.look import Watched, watching
from rolememory.storage.port import Revision, Space
from rolememory.storage.role_file import dump, object_in


class JsonDocument:
    """Read again when it changed; while it cannot be read, its last content stands."""

    def __init__(self, space: Space, name: str) -> None:
        self.value: JsonObject = {}
        self._kept = space.document(name)
        self._mark: Revision | None = None

    @property
    def watched(self) -> Watched:
        """The file."""
        return watching(self._kept)

    def follow(self) -> bool:
        """Read it if it changed; whether it did. One stat when nothing changed."""
        mark = self._kept.mark()
        if mark == self._mark:
            return False
        self._mark = mark
        with suppress(FileError):
            self.load()
        return True

    def load(self) -> JsonObject:
        """The content on disk; empty if absent. Raises: FileError."""
        self.value = object_in(self._kept) if self._kept.mark() else {}
        return self.value

    def save(self, value: JsonObject) -> None:
        """Replace the content. Raises: NotWrittenError."""
        self._kept.put(dump(value))
        self.value, self._mark = value, self._kept.mark()
