"""How far models have read: a line for each batch, written only after success, so that nothing is lost and nothing is asked twice."""

import threading
from collections.abc import Collection, Iterable, Mapping, Set
from typing import Any

from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.storage.port import Space
from rolememory.storage.state import StateLog, Values

_READ, _HARD, _ENDS, _ROLE = "read", "hard", "ends", "role"


class Progress:
    """`state/model`: per chat what each reader has read, what was hard, where chapters end. Thread-safe.

    A batch costs itself alone, however much was read before.

    Raises (from what changes it):
        NotWrittenError: the disk refused; what was read will be read again.
    """

    def __init__(self, space: Space) -> None:
        self._state = StateLog(space, "model", _older)
        self._lock = threading.RLock()

    def read_by(self, chat: str, reader: str) -> Set[str]:
        """The versions of a chat that this reader has read; not to be kept."""
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
        """These versions have been read, and what was found in them is kept; `exchanges` with `user` count towards the next conclusions.

        What failed before this, and waits still, has failed while others succeed: a strike against it.
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
        """Drop what is kept of these chats, and that these users spoke; other chats have another id."""
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
        """How often the exchange that begins with this version has failed since the last success, and its strikes."""
        return self._hard(chat).get(f"{reader} {version}", (0, 0))

    def given_up(self, chat: str, reader: str, strikes: int) -> list[str]:
        """What has so many strikes."""
        hard = ((name.partition(" "), counts) for name, counts in self._hard(chat).items())
        return [rest for (who, _, rest), counts in hard if who == reader and counts[1] >= strikes]

    def failed(self, chat: str, reader: str, versions: Iterable[str]) -> None:
        """A model answered nothing that could be used when it read the exchanges that begin with these versions."""
        with self._lock:
            hard = self._hard(chat)
            names = (f"{reader} {version}" for version in versions)
            counts = ((name, hard.get(name, (0, 0))) for name in names)
            told = {name: [failed + 1, strikes] for name, (failed, strikes) in counts}
            self._put((_key(_HARD, chat), told))

    def ends(self, chat: str) -> Mapping[str, str]:
        """Behind which versions a person ended a chapter, and the title they gave it."""
        return {version: str(title) for version, title in self._of(_ENDS, chat).items()}

    def end(self, chat: str, version: str, title: str) -> None:
        """A chapter ends behind this version, by the word of a person."""
        with self._lock:
            self._put((_key(_ENDS, chat), {version: title or self.ends(chat).get(version, "")}))

    @property
    def exchanges(self) -> int:
        """How many exchanges were read since the last conclusions."""
        found = self._role("exchanges")
        return found if isinstance(found, int) else 0

    @property
    def users(self) -> tuple[str | None, ...]:
        """With whom they were."""
        return tuple(user or None for user in _texts(self._role("users")))

    def concluded(self) -> None:
        """Conclusions were drawn."""
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
        """Write these now."""
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
    """What stood in `state/model.json`, everything under the chat: so that nothing is asked, and paid for, twice."""
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
