"""Aligns the visible messages with the whole chat: frontends drop the oldest ones when the context is full.

Keeps only short digests of messages, the newest `KEPT` of a chat. Missing old messages mean truncation, never deletion.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, compress, repeat
from operator import eq, ne

from rolememory.schema.json_types import JsonMapping
from rolememory.schema.scene import Segment
from rolememory.schema.value_class import value_class

KEPT = 400


def digests(spoken: Sequence[Segment]) -> list[str]:
    """A short digest of each message, oldest first; `spoken` newest first."""
    return [_digest(segment.role, segment.text) for segment in reversed(spoken)]


@lru_cache(maxsize=2048)
def _digest(role: str, text: str) -> str:
    return blake2b(f"{role}\0{text}".encode("utf-8", "replace"), digest_size=5).hexdigest()


def _places(said: Sequence[str], digest: str) -> Iterator[int]:
    """The indexes of a digest."""
    at = -1
    for _ in range(said.count(digest)):
        at = said.index(digest, at + 1)
        yield at


@value_class
class ChatDigests:
    """Digests of the newest messages of a chat, oldest first, and the number of messages before them."""

    before: int = 0
    said: tuple[str, ...] = ()

    @classmethod
    def of(cls, kept: JsonMapping) -> "ChatDigests":
        """Read the keys "#" + number; of several runs, as left by two processes, the last.

        >>> ChatDigests.of({"said": "x", "#3": "a", "#7": "b", "#8": "c"})
        ChatDigests(before=7, said=('b', 'c'))
        """
        told = {int(name[1:]): str(digest) for name, digest in kept.items() if name[0] == "#"}
        start = end = max(told, default=-1) + 1
        while start - 1 in told:
            start -= 1
        return cls(start, tuple([told[number] for number in range(start, end)]))

    @property
    def numbers(self) -> range:
        """The numbers of these messages in the chat."""
        return range(self.before, self.before + len(self.said))

    def since(self, before: "ChatDigests") -> dict[str, str | None]:
        """The changes from `before` in the format of `of`; None for removed keys.

        >>> ChatDigests(1, ("b", "x")).since(ChatDigests(0, ("a", "b", "c")))
        {'#0': None, '#2': 'x'}
        """
        mine, theirs = self.numbers, before.numbers
        gone = (
            *range(theirs.start, min(mine.start, theirs.stop)),
            *range(max(mine.stop, theirs.start), theirs.stop),
        )
        old = before.said[mine.start - theirs.start :] if mine.start >= theirs.start else ()
        others = map(ne, self.said, chain(old, repeat(None)))
        fresh = {
            f"#{number}": one
            for number, one in compress(zip(mine, self.said, strict=False), others)
        }
        return {f"#{number}": None for number in gone} | fresh

    def unseen(self, visible: Sequence[str]) -> int:
        """Number of messages before the visible ones; 0 if they do not continue this chat.

        Edited and regenerated messages may differ: the place where most of the visible ones agree counts, if half of them do.

        >>> log = ChatDigests(before=10, said=("a", "b", "c", "d"))
        >>> log.unseen(["c", "d", "e"]), log.unseen(["x", "y"]), ChatDigests(said=("a", "b")).unseen(["a", "b", "c"])
        (12, 0, 0)
        """
        places = _places(self.said, visible[0]) if visible else ()
        best = max(places, key=lambda at: (self._agreeing(at, visible), -at), default=None)
        if best is None or 2 * self._agreeing(best, visible) < min(
            len(self.said) - best, len(visible)
        ):
            return 0
        return self.before + best

    def with_visible(self, visible: Sequence[str]) -> "ChatDigests":
        """The log after a turn that showed these messages."""
        unseen = self.unseen(visible)
        whole = (*self.said[: max(unseen - self.before, 0)], *visible)
        dropped = max(len(whole) - KEPT, 0)
        return ChatDigests((self.before if unseen else 0) + dropped, whole[dropped:])

    def _agreeing(self, at: int, visible: Sequence[str]) -> int:
        return sum(map(eq, self.said[at:], visible))
