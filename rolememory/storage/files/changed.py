"""Maps a changed path in a home folder to a role and a kind of file, or to nothing."""

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Literal

from rolememory.schema.role_ids import canonical
from rolememory.schema.value_class import value_class
from rolememory.storage.files.atomic import is_ours
from rolememory.storage.settings import FILE

Kind = Literal["memory", "role", "settings", "template", "worldbook", "card"]
_OF_HOME: Mapping[str, tuple[Kind, ...]] = {
    FILE: ("settings",),
    "presets": ("settings",),
    "templates": ("template",),
    "worldbooks": ("worldbook",),
}
_OF_ROLE: Mapping[str, tuple[Kind, ...]] = {
    "": ("memory", "role", "worldbook", "card"),  # a folder added or removed as a whole
    "memory.json": ("memory",),
    "role.json": ("role",),
    "worldbooks": ("worldbook",),
    "card": ("card",),
}

_PASSING = re.compile(
    r"""
    \..* | ~\$.* | .*~ | \#.*\#            # hidden, lock and backup files of editors
    | 4913 | \d+\.tmp                        # vim tries a folder with a file of this name
    | .*\.(tmp|temp|part|crdownload|download|sw[a-z]|bak|old|orig|rej|prev|lock|backup)
    | .*___jb_(tmp|old)___ | .*\.sb-[0-9a-z-]+
    | .*[.~-]sync-conflict-.* | .*conflicted\ copy.* | .*\ \(.*conflict.*\).* | .*冲突.*副本.*
    | Thumbs\.db | desktop\.ini
    """,
    re.IGNORECASE | re.VERBOSE,
)


@value_class
class Changed:
    """An edit: the role (None = shared files), and which kinds of file."""

    role: str | None
    kinds: frozenset[Kind]


def passing(name: str) -> bool:
    """Whether a name is a temporary one of editors, sync tools or our own.

    >>> [passing(name) for name in (".memory.json.swp", "memory.json~", "book.sync-conflict-20240101-1.json", "memory.json")]
    [True, True, True, False]
    """
    return is_ours(name) or _PASSING.fullmatch(name) is not None


def concerns(path: PurePath, home: PurePath) -> tuple[str | None, frozenset[Kind]] | None:
    """Role and kinds of a changed path; None for files that are not edited, such as chats, journals and caches.

    >>> concerns(PurePath("/h/6ba7b810-9dad-11d1-80b4-00c04fd430c8/memory.json"), PurePath("/h"))
    ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', frozenset({'memory'}))
    >>> concerns(PurePath("/h/6ba7b810-9dad-11d1-80b4-00c04fd430c8/chats/a.jsonl"), PurePath("/h")) is None
    True
    """
    try:
        parts = path.relative_to(home).parts
    except ValueError:
        return None
    if not parts or any(passing(part) for part in parts):
        return None
    role = parts[0] if canonical(parts[0]) == parts[0] else None
    name = "".join(parts[1:2] if role else parts[:1])
    name = "card" if name.startswith("card.") else name
    kind = (_OF_ROLE if role else _OF_HOME).get(name)
    return (role, frozenset(kind)) if kind else None
