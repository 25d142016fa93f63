"""The server's token: made at the first start, kept in the home with rights for its owner alone, printed once."""

import hmac
import os
import secrets
from pathlib import Path

from rolememory.storage.files.atomic import write

NAME = ".token"
VARIABLE = "ROLEMEMORY_TOKEN"  # wins over the file


def token_of(home: Path) -> tuple[str, bool]:
    """The token of this home, and whether it was made just now.

    Raises:
        NotWrittenError: the home cannot be written, so no token can be kept.
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
    """Whether two tokens are equal, in time that tells nothing."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
