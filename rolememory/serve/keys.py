"""API keys of a service: their user, roles and rights. The home stores their digests in `keys.json`.

A key is for one user; or for many, each named in a token that it signs: a JSON Web Token (HS256) with the key's name as `kid`,
the user as `sub`, and `exp`; `role`, the id of a role, restricts it to that one. The secret is the SHA-256 of the key, in hexadecimal.
"""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from pydantic import TypeAdapter

from rolememory.errors import (
    AmbiguousNameError,
    InvalidValueError,
    UnknownNameError,
    UnknownRoleError,
)
from rolememory.locales import Listed
from rolememory.serve.token import same
from rolememory.storage.files.atomic import write
from rolememory.storage.files.disk import signature

if TYPE_CHECKING:
    from rolememory.engine import Home, RoleMemory

NAME = "keys.json"
RIGHTS = ("read", "write", "admin")
EVERY = "*"  # any role; user: the one in the token
_LONGEST = 4_000  # characters of a key or token


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a request, by its key."""

    name: str
    roles: tuple[str, ...]
    user: str  # "" = none
    rights: tuple[str, ...]

    def may(self, right: str) -> bool:
        """Whether the caller has this right; "admin" includes all."""
        return right in self.rights or "admin" in self.rights

    def role(self, home: "Home", wanted: str = "") -> "RoleMemory":
        """The role with this id, name or alias; for a key of one role, that one.

        Raises:
            UnknownRoleError: no such role, or not allowed for this key; the message is the same.
        """
        only = self.roles[0] if len(self.roles) == 1 and EVERY not in self.roles else ""
        try:
            found = home.role(wanted or only)
        except (UnknownRoleError, AmbiguousNameError) as error:
            raise UnknownRoleError(wanted, ()) from error
        if EVERY not in self.roles and found.id not in self.roles:
            raise UnknownRoleError(wanted, ())
        return found

    def chat(self, name: str) -> str:
        """The internal id of this user's chat, so that users do not share one. "" = found by its messages.

        >>> Caller("app", ("*",), "lin@home", ("read",)).chat("harbour")
        'harbour@lin%40home'
        """
        return f"{name}@{quote(self.user, safe='')}" if name else ""


@dataclass(frozen=True, slots=True)
class ApiKey(Caller):
    """A stored key: `roles` are ids, ("*",) = every role; `user` "*" = the one in a token."""

    digest: str = field(repr=False)  # SHA-256 of the key, hexadecimal: the signing secret


_FILE = TypeAdapter(dict[str, list[ApiKey]])


class ApiKeys:
    """The keys of a home, and its token as a key with all rights. Reloaded when the file changes."""

    def __init__(self, home: Path, token: str) -> None:
        self._path = home / NAME
        self._token = token
        self._mark: object = None
        self._known: Mapping[str, ApiKey] = {}

    def all(self) -> list[ApiKey]:
        """All keys, by name.

        Raises:
            InvalidValueError: the file is invalid.
        """
        mark = signature(self._path)
        if mark != self._mark:
            self._known = self._read()
            self._mark = mark
        return sorted(self._known.values(), key=lambda one: one.name)

    def caller(self, given: str) -> Caller | None:
        """The caller with this key or token; None if it is invalid."""
        if not given or len(given) > _LONGEST:
            return None
        if same(given, self._token):
            return Caller("token", (EVERY,), "", RIGHTS)
        self.all()
        if "." in given:  # a token; keys have no dot
            return self._claimed(given)
        key = self._known.get(sha256(given.encode("utf-8", "replace")).hexdigest())
        return replace(key, user="") if key and key.user == EVERY else key

    def add(
        self,
        name: str,
        roles: Iterable[str] = (EVERY,),
        user: str = EVERY,
        rights: Iterable[str] = RIGHTS[:2],
    ) -> str:
        """Create a key; only this call returns it. `roles`: ids.

        Raises:
            InvalidValueError: the name is taken, a right is unknown, or "admin" is given to a key restricted to some roles.
        """
        kept = self.all()
        wanted = tuple(dict.fromkeys(rights))
        if any(one.name == name for one in kept) or not name.strip():
            raise InvalidValueError(
                "{name!r}: there is a key of this name; choose another", name=name
            )
        if unknown := next((one for one in wanted if one not in RIGHTS), None):
            raise UnknownNameError("right", unknown, RIGHTS)
        if "admin" in wanted and EVERY not in (listed := tuple(roles)):
            raise InvalidValueError(
                "a key for {listed} alone cannot administer the home; leave out --role or admin",
                listed=Listed(listed),
            )
        made = secrets.token_urlsafe(32)
        digest = sha256(made.encode()).hexdigest()
        self._write([*kept, ApiKey(name, tuple(roles), user, wanted, digest)])
        return made

    def remove(self, name: str) -> None:
        """Revoke a key and all tokens signed with it. Raises: UnknownNameError."""
        kept = self.all()
        if all(one.name != name for one in kept):
            raise UnknownNameError("key", name, [one.name for one in kept])
        self._write([one for one in kept if one.name != name])

    def _claimed(self, given: str) -> Caller | None:
        import jwt

        try:
            name = jwt.get_unverified_header(given).get("kid")
            key = next(one for one in self._known.values() if one.name == name)
            told = jwt.decode(given, key.digest, ["HS256"], options={"require": ["sub", "exp"]})
        except (jwt.InvalidTokenError, StopIteration):
            return None
        user = told["sub"]
        role = str(told.get("role", ""))
        if not user or key.user not in (EVERY, user) or "admin" in key.rights:
            return None
        if not role:
            return replace(key, user=user)
        opens = EVERY in key.roles or role in key.roles
        return replace(key, roles=(role,), user=user) if opens else None

    def _read(self) -> dict[str, ApiKey]:
        if not self._path.exists():
            return {}
        try:
            keys = _FILE.validate_json(self._path.read_bytes())["keys"]
        except (ValueError, KeyError) as error:
            raise InvalidValueError(
                "{path}: cannot be read as keys: {error}; mend it, or delete it and make new keys",
                path=self._path,
                error=error,
            ) from error
        return {one.digest: one for one in keys}

    def _write(self, keys: Iterable[ApiKey]) -> None:
        write(self._path, _FILE.dump_json({"keys": list(keys)}, indent=2) + b"\n")
