"""Learns memories from the chat log; the log is the durable write, everything else is derived from it.

    chat log -> commands (at once, on a thread), a model (later) -> gate -> verdicts -> journal

Chats are never blocked: nothing here happens before the log is on disk. `settle` waits for results.
"""

import logging
import threading
from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence, Set
from concurrent.futures import Executor, Future
from dataclasses import replace
from datetime import datetime

from rolememory.chats import Chats, VisiblePath
from rolememory.chats.transcript import Chat
from rolememory.errors import RoleMemoryError, UnknownChatError
from rolememory.inject.environment import Templates
from rolememory.learn.admission import AdmissionFilter
from rolememory.learn.commands import Command
from rolememory.learn.cursor import Cursors
from rolememory.learn.draft_committer import Commit, DraftCommitter
from rolememory.learn.forgetting import meant
from rolememory.learn.memory_requests import MessageContext, memory_requests
from rolememory.learn.model.known_memories import KnownMemories, Near
from rolememory.learn.model.run import ExtractionContext
from rolememory.learn.model.worker import ExtractionWorker
from rolememory.llm.servers import ModelServers
from rolememory.schema.learning import ChatMessage, Company, Draft, Learned, Observed
from rolememory.schema.memory import Source
from rolememory.schema.role import Role
from rolememory.schema.settings import Settings
from rolememory.schema.value_class import value_class
from rolememory.storage.look import DiskLook, one_look
from rolememory.storage.memories import Edit, RoleStore
from rolememory.storage.port import Space
from rolememory.storage.review import Review
from rolememory.text.affect_lexicon import Lexicon

_NEAR = 12  # messages before a correction whose memories it may refer to
_LONG = 500  # messages at once that count as many
_AT_ONCE = 48  # messages processed and committed together; a run can stop between such parts

_log = logging.getLogger(__name__)


@value_class
class LearnerDependencies:
    """What a learner depends on; every call returns the current value."""

    settings: Callable[[], Settings]
    role: Callable[[], Role]
    lexicon: Callable[[], Lexicon | None]
    card_texts: Callable[[], Sequence[str]]  # texts that are always in the prompt
    pool: Executor  # with one thread
    commit: Commit
    templates: Templates
    upstreams: ModelServers  # shared by the roles of a home
    forget_said: Callable[[str, str | None], None]  # what was said about it is no longer recalled
    prompted: Callable[[str, str], Sequence[str]]  # ids of memories in the prompt of a turn
    near: Near  # semantic similarity of memories to texts


class Learner:
    """Obeys memory commands, lets models extract the rest. Thread-safe."""

    def __init__(
        self,
        space: Space,
        store: RoleStore,
        chats: Chats,
        review: Review,
        needs: LearnerDependencies,
    ) -> None:
        self.chats, self._store, self._needs = chats, store, needs
        self.keeper = DraftCommitter(store, needs.commit, review, self._said, self._prompted)
        context = ExtractionContext(
            chats,
            needs.settings,
            self.keep,
            lambda: store.snapshot().memories,
            self.company,
            self._heard,
            near=needs.near,
            upstreams=needs.upstreams,
        )
        self.worker = ExtractionWorker(space, context, needs.templates)
        self._cursors = Cursors(space)
        self._due: dict[str, None] = {}
        self._failed: dict[str, str] = {}  # why learning failed last time, by chat
        self._left: dict[
            str, set[str]
        ] = {}  # by chat: removed versions whose successors were not processed
        self._work: Future[None] | None = None
        self._lock = threading.Lock()
        self._taking = threading.Lock()
        self._leaving = threading.Event()
        self.long = False  # whether the current run takes long
        self._listeners: list[Callable[[str, Learned], None]] = []

    def catch_up(self) -> None:
        """Learn what an earlier process left unread."""
        for chat in self.unread():
            self.due(chat)

    def unread(self) -> list[str]:
        """The chats with unread messages."""
        ids = [info.id for info in self.chats.chats(archived=True)]
        return [chat for chat in ids if self._cursors.of(chat) < self.chats.chat(chat).mark]

    def noticed(self, seen: Observed) -> None:
        """Schedule learning of a chat's new messages, and withdraw what was learned from removed ones."""
        if seen.entered or seen.returned or seen.left:
            with self._lock:
                self._left.setdefault(seen.chat, set()).update(seen.left)
            self.due(seen.chat)

    def due(self, chat: str) -> None:
        """Schedule learning of a chat's new messages on another thread."""
        with self._lock:
            self._due |= dict.fromkeys((chat, *self._failed))
            if self._work is None or self._work.done():
                self._work = self._needs.pool.submit(self._catch_up)

    def settle(self, timeout: float | None = None) -> bool:
        """Wait until every command observed so far is obeyed; false on timeout."""
        work = self._work
        if work is None or work.done():
            return True
        try:
            work.result(timeout)
        except TimeoutError:
            return False
        return True

    def leave(self) -> None:
        """Stop reading. A running pass ends soon; the rest is read at the next start."""
        self._leaving.set()

    def on_learned(self, listener: Callable[[str, Learned], None]) -> Callable[[], None]:
        """Call back with (chat, what was learned) after every pass; the result unsubscribes."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def keep(self, drafts: Sequence[Draft], actor: str, chat: str = "") -> Learned:
        """Commit drafts from any source: filter, verdicts, one transaction."""
        learned = Learned()
        if drafts:
            role = self._needs.role()
            gate = AdmissionFilter(self._needs.card_texts(), names=role.names)
            learned = self.keeper.keep(drafts, gate, actor)
        for listener in tuple(self._listeners):
            listener(chat, learned)
        return learned

    def company(self, chat: str) -> Company:
        """The participants of this chat."""
        return self._company(self.chats.chat(chat))

    def _company(self, chat: Chat) -> Company:
        role = self._needs.role()
        own = {*role.names, ""}
        others = {name for voice, name in chat.speakers if voice == "assistant"} - own
        return Company(role.name, role.aliases, chat.info.user or "", tuple(sorted(others)))

    def drop(self, chats: Collection[str]) -> None:
        """Forget removed chats."""
        with self._lock:
            self._cursors.drop(chats)

    def forget(self, chats: Collection[str], renamed: Mapping[str, str]) -> None:
        """Forget these chats and rename others."""
        self._cursors.forget(chats, renamed)

    def close(self) -> None:
        """Finish running work and write pending state; open model requests stay in the queue."""
        self.worker.close()
        self.settle()
        self._cursors.close()

    def _catch_up(self) -> None:
        while True:
            with self._lock:
                chat = next(iter(self._due), None)
                if chat is None or self._leaving.is_set():
                    self._work = None
                    return
                del self._due[chat]
            self._quietly(chat)

    def _quietly(self, chat: str) -> None:
        """Learn from a chat; a failure is logged once, and the next turn in any chat tries again from the same cursor."""
        why = ""
        try:
            with self._taking:
                self._take(chat)
                self.long = False
        except (RoleMemoryError, OSError) as error:
            why = "" if isinstance(error, UnknownChatError) else str(error)  # or it was removed
        except Exception:  # on any error the chat goes on, and the cursor stays
            _log.exception("chat %r: not learned from yet", chat)
        with self._lock:
            before = self._failed.pop(chat, "")
            self._failed |= {chat: why} if why else {}
        if why and why != before:
            _log.warning("chat %r: not learned from yet: %s", chat, why)

    def _take(self, chat: str) -> None:
        with self._lock:
            left = frozenset(self._left.get(chat, ()))  # before the pass: later ones wait
        with one_look(DiskLook()):
            known = self.chats.chat(chat)
            news, mark = known.since(self._cursors.of(chat))
            teaches = self._needs.settings().learn.enabled and known.info.teaches
            if teaches and not self._look_at(known, news, left):
                return
        self._taken(known, mark, left)
        if teaches:
            self.worker.touch(chat)

    def _look_at(self, known: Chat, news: Sequence[ChatMessage], left: Set[str]) -> bool:
        """Learn from new messages and from those with a new predecessor; false if stopped early."""
        path = known.worded
        fresh = {said.version for said in news}
        ready = sorted(place for place in map(path.find, fresh) if place is not None)
        gone = [known.told[one].at for one in left if one in known.told]
        again = _answers(path, fresh, gone, ready)
        places = [one for one in sorted((*ready, *again)) if path[one].scope != "off"]
        self.long = len(places) > _LONG
        for start in range(0, max(len(places), 1), _AT_ONCE):
            if self._leaving.is_set():
                return False
            self._read(known, places[start : start + _AT_ONCE], set(again))
        return True

    def _taken(self, chat: Chat, mark: int, left: Set[str]) -> None:
        """Move the cursor, unless the chat was removed or rewritten meanwhile: then it is read from its beginning."""
        with self._lock:
            if self.chats.chat(chat.id).order is chat.order:
                self._cursors.move(chat.id, mark)
            self._left[chat.id] = self._left.get(chat.id, set()) - left
            if not self._left[chat.id]:
                del self._left[chat.id]

    def _read(self, chat: Chat, places: Sequence[int], again: Container[int]) -> None:
        path, company, lexicon = chat.worded, self._company(chat), self._needs.lexicon()
        drafts: list[Draft] = []
        forget: list[tuple[Command, str | None]] = []
        for place in places:
            user, before = _user_at(path, place), _before(path, place)
            told = replace(company, user=user or "")
            near = tuple(one.version for one in path[max(place - _NEAR, 0) : place])
            found = memory_requests(
                path[place], MessageContext(chat.id, told, user, before, near, lexicon)
            )
            drafts += found.drafts
            if place not in again:  # a command is obeyed once
                forget += [(command, user) for command in found.forget]
        self.keep(drafts, "user", chat.id)
        for command, user in forget:
            self._forget(command, user)

    def _forget(self, command: Command, user: str | None) -> None:
        """Archive what a person asked to forget: learned memories, their own and shared ones."""
        found = meant(command.content, self._store.snapshot().memories, user, self.chats.same)
        edits = [
            Edit("set", one.id, {"archived": True}, reason=f"asked: {command.quote[:120]}")
            for one in found
        ]
        if edits:
            self._needs.commit(edits, "user")
        self._needs.forget_said(command.content, user)

    def _heard(self, chat: str, user: str | None) -> KnownMemories:
        """The memories visible in a chat that all its readers may hear, since a model may repeat them."""
        memories = self._store.snapshot().memories
        readers = self.chats.readers(chat, user)
        visibility = self.chats.visible_from(chat, readers=readers, user=user)
        return KnownMemories(
            memories,
            visibility.sees,
            lambda one: one.user is None or readers.are(one.user),
        )

    def _said(self, chat: str, version: str) -> str:
        said = self.chats.versions(chat).get(version)
        return said.text if said else ""

    def _prompted(self, draft: Draft) -> Iterator[str]:
        """The ids of memories in the prompt of the reply a draft is based on; user messages are no echo."""
        for one in draft.evidence if draft.source is not Source.USER_INPUT else ():
            path = self.chats.path(one.chat)
            places = map(path.find, one.versions)
            last = max((place for place in places if place is not None), default=None)
            if last is None or path[last].role == "user":
                continue
            if before := _asked_before(path, last):
                yield from self._needs.prompted(one.chat, before.version)


def _before(path: Sequence[ChatMessage], place: int) -> ChatMessage | None:
    """The message before that place, if in the same memory scope."""
    before = path[place - 1] if place else None
    return before if before and before.scope in ("on", path[place].scope) else None


def _asked_before(path: VisiblePath, place: int) -> ChatMessage | None:
    """The user message that a reply answers."""
    return next((path[at] for at in range(place - 1, -1, -1) if path[at].role == "user"), None)


def _user_at(path: Sequence[ChatMessage], place: int) -> str | None:
    """The user who wrote the message there, or whom it answers; None if unnamed or unknown."""
    spoken = (path[at] for at in range(place, -1, -1) if path[at].role == "user")
    return next((said.owner for said in spoken), None) or None


def _answers(
    path: VisiblePath, fresh: set[str], gone: Sequence[datetime], ready: Sequence[int]
) -> list[int]:
    """The places of user messages read before that have a new predecessor."""
    behind = {place + 1 for place in map(path.find, fresh) if place is not None}
    behind |= {
        bisect_right(path, at, key=lambda said: said.at) for at in gone
    }  # times are ascending along a path
    return sorted(
        place for place in behind - set(ready) if place < len(path) and path[place].role == "user"
    )
