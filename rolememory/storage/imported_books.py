"""Which lorebooks of a role or a home came from somebody else: they share the budget as a card's book does."""

from rolememory.errors import FileError
from rolememory.storage.exact_json import listed
from rolememory.storage.json_document import JsonDocument
from rolememory.storage.port import Space

BOOKS = "worldbooks/"
_NAMES = f"{BOOKS}.imported.json"


def imported(space: Space) -> list[str]:
    """Their names."""
    try:
        return listed(JsonDocument(space, _NAMES).load(), "names", str)
    except FileError:
        return []  # nobody knows


def note_imported(space: Space, *names: str) -> None:
    """Note that these came from somebody else."""
    before = [one for one in imported(space) if one not in names]
    JsonDocument(space, _NAMES).save({"names": [*before, *names]})
