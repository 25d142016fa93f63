"""Writes a chat of another program into a role: the chat log first, then what the chat teaches."""

from collections.abc import Sequence

from rolememory.chats.values import OWN
from rolememory.engine import RoleMemory
from rolememory.schema.message import Message


def keep_chat(
    role_memory: RoleMemory,
    messages: Sequence[Message],
    chat: str,
    user: str | None,
    title: str,
    own: bool = False,
) -> None:
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
