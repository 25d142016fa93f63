"""What every side of a role's memory stands on: its files, its index, its write path."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from rolememory.chats import Chats, Stories
from rolememory.chats.forgotten import Forgotten
from rolememory.chats.passages import ChatPassages
from rolememory.chats.pinned import Pinned
from rolememory.engine.said import counted
from rolememory.errors import FileError, UnknownChatError, UnknownMemoryError
from rolememory.inject.fence import strip
from rolememory.learn.model.scene_states import Scenes
from rolememory.learn.usage import Usage
from rolememory.recall.candidates import Candidates
from rolememory.recall.recollection import Recollection
from rolememory.schema.learning import Said as ChatMessage
from rolememory.schema.learning import ScopeCommand
from rolememory.schema.memory import Memory, Source
from rolememory.schema.passage import Passage
from rolememory.schema.role import Character, Role
from rolememory.schema.settings import Settings
from rolememory.storage.memories import Edit, RoleStore, Snapshot
from rolememory.storage.oddities import still_odd
from rolememory.storage.state import StateFile
from rolememory.text.clean import OUT_OF_CHARACTER
from rolememory.text.sentences import Span

if TYPE_CHECKING:
    from rolememory.learn.learner import Learner
    from rolememory.storage.problem import Problem

if TYPE_CHECKING:
    from rolememory.engine.home import Home

PATIENT_S = (
    10.0  # who asks for the memories themselves waits for commands, unless something is very wrong
)
BACKUP_LOOK_S = 3600.0  # between two looks whether a backup is due


@lru_cache(maxsize=256)
def _scopes(text: str) -> Sequence[ScopeCommand]:
    """The commands of a message to the memory of its chat: what is recalled for and then observed is read once."""
    from rolememory.learn.commands import chat_commands

    return chat_commands(text)


class Mind:
    """One role's parts, made once. Thread-safe, one turn at a time."""

    def __init__(self, home: "Home", role_id: str) -> None:
        self.home, self.id = home, role_id
        self.space = home.folder.space(role_id)
        settings = home.settings_of(self.role)
        self.store = RoleStore(self.space, settings.storage)
        self.chats = Chats(
            self.space,
            same=home.people.same,
            links=lambda: home.people.edition,
            names=self._own_names,
            living=lambda: self.settings.chats.stories,
            scopes=_scopes,
        )
        self._usage = Usage(
            self.space,
            self.chats,
            lambda: self.store.snapshot().memories,
            self._speakers,
            lambda: home.pool,
        )
        self._tended = StateFile(self.space, "tended")
        self._upgraded = StateFile(self.space, "upgraded")  # from which forms of memories it came
        self._looked = float(
            "-inf"
        )  # when this process last asked whether upkeep is due, by time.monotonic
        self._learner: Learner | None = None
        self._lock = threading.RLock()
        self._begin_recalling()
        self._scenes = Scenes(self.space)
        self._look_for_backup = 0.0  # from when on to ask whether one is due, by time.monotonic

    def _begin_recalling(self) -> None:
        """Recall from what the files hold now, and from nothing that was read before."""
        self._recollection = Recollection(self.space, self.home.surroundings, self.settings)
        self._forgotten = Forgotten(self.space)
        self._pinned = Pinned(self.space)
        self._passages = ChatPassages(self.chats, self._speaker, self._forgotten, self._pinned)
        self._asked: Candidates | None = None  # of the last turn

    @property
    def stories(self) -> Stories:
        """Which chats know of one another."""
        return self.chats.stories

    @property
    def folder(self) -> Path:
        """The role's folder, for what is done to files alone. Raises: NoFolderError."""
        return self.home.folder.folder(self.id)

    @property
    def role(self) -> Role:
        """role.json as it stands now."""
        return self.home.folder.find(self.id)

    @property
    def settings(self) -> Settings:
        """The settings of the home with the role's own on top, as they stand now."""
        return self.home.settings_of(self.role)

    @property
    def memories(self) -> Mapping[str, Memory]:
        """Every memory by id, archived ones too, as the files have them now, with what was asked in all that was observed."""
        self.learned(PATIENT_S)
        return self.store.snapshot().memories

    def problems(self) -> "list[Problem | FileError]":
        """What is wrong with the role's files as they stand, each with its `text(language)`: role.json, settings, memories, chats, books."""
        role, books = self.role, self._recollection.books
        with self._lock:
            books.index(role.worldbooks, self.settings.lore)
        return [
            *(one for one in self.home.folder.problems() if self.id in str(one.file)),
            *self.home.mistakes_of(role),
            *still_odd(self.store.snapshot().problems, self.home.lexicons.current()),
            *self.chats.problems,
            *(FileError(at, told.removeprefix(f"{at}: ")) for at, told in books.problems.items()),
        ]

    def __repr__(self) -> str:
        memories, chats = self.store.snapshot().memories, self.chats.chats(archived=True)
        told = counted(len(memories), "memory", "memories"), counted(len(chats), "chat")
        return f"<RoleMemory {self.role.name}: {', '.join(told)}>"

    @property
    def turns(self) -> int:
        """How many user turns the timeline has had: the story's clock."""
        return self._recollection.chats.clock.turn

    def learned(self, timeout: float | None = None) -> bool:
        """Wait until every command observed so far is obeyed; false when that takes longer."""
        return self._learner.settle(timeout) if self._learner else True

    @property
    def learner(self) -> "Learner":
        """The write path of this role; made when it is first needed."""
        if self._learner is None:
            from rolememory.learn.learner import Learner, Needs
            from rolememory.storage.review import Review

            with self._lock:
                needs = Needs(
                    settings=lambda: self.settings,
                    role=lambda: self.role,
                    lexicon=self.home.lexicons.current,
                    clean=self._clean,
                    card_texts=self._card_texts,
                    pool=self.home.pool,
                    commit=self._commit,
                    templates=self.home.surroundings.templates,
                    upstreams=self.home.upstreams,
                    forget_said=self._forget_said,
                    prompted=self._usage.uses.held,
                    near=self._near,
                )
                self._learner = Learner(
                    self.space, self.store, self.chats, Review(self.space), needs
                )
        return self._learner

    def as_character(self, user: str | None = None) -> Character:
        """The texts of the role's card, else its name alone."""
        return self._recollection.card.character(self.role, user)

    def close(self) -> None:
        """Finish what is being learned, fold the journal into memory.json and stop background work."""
        if self._learner:
            self._learner.close()
        self._usage.close()
        self._recollection.close()
        self.store.close()

    def _clean(self, text: str) -> str:
        """What people said in a message, out of character too: no word of anybody's is lost."""
        cleaner, rest = self.home.surroundings.cleaner(self.settings), strip(text)
        return cleaner.without(OUT_OF_CHARACTER).clean(rest) if cleaner else rest

    def _own_names(self) -> tuple[str, ...]:
        return (self.role.name, *self.role.aliases)

    def _speakers(self, chat: str) -> set[str]:
        """The names of those who speak in a chat."""
        role, char = self.role, self._recollection.card.character(self.role).name
        return {
            role.name,
            *role.aliases,
            char,
            self.chats.info(chat).user or "",
            *(name for _, name in self.chats.speakers(chat)),
        }

    def _near(self, texts: Sequence[str], ids: Sequence[str]) -> Mapping[str, float]:
        """How near in meaning the nearest of these texts is to each memory that has its vector; nothing without a model."""
        table, asked = self._recollection.meanings.table, map(self.home.queries, texts)
        found = [table.similarities(one) for one in asked if one is not None] if table else []
        rows = table.rows(ids) if table else ()
        near = zip(ids, rows, strict=True) if found else ()
        return {one: float(max(row_of[row] for row_of in found)) for one, row in near if row >= 0}

    def _speaker(self, said: ChatMessage) -> str:
        """The name of who said a message."""
        if said.role == "assistant":
            return said.name or self.role.name
        return said.name or said.owner or ""

    def _forget_said(self, words: str, user: str | None) -> None:
        """Let what was said of this be recalled no more, the order to forget it among it."""
        from rolememory.learn.forgetting import meant

        with self._lock:
            found = meant(words, self._passages.follow(), user, self.chats.same)
            self._forgotten.add(one for one in found if isinstance(one, Passage))

    def _card_texts(self) -> list[str]:
        """What the character is told by its card anyway."""
        return self._recollection.card.texts(self.role)

    def _orders(self, memories: Iterable[Memory]) -> Iterator[tuple[str, Span]]:
        """Where these were asked for: version and place in the message."""
        from rolememory.learn.forgetting import order

        proofs = (
            each for memory in memories for one in memory.evidence for each in (one, *one.also)
        )
        for proof in proofs:
            version = proof.version.rpartition("+")[2]
            with suppress(UnknownChatError, FileError):
                said = self.chats.versions(proof.chat).get(version)
                if said and (place := order(said, proof.quote)):
                    yield version, place

    def _forget_orders(self, gone: Iterable[Memory]) -> None:
        """Let the sentences that asked for these be recalled no more; what else their messages say can be."""
        with self._lock:
            self._forgotten.add_parts(self._orders(gone))

    def _decline(self, gone: Sequence[Memory]) -> None:
        """What was learned and a person takes away is not learned again."""
        if learned := [
            memory.id for memory in gone if memory.evidence or memory.source is Source.INFERENCE
        ]:
            self.learner.keeper.review.decline(learned)

    def _commit(self, edits: Sequence[Edit], actor: str) -> Snapshot:
        """Write, after a backup where one is due."""
        self.home.check_open()
        if monotonic() >= self._look_for_backup:
            self._look_for_backup = monotonic() + BACKUP_LOOK_S
            self._backup_when_due()
        return self.store.commit(edits, actor=actor)

    def _backup_when_due(self) -> None:
        from rolememory.storage.files.backup import backup, due

        folder = self.space.folder  # another storage has backups of its own
        if folder and due(folder, self.settings.storage, datetime.now(UTC)):
            backup(folder, self.settings.storage)

    def _known(self, memory_id: str) -> str:
        memories = self.memories
        if memory_id not in memories:
            raise UnknownMemoryError(memory_id, memories)
        return memory_id
