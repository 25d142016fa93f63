"""How far models have read: a line per batch, written only after success, so that nothing is lost or requested twice."""

import threading
from collections.abc import Collection, Iterable, Mapping, Set
from typing import Any

from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.storage.port import Space
from rolememory.storage.state import StateLog, Values

_READ, _HARD, _ENDS, _ROLE = "read", "hard", "ends", "role"


class Progress:
    """`state/model`: per chat what each reader has read, failures, and chapter ends. Thread-safe.

    The cost of a batch is independent of how much was read before.

    Raises (from what changes it):
        NotWrittenError: the disk refused; the batch will be read again.
    """

    def __init__(self, space: Space) -> None:
        self._state = StateLog(space, "model", _older)
        self._lock = threading.RLock()

    def read_by(self, chat: str, reader: str) -> Set[str]:
        """The versions of a chat that this reader has read; a live view."""
        return self._of(_READ, chat, reader).keys()

    def readers_of(self, versions: Collection[str], reader: str) -> set[str]:
        """The chats in which this reader has read one of these versions. Cost: O(chats x versions)."""
        return {
            chat
            for key, read in self._state.load().items()
            for kind, name, chat in (_parts(key),)
            if (kind, name) == (_READ, reader) and any(one in read for one in versions)
        }

    def mark(
        self,
        chat: str,
        reader: str,
        versions: Iterable[str],
        *,
        exchanges: int = 0,
        user: str | None = None,
    ) -> None:
        """Mark versions as read and committed; `exchanges` with `user` count towards the next conclusions.

        Pending exchanges that failed before get a strike, since others succeeded.
        """
        known = dict.fromkeys(versions, 1)
        with self._lock:
            read = self._of(_READ, chat, reader)
            hard: JsonObject = {}
            for name, (failed, strikes) in self._hard(chat).items():
                who, _, version = name.partition(" ")
                if who == reader and (version in known or version in read):
                    hard[name] = None
                elif who == reader and failed:
                    hard[name] = [0, strikes + 1]
            role: JsonObject = {}
            if exchanges:
                users = dict.fromkeys((*_texts(self._role("users")), user or ""))
                role = {"exchanges": self.exchanges + exchanges, "users": list(users)}
            self._put((_key(_READ, chat, reader), known), (_key(_HARD, chat), hard), (_ROLE, role))

    def forget(
        self, chats: Collection[str], users: Collection[str], renamed: Mapping[str, str]
    ) -> None:
        """Forget these chats and users; rename other chats."""
        with self._lock:
            kept: Values = {}
            for key, values in self._state.load().items():
                kind, name, chat = _parts(key)
                if kind == _ROLE:
                    spoke = [one for one in _texts(values.get("users")) if one not in users]
                    kept[key] = {**values, "users": spoke}
                elif chat not in chats:
                    kept[_key(kind, renamed.get(chat, chat), name)] = values
            self._state.replace(kept)

    def trouble(self, chat: str, reader: str, version: str) -> tuple[int, int]:
        """The failures, since the last success, of the exchange with this first version, and its strikes."""
        return self._hard(chat).get(f"{reader} {version}", (0, 0))

    def given_up(self, chat: str, reader: str, strikes: int) -> list[str]:
        """The first versions with this many strikes."""
        hard = ((name.partition(" "), counts) for name, counts in self._hard(chat).items())
        return [rest for (who, _, rest), counts in hard if who == reader and counts[1] >= strikes]

    def failed(self, chat: str, reader: str, versions: Iterable[str]) -> None:
        """Count a failure for the exchanges with these first versions: the model's answer was invalid."""
        with self._lock:
            hard = self._hard(chat)
            names = (f"{reader} {version}" for version in versions)
            counts = ((name, hard.get(name, (0, 0))) for name in names)
            told = {name: [failed + 1, strikes] for name, (failed, strikes) in counts}
            self._put((_key(_HARD, chat), told))

    def ends(self, chat: str) -> Mapping[str, str]:
        """The versions after which a person ended a chapter, with its title."""
        return {version: str(title) for version, title in self._of(_ENDS, chat).items()}

    def end(self, chat: str, version: str, title: str) -> None:
        """End a chapter after this version, as a person asked."""
        with self._lock:
            self._put((_key(_ENDS, chat), {version: title or self.ends(chat).get(version, "")}))

    @property
    def exchanges(self) -> int:
        """Exchanges read since the last conclusions."""
        found = self._role("exchanges")
        return found if isinstance(found, int) else 0

    @property
    def users(self) -> tuple[str | None, ...]:
        """The users in them."""
        return tuple(user or None for user in _texts(self._role("users")))

    def concluded(self) -> None:
        """Reset after conclusions."""
        with self._lock:
            self._put((_ROLE, {"exchanges": 0, "users": []}))

    def _of(self, kind: str, chat: str, reader: str = "") -> JsonMapping:
        return self._state.of(_key(kind, chat, reader))

    def _role(self, name: str) -> Any:
        return self._state.of(_ROLE).get(name)

    def _hard(self, chat: str) -> dict[str, tuple[int, int]]:
        """By reader and first version: failures since the last success, and strikes."""
        return {
            name: (pair[0], pair[1])
            for name, pair in self._of(_HARD, chat).items()
            if isinstance(pair, list) and [type(one) for one in pair] == [int, int]
        }

    def _put(self, *changes: tuple[str, JsonMapping]) -> None:
        """Write these changes now."""
        for key, values in changes:
            if values:
                self._state.put(key, values)
        self._state.flush()


def _key(kind: str, chat: str, reader: str = "") -> str:
    return f"{kind}\n{reader}\n{chat}"


def _parts(key: str) -> tuple[str, str, str]:
    """Kind, reader, chat."""
    kind, _, rest = key.partition("\n")
    reader, _, chat = rest.partition("\n")
    return kind, reader, chat


def _older(found: JsonMapping) -> Values:
    """The content of the former `state/model.json`, so that nothing is requested, and paid for, twice."""
    values: Values = {}
    for chat, kept in found.get("chats", {}).items():
        for reader, versions in kept.get("read", {}).items():
            values[_key(_READ, chat, reader)] = dict.fromkeys(versions, 1)
        for kind in (_HARD, _ENDS):
            values[_key(kind, chat)] = dict(kept.get(kind, {}))
    role = {name: found[name] for name in ("exchanges", "users") if name in found}
    return {key: told for key, told in {**values, _ROLE: role}.items() if told}


def _texts(found: Any) -> list[str]:
    return [str(one) for one in found] if isinstance(found, list) else []
