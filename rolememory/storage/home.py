"""The home folder: its roles, their names, and where each role's files are kept."""

import threading
import unicodedata
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rolememory.errors import (
    AmbiguousNameError,
    FileError,
    InvalidValueError,
    NoFolderError,
    ReadOnlyRoleError,
    UnknownRoleError,
)
from rolememory.locales import translatable
from rolememory.schema.json_types import JsonObject
from rolememory.schema.role import MAX_ALIASES, Role
from rolememory.schema.role_ids import canonical
from rolememory.storage import memory_file, role_file
from rolememory.storage.files.init_home import init
from rolememory.storage.files.space import FileStorage
from rolememory.storage.look import Watched, watching
from rolememory.storage.port import Revision, Space, Storage, rewrite
from rolememory.text.fold import fold_name

__all__ = ["HomeFolder", "init"]


class _ReadRole:
    """A role as last read from role.json."""

    def __init__(self, space: Space) -> None:
        self._space, self.file = space, space.document(role_file.NAME)
        self.mark: Revision | None = None
        self.role: Role | None = None
        self.problem: FileError | None = None

    def read(self, now: Revision | None) -> Role | None:
        """Read role.json again. Without one the role is named by the first 8 characters of its id, if it has memories."""
        self.mark, self.problem = now, None
        if now is None and self._space.document("memory.json").mark() is None:
            return self.role
        nameless = Role(id=self._space.name, name=self._space.name[:8])
        self.role = self.role or nameless
        if now:
            try:
                self.role = role_file.role_in(self._space)
            except FileError as error:
                self.problem = error
        return self.role


class HomeFolder:
    """All roles of one home. Thread-safe; a role.json is read again only when its stat changed. Cost of `roles`: one stat each."""

    def __init__(self, storage: Storage | Path | str) -> None:
        self.storage: Storage = FileStorage(storage) if isinstance(storage, Path | str) else storage
        self._lock = threading.Lock()
        self._read: dict[str, _ReadRole] = {}  # by id

    @property
    def path(self) -> Path:
        """The home folder. Raises: NoFolderError if the storage has none."""
        return _folder(self.storage.home)

    def roles(self) -> list[Role]:
        """Every role, by name and then id. A broken role.json is listed in `problems`; its role stays, as last read or nameless."""
        with self._lock:
            self._scan()
            return _by_name(one.role for one in self._read.values() if one.role)

    def problems(self) -> list[FileError]:
        """Problems of the home: misnamed folders, broken role.json files."""
        self.roles()
        with self._lock:
            broken = [one.problem for _, one in sorted(self._read.items()) if one.problem]
            return [*self.storage.problems(), *broken]

    def find(self, name: str) -> Role:
        """The role with this UUID (any spelling), name or alias (case and width do not matter).

        Raises:
            UnknownRoleError: no role has it.
            AmbiguousNameError: several have it.
        """
        role_id = canonical(name)
        if role_id and (unchanged := self._unchanged(role_id)):
            return unchanged
        try:
            return _one_of(self.roles(), name)
        except UnknownRoleError as error:
            deleted = self.deleted()
            if called(deleted, name) or any(one.id == role_id for one in deleted):
                raise UnknownRoleError(name, error.known, _RESTORE) from None
            raise

    def names(self, besides: str = "") -> set[str]:
        """Names and aliases of all roles, folded, except those of the role `besides`."""
        others = (role for role in self.roles() if role.id != besides)
        return {name for role in others for name in folded_names(role)}

    def _unchanged(self, role_id: str) -> Role | None:
        """The role of that id if its role.json is unchanged, else None. Cost: one stat."""
        known = self._read.get(role_id)
        now = known.file.mark() if known else None
        with self._lock:
            return known.role if known and now and known.mark == now else None

    def watched(self, role_id: str) -> Watched:
        """The role's role.json, to watch."""
        return watching(self.space(role_id).document(role_file.NAME))

    def folder(self, role_id: str) -> Path:
        """The folder of that role, which need not exist yet. For work on files only.

        Raises:
            UnsafePathError: not a UUID, or a link that leads elsewhere.
            NoFolderError: the storage has no folders.
        """
        return _folder(self.storage.role(role_id))

    def space(self, role_id: str) -> Space:
        """The space of that role, which need not exist yet.

        Raises:
            UnsafePathError: not a UUID, or a link that leads elsewhere.
        """
        return self.storage.role(role_id)

    def create(
        self,
        name: str,
        id: str | None = None,  # noqa: A002  # the field's own name
        aliases: Sequence[str] = (),
        **fields: Any,
    ) -> Role:
        """Create a role atomically: its folder, role.json and an empty memory.json.

        Raises:
            InvalidValueError: the name is invalid, or taken (and no id was given to tell the two apart), or the id is taken.
            NotWrittenError: the home cannot be written.
        """
        _check_name(name)
        with (
            self.storage.home.lock()
        ):  # under the lock, so that two callers cannot take the same name
            self._refuse_taken(name, id)
            space = self.space(str(uuid.uuid4()) if id is None else id)
            return self._founded(name, space, aliases, fields)

    def _founded(self, name: str, space: Space, aliases: Sequence[str], fields: JsonObject) -> Role:
        role = Role(id=space.name, name=name.strip(), aliases=tuple(aliases), **fields)
        written = {"id": role.id, **role.model_dump(mode="json", exclude_defaults=True)}
        documents = {
            role_file.NAME: role_file.dump(written),
            "memory.json": role_file.dump(memory_file.empty()),
        }
        try:
            self.storage.create(role.id, documents)
        except FileExistsError:
            raise _taken(space) from None
        return role

    def delete(self, role_id: str) -> None:
        """Delete the role of that id; `restore` brings it back. Raises: NotWrittenError."""
        with self.storage.home.lock():
            self.storage.delete(role_id)

    def find_deleted(self, name: str) -> Role:
        """The deleted role with this UUID, name or alias. Raises: UnknownRoleError, AmbiguousNameError."""
        return _one_of(self.deleted(), name)

    def purge(self, role_id: str) -> None:
        """Remove a deleted role for good. Raises: NotWrittenError."""
        self.storage.purge(role_id)

    def deleted(self) -> list[Role]:
        """The roles that `restore` can bring back, by name and then id."""
        read = map(_ReadRole, self.storage.deleted())
        return _by_name(role for one in read if (role := one.read(one.file.mark())))

    def restore(self, name: str) -> Role:
        """Bring back a deleted role, by UUID, name or alias.

        Raises:
            UnknownRoleError, AmbiguousNameError: no deleted role or several have it.
            InvalidValueError: another role has its name (and no id was given), or its id.
        """
        with self.storage.home.lock():
            role = self.find_deleted(name)
            self._refuse_taken(role.name, canonical(name))
            try:
                self.storage.restore(role.id)
            except FileExistsError as error:
                raise _taken(self.space(role.id)) from error
        return role

    def rename(self, name: str, new_name: str) -> Role:
        """Rename the role; its id and its folder stay, and its former name as an alias, while there is room."""
        _check_name(new_name)
        role, new = self.find(name), new_name.strip()
        aliases = tuple(one for one in dict.fromkeys((*role.names, role.name)) if one != new)
        if len(aliases) > MAX_ALIASES:
            aliases = tuple(one for one in aliases if one != role.name)
        return self.update(role.model_copy(update={"name": new, "aliases": aliases}))

    def update(self, role: Role) -> Role:
        """Write role.json, keeping unknown fields and order. An unreadable file is never overwritten.

        Raises:
            ReadOnlyRoleError: role.json is broken.
        """
        space = self.space(role.id)
        kept = space.document(role_file.NAME)
        with space.lock():
            try:
                raw = role_file.object_in(kept) if kept.mark() else {"id": role.id}
            except FileError as error:
                raise ReadOnlyRoleError("{error}; nothing was written", error=error) from error
            rewrite(space, role_file.NAME, role_file.dump(role_file.merged(raw, role)))
        return role

    def _refuse_taken(self, name: str, role_id: str | None) -> None:
        if role_id is None and (taken := called(self.roles(), name)):
            raise taken_name(taken[0], name)

    def _scan(self) -> None:
        """Check the space of every role; read each changed role.json."""
        found: dict[str, _ReadRole] = {}
        for role_id in self.storage.roles():
            known = self._read.get(role_id) or _ReadRole(self.storage.role(role_id))
            found[role_id] = known
            now = known.file.mark()
            if known.role is None or known.mark != now:
                known.read(now)
        self._read = found


_RESTORE = translatable("this role was deleted; `rolememory role restore NAME` brings it back")


def _by_name(roles: Iterable[Role]) -> list[Role]:
    return sorted(roles, key=lambda role: (fold_name(role.name), role.id))


def _one_of(roles: Sequence[Role], name: str) -> Role:
    """The one role with this id, name or alias. Raises: UnknownRoleError, AmbiguousNameError."""
    role_id = canonical(name)
    found = [one for one in roles if one.id == role_id] or called(roles, name)
    if not found:
        raise UnknownRoleError(name, dict.fromkeys(one for role in roles for one in role.names))
    if len(found) > 1:
        ids = ", ".join(f"{role.id} ({role.name})" for role in found)
        raise AmbiguousNameError(
            "{count} roles answer to {name!r}: {ids}; say which by its id",
            count=len(found),
            name=name,
            ids=ids,
        )
    return found[0]


def _taken(space: Space) -> InvalidValueError:
    return InvalidValueError(
        "{place} exists already; open that role, or choose another id", place=space.place
    )


def _folder(space: Space) -> Path:
    if space.folder is None:
        raise NoFolderError(
            "{place} has no folder; this works on homes that are kept as files", place=space.place
        )
    return space.folder


def taken_name(role: Role, name: str) -> InvalidValueError:
    """The error for a name that a role has."""
    return InvalidValueError(
        "the role {role!r} already answers to {name!r}; choose another name",
        role=role.name,
        name=name,
    )


def called(roles: Iterable[Role], name: str) -> list[Role]:
    """The roles with this name or alias; case and width do not matter."""
    wanted = fold_name(name)
    return [role for role in roles if wanted in folded_names(role)]


def folded_names(role: Role) -> set[str]:
    """Name and aliases of a role, folded for comparison."""
    return {fold_name(name) for name in role.names}


def _check_name(name: str) -> None:
    if (
        not name.strip()
        or len(name) > 200
        or any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name)
    ):
        raise InvalidValueError(
            "expected a name of 1 to 200 characters without line breaks, got {name!r}",
            name=name[:80],
        )
