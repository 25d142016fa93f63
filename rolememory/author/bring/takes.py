"""Where the chats go: one small protocol, and the role's own write path behind it."""

from collections.abc import Callable, Sequence
from typing import Protocol

from rolememory.engine import RoleMemory
from rolememory.schema.message import Message


class Takes(Protocol):
    """Somebody who takes a chat in."""

    def observe(self, messages: Sequence[Message], chat: str, user: str | None, title: str) -> Sequence[str]:
        """Keep a chat, all that is visible of it, and learn from it; on return both are done. Twice the same changes nothing.

        Gives the id of the version of every message, in their order; "" for what was not kept.
        """
        ...


TakesOf = Callable[[RoleMemory], Takes]
"""Who takes the chats of a role."""
