"""The home folder as an engine: its roles, and what they share."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rolememory.errors import (
    ClosedError,
    InvalidValueError,
    RoleMemoryError,
    SettingsError,
    UnknownRoleError,
)
from rolememory.inject.environment import Templates
from rolememory.inject.fence import unfenced
from rolememory.inject.styles import Styles
from rolememory.recall.lexicons import Lexicons
from rolememory.recall.recollection import Surroundings
from rolememory.recall.turn import Turn
from rolememory.schema.role import Role
from rolememory.schema.settings import CleanSettings, Settings
from rolememory.storage import personas
from rolememory.storage.files.disk import DISK
from rolememory.storage.files.signature import signature
from rolememory.storage.home import HomeFolder
from rolememory.storage.people import People
from rolememory.storage.port import Mark, Storage
from rolememory.storage.settings import SettingsFile, load_settings
from rolememory.text.clean import Cleaner, cleaner_for
from rolememory.text.embed.base import Embedder
from rolememory.text.embed.graph import graph_folder
from rolememory.text.embed.ladder import Loader, load, promised
from rolememory.text.embed.queries import QueryVectors

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from rolememory.engine.users import User
    from rolememory.learn.model.upstreams import Upstreams
    from rolememory.storage.erase import Erased
    from rolememory.storage.exchange import Imported, Prefer
    from rolememory.storage.files.watch import Changed, Watch

from rolememory.engine.role import RoleMemory
from rolememory.engine.said import Name, Said, counted, name_of

ROLE_MEMORY_HEADING = "## 角色记忆"


@dataclass(frozen=True, slots=True)
class MemoryContent:
    """What `process_message_with_memory` gives: the text for the system prompt, without heading and fence, and the turn behind it."""

    full_content: str
    turn: Turn


class Home:
    """A folder of roles; one `Home` shares model, settings and templates among all of them. Thread-safe.

    `settings` override the file for this process, nested or dotted: `{"recall.max_items": 3}`.
    """

    def __init__(
        self,
        storage: Storage | Path | str,
        settings: Mapping[str, Any] | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.folder = HomeFolder(storage)
        self.space = self.folder.storage.home
        self._file = SettingsFile(self.space, settings)
        self.people = People(self.space).follow()
        own = self.space.folder
        self.loader = Loader(
            self.settings.embedding,
            load=(lambda _: embedder)
            if embedder
            else partial(load, graph=own and graph_folder(own)),
            promised=(lambda: True) if embedder else partial(promised, self.settings.embedding),
        )
        self.queries = QueryVectors(self.loader.get)
        self.lexicons = Lexicons(own and own / "lexicons")
        templates = Templates(own and own / "templates")
        self.surroundings = Surroundings(
            self.loader,
            self.queries,
            templates,
            Styles(templates),
            cleaner=_cleaners(own and own / "cleaning.json"),
            lexicon=self.lexicons.current,
            home=self.space,
            same=self.people.same,
        )
        self._roles: dict[str, RoleMemory] = {}
        self._lock = threading.RLock()
        self._closed = False
        self._pool: ThreadPoolExecutor | None = None

    @classmethod
    def open(
        cls,
        storage: Storage | Path | str,
        settings: Mapping[str, Any] | None = None,
        embedder: Embedder | None = None,
    ) -> Self:
        """Open a home folder, or another storage; the folder is made when it is not there. `embedder` stands in for the model that the settings name.

        Raises:
            SettingsError: rolememory.toml cannot be read as it stands.
        """
        home = cls(storage, settings, embedder)
        if home.space.folder is not None:
            DISK.mkdir(home.space.folder)
        return home

    @property
    def path(self) -> Path:
        """The home folder. Raises: NoFolderError, where the storage has none."""
        return self.folder.path

    @property
    def settings(self) -> Settings:
        """The settings of the home as they stand now."""
        return self._file.current().settings

    def settings_of(self, role: Role) -> Settings:
        """The settings with the role's own on top."""
        return self._file.current(role.settings, f"{role.id}/role.json").settings

    def mistakes_of(self, role: Role) -> "tuple[SettingsError, ...]":
        """What is wrong with the settings of the home and the role's own."""
        try:
            load_settings(self.space, None, role.settings, role_file=f"{role.id}/role.json")
        except SettingsError as error:
            return error.all or (error,)
        return ()

    def roles(self) -> list[Role]:
        """Every role of the home, by name."""
        return self.folder.roles()

    def role(self, name: str, *, create: bool = False) -> "RoleMemory":
        """The role with this UUID, name or alias; the same object every time. `create`: where nobody answers to it, a new one.

        Raises:
            UnknownRoleError, AmbiguousNameError: nobody or more than one answers to it.
            ClosedError: the home was closed.
        """
        self.check_open()
        role = self._found(name, create)
        with self._lock:
            if role.id not in self._roles:
                self._roles[role.id] = RoleMemory(self, role.id)
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
                return self.folder.find(name)  # somebody made it just now
            raise error from None

    def check_open(self) -> None:
        """Raise: ClosedError, once the home was closed."""
        if self._closed:
            raise ClosedError(
                "this home was closed; open it again with Home.open",
                zh="这个记忆库已经关闭；请用 Home.open 重新打开",
            )

    def __repr__(self) -> str:
        return f"<Home {self.space.place}: {counted(len(self.roles()), 'role')}{', closed' * self._closed}>"

    def create(self, name: str, **fields: Any) -> "RoleMemory":
        """A new role with a folder of its own; `fields` as in role.json (`id`, `aliases`, ...)."""
        self.check_open()
        return self.role(self.folder.create(name, **fields).id)

    def bring(
        self,
        document: Mapping[str, Any],
        *,
        into: str | None = None,
        prefer: "Prefer" = "theirs",
        dry_run: bool = False,
    ) -> "Imported":
        """Bring in a role that `RoleMemory.export` wrote, as a new role or into one that is there, memory by memory."""
        from rolememory.storage.exchange import import_role

        return import_role(self.folder, document, into=into, prefer=prefer, dry_run=dry_run)

    def forget(self, user: Name) -> "dict[str, Erased]":
        """Remove everything of one person, under all names that were linked, from every role, by the role's id.

        What is written about them in `personas.json` and `people.json` goes as well.

        Raises:
            FileError: a file cannot be read as it stands.
            ReadOnlyRoleError, NotWrittenError: the first role where that could not be done; in all others it was.
        """
        from rolememory.storage.erase import erase_ledgers
        from rolememory.text.names import Names

        names = Names(self.people.follow().names_of(name_of(user)))
        done: dict[str, Erased] = {}
        failed: list[RoleMemoryError] = []
        for role in self.roles():
            try:
                done[role.id] = self.role(role.id).forget(user)
            except RoleMemoryError as error:
                failed.append(error)
        try:
            personas.forget(self.space, names)
            erase_ledgers(self.space, names)
            if not failed:  # until then the names are needed to do it again
                self.people.forget(names.all)
        except RoleMemoryError as error:
            failed.append(error)
        if failed:
            raise failed[0]
        return done

    def users(self) -> "list[User]":
        """Everybody whom some role knows, with the names that were linked, who has the most memories first."""
        from rolememory.engine.users import users_of

        return users_of(self)

    def strangers(self) -> list[tuple[str, str]]:
        """New names that nobody was asked about, each with the person it may be; `people.link` and `people.unlink` answer.

        Cost: a few stat calls for each role whose chats were read before.
        """
        heard: dict[str, datetime] = {}
        for role in self.roles():
            for user, at in self.role(role.id).chats.users().items():
                heard[user] = min(heard.get(user, at), at)
        return self.people.unasked(sorted(heard, key=heard.__getitem__))

    def preload(self, *names: str) -> None:
        """Read roles (all of them without names) and begin to load the model, on a thread; the first turn finds them ready.

        A model that learns goes on with what an earlier process left unread.
        """
        wanted = names or tuple(role.id for role in self.roles())
        threading.Thread(
            target=self._preload, args=(wanted,), name="rolememory-preload", daemon=True
        ).start()

    def _preload(self, names: Sequence[str]) -> None:
        self.loader.start()
        for name in names:
            role = self.role(name)
            role.recall([], dry_run=True)
            role.learner.behind.resume()
        if self.settings.learn.enabled:
            from rolememory.learn.asked import warm_up

            warm_up()

    def watch(self, on_change: "Callable[[Changed], None]") -> "Watch":
        """Be told of every edit from outside, by role and kind of file, within a second. Use it as a context manager."""
        from rolememory.storage.files.watch import Watch

        return Watch(self.path, on_change, self.settings.storage)

    def process_message_with_memory(
        self, role_uuid: str, last_message: Said, history: Sequence[Said]
    ) -> "MemoryContent":
        """The call of the world-book design: when `full_content` is not empty, append a blank line, `ROLE_MEMORY_HEADING` and it to the system prompt.

        Source: S1.35, N.8.
        """
        bare = {"inject.heading": "", "inject.position": "system"}
        turn = self.role(role_uuid).recall([*history, last_message], settings=bare)
        return MemoryContent(unfenced(turn.text), turn)

    @cached_property
    def upstreams(self) -> "Upstreams":
        """The model servers that learning asks, with their breakers: one dead server is not found dead by each role."""
        from rolememory.learn.model.sharing import Spending
        from rolememory.learn.model.upstreams import Upstreams

        return Upstreams(spending=Spending(self.space))

    @property
    def pool(self) -> "ThreadPoolExecutor":
        """The one thread on which commands are obeyed, for all roles; what it was given is done before the process ends."""
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
        if "upstreams" in vars(self):
            self.upstreams.spending.close()
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _cleaners(own: Path | None) -> Callable[[Settings], Cleaner | None]:
    """Gives the cleaner that settings and own file ask for; the same one while these stay, since it knows the texts it cleaned."""

    @lru_cache(maxsize=8)
    def cleaner(wanted: CleanSettings, _: Mark | None) -> Cleaner | None:
        return cleaner_for(wanted, own)

    return lambda settings: cleaner(settings.clean, signature(own) if own else None)
