"""How far models have read: one small file per role, written only after success, so that nothing is lost and nothing is asked twice."""

import threading
from collections.abc import Collection, Iterable, Mapping
from copy import deepcopy
from typing import Any

from rolememory.storage.port import Space
from rolememory.storage.state import StateFile


class Progress:
    """`state/model.json`: per chat what each reader has read, what was hard, where chapters end. Thread-safe.

    Raises (from what changes it):
        NotWrittenError: the disk refused; what was read will be read again.
    """

    def __init__(self, space: Space) -> None:
        self._file = StateFile(space, "model")
        self._lock = threading.Lock()

    def read_by(self, chat: str, reader: str) -> set[str]:
        """The versions of a chat that this reader has read."""
        return set(_list(_at(self._chat(chat), "read"), reader))

    def readers_of(self, versions: Iterable[str], reader: str) -> set[str]:
        """The chats in which this reader has read one of these versions."""
        wanted = set(versions)
        chats = _at(self._file.load(), "chats")
        return {
            chat
            for chat in chats
            if not wanted.isdisjoint(_at(_at(chats, chat), "read").get(reader) or ())
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

        def change(value: dict[str, Any]) -> None:
            mine = _inner(value, "chats", chat)
            known = dict.fromkeys((*_list(_at(mine, "read"), reader), *versions))
            _inner(mine, "read")[reader] = list(known)
            mine["hard"] = {
                name: [0, strikes + 1]
                if failed and name.startswith(f"{reader} ")
                else [failed, strikes]
                for name, (failed, strikes) in _hard(mine).items()
                if name.partition(" ")[2] not in known
            }
            value["exchanges"] = self._count(value) + exchanges
            if exchanges:
                value["users"] = list(dict.fromkeys((*_list(value, "users"), user or "")))

        self._change(change)

    def forget(
        self, chats: Collection[str], users: Collection[str], renamed: Mapping[str, str]
    ) -> None:
        """Drop what is kept of these chats, and that these users spoke; other chats have another id."""

        def change(value: dict[str, Any]) -> None:
            kept = {one: read for one, read in _at(value, "chats").items() if one not in chats}
            value["chats"] = {renamed.get(one, one): read for one, read in kept.items()}
            value["users"] = [one for one in _list(value, "users") if one not in users]

        self._change(change)

    def trouble(self, chat: str, reader: str, version: str) -> tuple[int, int]:
        """How often the exchange that begins with this version has failed since the last success, and its strikes."""
        return _hard(self._chat(chat)).get(f"{reader} {version}", (0, 0))

    def given_up(self, chat: str, reader: str, strikes: int) -> list[str]:
        """What has so many strikes."""
        hard = ((name.partition(" "), counts) for name, counts in _hard(self._chat(chat)).items())
        return [rest for (who, _, rest), counts in hard if who == reader and counts[1] >= strikes]

    def failed(self, chat: str, reader: str, versions: Iterable[str]) -> None:
        """A model answered nothing that could be used when it read the exchanges that begin with these versions."""

        def change(value: dict[str, Any]) -> None:
            mine = _inner(value, "chats", chat)
            hard = _hard(mine)
            for name in (f"{reader} {version}" for version in versions):
                failed, strikes = hard.get(name, (0, 0))
                hard[name] = (failed + 1, strikes)
            mine["hard"] = {name: list(counts) for name, counts in hard.items()}

        self._change(change)

    def ends(self, chat: str) -> Mapping[str, str]:
        """Behind which versions a person ended a chapter, and the title they gave it."""
        told = _at(self._chat(chat), "ends")
        return {version: str(title) for version, title in told.items()}

    def end(self, chat: str, version: str, title: str) -> None:
        """A chapter ends behind this version, by the word of a person."""

        def change(value: dict[str, Any]) -> None:
            ends = _inner(value, "chats", chat, "ends")
            ends[version] = title or ends.get(version, "")

        self._change(change)

    @property
    def exchanges(self) -> int:
        """How many exchanges were read since the last conclusions."""
        return self._count(self._file.load())

    @property
    def users(self) -> tuple[str | None, ...]:
        """With whom they were."""
        return tuple(user or None for user in _list(self._file.load(), "users"))

    def concluded(self) -> None:
        """Conclusions were drawn."""
        self._change(lambda value: value.update(exchanges=0, users=[]))

    def _chat(self, chat: str) -> Mapping[str, Any]:
        return _at(_at(self._file.load(), "chats"), chat)

    def _count(self, value: Mapping[str, Any]) -> int:
        found = value.get("exchanges", 0)
        return found if isinstance(found, int) else 0

    def _change(self, change: Any) -> None:
        with self._lock:
            value = deepcopy(self._file.load())
            change(value)
            self._file.save(value)


def _at(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The table of that name; an empty one where there is none, or something else."""
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _list(value: Mapping[str, Any], name: str) -> list[str]:
    found = value.get(name)
    return [str(one) for one in found] if isinstance(found, list) else []


def _hard(chat: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """By reader and first version: failures since the last success, and strikes."""
    pairs = _at(chat, "hard").items()
    return {
        name: (pair[0], pair[1])
        for name, pair in pairs
        if isinstance(pair, list) and [type(one) for one in pair] == [int, int]
    }


def _inner(value: dict[str, Any], *names: str) -> dict[str, Any]:
    """The table under these names, made where there is none."""
    for name in names:
        inner = value.get(name)
        if not isinstance(inner, dict):
            inner = value[name] = {}
        value = inner
    return value
