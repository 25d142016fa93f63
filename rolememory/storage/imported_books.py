"""Which lorebooks of a role or a home came from somebody else: they share the budget as a card's book does."""

import orjson

from rolememory.errors import FileError
from rolememory.storage.port import Space
from rolememory.storage.role_file import object_in

BOOKS = "worldbooks/"
_NAMES = f"{BOOKS}.imported.json"


def imported(space: Space) -> list[str]:
    """Their names."""
    try:
        names = object_in(space.document(_NAMES)).get("names")
    except (FileError, OSError):
        return []  # nothing was imported, or nobody knows what
    return names if isinstance(names, list) else []


def note_imported(space: Space, *names: str) -> None:
    """Note that these came from somebody else."""
    before = [one for one in imported(space) if one not in names]
    space.blob(_NAMES).put(orjson.dumps({"names": [*before, *names]}))
