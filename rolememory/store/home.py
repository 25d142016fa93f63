"""The home folder: which roles live here, under which names, and where each one's files are."""

import os
import threading
import unicodedata
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rolememory.errors import AmbiguousNameError, FileError, InvalidValueError, ReadOnlyRoleError, UnknownRoleError
from rolememory.schema.role import Role
from rolememory.store import atomic, document, role_file
from rolememory.store.disk import Mark
from rolememory.store.founding import init
from rolememory.store.role_ids import canonical, contained
from rolememory.store.signature import signature

__all__ = ["HomeFolder", "fold_name", "init"]


def fold_name(name: str) -> str:
    """How names are compared: width, case and outer spaces do not matter.

    >>> fold_name(" Ｍｉｒａ ") == fold_name("mira")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


class HomeFolder:
    """All roles of one folder. Thread-safe; a role.json is read again only when its stat changed. Cost of `roles`: one stat each."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).expanduser().resolve()
        self._lock = threading.Lock()
        self._seen: dict[str, Mark | None] = {}
        self._roles: dict[str, Role] = {}
        self._problems: dict[str, FileError] = {}
        self._misplaced: list[FileError] = []

    def roles(self) -> list[Role]:
        """Every role, by name and then id. A broken role.json is told by `problems`; its role stays, as last read or nameless."""
        with self._lock:
            self._scan()
            return sorted(self._roles.values(), key=lambda role: (fold_name(role.name), role.id))

    def problems(self) -> list[FileError]:
        """What cannot be read as it stands: misnamed folders, broken role.json files."""
        self.roles()
        with self._lock:
            return [*self._misplaced, *(self._problems[role_id] for role_id in sorted(self._problems))]

    def find(self, name: str) -> Role:
        """The role with this UUID (any spelling), name or alias (case and width do not matter).

        Raises:
            UnknownRoleError: nobody answers to it.
            AmbiguousNameError: two do.
        """
        role_id = canonical(name)
        if role_id and (unchanged := self._unchanged(role_id)):
            return unchanged
        roles, wanted = self.roles(), fold_name(name)
        found = [role for role in roles if role.id == role_id] or [role for role in roles if wanted in _names(role)]  # an id first
        if not found:
            raise UnknownRoleError(name, dict.fromkeys(spoken for role in roles for spoken in (role.name, *role.aliases)))
        if len(found) > 1:
            ids = ", ".join(f"{role.id} ({role.name})" for role in found)
            raise AmbiguousNameError(
                f"{len(found)} roles answer to {name!r}: {ids}; say which by its id",
                zh=f"有 {len(found)} 个角色都叫“{name}”：{ids}；请用 id 指明是哪一个",
            )
        return found[0]

    def _unchanged(self, role_id: str) -> Role | None:
        """The role of that id, where its role.json is what was read last: one stat, whatever else the home holds."""
        now = signature(self.path / role_id / role_file.NAME)
        with self._lock:
            return self._roles.get(role_id) if now and self._seen.get(role_id) == now else None

    def folder(self, role_id: str) -> Path:
        """The folder of that role, which need not exist yet.

        Raises:
            UnsafePathError: not a UUID, or a link that leads elsewhere.
        """
        return contained(self.path, role_id)

    def create(
        self,
        name: str,
        id: str | None = None,  # noqa: A002  # the field's own name
        aliases: Sequence[str] = (),
        **fields: Any,
    ) -> Role:
        """A new role with its folder, role.json and an empty memory.json; it appears whole or not at all.

        Raises:
            InvalidValueError: the name is no name, it is taken (and no id was given to tell the two apart), or the id is taken.
            NotWrittenError: the home cannot be written.
        """
        _check_name(name)
        self.path.mkdir(parents=True, exist_ok=True)
        with atomic.locked(self.path):  # two who found the same name at once would make it ambiguous for good
            self._refuse_taken(name, id)
            return self._founded(name, self.folder(str(uuid.uuid4()) if id is None else id), aliases, fields)

    @staticmethod
    def _founded(name: str, folder: Path, aliases: Sequence[str], fields: dict[str, Any]) -> Role:
        role = Role(id=folder.name, name=name.strip(), aliases=tuple(aliases), **fields)
        if folder.exists():
            raise InvalidValueError(
                f"{folder} exists already; open that role, or choose another id", zh=f"{folder} 已经存在；请打开那个角色，或换一个 id"
            )
        written = {"id": role.id, **role.model_dump(mode="json", exclude_defaults=True)}
        atomic.new_folder(folder, {role_file.NAME: role_file.dump(written), "memory.json": role_file.dump(document.empty())})
        return role

    def rename(self, name: str, new_name: str) -> Role:
        """Give the role another name; its id and its folder stay."""
        _check_name(new_name)
        return self.update(self.find(name).model_copy(update={"name": new_name.strip()}))

    def update(self, role: Role) -> Role:
        """Write role.json: unknown fields and order kept. A file that cannot be read is never overwritten.

        Raises:
            ReadOnlyRoleError: role.json is broken.
        """
        path = self.folder(role.id) / role_file.NAME
        with atomic.locked(path.parent):
            try:
                raw = role_file.read_object(path) if path.exists() else {"id": role.id}
            except FileError as error:
                raise ReadOnlyRoleError(f"{error}; nothing was written", zh=f"{error.text('zh')}；什么也没有写入") from error
            atomic.write(path, role_file.dump(role_file.merged(raw, role)))
        return role

    def _refuse_taken(self, name: str, role_id: str | None) -> None:
        taken = [role.id for role in self.roles() if fold_name(name) in _names(role)]
        if taken and role_id is None:
            raise InvalidValueError(
                f"role {taken[0]} already answers to {name!r}; choose another name, or give an id to have both",
                zh=f"已有角色 {taken[0]} 叫“{name}”；请换一个名字，或指定 id 让两者并存",
            )

    def _scan(self) -> None:
        """Look at every folder that could be a role; read those whose role.json changed."""
        folders = self._folders()
        proper = [entry for entry in folders if _proper(entry)]
        self._misplaced = [_misplaced(entry) for entry in folders if not _proper(entry)]
        for entry in proper:
            file = self.path / entry.name / role_file.NAME
            now = signature(file)
            if entry.name not in self._roles or self._seen.get(entry.name) != now:
                self._read(entry.name, file, now)
        for gone in self._roles.keys() - {entry.name for entry in proper}:
            del self._roles[gone]
            self._problems.pop(gone, None)

    def _folders(self) -> list["os.DirEntry[str]"]:
        try:
            with os.scandir(self.path) as entries:
                return [entry for entry in entries if canonical(entry.name) and entry.is_dir()]
        except OSError:
            return []

    def _read(self, role_id: str, file: Path, now: Mark | None) -> None:
        """Take the role in. Without role.json it goes by the first 8 characters of its id, if it has memories."""
        self._seen[role_id] = now
        self._problems.pop(role_id, None)
        if now is None and role_id not in self._roles and not file.with_name("memory.json").exists():
            return
        try:
            self._roles[role_id] = role_file.read_role(file, role_id) if now else self._roles.get(role_id, _nameless(role_id))
        except FileError as error:
            self._problems[role_id] = error
            self._roles.setdefault(role_id, _nameless(role_id))


def _nameless(role_id: str) -> Role:
    return Role(id=role_id, name=role_id[:8])


def _proper(entry: "os.DirEntry[str]") -> bool:
    return canonical(entry.name) == entry.name and not entry.is_symlink()


def _misplaced(entry: "os.DirEntry[str]") -> FileError:
    if entry.is_symlink():
        return FileError(entry.path, "is a link", remedy="move the role's folder itself into the home folder")
    return FileError(entry.path, "is not the canonical spelling of a UUID", remedy=f"rename it to {canonical(entry.name)}")


def _names(role: Role) -> set[str]:
    return {fold_name(name) for name in (role.name, *role.aliases)}


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > 200 or any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name):
        raise InvalidValueError(
            f"expected a name of 1 to 200 characters without line breaks, got {name[:80]!r}",
            zh=f"名字应为 1 到 200 个字符，不含换行，却是“{name[:80]}”",
        )
