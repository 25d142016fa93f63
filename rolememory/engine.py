"""Home and RoleMemory: scene in, evidence, choice, words out.

    home = Home.open("memories")
    mira = home.role("mira")
    turn = mira.recall([Message.user("Why is the beacon dark?")])
    mira.remember("The beacon failed in the storm of 1887.", keys=["beacon", "storm"])

Reading: `recall` and `search` take the newest snapshot of the files, bring the index up to date by what differs, and ask.
Writing: every change is one durable line in the journal before the call returns; memory.json follows by itself.
"""

import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, reduce, wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from rolememory.errors import InvalidValueError, RoleMemoryError, UnknownMemoryError
from rolememory.inject.environment import Templates
from rolememory.inject.fence import OPEN, strip
from rolememory.inject.styles import Styles
from rolememory.learn.tend import ACTOR, Retirement, Upkeep, archived_because, due, retire, revived
from rolememory.learn.usage import Usage
from rolememory.learn.weights import adjusted, archived, core, weight
from rolememory.recall.associates import NOBODY, Circle, Other, partners
from rolememory.recall.explain import with_setting
from rolememory.recall.fit import once
from rolememory.recall.lexicons import Lexicons
from rolememory.recall.recollection import Recollection, Request, Surroundings
from rolememory.recall.standing import counts
from rolememory.recall.stats import MemoryStats, stats_of
from rolememory.recall.turn import Turn
from rolememory.schema.evidence import Scored
from rolememory.schema.learning import Observed
from rolememory.schema.memory import Memory, MemoryType, Source, readable_id
from rolememory.schema.message import Message
from rolememory.schema.role import Association, Character, Role
from rolememory.schema.settings import PerType, Settings
from rolememory.store.chats import Chats
from rolememory.store.home import HomeFolder
from rolememory.store.memories import Edit, HistoryLine, RoleStore, Snapshot
from rolememory.store.settings import SettingsFile
from rolememory.store.state import StateFile
from rolememory.text.clean import cleaner_for
from rolememory.text.embed.base import Embedder
from rolememory.text.embed.ladder import Loader, load
from rolememory.text.embed.queries import QueryVectors

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from rolememory.learn.learner import Learner
    from rolememory.learn.model.upstreams import Upstreams
    from rolememory.store.backup import Restored
    from rolememory.store.erase import Erased
    from rolememory.store.exchange import Imported, Prefer
    from rolememory.store.review import Waiting
    from rolememory.store.watch import Changed, Watch

Said = Message | Mapping[str, Any] | str
"""A message as frontends send it: ours, an OpenAI dict, or plain user text."""


ROLE_MEMORY_HEADING = "## 角色记忆"


@dataclass(frozen=True, slots=True)
class MemoryContent:
    """What `process_message_with_memory` gives: the text for the system prompt with its heading, and the turn behind it."""

    full_content: str
    turn: Turn


class Home:
    """A folder of roles; one `Home` shares model, settings and templates among all of them. Thread-safe.

    `settings` override the file for this process, nested or dotted: `{"recall.max_items": 3}`.
    """

    def __init__(self, path: Path | str, settings: Mapping[str, Any] | None = None, embedder: Embedder | None = None) -> None:
        self.folder = HomeFolder(path)
        self.path = self.folder.path
        self._file = SettingsFile(self.path, settings)
        self.loader = Loader(self.settings.embedding, load=(lambda _: embedder) if embedder else load)
        self.queries = QueryVectors(self.loader.get)
        self.lexicons = Lexicons(self.path / "lexicons")
        templates = Templates(self.path / "templates")
        self.surroundings = Surroundings(
            self.loader,
            self.queries,
            templates,
            Styles(templates),
            cleaner=lambda wanted: cleaner_for(wanted.clean, self.path / "cleaning.json"),
            lexicon=self.lexicons.current,
            shared_books=self.path / "worldbooks",
        )
        self._roles: dict[str, RoleMemory] = {}
        self._lock = threading.RLock()
        self._pool: ThreadPoolExecutor | None = None

    @classmethod
    def open(cls, path: Path | str, settings: Mapping[str, Any] | None = None, embedder: Embedder | None = None) -> Self:
        """Open a home folder; it is made when it is not there. `embedder` stands in for the model that the settings name.

        Raises:
            SettingsError: rolememory.toml cannot be read as it stands.
        """
        home = cls(path, settings, embedder)
        home.path.mkdir(parents=True, exist_ok=True)
        return home

    @property
    def settings(self) -> Settings:
        """The settings of the home as they stand now."""
        return self._file.current().settings

    def settings_of(self, role: Role) -> Settings:
        """The settings with the role's own on top."""
        return self._file.current(role.settings, f"{role.id}/role.json").settings

    def roles(self) -> list[Role]:
        """Every role of the home, by name."""
        return self.folder.roles()

    def role(self, name: str) -> "RoleMemory":
        """The role with this UUID, name or alias; the same object every time.

        Raises:
            UnknownRoleError, AmbiguousNameError: nobody or more than one answers to it.
        """
        role = self.folder.find(name)
        with self._lock:
            if role.id not in self._roles:
                self._roles[role.id] = RoleMemory(self, role.id)
            return self._roles[role.id]

    def create(self, name: str, **fields: Any) -> "RoleMemory":
        """A new role with a folder of its own; `fields` as in role.json (`id`, `aliases`, ...)."""
        return self.role(self.folder.create(name, **fields).id)

    def bring(
        self, document: Mapping[str, Any], *, into: str | None = None, prefer: "Prefer" = "theirs", dry_run: bool = False
    ) -> "Imported":
        """Bring in a role that `RoleMemory.export` wrote, as a new role or into one that is there, memory by memory."""
        from rolememory.store.exchange import import_role

        return import_role(self.folder, document, into=into, prefer=prefer, dry_run=dry_run)

    def forget(self, user: str) -> "dict[str, Erased]":
        """Remove everything of one person from every role, by the role's id. Raises: as `RoleMemory.forget`."""
        return {role.id: self.role(role.id).forget(user) for role in self.roles()}

    def preload(self, *names: str) -> None:
        """Read roles (all of them without names) and begin to load the model, on a thread; the first turn finds them ready."""
        wanted = names or tuple(role.id for role in self.roles())
        threading.Thread(target=self._preload, args=(wanted,), name="rolememory-preload", daemon=True).start()

    def _preload(self, names: Sequence[str]) -> None:
        self.loader.start()
        for name in names:
            self.role(name).recall([], dry_run=True)

    def watch(self, on_change: "Callable[[Changed], None]") -> "Watch":
        """Be told of every edit from outside, by role and kind of file, within a second. Use it as a context manager."""
        from rolememory.store.watch import Watch

        return Watch(self.path, on_change, self.settings.storage)

    def process_message_with_memory(self, role_uuid: str, last_message: Said, history: Sequence[Said]) -> "MemoryContent":
        """The call of the world-book design: append a blank line and `full_content` to the system prompt when it is not empty. Source: S1.35."""
        turn = self.role(role_uuid).recall([*history, last_message])
        return MemoryContent(f"{ROLE_MEMORY_HEADING}\n\n{turn.text}" if turn.text else "", turn)

    @cached_property
    def upstreams(self) -> "Upstreams":
        """The model servers that learning asks, with their breakers: one dead server is not found dead by each role."""
        from rolememory.learn.model.upstreams import Upstreams

        return Upstreams()

    @property
    def pool(self) -> "ThreadPoolExecutor":
        """The one thread on which rules learn, for all roles; what it was given is done before the process ends."""
        from concurrent.futures import ThreadPoolExecutor

        with self._lock:
            self._pool = self._pool or ThreadPoolExecutor(1, "rolememory-learn")
            return self._pool

    def close(self) -> None:
        """Finish what is being learned, fold journals, stop background work."""
        with self._lock:
            roles = list(self._roles.values())
            self._roles.clear()
        for role in roles:
            role.close()
        if self._pool:
            self._pool.shutdown()
            self._pool = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class RoleMemory:
    """What one role remembers. Made by `Home.role`; thread-safe, one turn at a time."""

    def __init__(self, home: Home, role_id: str) -> None:
        self.home, self.id = home, role_id
        self.folder = home.folder.folder(role_id)
        settings = home.settings_of(self.role)
        self.store = RoleStore(self.folder, settings.storage)
        self.chats = Chats(self.folder)
        self._usage = Usage(self.folder, self.chats, lambda: self.store.snapshot().memories, self._speakers, lambda: home.pool)
        self._tended = StateFile(self.folder / "state" / "tended.json")
        self._learner: Learner | None = None
        self._recollection = Recollection(self.folder, home.surroundings, settings)
        self._lock = threading.RLock()
        self._backed_up = False  # in this process, or found not to be due

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
        """Every memory by id, archived ones too, as the files have them now, with what was learned from all that was observed."""
        self.learned(_PATIENT_S)
        return self.store.snapshot().memories

    @property
    def turns(self) -> int:
        """How many user turns the timeline has had: the story's clock."""
        return self._recollection.chats.clock.turn

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────

    def recall(
        self,
        messages: Sequence[Said],
        *,
        chat: str = "",
        user: str | None = None,
        character: Character | None = None,
        now: datetime | None = None,
        dry_run: bool = False,
        unseen: int | None = None,
        lore: bool = True,
        settings: Mapping[str, Any] | None = None,
    ) -> Turn:
        """What the character remembers on this turn, as words in their place among the messages.

        `messages` is the whole visible chat, oldest first; `unseen` messages before them were cut off by the frontend
        (None: found out from the turns before, by `chat`). Blocks of ours that came back among them are taken out.
        What was learned from messages that were edited, swiped away or told in another branch is not heard.
        `dry_run` looks without counting the turn; `lore=False` leaves lorebooks to the frontend. `settings`: dotted keys
        that hold for this turn alone, e.g. `{"budget.max_total_length": 800}`.

        Raises:
            KeyError, ValueError: such a key is not known, or its value does not fit.
        """
        rules = reduce(lambda rules, key: with_setting(rules, *key), (settings or {}).items(), self.settings)
        said = heard(messages)
        self.learned(_RULES_S)
        glimpse = self.chats.glimpse(said, chat=chat, user=user, clean=self._clean)
        sight = self.chats.visible_from(chat, glimpse)
        memories = self.store.snapshot().memories
        request = Request(
            said,
            glimpse.chat or chat,
            user,
            character,
            now,
            dry_run,
            unseen,
            sight=sight,
            lore=lore,
            effects=self._usage.effects(sight, memories),
            circle=self._circle(),
        )
        with self._lock:
            turn = self._recollection.recall(self.role, memories, rules, request)
        if not dry_run:
            self._usage.prompted(glimpse.chat, glimpse.path, [one.memory.id for one in turn.recalled])
        self.home.loader.start()  # only now: a library that is being imported would hold the first answer up
        return turn

    def search(self, query: str, *, limit: int = 10, user: str | None = None, now: datetime | None = None) -> list[Scored]:
        """The memories nearest to a query, best first: the ranker of `recall` with its thresholds off."""
        self.learned(_RULES_S)
        sight = self.chats.visible_from(None)
        request = Request((Message.user(query),), user=user, now=now, dry_run=True, wanted=limit, sight=sight)
        with self._lock:
            return once(self._recollection.search(self.role, self.store.snapshot().memories, self.settings, request), limit)

    def ready(self, timeout: float | None = None) -> bool:
        """Wait until the model is loaded and every memory has its vector; false without a model."""
        return self._recollection.meanings.ready(self.memories, timeout)

    @property
    def embedded(self) -> int:
        """How many memories have their vectors by now."""
        return len(self._recollection.meanings.table or ())

    # ── learning ─────────────────────────────────────────────────────────────────────────────────────────────────

    def observe(
        self,
        messages: Sequence[Said],
        reply: Said | None = None,
        *,
        chat: str = "",
        user: str | None = None,
        now: datetime | None = None,
        title: str | None = None,
    ) -> Observed:
        """Take in what was said: the whole visible chat, oldest first, the character's reply last or apart.

        One durable write: on return it survives a power cut. What is to be remembered of it is found by itself, at once by rules,
        later by a model where one is set; `learned` waits for the rules. Saying the same again changes nothing; a swipe, an
        edit or a deletion takes back what was learned from the words that went.

        Raises:
            NotWrittenError: the disk refused; nothing changed.
        """
        said = [*heard(messages), *((_reply(reply),) if reply is not None else ())]
        seen = self.learner.observe(said, chat=chat, user=user, at=now, title=title)
        if seen.entered or seen.returned:
            self._usage.replied(seen.chat)
        return seen

    def learned(self, timeout: float | None = None) -> bool:
        """Wait until the rules have read everything observed so far; false when that takes longer."""
        return self._learner.settle(timeout) if self._learner else True

    @property
    def learner(self) -> "Learner":
        """The write path of this role; made when it is first needed."""
        if self._learner is None:
            from rolememory.learn.learner import Learner, Needs
            from rolememory.store.review import Review

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
                )
                self._learner = Learner(self.folder, self.store, self.chats, Review(self.folder), needs)
        return self._learner

    def as_character(self, user: str | None = None) -> Character:
        """The texts of the role's card, else its name alone."""
        return self._recollection.card.character(self.role, user)

    def _clean(self, text: str) -> str:
        """What is story in a message; one that is nothing but words out of character is kept as it is, since no word of anybody's is lost."""
        cleaner, rest = self.home.surroundings.cleaner(self.settings), strip(text)
        story = cleaner.clean(rest) if cleaner else rest
        return story if story.strip() or rest.lstrip().startswith("<") else rest

    def _speakers(self, chat: str) -> set[str]:
        """The names of those who speak in a chat."""
        role, char = self.role, self._recollection.card.character(self.role).name
        return {role.name, *role.aliases, char, self.chats.info(chat).user or "", *(said.name for said in self.chats.path(chat))}

    def _card_texts(self) -> list[str]:
        """What the character is told by its card anyway."""
        return self._recollection.card.texts(self.role)

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────

    def remember(self, content: str, type: str = "episodic", **fields: Any) -> Memory:  # noqa: A002  # the field's own name
        """Write one memory; it is durable when this returns. `fields` as in memory.json (`keys`, `user`, `emotions`, ...)."""
        return self.remember_all([{"content": content, "type": type, **fields}])[0]

    def remember_all(self, memories: Iterable[Mapping[str, Any]], *, actor: str = "author", reason: str = "") -> list[Memory]:
        """Write many memories at once, all or none.

        Raises:
            InvalidValueError: a field is out of bounds; nothing was written.
            ReadOnlyRoleError, NotWrittenError: the file is broken or the disk refused; nothing was written.
        """
        with self._lock:
            known = self.memories
            edits: list[Edit] = []
            for raw in memories:
                kind = MemoryType(raw.get("type") or MemoryType.EPISODIC)
                dated = {} if kind is MemoryType.TRAIT else {"created": datetime.now(UTC)}  # what one is like has no day
                fields = {name: value for name, value in {**dated, **raw}.items() if name != "type"}
                memory_id = str(fields.pop("id", "")) or readable_id(str(fields.get("content", "")), {*known, *(edit.id for edit in edits)})
                edits.append(Edit("add", memory_id, fields, kind, reason))
            after = self._commit(edits, actor=actor)
            self._keep_limits()
        return [after.memories[edit.id] for edit in edits]

    def edit(self, memory_id: str, *, actor: str = "author", reason: str = "", **fields: Any) -> Memory:
        """Change fields of one memory.

        Raises:
            UnknownMemoryError: there is none with this id.
        """
        self._known(memory_id)
        return self._commit([Edit("set", memory_id, fields, reason=reason)], actor=actor).memories[memory_id]

    def archive(self, *memory_ids: str, reason: str = "") -> None:
        """Take memories out of recall; they stay in the file and can be brought back with `edit(id, archived=False)`."""
        self._commit([Edit("set", self._known(one), {"archived": True}, reason=reason) for one in memory_ids], actor="author")

    def delete(self, *memory_ids: str, reason: str = "") -> None:
        """Remove memories; `undo` brings them back. What was learned is not learned again."""
        gone = [self.memories[self._known(one)] for one in memory_ids]
        self._commit([Edit("remove", self._known(one), {}, reason=reason) for one in memory_ids], actor="author")
        self._decline(gone)

    def clean(self, now: datetime | None = None, *, dry_run: bool = False) -> list[Retirement]:
        """Archive what expired, wore out, was merged away, lost its messages or outgrew its limit; never deletes. Returns what and why.

        What an earlier `clean` archived and what counts again comes back. Source: S4.15, S4.30.
        """
        now, settings, memories, sight = now or datetime.now(UTC), self.settings, self.memories, self.chats.visible_from(None)

        def counted(memory: Memory) -> bool:
            return counts(memory, sight)

        seen = Upkeep.of(self._tended.load()).looked(memories.values(), now, counted)
        gone = retire(
            memories.values(),
            now,
            below_weight=settings.memory.archive_threshold,
            limits=settings.storage.max_memories,
            effects=self._usage.effects(sight, memories),
            counts=counted,
            gone=seen.gone,
        )
        if not dry_run:
            self._retire(gone)
            self._revive(revived(memories, archived_because(self.history()), counted))
            self._usage.uses.prune(self.memories)
            self._tended.save(seen.to_json())
        return gone

    def tend(self, now: datetime | None = None) -> list[Retirement]:
        """`clean`, if the last one was a day ago or there was none."""
        at = now or datetime.now(UTC)
        return self.clean(at) if due(Upkeep.of(self._tended.load()).last, at) else []

    def used(self, memory_id: str, query: str, *, chat: str = "", referenced: bool = True) -> float:
        """Tell by hand that a reply to this query used a memory, or passed it over; the weight it then has. Source: S4.13.

        Replies that `observe` sees need not be told.
        """
        self._usage.uses.record(self._known(memory_id), chat, query, referenced, datetime.now(UTC))
        memories = self.memories
        return weight(memories[memory_id], self._usage.effects(self.chats.visible_from(None), memories))

    def reweigh(self, memory_id: str, delta: float) -> Memory:
        """Make a memory heavier or lighter for good, within 0..2. Source: S4.14."""
        return self._commit([adjusted(self.memories[self._known(memory_id)], delta)], actor="author").memories[memory_id]

    def core(self, min_weight: float = 1.2) -> list[Memory]:
        """The memories that weigh at least so much with their use, heaviest first. Source: S4.16."""
        memories = self.memories
        return core(memories.values(), min_weight, self._usage.effects(self.chats.visible_from(None), memories))

    def archived(self) -> list[Memory]:
        """What was put away, newest first. Source: S4.17."""
        return archived(self.memories.values())

    def associate(self, other: str, factor: float = 0.5) -> Role:
        """Let what that role remembers be heard here, each score multiplied by `factor`, once its own side names this role too; 0 ends it.

        Raises:
            UnknownRoleError, AmbiguousNameError: nobody or more than one answers to the name.
            InvalidValueError: the factor is not within 0..1.
        """
        if not 0.0 <= factor <= 1.0:
            raise InvalidValueError(f"expected a factor from 0 to 1, got {factor}", zh=f"系数应在 0 到 1 之间，却是 {factor}")
        named, mine = self.home.folder.find(other), self.role
        rest = [one for one in mine.associates if one.role not in (named.id, named.name, *named.aliases)]
        added = [Association(role=named.id, factor=factor)] if factor else []
        return self.home.folder.update(mine.model_copy(update={"associates": (*rest, *added)}))

    def undo(self, txn: str | None = None) -> None:
        """Take back the newest change, or that of this transaction (`history` names them). What was learned and is taken back stays away."""
        before = self.memories
        after = self.store.undo(txn).memories
        self._decline([memory for memory_id, memory in before.items() if memory_id not in after])

    def waiting(self) -> "list[Waiting]":
        """What was learned and waits for a person's word, oldest first."""
        self.learned()
        return self.learner.keeper.review.waiting()

    def accept(self, waiting_id: str, **mended: Any) -> Memory:
        """Let what waits become a memory, as it is or mended (`content`, `keys`, ...).

        Raises:
            UnknownNameError: nothing of that id waits.
        """
        return self.learner.keeper.accept(waiting_id, mended)

    def reject(self, *waiting_ids: str) -> None:
        """Send away what waits, for good: it is not learned again.

        Raises:
            UnknownNameError: nothing of that id waits.
        """
        for waiting_id in waiting_ids:
            self.learner.keeper.review.drop(waiting_id)

    def forget(self, user: str) -> "Erased":
        """Remove everything of one person: memories, chats, history, backups, what waits, uses, vectors.

        Raises:
            ReadOnlyRoleError: memory.json is broken, so nobody can tell what is whose; nothing was changed.
            NotWrittenError: the disk refused; do it again, what is gone stays gone.
        """
        from rolememory.learn.oblivion import forget

        self.learned()
        with self._lock:
            done = forget(self.folder, user, self.learner, self._usage, self.settings.storage)
            self._recollection.chats.forget(done.chats)
            self._recollection.close()
            self._recollection = Recollection(self.folder, self.home.surroundings, self.settings)
        return done

    def _decline(self, gone: Sequence[Memory]) -> None:
        """What was learned and a person takes away is not learned again."""
        if learned := [memory.id for memory in gone if memory.evidence or memory.source is Source.INFERENCE]:
            self.learner.keeper.review.decline(learned)

    def history(self, memory_id: str | None = None, limit: int | None = None) -> list[HistoryLine]:
        """Every recorded change, newest first; of one memory, or of all."""
        return self.store.history(memory_id, limit)

    def backup(self) -> Path:
        """Make a backup of the role's files now; older ones rotate."""
        self.store.fold(force=True)
        from rolememory.store.backup import backup

        return backup(self.folder, self.settings.storage)

    def restore(self, which: str = "latest") -> "Restored":
        """Put a backup back, after a backup of what stands there now."""
        from rolememory.store.backup import restore

        return restore(self.folder, which, self.settings.storage)

    def export(self) -> dict[str, Any]:
        """The role, its memories and books as one JSON document; `Home.bring` reads it."""
        self.store.fold(force=True)
        from rolememory.store.exchange import export_role

        return export_role(self.folder)

    def stats(self) -> MemoryStats:
        """What the role remembers, in figures."""
        return stats_of(self.memories.values(), self.folder)

    def close(self) -> None:
        """Finish what is being learned, fold the journal into memory.json and stop background work."""
        if self._learner:
            self._learner.close()
        self._usage.close()
        self._recollection.close()
        self.store.close()

    def _commit(self, edits: Sequence[Edit], actor: str) -> Snapshot:
        """Write, after a backup where one is due."""
        if not self._backed_up:
            self._backed_up = True
            self._backup_when_due()
        return self.store.commit(edits, actor=actor)

    def _backup_when_due(self) -> None:
        from rolememory.store.backup import backup, due

        if due(self.folder, self.settings.storage, datetime.now(UTC)):
            backup(self.folder, self.settings.storage)

    def _known(self, memory_id: str) -> str:
        memories = self.memories
        if memory_id not in memories:
            raise UnknownMemoryError(memory_id, memories)
        return memory_id

    def _keep_limits(self) -> None:
        limits = self.settings.storage.max_memories
        if limits != PerType():
            now = datetime.now(UTC)
            self._retire(
                [one for one in retire(self.memories.values(), now, below_weight=0.0, limits=limits) if one.because.code == "limit"]
            )

    def _retire(self, gone: Sequence[Retirement]) -> None:
        if gone:
            self._commit([Edit("set", one.id, {"archived": True}, reason=one.because.code) for one in gone], actor=ACTOR)

    def _revive(self, back: Sequence[Retirement]) -> None:
        if back:
            self._commit([Edit("set", one.id, {"archived": False}, reason=one.because.code) for one in back], actor=ACTOR)

    def _circle(self) -> Circle:
        """The roles that are heard here, as they are now."""
        role = self.role
        if not role.associates:
            return NOBODY
        found, notes = partners(role, self.home.folder.find)
        others: list[Other] = []
        for other, factor in found:
            try:
                others.append(self.home.role(other.id).as_heard(factor))
            except RoleMemoryError as error:
                notes.append(f"associate {other.name!r}: {error}")
        return Circle(tuple(others), tuple(notes))

    def as_heard(self, factor: float) -> Other:
        """What an associated role hears of this one."""
        memories, sight = self.memories, self.chats.visible_from(None)
        return Other(self.role, factor, memories, self._recollection.meanings.follow(memories), sight)


_PATIENT_S = 10.0  # who asks for the memories themselves waits for the rules, unless something is very wrong
_RULES_S = 0.25  # a turn waits so long for rules that are still reading what was said before it; it is a matter of milliseconds


def heard(messages: Sequence[Said]) -> tuple[Message, ...]:
    """The messages in our shape, without blocks of ours that came back; what was nothing else is left out."""
    read = (Message.of(message) for message in messages)
    return tuple(found for message in read if (found := _without_ours(message)) is not None)


def _without_ours(message: Message) -> Message | None:
    if OPEN not in message.content and OPEN[1:-1] not in message.content:
        return message
    rest = strip(message.content)
    if rest == message.content:
        return message
    return message.model_copy(update={"content": rest}) if rest.strip() else None


def _reply(reply: Said) -> Message:
    """The character's reply; plain text is the character's here."""
    return Message.assistant(reply) if isinstance(reply, str) else Message.of(reply)


Args = ParamSpec("Args")
Given = TypeVar("Given")


def aio(call: Callable[Args, Given]) -> Callable[Args, Awaitable[Given]]:
    """Make any call awaitable, done on a thread.

    turn = await aio(mira.recall)(messages)
    """

    @wraps(call)
    async def awaited(*args: Args.args, **kwargs: Args.kwargs) -> Given:
        import asyncio

        return await asyncio.to_thread(call, *args, **kwargs)

    return awaited
