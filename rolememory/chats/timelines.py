"""Timelines: which chats know of one another. A small JSON file in the role's state."""

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.schema.memory import in_utc
from rolememory.storage.moments import iso, moment
from rolememory.storage.port import Space
from rolememory.storage.problem import Problem
from rolememory.storage.state import StateFile

NAME = "timelines"
Reach = Mapping[str, datetime | None]  # timelines seen -> told until when; None = all of it


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Timeline:
    """A line of events that chats may share; "" is the one that all share from the beginning."""

    name: str
    of: str | None = None  # the one it was forked from; None = it starts empty
    at: datetime | None = None  # what was told in that one until then is known here
    merged: tuple[str, ...] = ()  # others whose events are known here too


class Timelines:
    """The timelines of a role. Thread-safe; any number of processes may share the file."""

    def __init__(self, space: Space, *, clock: Callable[[], datetime] = _now) -> None:
        self._file = StateFile(space, NAME)
        self._space, self._clock = space, clock
        self._lock = threading.RLock()

    def list(self) -> Sequence[Timeline]:
        """Every timeline, the shared one first."""
        return [self._timeline(name) for name in self._names()]

    def fork(self, name: str, of: str | None = "", at: datetime | None = None) -> Timeline:
        """A new timeline that knows what was told in `of` until `at` (None: until now); `of=None`: one that starts empty.

        Raises: InvalidValueError (the name is taken or blank), UnknownNameError (no timeline `of`), NotWrittenError.
        """
        name = name.strip()
        if not name or len(name) > 200:
            raise InvalidValueError(
                f"expected a name of 1 to 200 characters, got {name[:80]!r}",
                zh=f"名字应为 1 到 200 个字符，却是“{name[:80]}”",
            )
        until = None if of is None else iso(in_utc(at or self._clock()))

        def forked(value: dict[str, Any]) -> None:
            if name in value["timelines"]:
                raise InvalidValueError(
                    f"there is a timeline {name!r} already; choose another name",
                    zh=f"已有时间线“{name}”；请换一个名字",
                )
            value["timelines"][name] = {"of": of, "at": until}

        if of is not None:
            self.known(of)
        self._change(forked)
        return self._timeline(name)

    def merge(self, name: str, into: str = "") -> Timeline:
        """Let everything told in `name`, before and from now on, be known in `into` as well; gives `into`.

        Raises: InvalidValueError (both are one), UnknownNameError, NotWrittenError.
        """
        if self.known(name) == self.known(into):
            raise InvalidValueError(
                f"timeline {name!r} cannot be merged into itself", zh=f"时间线“{name}”不能并入自己"
            )

        def merged(value: dict[str, Any]) -> None:
            value["merged"][into] = [*dict.fromkeys((*value["merged"].get(into, ()), name))]

        self._change(merged)
        return self._timeline(into)

    def known(self, name: str) -> str:
        """The name, if there is such a timeline.

        Raises: UnknownNameError.
        """
        if name not in self._names():
            raise UnknownNameError("timeline", name, filter(None, self._names()))
        return name

    def reach(self, name: str) -> Reach:
        """The timelines that are known in that one, each with the moment until which."""
        value = self._value()
        found: dict[str, datetime | None] = {}
        waiting: deque[tuple[str, datetime | None]] = deque([(name, None)])
        while waiting:
            here, until = waiting.pop()
            if here in found and not _later(until, found[here]):
                continue
            found[here] = until
            waiting.extend((other, until) for other in value["merged"].get(here, ()))
            fork = value["timelines"].get(here, {})
            if fork.get("of") is not None:
                waiting.append((fork["of"], _earlier(until, moment(fork["at"]))))
        return found

    def forget(self, ids: Callable[[str], str]) -> None:
        """Call every timeline by these names from now on. Raises: NotWrittenError."""

        def renamed(value: dict[str, Any]) -> None:
            value["timelines"] = {
                ids(name): one | ({"of": ids(one["of"])} if one.get("of") else {})
                for name, one in value["timelines"].items()
            }
            value["merged"] = {
                ids(name): [ids(other) for other in others]
                for name, others in value["merged"].items()
            }

        if any(ids(name) != name for name in self._names()):
            self._change(renamed)

    @property
    def mark(self) -> object:
        """Another one whenever the file changed; one stat."""
        return self._file.mark

    @property
    def problems(self) -> Sequence[Problem]:
        """Why the file could not be read, if so."""
        self._file.load()
        return (
            [Problem("unreadable", f"state/{NAME}.json", values=(("reason", self._file.note),))]
            if self._file.note
            else []
        )

    def _names(self) -> Sequence[str]:
        return ["", *self._value()["timelines"]]

    def _timeline(self, name: str) -> Timeline:
        value = self._value()
        fork = value["timelines"].get(name, {})
        at = fork.get("at")
        return Timeline(
            name, fork.get("of"), moment(at) if at else None, tuple(value["merged"].get(name, ()))
        )

    def _value(self) -> dict[str, Any]:
        raw = self._file.load()
        timelines, merged = raw.get("timelines"), raw.get("merged")
        return {
            "timelines": {
                name: dict(one) for name, one in timelines.items() if isinstance(one, dict)
            }
            if isinstance(timelines, dict)
            else {},
            "merged": {name: list(others) for name, others in merged.items()}
            if isinstance(merged, dict)
            else {},
        }

    def _change(self, change: Callable[[dict[str, Any]], None]) -> None:
        with self._lock, self._space.lock("state"):
            value = self._value()
            change(value)
            self._file.save(value)


def _later(one: datetime | None, other: datetime | None) -> bool:
    return other is not None and (one is None or one > other)


def _earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((each for each in (one, other) if each is not None), default=None)
