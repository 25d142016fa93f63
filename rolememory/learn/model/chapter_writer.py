"""Writes the chapters of a role's chats, each committed separately, and the story so far from them.

What is covered follows from the memories: a stretch that has a chapter is never summarized again, whatever happened since.
Cost of a pass: the messages since the last chapter; the whole chat if it changed before that, and once per process.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

from rolememory.chats import ChatInfo, VisiblePath
from rolememory.errors import ModelAnswerError
from rolememory.learn.model.chapters import (
    APART,
    FOLDED,
    FORMER,
    Cutting,
    Stretch,
    due,
    ends_of,
    fold,
    in_window,
    parts_of,
    tell,
    widens,
)
from rolememory.learn.model.progress import Progress
from rolememory.learn.model.prompter import StepPrompter
from rolememory.learn.model.report import Look
from rolememory.locales import LocalizedText
from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import Evidence, MemoriesById, Memory

if TYPE_CHECKING:
    from rolememory.learn.model.run import ExtractionContext

READER = "chapters"  # the name under which progress is kept
STRIKES = 3  # failures of a stretch, while others succeed, before it is skipped
NOT_KEPT = LocalizedText(
    "the model's text was not kept: it was refused, was there before, or the chat changed meanwhile"
)
_log = logging.getLogger(__name__)


class ChatChapters:
    """The chapters that count in one chat."""

    def __init__(
        self,
        path: VisiblePath,
        chapters: Mapping[str, Sequence[Memory]],
        family: frozenset[str],
    ) -> None:
        """`chapters`: by version, of all chats."""
        self.path, self._chapters, self._family = path, chapters, family
        self._stands: dict[str, bool] = {}

    def of(self, said: ChatMessage) -> Memory | None:
        """The chapter covering a message, if all its messages are here, contiguous; an archived one only if there is no other."""
        mine = (
            one
            for one in self._chapters.get(said.version, ())
            if one.evidence[0].chat in self._family and self._stand(one)
        )
        return min(mine, key=lambda one: one.archived, default=None)

    def runs(self, *, whole: bool) -> Iterator[tuple[list[ChatMessage], bool]]:
        """Runs without a chapter, last first, and whether a chapter follows; `whole`: not only the last run."""
        run, closed = list[ChatMessage](), False
        for said in reversed(self.path):
            if self.of(said) is None:
                run.append(said)
                continue
            if run:
                yield run[::-1], closed
            if not whole:
                return
            run, closed = [], True
        if run:
            yield run[::-1], closed

    def before(self, said: ChatMessage) -> Iterator[Memory]:
        """The chapters before a message, last first."""
        seen, place = set[str](), self.path.find(said.version)
        for at in range((place or 0) - 1, -1, -1):
            one = self.of(self.path[at])
            if one is not None and not one.archived and one.id not in seen:
                seen.add(one.id)
                yield one

    def said(self, chapter: Memory) -> Sequence[ChatMessage]:
        """The messages of a chapter, where they are here."""
        versions = chapter.stretch
        place = self.path.find(versions[0])
        return () if place is None else self.path[place : place + len(versions)]

    def _stand(self, chapter: Memory) -> bool:
        if chapter.id not in self._stands:
            here = [one.version for one in self.said(chapter)]
            self._stands[chapter.id] = here == list(chapter.stretch)
        return self._stands[chapter.id]


class ChapterWriter:
    """Writes chapters. Not thread-safe: one pass at a time."""

    def __init__(self, context: "ExtractionContext", ask: StepPrompter, progress: Progress) -> None:
        self._context, self._ask, self._progress = context, ask, progress
        self._looked: dict[
            str, int
        ] = {}  # chats that were scanned as a whole, with their state then
        self._refused: dict[
            str, set[str]
        ] = {}  # by chat: starts of stretches that the filter refused, not retried soon
        self._unfolded: set[str] = set()  # chats whose story so far may be outdated
        self._known: tuple[MemoriesById, Mapping[str, Sequence[Memory]]] = ({}, {})

    def write(self, chat: ChatInfo, look: Look) -> None:
        """Write every due chapter of a chat, then the story so far; each is committed before the next.

        Raises:
            ModelError, NotWrittenError: the rest failed; it is retried later.
        """
        moves = self._context.chats.chat(chat.id).moves
        whole = look.forced or self._looked.get(chat.id) != moves
        if look.forced or not look.patient:
            self._refused.pop(chat.id, None)
        self._write_due(chat, look, moves, whole=whole)
        if whole:
            self._looked[chat.id] = moves
            self._unfolded.add(chat.id)
        while chat.id in self._unfolded and self._fold(chat, look):
            look.count(summaries=1)
        self._unfolded.discard(chat.id)

    def _write_due(self, chat: ChatInfo, look: Look, moves: int, *, whole: bool) -> None:
        """Write every due chapter; the first invalid answer is skipped and raised at the end, a second one aborts."""
        refused = self._refused.setdefault(chat.id, set())
        hard = self._progress.given_up(chat.id, READER, STRIKES)
        tried, failed = set[str](), list[ModelAnswerError]()
        while stretch := self._next(chat, {*tried, *refused, *hard}, whole=whole):
            tried.add(stretch.first)
            try:
                kept = self._write(chat, stretch, look)
            except ModelAnswerError as error:
                self._progress.failed(chat.id, READER, [stretch.first])
                failed.append(error)
                if len(failed) > 1:
                    raise
                continue
            look.count(summaries=int(kept))
            self._after(chat, stretch, kept=kept)
        self._looked.setdefault(chat.id, moves)
        if failed:
            raise failed[0]

    def _after(self, chat: ChatInfo, stretch: Stretch, *, kept: bool) -> None:
        """After a success, refused stretches are retried."""
        refused = self._refused[chat.id]
        if not kept:
            refused.add(stretch.first)
            return
        self._unfolded.add(chat.id)
        if refused:
            refused.clear()
            self._looked[chat.id] = -1

    def again(self, chat: ChatInfo, chapter: Memory, look: Look) -> None:
        """Rewrite a chapter; the new one replaces the old one.

        Raises:
            ModelError, NotWrittenError: it failed; the old one stays.
        """
        said = tuple(self._told(chat).said(chapter))
        if [one.version for one in said] == list(chapter.stretch):
            kept = self._write(chat, Stretch(said), look, again=chapter.id)
            self._unfolded.add(chat.id)
            look.count(summaries=int(kept))

    def _next(self, chat: ChatInfo, tried: Collection[str], *, whole: bool) -> Stretch | None:
        """The oldest stretch that is due."""
        settings, told = self._context.settings(), self._told(chat)
        cutting = Cutting(
            self._progress.ends(chat.id),
            frozenset(self._done(chat)),
            settings.learn.summarize.trigger_tokens,
            settings.memory.compression_threshold,
        )
        seen = in_window(told.path, settings.memory)
        for run, closed in [*told.runs(whole=whole)][::-1]:
            for stretch in due(run, seen, closed=closed, cutting=cutting):
                if stretch.first not in tried:
                    return stretch
        return None

    def _done(self, chat: ChatInfo) -> Iterator[str]:
        """Stretches whose chapter somebody removed."""
        known = self._by_version()
        for key in tuple(self._progress.read_by(chat.id, READER)):
            first, _, last = key.partition("+")
            if last and all(ends_of(one.stretch) != key for one in known.get(first, ())):
                yield key

    def _write(self, chat: ChatInfo, stretch: Stretch, look: Look, again: str = "") -> bool:
        """Request and commit a chapter; false if it was refused."""
        told = self._told(chat)
        before = told.before(stretch.said[0])
        fitting = (one for one in before if not widens(told.said(one), stretch.said))
        former = list(islice(fitting, FORMER))
        draft = tell(
            self._ask, stretch, former[::-1], self._context.batch(chat, stretch.said, look), again
        )
        self._context.keep([draft], "model")
        now = self._told(chat).of(stretch.said[0])
        kept = now is not None and now.id != again
        if kept:
            self._progress.mark(chat.id, READER, [stretch.key, stretch.first])
        elif not again:
            self._progress.failed(chat.id, READER, [stretch.first])
        if not (kept or look.patient):
            look.note(NOT_KEPT)
        return kept

    def _fold(self, chat: ChatInfo, look: Look) -> bool:
        """Merge the oldest chapters into the story so far, if there are enough; whether it was done."""
        told = self._told(chat)
        fitting = {one.id: one for one in _fitting(told)}
        former = self._story_of(told, fitting.keys())
        parts = parts_of(former)
        left = [one for one in fitting.values() if one.id not in parts]
        if len(left) < FOLDED + APART:
            return False
        fresh = left[:FOLDED]
        batch = self._context.batch(chat, [*chain.from_iterable(map(told.said, fresh))], look)
        chosen = (*(fitting[part] for part in parts), *fresh)
        rests = [version for one in chosen for version in _telling(told.said(one))]
        proof = Evidence(chat=chat.id, version="+".join(rests))
        draft = fold(self._ask, former, fresh, batch, proof)
        self._context.keep([draft], "model")
        return any(draft.content == one.content for one in self._stories(self._told(chat)))

    def _story_of(self, told: ChatChapters, chapters: Collection[str]) -> Memory | None:
        """The story so far with most of these chapters and no others."""
        ours = (one for one in self._stories(told) if {*chapters}.issuperset(parts_of(one)))
        return max(ours, key=lambda one: len(parts_of(one)), default=None)

    def _stories(self, told: ChatChapters) -> Iterator[Memory]:
        here = {one.id for one in filter(None, map(told.of, told.path)) if not one.archived}
        for one in self._context.memories().values():
            parts = parts_of(one)
            if parts and not one.archived and here.issuperset(parts):
                yield one

    def _told(self, chat: ChatInfo) -> ChatChapters:
        chats = self._context.chats
        return ChatChapters(chats.path(chat.id), self._by_version(), chats.family(chat.id))

    def _by_version(self) -> Mapping[str, Sequence[Memory]]:
        """The chapters that were not rewritten, by each version they cover. Cost: O(memories) if one changed."""
        memories = self._context.memories()
        if self._known[0] is not memories:
            self._known = memories, _by_version(memories.values())
        return self._known[1]


def _by_version(memories: Iterable[Memory]) -> Mapping[str, Sequence[Memory]]:
    found = defaultdict[str, list[Memory]](list)
    chapters = [one for one in memories if one.stretch]
    replaced = {old for one in chapters for old in one.supersedes if not one.archived}
    for one in chapters:
        for version in one.stretch if one.id not in replaced else ():
            found[version].append(one)
    return found


def _fitting(told: ChatChapters) -> list[Memory]:
    """The chapters that all readers of the newest one may see, oldest first."""
    chapters = list(told.before(told.path[-1]))[::-1] if told.path else []
    newest = told.said(chapters[-1]) if chapters else ()
    return [one for one in chapters if not widens(told.said(one), newest)]


def _telling(said: Sequence[ChatMessage]) -> list[str]:
    """Versions that cover all participants: the first, the last, and one of each speaker."""
    first = {(one.role, one.owner): one.version for one in reversed(said)}
    return list(dict.fromkeys((said[0].version, *first.values(), said[-1].version)))
