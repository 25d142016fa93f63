"""What counts, as seen from one chat: which supports of a memory are visible."""

from collections.abc import Collection, Hashable, Iterable
from datetime import datetime

from rolememory.schema.learning import Said
from rolememory.schema.memory import Evidence
from rolememory.store.chats.kinship import Families
from rolememory.store.chats.timelines import Timelines
from rolememory.store.chats.transcript import Chat
from rolememory.store.chats.values import ChatInfo


def timeline_of(info: ChatInfo) -> str:
    """The name of the timeline a chat tells in: its own one where it has one to itself, which no other timeline can be called."""
    return f"\0{info.id}" if info.mode == "own" else info.timeline


class Sight:
    """What counts, as seen from one chat, or from none.

    A support says that certain words stand in a certain chat. In the family of the chat one looks from (all that were forked
    from one beginning), it counts while the words stand on the very path of that chat. Elsewhere it counts while they stand on
    the path of any chat of their family whose timeline is known here, and were told before the fork where the timeline is known until a fork
    only. What rests on no chat of ours (an author's memory, an imported one) always counts. A chat that is `off` sees nothing learned.

    `token` is equal for two sights from which the same supports count, of those that both know: what follows them need not look
    at every memory again. `moved` tells what a glimpse would change: versions that left or returned.
    """

    def __init__(
        self,
        families: Families,
        timelines: Timelines,
        chat: str | None = None,
        path: Iterable[Said] | None = None,
        branch_of: str = "",
        moved: Hashable = (),
    ) -> None:
        here = families.chats.get(chat) if chat else None
        self.chat = chat
        self._families = families
        self._off = here is not None and here.info.mode == "off"
        self._root = families.root(chat, branch_of) if chat else None
        self._own: Collection[str] = here.standing if here and path is None else frozenset(said.version for said in path or ())
        timeline = timeline_of(here.info) if here else ""
        self._reach = timelines.reach(timeline)
        alone = len(families.of(chat)) < 2 and not branch_of if chat else True
        self.token: Hashable = (families.disturbed, timelines.mark, timeline, self._off, None if alone else chat, moved)

    def sees(self, evidence: Evidence) -> bool:
        """Whether this support counts: every version of it, joined by "+", is visible."""
        if not evidence.version or evidence.chat not in self._families.chats:
            return True
        if self._off:
            return False
        versions = evidence.version.split("+")
        if self._families.root(evidence.chat) == self._root:
            return all(version in self._own for version in versions)
        return any(self._told_in(chat, versions) for chat in self._families.of(evidence.chat))

    def _told_in(self, chat: Chat, versions: Iterable[str]) -> bool:
        timeline = timeline_of(chat.info)
        if timeline not in self._reach:
            return False
        until = self._reach[timeline]
        return all(version in chat.standing and _before(chat.said[version].at, until) for version in versions)


def _before(at: datetime, until: datetime | None) -> bool:
    return until is None or at <= until
