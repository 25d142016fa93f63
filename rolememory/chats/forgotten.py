"""Passages and parts of messages that a person asked to forget: never recalled, even when sent again."""

from collections.abc import Iterable, Mapping

from rolememory.chats.normalize import base
from rolememory.schema.passage import Passage
from rolememory.storage.port import Space
from rolememory.storage.state import StateFile
from rolememory.text.passages import LONGEST
from rolememory.text.sentences import SentenceSpan

Places = Mapping[str, tuple[SentenceSpan, ...]]
"""Places in messages, by the digest of the message: wherever it is said again, they are the same."""


class Forgotten(StateFile):
    """The tombstones of a role, stored as a state document."""

    def __init__(self, space: Space) -> None:
        super().__init__(space, "forgotten")

    def passages(self) -> Places:
        """The places of forgotten passages: overlapping passages are forgotten, however messages are split."""
        return self._places("passages")

    def parts(self) -> Places:
        """The forgotten parts of messages."""
        return self._places("parts")

    def add(self, passages: Iterable[Passage]) -> None:
        """Forget these; durable on return. Raises: NotWrittenError."""
        self._change("passages", set(map(_place, passages)), set())

    def restore(self, passages: Iterable[Passage]) -> None:
        """Bring these back; durable on return. Raises: NotWrittenError."""
        hidden = self.passages()
        back = [
            (digest, place)
            for digest, asked in map(_place, passages)
            for place in overlapping(hidden, digest, asked)
        ]
        self._change("passages", set(), set(back))

    def add_parts(self, parts: Iterable[tuple[str, SentenceSpan]]) -> None:
        """Forget these parts, each with its message's version; durable on return. Raises: NotWrittenError."""
        self._change("parts", {(base(version), place) for version, place in parts}, set())

    def restore_parts(self, parts: Iterable[tuple[str, SentenceSpan]]) -> None:
        """Bring these back; durable on return. Raises: NotWrittenError."""
        self._change("parts", set(), {(base(version), place) for version, place in parts})

    def _places(self, name: str) -> dict[str, tuple[SentenceSpan, ...]]:
        return _read(self.load().get(name, {}))

    def _change(
        self, name: str, more: set[tuple[str, SentenceSpan]], less: set[tuple[str, SentenceSpan]]
    ) -> None:
        if not more and not less:
            return
        with self.changing() as state:
            known = {
                (one, at) for one, places in _read(state.get(name, {})).items() for at in places
            }
            found: dict[str, list[list[int]]] = {}
            for digest, place in sorted((known | more) - less):
                found.setdefault(digest, []).append(list(place))
            state[name] = found


def overlapping(places: Places, version: str, span: SentenceSpan) -> list[SentenceSpan]:
    """The places of a message that overlap with this one."""
    found = places.get(base(version), ())
    return [one for one in found if one.start < span.end and span.start < one.end]


def _place(one: Passage) -> tuple[str, SentenceSpan]:
    return base(one.evidence[0].version), SentenceSpan(one.start, one.end)


def _read(kept: Mapping[str, list[list[int]]] | list[str]) -> dict[str, tuple[SentenceSpan, ...]]:
    """Parse the document, including the former format: digest:start."""
    if isinstance(kept, list):
        return _begun(kept)
    return {one: tuple(SentenceSpan(*at) for at in places) for one, places in kept.items()}


def _begun(keys: Iterable[str]) -> dict[str, tuple[SentenceSpan, ...]]:
    """Places stored without an end; at most as long as the longest passage."""
    found: dict[str, tuple[SentenceSpan, ...]] = {}
    for digest, _, start in (key.partition(":") for key in sorted(keys)):
        place = SentenceSpan(int(start), int(start) + LONGEST)
        found[digest] = (*found.get(digest, ()), place)
    return found
