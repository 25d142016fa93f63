"""The shared context of a role's parts: its files, settings and index."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache, partial
from time import monotonic, sleep, thread_time

from rolememory.chats import Chats
from rolememory.chats.forgotten import Forgotten
from rolememory.chats.passages import ChatPassages
from rolememory.chats.pinned import Pinned
from rolememory.engine.shared import HomeContext
from rolememory.errors import RoleMemoryError
from rolememory.inject.fence import strip
from rolememory.learn.commands import chat_commands
from rolememory.recall.candidates import Candidates
from rolememory.recall.index import MemoryIndex
from rolememory.recall.pipeline import RecallPipeline
from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import Memory
from rolememory.schema.role import Role
from rolememory.schema.settings import Settings
from rolememory.schema.value_class import value_class
from rolememory.storage.debouncer import Debouncer
from rolememory.storage.derived import LEAST
from rolememory.storage.files.backup import backup, due
from rolememory.storage.look import DiskLook, Watched, one_look
from rolememory.storage.memories import Edit, RoleStore, Snapshot
from rolememory.text.cancellation import check_cancelled, giving_way
from rolememory.text.clean import OUT_OF_CHARACTER, Cleaner
from rolememory.text.vectors import VectorTable
from rolememory.usage.tracker import Usage

PART = 20  # messages of a long chat, or texts, that are read per step while turns wait
_log = logging.getLogger(__name__)
BETWEEN_S = 0.005  # pause between steps, for turns
KEEP_SHARE = (
    200  # the cache of memories is rewritten at the earliest after so many times its writing time
)
BACKUP_LOOK_S = 3600.0  # between checks whether a backup is due


_scopes = lru_cache(maxsize=256)(chat_commands)
"""The scope commands of a message; cached, since a message is recalled for and then observed."""


@lru_cache(maxsize=8)
def _hearing(cleaner: Cleaner | None) -> Callable[[str], str]:
    heard = cleaner.without(OUT_OF_CHARACTER) if cleaner else None

    def clean(text: str) -> str:
        rest = strip(text)
        return heard.clean(rest) if heard else rest

    return clean


@value_class
class TurnFiles:
    """The file contents that a turn depends on, at one moment."""

    role: Role
    settings: Settings
    hear: Callable[[str], str]  # extracts what people said from a message
    memories: Mapping[str, Memory]
    look: object  # the file check it was read in; files are not checked again within it


class RoleContext:
    """One role's files and what was read from them. `lock`: one turn at a time."""

    def __init__(self, home: HomeContext, role_id: str) -> None:
        self.home = home
        self.id = role_id
        self.space = home.folder.space(role_id)
        self.store = RoleStore(
            self.space, self.settings.storage, busy=lambda: self.pipeline.is_indexing
        )
        self.chats = Chats(
            self.space,
            same=home.people.same,
            links=lambda: home.people.edition,
            living=lambda: self.settings.chats.stories,
            scopes=_scopes,
        )
        self.usage = Usage(
            self.space,
            self.chats,
            self.stored,
            self._speakers,
            lambda: home.pool,
            self._near,
        )
        self.lock = threading.RLock()
        self._catching = 0  # how many read a long chat in steps now
        self._counting = threading.Lock()  # for `_catching`
        self._reader: threading.Thread | None = None  # reads on after a turn
        self._closed = False
        self._keeping = Debouncer(
            self.store.settings.fold_idle_s, self.keep_memories, f"keep {self.space.name}"
        )
        self._kept_for = 0  # the version of the memories last given to the cache
        self._look_for_backup = 0.0  # next check whether one is due, by time.monotonic
        self.begin_recalling()

    def begin_recalling(self) -> None:
        """Reset recall, so that it starts from the current files."""
        self.pipeline = RecallPipeline(
            self.space, self.home.resources, self.settings, self.store.kept
        )
        self.forgotten = Forgotten(self.space)
        self.pinned = Pinned(self.space)
        self.passages = ChatPassages(self.chats, self._speaker, self.forgotten, self.pinned)
        self._asked: Candidates | None = None  # of the last turn
        self._watched: Watched = {}  # checks whether `_turn_files` is current
        self._turn_files: tuple[object, TurnFiles | None] = (
            None,
            None,
        )  # with the file signatures before it was read

    @property
    def role(self) -> Role:
        """The current role.json."""
        return self.home.folder.find(self.id)

    @property
    def settings(self) -> Settings:
        """The current settings of the home, overridden by the role's own."""
        return self.home.settings_of(self.role)

    def stored(self) -> Mapping[str, Memory]:
        """The current memories in the files, by id; does not wait for commands that are still being processed."""
        return self.store.snapshot().memories

    def turn_files(self) -> TurnFiles:
        """The files of a turn: the same object while none changed. Cost then: a signature for each."""
        marks = {place: mark() for place, mark in self._watched.items()}
        known, found = self._turn_files
        if found is None or known != marks:
            found = self._look_at_files()
            if moved := self._watch(found.role):  # other files than before: read them once more
                marks = {place: mark() for place, mark in self._watched.items()}
                found = self._look_at_files()
                moved = self._watch(found.role)
            self._turn_files = marks, None if moved or not self.store.settled else found
        return found

    def _watch(self, role: Role) -> bool:
        """Watch the files that the role depends on; true if they are others than before."""
        known = self._watched
        watched = {**self.home.watched(self.id), **self.store.watched}
        watched |= self.pipeline.watched(role)
        for part in (self.chats.stories, self.forgotten, self.pinned):
            watched |= part.watched
        self._watched = watched
        return watched.keys() != known.keys()

    def _look_at_files(self) -> TurnFiles:
        look = object()
        with one_look(DiskLook(look)):
            self.home.people.follow()
            role = self.role
            settings = self.home.settings_of(role)
            found = self.store.snapshot()
            self._keep_soon(found)
            return TurnFiles(role, settings, self.hearing(settings), found.memories, look)

    def candidates(
        self, memories: Mapping[str, Memory], settings: Settings
    ) -> Mapping[str, Memory]:
        """The candidates of recall: memories and passages; the same object while nothing changed."""
        if settings.recall.passages.recall == "none":
            return memories
        with self.lock:
            passages = self.passages.follow(PART if self._catching else None)
            known = self._asked
            if known is None or not known.are(memories, passages):
                seen = self.store.latest
                written = (seen.changes, seen.mark) if seen.memories is memories else None
                known = self._asked = Candidates(memories, passages, written=written)
        return known

    @contextmanager
    def _in_parts(self) -> Iterator[None]:
        """Within the block, a read of the chats processes one step of the backlog, and no more."""
        with self._counting:
            self._catching += 1
        try:
            yield
        finally:
            with self._counting:
                self._catching -= 1

    @contextmanager
    def catching_up(self) -> Iterator[None]:
        """Within the block, long observed chats do not delay turns: they are read in steps at the end, with turns in between."""
        with self._in_parts():
            yield
            with giving_way():
                while self._read_on():
                    sleep(BETWEEN_S)
                    check_cancelled()

    @contextmanager
    def live_turn(self) -> Iterator[None]:
        """Within the block, a turn reads one step of a backlog, as after an import; the rest is read in the background."""
        with self._in_parts():
            yield
        if self.passages.has_unread and not (self._reader and self._reader.is_alive()):
            self._reader = threading.Thread(
                target=self.catch_up, name="rolememory-read", daemon=True
            )
            self._reader.start()

    def catch_up(self) -> None:
        """Read the backlog in steps. Never raises: the next turn reads on."""
        try:
            with self.catching_up():
                pass
        except (RoleMemoryError, OSError) as error:
            _log.warning("%s: not read yet: %s", self.space.name, error)

    def _read_on(self) -> bool:
        """Read the next step of the backlog; true if there is more."""
        with self.lock:
            self._indexed().read_ahead()
            return self.passages.has_unread and not self._closed

    def keep_up(self) -> None:
        """Read a step of what was written or observed, to save the next turn the work. Never waits, never raises."""
        if not self.pipeline.asked or not self.lock.acquire(blocking=False):
            return
        try:
            with self._in_parts():
                self._indexed().read_ahead(PART)
        except (RoleMemoryError, OSError) as error:
            _log.warning("%s: not read yet: %s", self.space.name, error)
        finally:
            self.lock.release()

    def _indexed(self) -> MemoryIndex:
        """The index of what the files hold now; each is checked once."""
        with one_look(DiskLook()):
            settings = self.settings
            return self.pipeline.follow(self.candidates(self.stored(), settings), settings)

    def vectors(self) -> VectorTable | None:
        """The available vectors of the candidates of recall."""
        candidates = self.candidates(self.stored(), self.settings)
        return self.pipeline.meanings.follow(candidates)

    def keep_vectors(self) -> None:
        """Remove the stored vectors of all that cannot be recalled any more. Raises: NotWrittenError."""
        settings = self.settings
        candidates = self.candidates(self.stored(), settings)
        self.pipeline.keep_vectors(self.role, candidates, settings)

    def hearing(self, settings: Settings) -> Callable[[str], str]:
        """The extractor of what people said in a message, out of character too; the same object while the rules are unchanged."""
        return _hearing(self.home.resources.cleaner(settings))

    def commit(self, edits: Sequence[Edit], actor: str) -> Snapshot:
        """Write in one transaction, after a backup if one is due."""
        self.home.check_open()
        if monotonic() >= self._look_for_backup:
            self._look_for_backup = monotonic() + BACKUP_LOOK_S
            self._backup_when_due()
        found = self.store.commit(edits, actor=actor)
        self._keep_soon(found)
        if len(edits) <= PART:
            self.keep_up()
        return found

    def close(self) -> None:
        """Checkpoint the journal into memory.json and stop background work."""
        self._closed = True
        if self._reader:
            self._reader.join()
        self.usage.close()
        self._keeping.close()
        self.store.close()
        self.keep_memories()
        self.pipeline.close()

    def keep_memories(self) -> bool:
        """Cache the analysis of memories for other processes, if recall has used them and the cache is outdated.

        No turn waits for it. False if it must be retried later.
        """
        self.keep_up()
        began = thread_time()
        done = self.store.keep(partial(self.pipeline.facts, turns=self.lock))
        took = thread_time() - began
        self._keeping.rest_s = max(self.store.settings.fold_idle_s, KEEP_SHARE * took)
        return done

    def _keep_soon(self, found: Snapshot) -> None:
        """Cache these once they stop changing, since a killed process cannot do it at its end."""
        if found.version != self._kept_for and len(found.memories) >= LEAST:
            self._kept_for = found.version
            self._keeping.touch()

    def _backup_when_due(self) -> None:
        folder = self.space.folder  # other storages have their own backups
        if folder and due(folder, self.settings.storage, datetime.now(UTC)):
            backup(folder, self.settings.storage)

    def _speakers(self, chat: str) -> set[str]:
        """The names of the speakers in a chat."""
        role = self.role
        known = self.chats.chat(chat)
        char = self.pipeline.card.character(role).name
        names = (name for _, name in known.speakers)
        return {*role.names, char, known.info.user or "", *names}

    def _near(self, chat: str, versions: Sequence[str], ids: Sequence[str]) -> Mapping[str, float]:
        """The highest cosine of each memory with a passage of these messages, as far as they have vectors."""
        table = self.pipeline.meanings.table
        return table.nearest(ids, list(self.passages.of(chat, versions))) if table else {}

    def _speaker(self, said: ChatMessage) -> str:
        """The name of a message's speaker."""
        if said.role == "assistant":
            return said.name or self.role.name
        return said.name or said.owner or ""
