"""Where the visible messages stand in the whole chat: a frontend drops the oldest ones when its context is full.

Only short digests of what was said are kept, the newest `KEPT` of a chat. Absence of old messages is truncation, never deletion.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from rolememory.schema.scene import Segment
from rolememory.schema.value_class import value_class

KEPT = 400


def digests(spoken: Sequence[Segment]) -> list[str]:
    """A short digest of each message, oldest first; `spoken` newest first."""
    said = (
        f"{segment.role}\0{segment.text}".encode("utf-8", "replace") for segment in reversed(spoken)
    )
    return [blake2b(text, digest_size=5).hexdigest() for text in said]


@value_class
class ChatDigests:
    """Digests of the newest messages of a chat, oldest first, and how many stood before them."""

    before: int = 0
    said: tuple[str, ...] = ()

    @classmethod
    def of(cls, raw: object) -> "ChatDigests":
        """Read what `to_json` wrote; anything else is a chat nobody has seen."""
        if (
            not isinstance(raw, dict)
            or not isinstance(raw.get("before"), int)
            or not isinstance(raw.get("said"), list)
        ):
            return cls()
        return cls(max(raw["before"], 0), tuple(map(str, raw["said"])))

    def to_json(self) -> dict[str, Any]:
        """What a state file holds."""
        return {"before": self.before, "said": list(self.said)}

    def unseen(self, visible: Sequence[str]) -> int:
        """How many messages stood before the visible ones; 0 when they do not continue this chat.

        Edited and regenerated messages may differ: the place where most of the visible ones agree counts, if half of them do.

        >>> log = ChatDigests(before=10, said=("a", "b", "c", "d"))
        >>> log.unseen(["c", "d", "e"]), log.unseen(["x", "y"]), ChatDigests(said=("a", "b")).unseen(["a", "b", "c"])
        (12, 0, 0)
        """
        places = [at for at, digest in enumerate(self.said) if visible and digest == visible[0]]
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
        return sum(one == other for one, other in zip(self.said[at:], visible, strict=False))
