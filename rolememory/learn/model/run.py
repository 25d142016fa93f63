"""One pass over the chats of a role: due exchanges are read, committed and marked; then chapters, then conclusions.

Not thread-safe: `ExtractionWorker` runs one pass at a time. Errors of one chat or reader do not affect the others.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain

from rolememory.chats import ChatInfo, Chats
from rolememory.errors import ModelAnswerError, RoleMemoryError
from rolememory.learn.model.base import (
    Batch,
    Extractor,
    ExtractorDependencies,
    Factory,
    known_extractors,
)
from rolememory.learn.model.batches import BEFORE, Exchange, batch_of, due, exchanges
from rolememory.learn.model.chapter_writer import ChapterWriter
from rolememory.learn.model.decide import DecideExtractor
from rolememory.learn.model.extract import FactExtractor
from rolememory.learn.model.infer import for_each_user, infer
from rolememory.learn.model.known_memories import Heard, KnownMemories, Near, touching
from rolememory.learn.model.models import model_learns, resolved
from rolememory.learn.model.paths import read_elsewhere, sees_with
from rolememory.learn.model.progress import Progress
from rolememory.learn.model.prompter import StepPrompter
from rolememory.learn.model.prompts import shortened
from rolememory.learn.model.report import Look, NoTimeLeftError
from rolememory.learn.model.scene_states import Scenes
from rolememory.learn.model.scenes import SceneReader
from rolememory.learn.model.unread import Unread, UnreadPart
from rolememory.llm.errors import said_of
from rolememory.llm.servers import ModelServers
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import USER, ChatMessage, Company, Draft
from rolememory.schema.memory import Evidence, MemoriesById, MemoryType, Source
from rolememory.schema.settings import LearnSettings, Settings
from rolememory.schema.value_class import value_class
from rolememory.text.language import language_of

MODEL = "model"
"""The reader that asks a model; others are extractors of other packages, by name. Each reads at its own pace."""

STRIKES = 3
"""So often may an exchange fail, each time while others succeed, before it is left unread."""

_SHOWN_OF_UNREAD = 300  # characters
_NEARLY = 0.99  # tolerated step back of the clock
_log = logging.getLogger(__name__)


@value_class
class ExtractionContext:
    """What an extraction run depends on; every call returns the current value.

    `keep(drafts, actor)` commits drafts; if it raises, the queue stays as it is.
    """

    chats: Chats
    settings: Callable[[], Settings]
    keep: Callable[[Sequence[Draft], str], object]
    memories: Callable[[], MemoriesById]
    company: Callable[[str], Company]
    heard: Heard  # memories that a model may see in a chat
    near: Near  # semantic similarity
    upstreams: ModelServers  # may be shared by the roles of a home
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    @property
    def learn(self) -> LearnSettings:
        """How learning is set now."""
        return resolved(self.settings(), self.upstreams.traffic.model)

    def batch(self, chat: ChatInfo, said: Sequence[ChatMessage], look: Look) -> Batch:
        """A batch of these messages of a chat, all new."""
        return Batch(
            chat=chat.id,
            said=tuple(said),
            fresh=frozenset(one.version for one in said),
            company=self.company(chat.id),
            user=chat.user,
            language=language_of("\n".join(one.text for one in said)),
            haste=look.haste(),
        )


@value_class
class _Reading:
    """A reader in one chat during a pass."""

    name: str  # the key of its progress
    extractor: Extractor
    chat: ChatInfo
    part: UnreadPart
    look: Look


def reads(settings: LearnSettings) -> bool:
    """Whether anything learns in the background: a model, or an extractor of another package.

    >>> reads(LearnSettings())
    False
    """
    return (
        settings.enabled
        and settings.extractor != "rules"
        and (model_learns(settings) or bool(known_extractors()))
    )


def writes_chapters(settings: LearnSettings) -> bool:
    """Whether a model writes chapters."""
    return model_learns(settings) and settings.summarize.enabled


class ExtractionRun:
    """Extracts memories from one role's chats."""

    def __init__(
        self, context: ExtractionContext, ask: StepPrompter, progress: Progress, scenes: Scenes
    ) -> None:
        self._context, self._ask, self.progress = context, ask, progress
        self.spoken_at: dict[
            str, datetime
        ] = {}  # time of the last message by chat, as far as this process knows
        self._readers: dict[Factory, Extractor] = {}
        self.chapters = ChapterWriter(context, ask, progress)
        self.scenes = SceneReader(context, ask, scenes)
        self._told: set[str] = set()
        self._unread = Unread(context.chats)

    def look(self, ids: Iterable[str] | None, look: Look) -> None:
        """Process these chats (None = all).

        Raises:
            NoTimeLeftError: out of time.
        """
        wanted = None if ids is None else set(ids)
        for chat in self._context.chats.chats():
            if chat.teaches and (wanted is None or chat.id in wanted):
                self._read_chat(chat, look)
                if wanted is None and (path := self._context.chats.path(chat.id)):
                    self.spoken_at.setdefault(chat.id, path[-1].at)
        if self._concludes():
            self.quietly(partial(self.conclude, look, users=self.progress.users), look)

    def _concludes(self) -> bool:
        """Whether conclusions are enabled, and enough was said since the last ones. Source: S2.26."""
        learn = self._context.learn
        enough = self.progress.exchanges >= learn.inference_interval
        return enough and learn.inference_enabled and model_learns(learn)

    def conclude(self, look: Look, users: Iterable[str | None] = ()) -> None:
        """Draw conclusions with each of these users, none given = all. Source: S2.23.

        Raises:
            NoTimeLeftError, ModelError, NotWrittenError: the request or commit failed.
        """
        learn, memories = self._context.learn, list(self._context.memories().values())
        for user, mine in for_each_user(memories, users, self._context.chats.same).items():
            sees = sees_with(self._context.chats, user)
            known = KnownMemories({one.id: one for one in mine}, sees)
            drafts = infer(
                self._ask,
                list(filter(known.stands, mine)),
                user,
                learn,
                sees=sees,
                char=self._char(),
                haste=look.haste(),
            )
            if drafts:
                self._context.keep(drafts, "infer")
            look.count(conclusions=_held(drafts))
        self.progress.concluded()

    def waiting(self, chat: ChatInfo, look: Look) -> list[Exchange]:
        """The final exchanges of a chat that the model has not read."""
        part = self._unread.part(MODEL, chat.id)
        return self._due(MODEL, chat, part.said, look) if chat.teaches else []

    def is_idle(self, chat: str, path: Sequence[ChatMessage] = ()) -> bool:
        """Whether the chat is quiet long enough for a partial batch."""
        return self._is_quiet(chat, path, timedelta(minutes=self._context.learn.idle_minutes))

    def _is_quiet(self, chat: str, path: Sequence[ChatMessage], least: timedelta) -> bool:
        last = self.spoken_at.get(chat) or (path[-1].at if path else None)
        return last is not None and self._context.clock() - last >= least * _NEARLY

    def quietly(self, act: Callable[[], None], look: Look, who: str = "") -> None:
        """Run `act`; errors are noted, and logged once, without any text of the chat."""
        try:
            act()
        except NoTimeLeftError:
            raise
        except (
            Exception
        ) as error:  # any error of a server, another package's extractor, or the disk
            told = said_of(error)
            look.note(told)
            if told.text() not in self._told:
                self._told.add(told.text())
                level = logging.INFO if isinstance(error, RoleMemoryError) else logging.WARNING
                _log.log(level, "%snot learned from yet: %s", who, told.text())

    def _read_chat(self, chat: ChatInfo, look: Look) -> None:
        learn = self._context.learn
        for name, factory in _wanted(learn).items():
            read = partial(self._read_by, name, factory, chat, look)
            self.quietly(read, look, "" if name == MODEL else f"extractor {name}: ")
        if writes_chapters(learn):
            self.quietly(partial(self.chapters.write, chat, look), look)
        if model_learns(learn) and self._context.settings().inject.scene:
            quiet = self.is_idle(chat.id)
            self.quietly(partial(self.scenes.look, chat, look, quiet=quiet), look)

    def _reader(self, factory: Factory) -> Extractor:
        """The extractor, cached."""
        if factory not in self._readers:
            self._readers[factory] = factory(
                ExtractorDependencies(lambda: self._context.learn, self._ask)
            )
        return self._readers[factory]

    def _read_by(self, name: str, factory: Factory, chat: ChatInfo, look: Look) -> None:
        """Read full batches, or everything if the chat is quiet."""
        part = self._unread.part(name, chat.id)
        try:
            self._read_batches(_Reading(name, self._reader(factory), chat, part, look))
        finally:
            read = self._read_already(name, chat, part.said)
            self._unread.keep(name, chat.id, part, read)

    def _read_batches(self, it: _Reading) -> None:
        path, well = it.part.said, False
        anyway = it.look.forced or self.is_idle(it.chat.id, path)
        while found := self._due(it.name, it.chat, path, it.look):
            size = self._context.learn.batch_size
            chosen = batch_of(
                found, size, lambda one: sum(self._trouble(it, one)), anyway=anyway, well=well
            )
            if not chosen:
                return
            self._read_these(it, chosen)
            self._give_up(it, [one for one in found if one not in chosen])
            well = True

    def _read_these(self, it: _Reading, chosen: Sequence[Exchange]) -> None:
        """Process a batch: request, commit, and only then mark as read."""
        batch = self._batch(it, chosen)
        try:
            drafts = it.extractor.extract(batch)
        except ModelAnswerError:
            self.progress.failed(it.chat.id, it.name, [one.first for one in chosen])
            raise
        if drafts:
            self._context.keep(drafts, "model")
        name, chat = it.name, it.chat
        mine = len(chosen) if name == MODEL else 0
        self.progress.mark(chat.id, name, batch.fresh, exchanges=mine, user=chat.user)
        it.look.count(read=mine, drafts=_held(drafts))

    def _trouble(self, it: _Reading, one: Exchange) -> tuple[int, int]:
        return self.progress.trouble(it.chat.id, it.name, one.first)

    def _give_up(self, it: _Reading, others: Iterable[Exchange]) -> None:
        """Skip what failed repeatedly while the model answers for others, so that it does not block them."""
        chat = it.chat
        for one in others:
            if self._trouble(it, one)[1] >= STRIKES:
                _log.warning(
                    "chat %s: nothing could be learned from message %d; it is left out",
                    chat.id,
                    it.part.number(one.first),
                )
                self._context.keep([_unread(chat, one)], "model")
                self.progress.mark(chat.id, it.name, [said.version for said in one.said])

    def _batch(self, it: _Reading, chosen: Sequence[Exchange]) -> Batch:
        chat, path = it.chat, it.part.said
        said = tuple(chain.from_iterable(one.said for one in chosen))
        read = self._read_already(it.name, chat, path)
        return replace(
            self._context.batch(chat, said, it.look),
            fresh=frozenset(one.version for one in said) - read,
            before=tuple(path[max(chosen[0].start - BEFORE, 0) : chosen[0].start]),
            known=touching(self._context.heard(chat.id, chat.user), said, self._context.near),
        )

    def _due(
        self, reader: str, chat: ChatInfo, path: Sequence[ChatMessage], look: Look
    ) -> list[Exchange]:
        idle = look.forced or self.is_idle(chat.id, path)
        final = timedelta(seconds=self._context.learn.delay_s)  # then the newest is final too
        return due(
            exchanges(path),
            self._read_already(reader, chat, path),
            last_too=idle or self._is_quiet(chat.id, path, final),
            unanswered=idle,
        )

    def _read_already(self, reader: str, chat: ChatInfo, path: Sequence[ChatMessage]) -> set[str]:
        """The versions this reader has read, here or in chats whose memories count here."""
        versions, read = {said.version for said in path}, self.progress.read_by(chat.id, reader)
        missing = {one for one in versions if one not in read}
        elsewhere = read_elsewhere(self._context.chats, chat, missing, reader, self.progress)
        return (versions - missing) | elsewhere

    def _char(self) -> str:
        first = next(iter(self._context.chats.chats()), None)
        return self._context.company(first.id).role if first else ""


def _unread(chat: ChatInfo, one: Exchange) -> Draft:
    """A skipped exchange as a refused draft: so people see it and may keep its text."""
    return Draft(
        content=shortened(one.said[0].text, _SHOWN_OF_UNREAD),
        type=MemoryType.EPISODIC,
        source=Source.SUMMARY,
        evidence=(Evidence(chat=chat.id, version=one.first),),
        because=Reason("extracted"),
        subject=USER,
        user=chat.user,
        created=one.said[0].at,
        fault=Reason.of("unread", times=STRIKES),
    )


def _held(drafts: Iterable[Draft]) -> int:
    """The number of drafts without a fault."""
    return sum(draft.fault is None for draft in drafts)


def _wanted(learn: LearnSettings) -> Mapping[str, Factory]:
    """The enabled extractors, by the key of their progress."""
    flow: Factory = FactExtractor if learn.flow == "extract" else DecideExtractor
    return {**known_extractors(), **({MODEL: flow} if model_learns(learn) else {})}
