"""What a person wants to hear no more of: passages and parts of messages that are never recalled again, also when they are sent once more."""

from collections.abc import Iterable, Mapping

from rolememory.chats.normalize import base
from rolememory.schema.passage import Passage
from rolememory.storage.port import Revision, Space
from rolememory.storage.state import StateFile
from rolememory.text.sentences import SentenceSpan


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
    def mark(self) -> Revision | None:
        """Another one whenever something was forgotten or brought back."""
        return self._file.mark

    def keys(self) -> frozenset[str]:
        """What is forgotten."""
        return frozenset(self._file.load().get("passages", ()))

    def parts(self) -> Mapping[str, tuple[SentenceSpan, ...]]:
        """What is forgotten of a message of which the rest stands: places in it, by the digest of the message."""
        found = self._file.load().get("parts", {})
        return {
            one: tuple(SentenceSpan(*place) for place in places) for one, places in found.items()
        }

    def add(self, passages: Iterable[Passage]) -> None:
        """Forget these; durable on return. Raises: NotWrittenError."""
        more = _keys_of(passages)
        with self._file.changing() as state:
            state["passages"] = sorted(more.union(state.get("passages", ())))

    def restore(self, passages: Iterable[Passage]) -> None:
        """Bring these back; durable on return. Raises: NotWrittenError."""
        less = _keys_of(passages)
        with self._file.changing() as state:
            state["passages"] = sorted({*state.get("passages", ())} - less)

    def add_parts(self, parts: Iterable[tuple[str, SentenceSpan]]) -> None:
        """Forget these places of messages, each with its message's version; durable on return. Raises: NotWrittenError."""
        self._change_parts({(base(version), place) for version, place in parts}, set())

    def restore_parts(self, parts: Iterable[tuple[str, SentenceSpan]]) -> None:
        """Bring these back; durable on return. Raises: NotWrittenError."""
        self._change_parts(set(), {(base(version), place) for version, place in parts})

    def _change_parts(
        self, more: set[tuple[str, SentenceSpan]], less: set[tuple[str, SentenceSpan]]
    ) -> None:
        if not more and not less:
            return
        with self._file.changing() as state:
            known = {(one, place) for one, places in self.parts().items() for place in places}
            found: dict[str, list[list[int]]] = {}
            for digest, place in sorted((known | more) - less):
                found.setdefault(digest, []).append(list(place))
            state["parts"] = found


def _keys_of(passages: Iterable[Passage]) -> set[str]:
    return {key_of(one.evidence[0].version, one.start) for one in passages}
