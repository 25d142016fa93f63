"""What stands in the chats of a role, and which chats share what was learned: looked up once per look."""

from collections.abc import Mapping
from dataclasses import replace

from rolememory.chats import ChatInfo, Chats
from rolememory.chats.values import OWN
from rolememory.errors import UnknownNameError
from rolememory.learn.model.known_memories import Sees
from rolememory.learn.model.progress import Progress


class ChatPaths:
    """The visible versions of every chat, and their kinship."""

    def __init__(self, chats: Chats) -> None:
        self._chats = chats
        self._visible: dict[str, frozenset[str] | None] = {}

    def forget(self) -> None:
        """Look again from now on."""
        self._visible.clear()

    def standing_in(self, chat: str) -> frozenset[str] | None:
        """The versions that are visible in a chat; None where there is no such chat."""
        if chat not in self._visible:
            try:
                self._visible[chat] = frozenset(said.version for said in self._chats.path(chat))
            except (UnknownNameError, KeyError):
                self._visible[chat] = None
        return self._visible[chat]

    def sees_from(self, chat: str = "", user: str | None = None) -> Sees:
        """Whether supports count, as seen from that chat or from none: what whoever reads there, with this user, may hear.

        So a model is shown in one chat nothing that was said to stay in another one, in another story, or among others.
        """
        readers = self._chats.readers(chat, user)
        if not chat and user is None:  # whoever it is for: only what stays in its chat is left out
            readers = replace(readers, users=frozenset())
        return self._chats.visible_from(chat or None, readers=readers).sees

    def family(self, chat: str) -> frozenset[str]:
        """The chats that were forked from the same beginning, this one among them."""
        listed = {one.id: one for one in self._chats.chats()}
        root = _root(chat, listed)
        return frozenset({chat, *(one for one in listed if _root(one, listed) == root)})

    def read_elsewhere(
        self, chat: ChatInfo, missing: set[str], reader: str, progress: Progress
    ) -> set[str]:
        """The versions of a chat that a reader has read in another one, where what it learned counts for this one too.

        A branch shares all it has in common with its family; other chats of the same user and story share what stands in them.
        """
        near = progress.readers_of(missing, reader) - {chat.id} if missing else set()
        if not near:
            return set()
        listed, read = {one.id: one for one in self._chats.chats()}, set[str]()
        for other in near:
            here = missing & progress.read_by(other, reader)
            if not here or _root(other, listed) == _root(chat.id, listed):
                read |= here
            elif other in listed and _share_a_life(listed[other], chat):
                read |= here & (self.standing_in(other) or frozenset())
        return read


def _root(chat: str, listed: Mapping[str, ChatInfo]) -> str:
    """The chat that this one was forked from in the end."""
    seen = set[str]()
    while chat not in seen and chat in listed and (parent := listed[chat].branch_of):
        seen.add(chat)
        chat = parent
    return chat


def _share_a_life(chat: ChatInfo, other: ChatInfo) -> bool:
    """Whether what was learned in one of two chats counts in the other."""
    same = (chat.user, chat.story) == (other.user, other.story)
    return same and _shares(chat) and _shares(other)


def _shares(chat: ChatInfo) -> bool:
    """Whether others see what was learned in it: a chat with a story of its own keeps it."""
    return chat.teaches and chat.story != OWN
