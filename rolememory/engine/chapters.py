"""The chapters of a story, summarised by a model in the background."""

from typing import TYPE_CHECKING

from rolememory.engine.context import RoleContext
from rolememory.engine.inputs import Name, name_of
from rolememory.engine.learning import RoleLearning
from rolememory.engine.memories import RoleMemories
from rolememory.errors import UnknownMemoryError
from rolememory.recall.active_set import standing
from rolememory.schema.memory import Memory
from rolememory.storage.memories import Edit

if TYPE_CHECKING:
    from rolememory.learn.model.report import LearningReport


class RoleChapters:
    """Chapters: memories whose `chapter` has title, time, place and people, and whose evidence is all their messages."""

    def __init__(
        self, context: RoleContext, learning: RoleLearning, memories: RoleMemories
    ) -> None:
        self._context = context
        self._learning = learning
        self._memories = memories

    def chapters(self, chat: Name = "") -> list[Memory]:
        """The current chapters, of one chat or of all, in story order."""
        chat = name_of(chat)
        memories = self._memories.current()
        family = self._context.chats.family(chat) if chat else frozenset[str]()
        told = standing(memories, self._context.chats.visible_from(chat or None))
        gone = {*told.superseded, *told.withdrawn}
        found = [
            one
            for one in memories.values()
            if one.stretch
            and not (one.archived or one.id in gone)
            and (not chat or one.evidence[0].chat in family)
        ]
        return sorted(found, key=lambda one: (str(one.created or ""), one.id))

    def end_chapter(self, chat: Name, title: str = "") -> "LearningReport":
        """End a chapter after the newest message of a chat, and let the model write it now, or later if it fails.

        Raises:
            UnknownChatError: there is no such chat.
            NotWrittenError: the write failed; the chapter did not end.
        """
        self._learning.learned()
        chat = name_of(chat)
        if path := self._context.chats.path(chat):
            self._learning.learner.worker.progress.end(chat, path[-1].version, title.strip())
        return self._learning.learner.worker.chapter(chat)

    def retell(self, *chapter_ids: str, through: str = "") -> "list[LearningReport]":
        """Let the model rewrite chapters; the new one replaces the old one, which is archived.

        `through`: also all chapters of the chat from the last of these ids up to this one, in story order.

        Raises:
            UnknownMemoryError: no chapter has this id, or `through` does not follow it; the model was not called.
        """
        wanted = [self._chapter(one) for one in chapter_ids]
        if through:
            wanted += self._between(wanted[-1], self._chapter(through))
        return [self._rewritten(one) for one in wanted]

    def _between(self, first: Memory, last: Memory) -> list[Memory]:
        """The chapters after the first one, up to the last one."""
        told = self.chapters(first.evidence[0].chat)
        behind = told[told.index(first) + 1 :]
        if last not in (first, *behind):
            raise UnknownMemoryError(last.id, [one.id for one in behind])
        return behind[: behind.index(last) + 1] if last in behind else []

    def _rewritten(self, old: Memory) -> "LearningReport":
        report = self._learning.learner.worker.chapter(old.evidence[0].chat, [old])
        if any(old.id in one.supersedes for one in self._memories.current().values()):
            edit = Edit("set", old.id, {"archived": True}, reason="told again")
            self._context.commit([edit], "model")
        return report

    def _chapter(self, chapter_id: str) -> Memory:
        found = self._memories.current().get(chapter_id)
        if found is None or not found.stretch:
            raise UnknownMemoryError(chapter_id, [one.id for one in self.chapters()])
        return found
