"""The home: its roles, and what they share."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from rolememory.errors import (
    ClosedError,
    DeletedRoleError,
    InvalidValueError,
    RoleMemoryError,
    UnknownRoleError,
)
from rolememory.inject.fence import unfenced
from rolememory.recall.turn import Turn
from rolememory.schema.learning import Learned, Observed
from rolememory.schema.role import Role
from rolememory.schema.settings import Settings
from rolememory.schema.value_class import value_class
from rolememory.storage import personas
from rolememory.storage.erase import Erased, erase_ledgers, purge_naming
from rolememory.storage.files.atomic import make_folder
from rolememory.storage.port import Storage
from rolememory.text.embed.base import Embedder
from rolememory.text.embed.loader import Loader
from rolememory.text.names import PersonNames

if TYPE_CHECKING:
    from rolememory.engine.users import User
    from rolememory.llm.servers import ModelServers
    from rolememory.storage.exchange import Imported, Prefer
    from rolememory.storage.files.watch import Changed, Watch

from rolememory.engine.inputs import MessageLike, Name, counted, name_of
from rolememory.engine.role import RoleMemory
from rolememory.engine.shared import HomeContext

Read = TypeVar("Read")
_log = logging.getLogger(__name__)
ROLE_MEMORY_HEADING = "## 角色记忆"


@value_class
class MemoryContent:
    """The result of `process_message_with_memory`: the text for the system prompt, without heading and fence, and its turn."""

    full_content: str
    turn: Turn


class Home:
    """A folder of roles, which share model, settings and templates. Thread-safe.

    `settings` override the file for this process, nested or dotted: `{"recall.max_items": 3}`.
    """

    def __init__(
        self,
        storage: Storage | Path | str,
        settings: Mapping[str, Any] | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.context = HomeContext(storage, settings, embedder)
        self.folder = self.context.folder
        self.space = self.context.space
        self.people = self.context.people
        self._roles: dict[str, RoleMemory] = {}
        self._lock = threading.RLock()
        self._leaving = threading.Event()

    @classmethod
    def open(
        cls,
        storage: Storage | Path | str,
        settings: Mapping[str, Any] | None = None,
        embedder: Embedder | None = None,
    ) -> Self:
        """Open a home folder, made if missing, or another storage. `embedder` replaces the model that the settings name.

        Raises:
            SettingsError: rolememory.toml cannot be read.
            InvalidValueError, NotWrittenError: the folder is a file, or cannot be made.
        """
        home = cls(storage, settings, embedder)
        if home.space.folder is not None:
            make_folder(home.space.folder)
        return home

    @property
    def path(self) -> Path:
        """The home folder. Raises: NoFolderError if the storage has none."""
        return self.folder.path

    @property
    def settings(self) -> Settings:
        """The current settings of the home."""
        return self.context.settings()

    @property
    def loader(self) -> Loader:
        """The embedding model, as far as it is loaded."""
        return self.context.resources.loader

    @property
    def upstreams(self) -> "ModelServers":
        """The model servers that learning uses."""
        return self.context.upstreams

    def roles(self) -> list[Role]:
        """Every role of the home, by name."""
        return self.folder.roles()

    def role(self, name: Name, *, create: bool = False) -> "RoleMemory":
        """The role with this UUID, name or alias; the same object every time. `create`: a new one if there is none.

        Raises:
            InvalidValueError: it is not a valid name.
            UnknownRoleError, AmbiguousNameError: no role or several have it.
            ClosedError: the home was closed.
        """
        self.context.check_open()
        role = self._found(name_of(name), create)
        with self._lock:
            if role.id not in self._roles:
                self._roles[role.id] = RoleMemory(
                    self.context, role.id, lambda other: self.role(other).parts.recall
                )
            return self._roles[role.id]

    def _found(self, name: str, create: bool) -> Role:
        try:
            return self.folder.find(name)
        except UnknownRoleError:
            if not create:
                raise
        try:
            return self.folder.create(name)
        except InvalidValueError as error:
            with suppress(UnknownRoleError):
                return self.folder.find(name)  # created concurrently
            raise error from None

    def of_role(self, role_id: str, read: Callable[["RoleMemory"], Read]) -> Read | None:
        """What this reads of a role; None if the role was deleted since it was listed, also while it is read."""
        try:
            return read(self.role(role_id))
        except (UnknownRoleError, DeletedRoleError):
            return None
        except OSError:  # a file that went with the role?
            if any(role.id == role_id for role in self.roles()):
                raise
            return None

    def __repr__(self) -> str:
        return f"<Home {self.space.place}: {counted(len(self.roles()), 'role')}{', closed' * self.context.closed}>"

    def create(self, name: str, **fields: Any) -> "RoleMemory":
        """Create a role; `fields` as in role.json (`id`, `aliases`, ...)."""
        self.context.check_open()
        return self.role(self.folder.create(name, **fields).id)

    def delete(self, role: Name, *, for_good: bool = False) -> Role:
        """Delete a role with its memories, chats, own lorebooks, card and backups; `restore` brings it back, unless it is `for_good`.

        Its open objects, here and in other processes, raise UnknownRoleError or DeletedRoleError from then on. Shared
        lorebooks stay. `for_good` also removes a role that was deleted before.

        Raises:
            UnknownRoleError, AmbiguousNameError: no role or several have the name.
            NotWrittenError: the role stays, or can still be restored.
        """
        self.context.check_open()
        name = name_of(role)
        try:
            found = self.folder.find(name)
        except UnknownRoleError:
            if not for_good:
                raise
            found = self.folder.find_deleted(name)
            self.folder.purge(found.id)
            return found
        self._let_go(found.id)
        self.folder.delete(found.id)
        self._let_go(found.id)  # opened meanwhile
        if for_good:
            self.folder.purge(found.id)
        return found

    def _let_go(self, role_id: str) -> None:
        """Close the role if it is open."""
        with self._lock:
            opened = self._roles.pop(role_id, None)
        if opened:
            opened.close()

    def deleted(self) -> list[Role]:
        """The deleted roles that `restore` can bring back, by name."""
        return self.folder.deleted()

    def restore(self, role: Name) -> "RoleMemory":
        """Bring back a deleted role as it was, by UUID, name or alias.

        Raises:
            UnknownRoleError, AmbiguousNameError: no deleted role or several have the name.
            InvalidValueError: another role has its name (restore it by its UUID to have both), or its UUID.
            NotWrittenError: it stays deleted.
        """
        self.context.check_open()
        return self.role(self.folder.restore(name_of(role)).id)

    def bring(
        self,
        document: Mapping[str, Any],
        *,
        into: str | None = None,
        prefer: "Prefer" = "theirs",
        dry_run: bool = False,
    ) -> "Imported":
        """Import a role that `RoleMemory.export` wrote, as a new role or merged into an existing one, memory by memory."""
        from rolememory.storage.exchange import import_role

        return import_role(self.folder, document, into=into, prefer=prefer, dry_run=dry_run)

    def forget(self, user: Name) -> dict[str, Erased]:
        """Remove everything of one person, under all linked names, from every role; the result by the role's id.

        Their data in `personas.json` and `people.json` is removed as well, and deleted roles that name them, for good.

        Raises:
            FileError: a file cannot be read.
            ReadOnlyRoleError, NotWrittenError: the error of the first role where it failed; all others are done.
        """
        names = PersonNames(self.people.follow().names_of(name_of(user)))
        done: dict[str, Erased] = {}
        failed: list[RoleMemoryError] = []
        for role in self.roles():
            try:
                erased = self.of_role(role.id, lambda one: one.forget(user))
            except RoleMemoryError as error:
                failed.append(error)
            else:
                done |= {} if erased is None else {role.id: erased}  # else purged below
        try:
            personas.forget(self.space, names)
            erase_ledgers(self.space, names)
            purge_naming(self.folder.storage, names)
            if not failed:  # else the names are needed for a retry
                self.people.forget(names.all)
        except RoleMemoryError as error:
            failed.append(error)
        if failed:
            raise failed[0]
        return done

    def users(self) -> "list[User]":
        """All users known to some role, with their linked names, by number of memories, descending."""
        from rolememory.engine.users import users_of

        return users_of(self)

    def strangers(self) -> list[tuple[str, str]]:
        """New names that may belong to a known person, each with that person; confirm with `people.link` or `people.unlink`.

        Cost: a few stat calls per role whose chats were read before.
        """
        heard: dict[str, datetime] = {}
        for role in self.roles():
            spoke = self.of_role(role.id, lambda one: one.chats.users()) or {}
            for user, at in spoke.items():
                heard[user] = min(heard.get(user, at), at)
        return self.people.unasked(sorted(heard, key=heard.__getitem__))

    def hand_over(self, take_in: Callable[[str, Observed], None]) -> None:
        """Leave learning and maintenance to another process: this sends it role and observation, and it calls `take_in`."""
        self.context.handed_over = take_in

    def on_learned(self, tell: Callable[[str, str, Learned], None]) -> None:
        """Set the callback for what is learned: role, chat, result."""
        self.context.on_learned = tell

    def take_in(self, role_id: str, seen: Observed) -> None:
        """Learn from what another process observed."""
        self.role(role_id).parts.conversation.take_in(seen)

    def preload(self, *names: str) -> None:
        """Read roles (default: all), load the model and embed their memories, on a thread.

        Speeds up the first turn. Learning by model also resumes what an earlier process left unread.
        """
        wanted = names or tuple(role.id for role in self.roles())
        threading.Thread(
            target=self._preload, args=(wanted,), name="rolememory-preload", daemon=True
        ).start()

    def _preload(self, names: Sequence[str]) -> None:
        self.loader.start()
        self._each(names, _read)
        if self.settings.learn.enabled:
            from rolememory.learn.memory_requests import warm_up

            warm_up()
        if self.loader.ready():
            self._each(names, RoleMemory.ready)

    def _each(self, names: Sequence[str], prepare: Callable[[RoleMemory], object]) -> None:
        for name in names:
            if self._leaving.is_set():
                return
            try:
                prepare(self.role(name))
            except ClosedError:
                return
            except (RoleMemoryError, OSError) as error:  # its first turn raises it too
                _log.warning("%s: not read yet: %s", name, error)

    def watch(self, on_change: "Callable[[Changed], None]") -> "Watch":
        """Call back on every external edit, with role and kind of file, within a second. Use it as a context manager."""
        from rolememory.storage.files.watch import Watch

        return Watch(self.path, on_change, self.settings.storage)

    def process_message_with_memory(
        self, role_uuid: str, last_message: MessageLike, history: Sequence[MessageLike]
    ) -> "MemoryContent":
        """The call of the world-book design: if `full_content` is not empty, append a blank line, `ROLE_MEMORY_HEADING` and it to the system prompt.

        Source: S1.35, N.8.
        """
        bare = {"inject.heading": "", "inject.position": "system"}
        turn = self.role(role_uuid).recall([*history, last_message], settings=bare)
        return MemoryContent(unfenced(turn.text), turn)

    def close(self) -> None:
        """Finish learning, checkpoint journals, stop background work."""
        self._leaving.set()
        with self._lock:
            roles = list(self._roles.values())
            self._roles.clear()
        for role in roles:
            role.close()
        self.context.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _read(role: RoleMemory) -> None:
    """Read what a first turn needs into caches."""
    role.parts.context.catch_up()
    role.recall([], dry_run=True)
    if role.parts.learning.here:
        role.learner.worker.resume()
