"""A role's id is a UUID and nothing else: the folder's name is built by us, never taken from what was sent."""

import os
import re
from pathlib import Path

from rolememory.errors import UnsafePathError

_UUID = re.compile(
    r"(?:urn:uuid:)?(\{)?([0-9a-f]{8})(-?)([0-9a-f]{4})\3([0-9a-f]{4})\3([0-9a-f]{4})\3([0-9a-f]{12})(?(1)\})", re.I | re.ASCII
)


def canonical(text: str) -> str | None:
    """The one spelling of a UUID, lower-case with hyphens, whatever spelling was given; None when it is none.

    >>> canonical("urn:uuid:6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
    '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
    >>> canonical("{6ba7b8109dad11d180b400c04fd430c8}")
    '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
    >>> canonical("../../etc/passwd") is None
    True
    """
    match = _UUID.fullmatch(text.strip())
    return "-".join(match.group(2, 4, 5, 6, 7)).lower() if match else None


def contained(root: Path, role_id: str) -> Path:
    """The folder of that role directly under `root`, which must be resolved (P15).

    Raises:
        UnsafePathError: not a UUID, or a link that leads elsewhere.
    """
    name = canonical(role_id)
    if name is None:
        raise UnsafePathError(
            f"expected a role's UUID, got {role_id[:80]!r}; `rolememory roles` lists them",
            zh=f"应为角色的 UUID，却是“{role_id[:80]}”；`rolememory roles` 可列出全部",
        )
    folder = root / name
    if os.path.normcase(folder.resolve()) != os.path.normcase(folder):
        raise UnsafePathError(
            f"{folder}: is a link that leads elsewhere; a role's folder must lie in the home folder itself",
            zh=f"{folder}：是指向别处的链接；角色的文件夹必须就在记忆库里",
        )
    return folder
