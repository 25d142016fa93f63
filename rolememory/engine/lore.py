"""A role's lorebooks, and what is wrong with its files."""

from collections.abc import Mapping
from itertools import chain

from rolememory.engine.context import RoleContext
from rolememory.errors import FileError
from rolememory.recall.lore.index import LoreIndex
from rolememory.recall.own_rules import list_problems
from rolememory.schema.lorebook import LoreEntry
from rolememory.schema.problem import Problem
from rolememory.storage.ineffective_fields import still_ineffective


class RoleLore:
    """The lorebooks of a role."""

    def __init__(self, context: RoleContext) -> None:
        self._context = context

    def entries(self) -> Mapping[str, LoreEntry]:
        """The role's lorebook entries, by their ids among all books."""
        index = self._index()
        return {one.id: one.entry for one in index.entries} if index else {}

    def problems(self) -> list[Problem | FileError]:
        """Problems of the role's files, each with its `text(language)`: role.json, settings, lists of the home, memories, chats, books."""
        role = self._context
        home = self._context.home
        return [
            *(one for one in home.folder.problems() if role.id in str(one.file)),
            *home.mistakes_of(role.role),
            *list_problems(home.space, role.settings.clean),
            *still_ineffective(role.store.snapshot().problems, home.lexicon()),
            *role.chats.problems,
            *chain.from_iterable(self.book_problems().values()),
        ]

    def book_problems(self) -> Mapping[str, tuple[FileError, ...]]:
        """Problems of the books, by file."""
        with self._context.lock:
            self._index()
        return self._context.pipeline.books.problems

    def _index(self) -> LoreIndex | None:
        role = self._context
        return role.pipeline.books.index(role.role.worldbooks, role.settings.lore)
