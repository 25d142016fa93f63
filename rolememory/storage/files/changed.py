"""Which change in a home folder concerns whom: a path becomes a role and a kind, or nothing at all."""

import re
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Literal

from rolememory.storage.files.atomic import is_ours
from rolememory.storage.role_ids import canonical
from rolememory.storage.settings import FILE

Kind = Literal["memory", "role", "settings", "template", "worldbook", "card"]
KINDS: tuple[Kind, ...] = ("memory", "role", "settings", "template", "worldbook", "card")

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


@dataclass(frozen=True, slots=True)
class Changed:
    """What was edited: whose (None = everybody's), and which kinds of file."""

    role: str | None
    kinds: frozenset[Kind]


def passing(name: str) -> bool:
    """Whether a name is one that editors, sync tools or we ourselves use for a moment.

    >>> [passing(name) for name in (".memory.json.swp", "memory.json~", "book.sync-conflict-20240101-1.json", "memory.json")]
    [True, True, True, False]
    """
    return is_ours(name) or _PASSING.fullmatch(name) is not None


def concerns(path: PurePath, home: PurePath) -> tuple[str | None, frozenset[Kind]] | None:
    """Role and kinds of a changed path; None when nobody is concerned.

    >>> concerns(Path("/h/6ba7b810-9dad-11d1-80b4-00c04fd430c8/memory.json"), Path("/h"))
    ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', frozenset({'memory'}))
    >>> concerns(Path("/h/6ba7b810-9dad-11d1-80b4-00c04fd430c8/chats/a.jsonl"), Path("/h")) is None
    True
    """
    try:
        parts = path.relative_to(home).parts
    except ValueError:
        return None
    if not parts or any(passing(part) for part in parts):
        return None
    role = parts[0] if canonical(parts[0]) == parts[0] else None
    kind = _of_role(parts[1:]) if role else _of_home(parts)
    return (role, frozenset(kind)) if kind else None


def _of_home(parts: tuple[str, ...]) -> tuple[Kind, ...]:
    if parts == (FILE,) or parts[0] == "presets":
        return ("settings",)
    return {"templates": ("template",), "worldbooks": ("worldbook",)}.get(parts[0], ())  # type: ignore[return-value]


def _of_role(parts: tuple[str, ...]) -> tuple[Kind, ...]:
    """A folder that was created or removed as a whole concerns every kind of file."""
    if not parts:
        return ("memory", "role", "worldbook", "card")
    if parts[0] == "worldbooks":
        return ("worldbook",)
    if len(parts) > 1:
        return ()
    if PurePath(parts[0]).stem == "card":
        return ("card",)
    return {"memory.json": ("memory",), "role.json": ("role",)}.get(parts[0], ())  # type: ignore[return-value]


def looked_into(folder: Path, home: Path) -> bool:
    """Whether anything below that folder can concern anybody: chats, journals and caches cannot."""
    parts = folder.relative_to(home).parts
    if not parts:
        return True
    if canonical(parts[0]) == parts[0]:
        return len(parts) == 1 or parts[1] == "worldbooks"
    return parts[0] in ("presets", "templates", "worldbooks")
