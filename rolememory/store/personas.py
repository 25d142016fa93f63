"""What is written about the people who play: `personas.json` of the home, which bringing from other programs fills and people edit."""

from pathlib import Path
from typing import Any

from rolememory.errors import FileError
from rolememory.store import atomic, role_file
from rolememory.store.disk import Mark
from rolememory.store.signature import signature

FILE = "personas.json"


class Personas:
    """Follows the file. One that cannot be read says nothing. Cost: one stat when nothing changed."""

    def __init__(self, home: Path) -> None:
        self._file = home / FILE
        self._seen: Mark | None = None
        self._rows: list[dict[str, Any]] = []

    def about(self, user: str | None) -> str:
        """The description of the person who bears this name; "" when nobody does, or two who are described differently."""
        if not user:
            return ""
        self._follow()
        texts = {str(row.get("description") or "").strip() for row in self._rows if row.get("name") == user}
        return texts.pop() if len(texts) == 1 else ""

    def _follow(self) -> None:
        seen = signature(self._file)
        if seen == self._seen:
            return
        self._seen = seen
        try:
            self._rows = rows(role_file.read_object(self._file)) if seen else []
        except FileError:
            self._rows = []


def rows(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The personas in the file, as they stand."""
    found = document.get("personas")
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def forget(home: Path, user: str) -> int:
    """Take out whoever bears this name; how many were taken.

    Raises:
        FileError: the file cannot be read as it stands.
        NotWrittenError: the disk refused.
    """
    path = home / FILE
    if not path.exists():
        return 0
    document = role_file.read_object(path)
    there = rows(document)
    kept = [row for row in there if row.get("name") != user]
    if len(kept) < len(there):
        atomic.write(path, role_file.dump({**document, "personas": kept}))
    return len(there) - len(kept)
