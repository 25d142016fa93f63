"""Which chats share learned memories, and what may be told there."""

from dataclasses import replace

from rolememory.chats import ChatInfo, Chats
from rolememory.chats.values import OWN
from rolememory.learn.model.known_memories import Sees
from rolememory.learn.model.progress import Progress


def sees_with(chats: Chats, user: str | None) -> Sees:
    """A filter of evidence for conclusions with this user: what every reader may hear.

    So a model is shown nothing that must stay in one chat or group.
    """
    readers = chats.readers(user=user)
    if user is None:  # for any user: only chat-local memories are left out
        readers = replace(readers, users=frozenset())
    return chats.visible_from(None, readers=readers).sees


def read_elsewhere(
    chats: Chats, chat: ChatInfo, missing: set[str], reader: str, progress: Progress
) -> set[str]:
    """The versions of a chat that a reader has read in another chat whose memories count here too.

    A branch shares the common part with its family; other chats of the same user and story share equal messages.
    """
    near = progress.readers_of(missing, reader) - {chat.id} if missing else set()
    if not near:
        return set()
    family, listed = chats.family(chat.id), {one.id: one for one in chats.chats()}
    read = set[str]()
    for other in near:
        here = missing & progress.read_by(other, reader)
        if other in family:
            read |= here
        elif other in listed and _share_a_life(listed[other], chat):
            path = chats.path(other)
            read |= {version for version in here if path.standing(version)}
    return read


def _share_a_life(chat: ChatInfo, other: ChatInfo) -> bool:
    """Whether memories of one of two chats count in the other."""
    same = (chat.user, chat.story) == (other.user, other.story)
    return same and _shares(chat) and _shares(other)


def _shares(chat: ChatInfo) -> bool:
    """Whether its memories count in others: not for a chat with its own story."""
    return chat.teaches and chat.story != OWN
