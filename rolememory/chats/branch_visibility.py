"""Which evidence of memories is visible from one chat."""

from collections.abc import Hashable, Sequence
from datetime import datetime
from itertools import pairwise, starmap, takewhile

from rolememory.chats.branches import BranchForest
from rolememory.chats.presence import Audience
from rolememory.chats.stories import Belonging, StoryChoices
from rolememory.chats.transcript import Chat
from rolememory.chats.values import ObservePreview
from rolememory.chats.visible_path import VisiblePath
from rolememory.schema.memory import Evidence
from rolememory.schema.passage import Passage
from rolememory.schema.value_class import value_class


def moved_by(preview: ObservePreview, before: VisiblePath) -> frozenset[str]:
    """The versions that a preview adds, removes or gives other neighbours; those it appends are irrelevant."""
    entered = {said.version for said in preview.entered}
    added = set(takewhile(entered.__contains__, (said.version for said in reversed(preview.path))))
    came = {*entered, *(said.version for said in preview.returned)} - added
    beside = (
        other.version
        for path, versions in ((before, preview.left), (preview.path, came))
        for version in versions
        for other in path.beside(version)
    )
    return frozenset({*preview.left, *came, *beside}) if preview.left or came else frozenset()


@value_class
class _StandingPath:
    """A path of current versions, up to where it counts."""

    id: str  # the chat whose path it is
    path: VisiblePath
    until: datetime | None = None  # later messages do not count

    def holds(self, versions: Sequence[str], adjoining: bool) -> bool:
        """Whether all are on it; `adjoining`: contiguous."""
        return all(map(self._stands, versions)) and (
            not adjoining or all(starmap(self.path.adjoin, pairwise(versions)))
        )

    def _stands(self, version: str) -> bool:
        said = self.path.standing(version)
        return said is not None and (self.until is None or said.at <= self.until)


class BranchVisibility:
    """Which evidence counts, as seen from one chat, or from none.

    Evidence cites messages of a chat. In the family of the viewing chat (all that were forked
    from one beginning), it counts while they are on the path of that chat. Elsewhere it counts while they are on
    the path of any chat of their family whose story is known here; if that is known only until a fork, they must be
    from before. Memories without a chat (authored or imported) always count. A chat that is `off` sees
    nothing learned. From no chat every story is seen, or the one that is given.

    `token` is equal if the same evidence counts, of what both know: then dependents need not check
    every memory again. With equal `place`, `moved_since` returns what may differ. `moved` is what a preview would
    change (`moved_by`).
    """

    def __init__(
        self,
        forest: BranchForest,
        choices: StoryChoices,
        chat: str | None = None,
        path: VisiblePath | None = None,
        branch_of: str = "",
        moved: frozenset[str] = frozenset(),
        readers: Audience | None = None,
        user: str | None = None,
        story: str | None = None,
        off: bool | None = None,
        inside: str = "",
    ) -> None:
        here = forest.chats.get(chat) if chat else None
        self.chat = chat
        self._forest, self._moved = forest, moved
        self.readers = readers
        self.off = here is not None and here.info.mode == "off" if off is None else off
        self._belonging = Belonging(choices, forest)
        self.story = self._belonging.of(chat, user, branch_of) if chat else story
        self._reach = None if self.story is None else choices.reach(self.story)
        self._lines: dict[str, tuple[_StandingPath, ...]] = {}  # family -> the paths that count
        self._unheard: dict[str, bool] = {}  # by chat
        if chat:
            name = chat if here else branch_of or chat
            shown = here.path if here and path is None else path or VisiblePath()
            self._lines[forest.root(chat, branch_of)] = (_StandingPath(name, shown),)
        asked_in = chat or inside
        self._root = forest.root(asked_in) if asked_in else None
        alone = not branch_of and (not chat or len(forest.of(chat)) < 2)
        asking = here or forest.chats.get(inside)
        apart = not alone or (asking is not None and asking.strangers)
        place = ((choices.token, self.story), self.off, asked_in if apart else None, readers)
        self.token: Hashable = (place, forest.edition, moved and chat, moved)
        self.place: Hashable = self.token if branch_of else place

    def moved_since(self, before: "BranchVisibility") -> frozenset[tuple[str, str]] | None:
        """Chat and version of evidence whose visibility may differ from `before`.

        Only for equal places; None if anything may. Cost: what changed.
        """
        found = self._forest.moved_since(before._forest)
        if found is None:
            return None
        moved = {(one.chat or "", each) for one in (before, self) for each in one._moved}
        return frozenset(
            (member, version)
            for chat, version in moved.union(found)
            for member in self._forest.ids(chat)
        )

    def sees(self, evidence: Evidence) -> bool:
        """Whether this evidence counts: its versions, joined by "+", and further evidence are on one path. Cost: a few look-ups."""
        return self._stands(evidence) and (not evidence.also or all(map(self.sees, evidence.also)))

    def _stands(self, evidence: Evidence) -> bool:
        version = evidence.version
        found = self._forest.chats.get(evidence.chat) if version else None
        if found is None:
            return True
        if self.off or self._is_unheard(found):
            return False
        root = self._forest.root(evidence.chat)
        lines = self._lines.get(root)
        if lines is None:
            lines = self._lines[root] = self._told(evidence.chat)
        each = version.split("+")
        if self.readers is not None and not self._heard(evidence.chat, each):
            return False
        return any(
            line.holds(each, evidence.adjoining)
            and self._forest.is_shared(each, line.id, evidence.chat)
            for line in lines
        )

    def knows(self, evidence: Evidence) -> bool:
        """Whether it is in a known chat, so that presence decides who may hear it."""
        return bool(evidence.version) and self._forest.chats.get(evidence.chat) is not None

    def is_later(self, passage: Passage) -> bool:
        """Whether it was said after the viewing moment; an unknown chat began after it, or is gone."""
        found = self._forest.chats.get(passage.evidence[0].chat)
        return found is None or passage.slot >= found.slots

    def _is_unheard(self, chat: Chat) -> bool:
        """Whether some reader was never present in a chat: most users were in few chats. Cost: one look-up."""
        if self.readers is None:
            return False
        known = self._unheard.get(chat.id)
        if known is None:
            known = self._unheard[chat.id] = not self.readers.may_have_heard(chat.heard_by)
        return known

    def _heard(self, chat: str, versions: Sequence[str]) -> bool:
        """Whether all readers were present for these."""
        found, readers = self._forest.chats.get(chat), self.readers
        here = self._forest.root(chat) == self._root
        there = (found and found.told.get(version) for version in versions)
        return readers is None or all(one and readers.heard(one, here=here) for one in there)

    def _told(self, chat: str) -> tuple[_StandingPath, ...]:
        """The visible paths of a family: those of every chat whose story is known."""
        told = ((each, self._belonging.of(each.id)) for each in self._forest.of(chat))
        known = self._reach
        return tuple(
            _StandingPath(each.id, each.path, known[story] if known is not None else None)
            for each, story in told
            if known is None or story in known
        )
