"""The server's token: created at the first start, stored in the home readable by its owner only, printed once."""

import hmac
import os
import secrets
from pathlib import Path

from rolememory.storage.files.atomic import write

NAME = ".token"
VARIABLE = "ROLEMEMORY_TOKEN"  # overrides the file


def token_of(home: Path) -> tuple[str, bool]:
    """The token of this home, and whether it is new.

    Raises:
        NotWrittenError: the token cannot be stored in the home.
    """
    if given := os.environ.get(VARIABLE, "").strip():
        return given, False
    path = home / NAME
    known = path.read_text(encoding="ascii", errors="ignore").strip() if path.is_file() else ""
    if len(known) >= 16:
        return known, False
    made = secrets.token_urlsafe(24)
    write(path, made.encode("ascii") + b"\n")
    return made, True


def same(one: str, other: str) -> bool:
    """Whether two tokens are equal, in constant time."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
