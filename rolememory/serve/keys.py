"""Keys of a service: whose they are, which roles they open and what they may do. The home keeps their digests in `keys.json`.

A key speaks for one user; or for many, each named by a claim that it signs: a JSON Web Token (HS256) with the key's name as `kid`,
the user as `sub`, and `exp`; with `role`, the id of one role, for that one alone. The secret is the SHA-256 of the key, in hexadecimal.
"""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import orjson

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
EVERY = "*"  # role; user: whoever the claim names
_LONGEST = 4_000  # characters of a key or claim


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request, as its key says."""

    name: str
    roles: tuple[str, ...]
    user: str  # "" = nobody
    rights: tuple[str, ...]

    def may(self, right: str) -> bool:
        """Whether this right is given; who may administer may do all."""
        return right in self.rights or "admin" in self.rights

    def role(self, home: "Home", wanted: str = "") -> "RoleMemory":
        """The role that is meant, by id, name or alias; of a key for one role, that one.

        Raises:
            UnknownRoleError: nobody of that name, or nobody for this key: the answer is the same.
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
        """The chat of this user that the caller calls so: no two users share one. "" = found by what was said.

        >>> Caller("app", ("*",), "lin@home", ("read",)).chat("harbour")
        'harbour@lin%40home'
        """
        return f"{name}@{quote(self.user, safe='')}" if name else ""


@dataclass(frozen=True, slots=True)
class ApiKey(Caller):
    """One key as it is kept: `roles` are ids, ("*",) = every role; `user` "*" = whom a claim names."""

    digest: str = field(repr=False)  # SHA-256 of the key, hexadecimal: what it signs with


class ApiKeys:
    """The keys of a home, and its token as the key that may do all. Read again whenever the file changes."""

    def __init__(self, home: Path, token: str) -> None:
        self._path, self._token = home / NAME, token
        self._mark: object = None
        self._known: Mapping[str, ApiKey] = {}

    def all(self) -> list[ApiKey]:
        """Every key, in the order of their names.

        Raises:
            InvalidValueError: the file cannot be read as keys.
        """
        mark = signature(self._path)
        if mark != self._mark:
            self._known, self._mark = self._read(), mark
        return sorted(self._known.values(), key=lambda one: one.name)

    def caller(self, given: str) -> Caller | None:
        """Who sends this key or claim; None where it is no valid one."""
        if not given or len(given) > _LONGEST:
            return None
        if same(given, self._token):
            return Caller("token", (EVERY,), "", RIGHTS)
        self.all()
        if "." in given:  # no key has one
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
        """Make a key; only this call tells it. `roles`: ids.

        Raises:
            InvalidValueError: the name is taken, a right is unknown, or a key for some roles alone shall administer the home.
        """
        kept, wanted = self.all(), tuple(dict.fromkeys(rights))
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
        """Take a key away; what it signed counts no longer either. Raises: UnknownNameError."""
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
        user, role = told["sub"], str(told.get("role", ""))
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
            rows = orjson.loads(self._path.read_bytes())["keys"]
            keys = [
                ApiKey(**{**row, "roles": tuple(row["roles"]), "rights": tuple(row["rights"])})
                for row in rows
            ]
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidValueError(
                "{path}: cannot be read as keys: {error}; mend it, or delete it and make new keys",
                path=self._path,
                error=error,
            ) from error
        return {one.digest: one for one in keys}

    def _write(self, keys: Iterable[ApiKey]) -> None:
        rows = [asdict(one) for one in keys]
        write(self._path, orjson.dumps({"keys": rows}, option=orjson.OPT_INDENT_2) + b"\n")
