"""What counts, as seen from one chat: which supports of a memory are visible."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

from rolememory.schema.learning import Said
from rolememory.schema.memory import Evidence
from rolememory.store.chats.kinship import Families
from rolememory.store.chats.timelines import Timelines
from rolememory.store.chats.transcript import Chat
from rolememory.store.chats.values import ChatInfo


def timeline_of(info: ChatInfo) -> str:
    """The name of the timeline a chat tells in: its own one where it has one to itself, which no other timeline can be called."""
    return f"\0{info.id}" if info.mode == "own" else info.timeline


class Line(Protocol):
    """One path of words that stand."""

    @property
    def id(self) -> str:
        """The chat whose path it is."""
        ...

    @property
    def standing(self) -> frozenset[str]:
        """Its versions."""
        ...

    @property
    def neighbours(self) -> frozenset[tuple[str, str]]:
        """Each version with the one behind it."""
        ...


@dataclass(frozen=True)
class _Path:
    """A path that is no chat's own: a glimpse, or a chat until some moment."""

    id: str
    versions: Sequence[str]

    @cached_property
    def standing(self) -> frozenset[str]:
        return frozenset(self.versions)

    @cached_property
    def neighbours(self) -> frozenset[tuple[str, str]]:
        return frozenset(pairwise(self.versions))


class Sight:
    """What counts, as seen from one chat, or from none.

    A support says that certain words stand in a certain chat. In the family of the chat one looks from (all that were forked
    from one beginning), it counts while the words stand on the very path of that chat. Elsewhere it counts while they stand on
    the path of any chat of their family whose timeline is known here; where that is known only until a fork, they must have been
    told by then. What rests on no chat of ours (an author's memory, an imported one) always counts. A chat that is `off` sees
    nothing learned.

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
        moved: tuple[object, ...] = (),
    ) -> None:
        here = families.chats.get(chat) if chat else None
        self.chat = chat
        self._families = families
        self._off = here is not None and here.info.mode == "off"
        timeline = timeline_of(here.info) if here else ""
        self._reach = timelines.reach(timeline)
        self._lines: dict[str, tuple[Line, ...]] = {}  # family -> the paths that count
        if chat:
            own: Line = here if here and path is None else _Path(chat if here else branch_of or chat, [said.version for said in path or ()])
            self._lines[families.root(chat, branch_of)] = (own,)
        alone = not moved and not branch_of and (not chat or len(families.of(chat)) < 2)
        self.token: Hashable = (families.disturbed, timelines.mark, timeline, self._off, None if alone else chat, moved)

    def sees(self, evidence: Evidence) -> bool:
        """Whether this support counts: its versions, joined by "+", stand on one path, and so does what it rests on besides. Cost: a few look-ups."""
        return self._stands(evidence) and (not evidence.also or all(map(self.sees, evidence.also)))

    def _stands(self, evidence: Evidence) -> bool:
        version = evidence.version
        if not version or evidence.chat not in self._families.chats:
            return True
        if self._off:
            return False
        root = self._families.root(evidence.chat)
        lines = self._lines.get(root)
        if lines is None:
            lines = self._lines[root] = self._told(evidence.chat)
        each = version.split("+")
        return any(_holds(line, each, evidence.adjoining) and self._families.is_shared(each, line.id, evidence.chat) for line in lines)

    def _told(self, chat: str) -> tuple[Line, ...]:
        """The paths of a family that count here: those of every chat whose timeline is known."""
        return tuple(self._told_in(each) for each in self._families.of(chat) if timeline_of(each.info) in self._reach)

    def _told_in(self, chat: Chat) -> Line:
        until = self._reach[timeline_of(chat.info)]
        return chat if until is None else _Path(chat.id, [said.version for said in chat.path if said.at <= until])


def _holds(line: Line, versions: Sequence[str], adjoining: bool) -> bool:
    """Whether they all stand on it; `adjoining`: with nothing between them."""
    return line.neighbours.issuperset(pairwise(versions)) if adjoining and len(versions) > 1 else line.standing.issuperset(versions)
