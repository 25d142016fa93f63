"""What a person wants to hear no more of: passages that are never recalled again, also when a frontend sends them once more."""

from collections.abc import Iterable

from rolememory.chats.heard import base
from rolememory.schema.passage import Passage
from rolememory.storage.port import Mark, Space
from rolememory.storage.state import StateFile


def key_of(version: str, start: int) -> str:
    """What tells a passage wherever its message is said again: the digest of the message, and the place in it.

    >>> key_of("0a1b2c3d4e5f.2", 40)
    '0a1b2c3d4e5f:40'
    """
    return f"{base(version)}:{start}"


class Forgotten:
    """The tombstones of a role, in a state document of their own. Thread-safe."""

    def __init__(self, space: Space) -> None:
        self._file = StateFile(space, "forgotten")

    @property
    def mark(self) -> Mark | None:
        """Another one whenever something was forgotten or brought back."""
        return self._file.mark

    def keys(self) -> frozenset[str]:
        """What is forgotten."""
        return frozenset(self._file.load().get("passages", ()))

    def add(self, passages: Iterable[Passage]) -> None:
        """Forget these; durable on return. Raises: NotWrittenError."""
        self._save(self.keys() | {key_of(one.evidence[0].version, one.start) for one in passages})

    def restore(self, passages: Iterable[Passage]) -> None:
        """Bring these back; durable on return. Raises: NotWrittenError."""
        self._save(self.keys() - {key_of(one.evidence[0].version, one.start) for one in passages})

    def _save(self, keys: Iterable[str]) -> None:
        self._file.save({"passages": sorted(keys)})
