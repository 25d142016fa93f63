"""What counts, as seen from one chat: which supports of a memory are visible."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise, starmap, takewhile

from rolememory.chats.kinship import Families
from rolememory.chats.presence import Readers
from rolememory.chats.stories import Belonging, Stories
from rolememory.chats.values import Glimpse
from rolememory.chats.visible_path import VisiblePath
from rolememory.schema.memory import Evidence


def moved_by(glimpse: Glimpse, before: VisiblePath) -> frozenset[str]:
    """The versions that stand, or cease to stand, or have other neighbours, as a glimpse shows it; those it adds at the end are new and no matter."""
    entered = {said.version for said in glimpse.entered}
    added = set(takewhile(entered.__contains__, (said.version for said in reversed(glimpse.path))))
    came = {*entered, *(said.version for said in glimpse.returned)} - added
    beside = (
        other.version
        for path, versions in ((before, glimpse.left), (glimpse.path, came))
        for version in versions
        for other in path.beside(version)
    )
    return frozenset({*glimpse.left, *came, *beside}) if glimpse.left or came else frozenset()


@dataclass(frozen=True, slots=True)
class _Line:
    """One path of words that stand, as far as it counts."""

    id: str  # the chat whose path it is
    path: VisiblePath
    until: datetime | None = None  # what was said later does not count

    def holds(self, versions: Sequence[str], adjoining: bool) -> bool:
        """Whether they all stand on it; `adjoining`: with nothing between them."""
        return all(map(self._stands, versions)) and (
            not adjoining or all(starmap(self.path.adjoin, pairwise(versions)))
        )

    def _stands(self, version: str) -> bool:
        said = self.path.standing(version)
        return said is not None and (self.until is None or said.at <= self.until)


class Sight:
    """What counts, as seen from one chat, or from none.

    A support says that certain words stand in a certain chat. In the family of the chat one looks from (all that were forked
    from one beginning), it counts while the words stand on the very path of that chat. Elsewhere it counts while they stand on
    the path of any chat of their family whose story is known here; where that is known only until a fork, they must have been
    told by then. What rests on no chat of ours (an author's memory, an imported one) always counts. A chat that is `off` sees
    nothing learned. From no chat every story is seen, or the one that is given.

    `token` is equal for two sights from which the same supports count, of those that both know: what follows them need not look
    at every memory again. Of two with the same `place`, `moved_since` tells what may differ. `moved` is what a glimpse would
    change (`moved_by`).
    """

    def __init__(
        self,
        families: Families,
        stories: Stories,
        chat: str | None = None,
        path: VisiblePath | None = None,
        branch_of: str = "",
        moved: frozenset[str] = frozenset(),
        readers: Readers | None = None,
        user: str | None = None,
        story: str | None = None,
        off: bool | None = None,
        inside: str = "",
    ) -> None:
        here = families.get(chat) if chat else None
        self.chat = chat
        self._families, self._moved = families, moved
        self.readers = readers
        self.off = here is not None and here.info.mode == "off" if off is None else off
        self._belonging = Belonging(stories, families)
        self.story = self._belonging.of(chat, user, branch_of) if chat else story
        self._reach = None if self.story is None else stories.reach(self.story)
        self._lines: dict[str, tuple[_Line, ...]] = {}  # family -> the paths that count
        if chat:
            own = (
                _Line(here.id, here.path)
                if here and path is None
                else _Line(chat if here else branch_of or chat, path or VisiblePath())
            )
            self._lines[families.root(chat, branch_of)] = (own,)
        alone = not branch_of and (not chat or len(families.of(chat)) < 2)
        asking = here or families.get(inside)
        alone = alone and not (asking and asking.strangers)
        told = (self._belonging.token, self.story)
        asked_in = chat or inside
        self._root = families.root(asked_in) if asked_in else None
        place = (told, self.off, None if alone else asked_in, readers)
        self.token: Hashable = (place, families.disturbed, moved and chat, moved)
        self.place: Hashable = self.token if branch_of else place

    def moved_since(self, before: "Sight") -> frozenset[tuple[str, str]] | None:
        """Chat and version of supports that may count from here and did not from there, or the other way round.

        For two of one place; None where any may. Cost: what moved.
        """
        found = self._families.moved_since(before._families)
        if found is None:
            return None
        moved = {(one.chat or "", each) for one in (before, self) for each in one._moved}
        return frozenset(
            (member, version)
            for chat, version in moved.union(found)
            for member in self._families.ids(chat)
        )

    def sees(self, evidence: Evidence) -> bool:
        """Whether this support counts: its versions, joined by "+", stand on one path, and so does what it rests on besides. Cost: a few look-ups."""
        return self._stands(evidence) and (not evidence.also or all(map(self.sees, evidence.also)))

    def _stands(self, evidence: Evidence) -> bool:
        version = evidence.version
        if not version or self._families.get(evidence.chat) is None:
            return True
        if self.off:
            return False
        root = self._families.root(evidence.chat)
        lines = self._lines.get(root)
        if lines is None:
            lines = self._lines[root] = self._told(evidence.chat)
        each = version.split("+")
        if self.readers is not None and not self._heard(evidence.chat, each):
            return False
        return any(
            line.holds(each, evidence.adjoining)
            and self._families.is_shared(each, line.id, evidence.chat)
            for line in lines
        )

    def knows(self, evidence: Evidence) -> bool:
        """Whether its words are in a chat of ours, so that who was present decides who may hear them."""
        return bool(evidence.version) and self._families.get(evidence.chat) is not None

    def _heard(self, chat: str, versions: Sequence[str]) -> bool:
        """Whether all who read were present when these were said."""
        found, readers = self._families.get(chat), self.readers
        here = self._families.root(chat) == self._root
        there = (found and found.said.get(version) for version in versions)
        return readers is None or all(one and readers.heard(one, here=here) for one in there)

    def _told(self, chat: str) -> tuple[_Line, ...]:
        """The paths of a family that count here: those of every chat whose story is known."""
        told = ((each, self._belonging.of(each.id)) for each in self._families.of(chat))
        known = self._reach
        return tuple(
            _Line(each.id, each.path, known[story] if known is not None else None)
            for each, story in told
            if known is None or story in known
        )
