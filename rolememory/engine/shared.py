"""Shared resources of a home's roles: files, settings, people, the model, templates."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rolememory.errors import ClosedError, FileError, SettingsError
from rolememory.inject.environment import Templates
from rolememory.inject.styles import Styles
from rolememory.recall.own_rules import Cleaners, own_lexicon
from rolememory.recall.pipeline import SharedResources
from rolememory.schema.learning import Learned, Observed
from rolememory.schema.role import Role
from rolememory.schema.settings import Settings
from rolememory.storage.home import HomeFolder
from rolememory.storage.look import Watched, this_look, watching_files
from rolememory.storage.people import People
from rolememory.storage.port import Storage
from rolememory.storage.settings import Loaded, SettingsFile, load_settings
from rolememory.text.affect_lexicon import Lexicon
from rolememory.text.embed.base import Embedder
from rolememory.text.embed.graph import graph_folder
from rolememory.text.embed.loader import Loader, load, promised
from rolememory.text.embed.queries import QueryVectors

if TYPE_CHECKING:
    from rolememory.llm.servers import ModelServers


class HomeContext:
    """The resources that all roles of a home share."""

    def __init__(
        self,
        storage: Storage | Path | str,
        settings: Mapping[str, Any] | None,
        embedder: Embedder | None,
    ) -> None:
        self.folder = HomeFolder(storage)
        self.space = self.folder.storage.home
        self._file = SettingsFile(self.space, settings)
        self.people = People(self.space).follow()
        own = self.space.folder
        self._lexicon = own_lexicon(own and own / "lexicons")
        self.cleaners = Cleaners(own and own / "cleaning.json")
        wanted = self.settings().embedding
        loader = Loader(
            wanted,
            load=(lambda _: embedder)
            if embedder
            else partial(load, graph=own and graph_folder(own)),
            promised=(lambda: True) if embedder else partial(promised, wanted),
        )
        templates = Templates(own and own / "templates")
        self.resources = SharedResources(
            loader,
            QueryVectors(loader.get),
            templates,
            Styles(templates, lambda: this_look().files),
            cleaner=lambda settings: self.cleaners.current(settings.clean),
            lexicon=self.lexicon,
            home=self.space,
            same=self.people.same,
        )
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self.handed_over: Callable[[str, Observed], None] | None = None  # another process learns
        self.on_learned: Callable[[str, str, Learned], None] | None = None  # role, chat, result
        self.closed = False

    def settings(self) -> Settings:
        """The current settings of the home."""
        return self._file.current().settings

    def settings_of(self, role: Role) -> Settings:
        """The settings, overridden by the role's own."""
        return self._file.current(role.settings, f"{role.id}/role.json").settings

    def loaded(self, role: Role | None) -> tuple[Loaded, FileError | None]:
        """The settings of the home or a role with the origin of each, and the error of the file, if any."""
        own = (role.settings, f"{role.id}/role.json") if role else ()
        return self._file.current(*own), self._file.problem(*own)

    def mistakes_of(self, role: Role) -> tuple[SettingsError, ...]:
        """The errors in the settings of the home and of the role."""
        try:
            load_settings(self.space, None, role.settings, role_file=f"{role.id}/role.json")
        except SettingsError as error:
            return error.all or (error,)
        return ()

    def lexicon(self) -> Lexicon | None:
        """The current words of feeling; None while the home has none of its own."""
        return self._lexicon.current().content

    def watched(self, role_id: str) -> Watched:
        """The files of the home that a turn of that role depends on, to watch."""
        folder = self.space.folder and self.space.folder / "templates" / "inject"
        parts = self._file, self.people, self.cleaners, self._lexicon
        watched = {**self.folder.watched(role_id), **watching_files(folder, "*.jinja")}
        return watched | {place: mark for one in parts for place, mark in one.watched.items()}

    def check_open(self) -> None:
        """Raises: ClosedError, once the home was closed."""
        if self.closed:
            raise ClosedError("this home was closed; open it again with Home.open")

    @cached_property
    def upstreams(self) -> "ModelServers":
        """The model servers that learning uses, with circuit breakers shared by all roles."""
        from rolememory.llm.servers import ModelServers
        from rolememory.llm.traffic import Spending

        return ModelServers(spending=Spending(self.space))

    @property
    def pool(self) -> ThreadPoolExecutor:
        """The single thread that executes commands, for all roles; it finishes them before the process ends."""
        with self._lock:
            self._pool = self._pool or ThreadPoolExecutor(1, "rolememory-learn")
            return self._pool

    def close(self) -> None:
        """Stop background work; close the roles before."""
        if self._pool:
            self._pool.shutdown()
            self._pool = None
        if "upstreams" in vars(self):
            self.upstreams.spending.close()
        self.closed = True
