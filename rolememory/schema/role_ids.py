"""Role ids are UUIDs: folder names are built by us, never taken from a request."""

import re
from functools import lru_cache

DELETED = "deleted"
"""The folder of deleted roles in a home."""

_UUID = re.compile(
    r"(?:urn:uuid:)?(\{)?([0-9a-f]{8})(-?)([0-9a-f]{4})\3([0-9a-f]{4})\3([0-9a-f]{4})\3([0-9a-f]{12})(?(1)\})",
    re.I | re.ASCII,
)


@lru_cache(maxsize=256)
def canonical(text: str) -> str | None:
    """The canonical spelling of a UUID, lower-case with hyphens; None if it is not a UUID.

    >>> canonical("urn:uuid:6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
    '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
    >>> canonical("{6ba7b8109dad11d180b400c04fd430c8}")
    '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
    >>> canonical("../../etc/passwd") is None
    True
    """
    match = _UUID.fullmatch(text.strip())
    return "-".join(match.group(2, 4, 5, 6, 7)).lower() if match else None
