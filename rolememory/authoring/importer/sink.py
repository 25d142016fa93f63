"""Writes an imported chat into a role: the chat log first, then learning."""

from collections.abc import Iterator, Sequence

from rolememory.chats.normalize import VOICES, normalize_text
from rolememory.chats.values import OWN
from rolememory.engine import RoleMemory
from rolememory.schema.learning import ChatMessage
from rolememory.schema.message import Message
from rolememory.schema.value_class import value_class


@value_class
class KeptChat:
    """A stored chat: its id, and the version of every given message, in order ("" = not stored)."""

    chat: str
    versions: tuple[str, ...]


def keep_chat(
    role_memory: RoleMemory,
    messages: Sequence[Message],
    chat: str,
    user: str | None,
    title: str,
    own: bool = False,
) -> KeptChat:
    """Store a chat's visible messages and learn from them; returns when both are done. Idempotent.

    `own`: the chat is its own story, unless it branches off another chat: then it stays in that one's. All messages
    are given at once, which is needed to detect its parent chat.
    """
    kept = role_memory.observe(messages, chat=chat, user=user, title=title, own_file=True).chat
    info = role_memory.chats.info(kept)
    if own and info.chosen is None and not info.branch_of:
        role_memory.stories.assign(kept, OWN)
    try:
        role_memory.learned()
    except KeyboardInterrupt:
        role_memory.learner.leave()
        raise
    return taken(kept, role_memory.chats.path(kept), messages)


def taken(chat: str, path: Sequence[ChatMessage], messages: Sequence[Message]) -> KeptChat:
    """The version of each message: both lists have the same order; messages not stored are missing in the path.

    Searches from the end, since the path may hold older messages in front.
    """
    return KeptChat(chat, tuple(reversed(list(_versions(path, messages)))))


def _versions(path: Sequence[ChatMessage], messages: Sequence[Message]) -> Iterator[str]:
    """The versions of the messages, last first."""
    before = len(path)
    for message in reversed(messages):
        words = normalize_text(message.content)
        for at in range(before - 1, -1, -1) if message.role in VOICES else ():
            if path[at].role == message.role and (path[at].raw or path[at].text) == words:
                before = at
                yield path[at].version
                break
        else:
            yield ""
