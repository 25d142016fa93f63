"""Where the chats go: one small protocol, and the role's own write path behind it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from rolememory.chats.normalize import VOICES, normalize_text
from rolememory.chats.values import OWN
from rolememory.engine import RoleMemory
from rolememory.schema.learning import ChatMessage
from rolememory.schema.message import Message


@dataclass(frozen=True, slots=True)
class KeptChat:
    """A chat as it was kept: its id, and the version of every message that was given, in their order ("" = not kept)."""

    chat: str
    versions: tuple[str, ...]


class ChatSink(Protocol):
    """Somebody who takes a chat in."""

    def observe(
        self,
        messages: Sequence[Message],
        chat: str,
        user: str | None,
        title: str,
        *,
        own: bool = False,
    ) -> KeptChat:
        """Keep a chat, all that is visible of it, and learn from it; on return both are done. Twice the same changes nothing.

        `own`: it is a story of its own, unless it branches off another chat: then it stays in that one's.
        """
        ...


TakesOf = Callable[[RoleMemory], ChatSink]
"""Who takes the chats of a role."""


def taken(chat: str, path: Sequence[ChatMessage], messages: Sequence[Message]) -> KeptChat:
    """Which version each message became: both lists in one order, what was not kept is missing in the path.

    Looked for from the end, since the path may hold more in front.
    """
    return KeptChat(chat, tuple(reversed(list(_versions(path, messages)))))


def _versions(path: Sequence[ChatMessage], messages: Sequence[Message]) -> Iterator[str]:
    before = len(path)
    for message in reversed(messages):
        at = (
            _place(path, before, message.role, normalize_text(message.content))
            if message.role in VOICES
            else None
        )
        before = before if at is None else at
        yield "" if at is None else path[at].version


def _place(path: Sequence[ChatMessage], before: int, role: str, words: str) -> int | None:
    """Where these words stand last before that place."""
    return next(
        (
            at
            for at in range(before - 1, -1, -1)
            if path[at].role == role and (path[at].raw or path[at].text) == words
        ),
        None,
    )


class EngineSink:
    """The role's own write path: the chat log first, then what it teaches.

    A chat is shown whole at its first look: only then is it known which chat it was branched off.
    """

    def __init__(self, role_memory: RoleMemory) -> None:
        self._role_memory = role_memory

    def observe(
        self,
        messages: Sequence[Message],
        chat: str,
        user: str | None,
        title: str,
        *,
        own: bool = False,
    ) -> KeptChat:
        """See `ChatSink`."""
        kept = self._role_memory.observe(
            messages, chat=chat, user=user, title=title, own_file=True
        ).chat
        info = self._role_memory.chats.info(kept)
        if own and info.chosen is None and not info.branch_of:
            self._role_memory.stories.assign(kept, OWN)
        try:
            self._role_memory.learned()
        except KeyboardInterrupt:
            self._role_memory.learner.leave()
            raise
        return taken(kept, self._role_memory.chats.path(kept), messages)


def by_engine(role_memory: RoleMemory) -> ChatSink:
    """The role takes its chats in itself."""
    return EngineSink(role_memory)
