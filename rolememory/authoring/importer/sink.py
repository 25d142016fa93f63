"""Writes a chat of another program into a role: the chat log first, then what the chat teaches."""

from collections.abc import Iterator, Sequence

from rolememory.chats.normalize import VOICES, normalize_text
from rolememory.chats.values import OWN
from rolememory.engine import RoleMemory
from rolememory.schema.learning import ChatMessage
from rolememory.schema.message import Message
from rolememory.schema.value_class import value_class


@value_class
class KeptChat:
    """A chat as it was kept: its id, and the version of every message that was given, in their order ("" = not kept)."""

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
    """Write all visible messages of a chat and learn from them; on return both are done. Twice the same changes nothing.

    `own`: the chat is a story of its own, unless it branches off another chat: then it stays in that one's story. All messages
    are given at once, since only then is it known which chat it was branched off.
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
    """Which version each message became: both lists in one order; what was not kept is missing in the path.

    Searches from the end, since the path may hold older messages in front.
    """
    return KeptChat(chat, tuple(reversed(list(_versions(path, messages)))))


def _versions(path: Sequence[ChatMessage], messages: Sequence[Message]) -> Iterator[str]:
    """The versions of the messages, the last one first."""
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
