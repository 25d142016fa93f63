"""Small state of a role, one concern per document: timers, usage, cursors. Plain JSON; a crash loses seconds of it."""

import logging
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress

import orjson

from rolememory.errors import DeletedRoleError, NotWrittenError
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.storage.debouncer import Debouncer
from rolememory.storage.files.log import ENDING
from rolememory.storage.look import Watched, this_look, watching
from rolememory.storage.port import START, Revision, Space, bytes_in

MAX_BYTES = 64 * 2**20
REST_S = 2.0  # how long a value waits for others before it is written
MOST_DAMAGED = 9  # copies of damaged versions kept per file
_log = logging.getLogger(__name__)


def set_aside(space: Space, name: str) -> str:
    """Copy a damaged file, before it is overwritten; the copy's name, "" if none was made."""
    data = bytes_in(space.blob(name))
    for number in range(MOST_DAMAGED if data is not None else 0):
        copy = space.document(f"{name}.{f'{number + 1}.' if number else ''}damaged")
        known = bytes_in(copy)
        if known == data:
            return copy.name
        if known is None and data is not None:
            with suppress(OSError):
                if copy.swap(data, None).done:
                    return copy.name
    return ""


class StateFile:
    """One JSON object, in `state/{name}.json`. Thread-safe; another process's newer value is seen at the next `load`.

    A damaged file counts as empty: `note` says so, and it is copied before it is overwritten.
    """

    def __init__(self, space: Space, name: str) -> None:
        self.note = ""
        self._space = space
        self._document = space.document(f"state/{name}.json")
        self._lock = threading.RLock()
        self._value: JsonObject = {}
        self._mark: Revision | None = None

    @property
    def mark(self) -> Revision | None:
        """A mark that changes with the value on disk."""
        return self._document.mark()

    @property
    def watched(self) -> Watched:
        """The file."""
        return watching(self._document)

    def load(self) -> JsonObject:
        """The value; empty if absent or unreadable. One stat when nothing changed."""
        with self._lock:
            mark = self.mark
            if mark != self._mark:
                self._value, self._mark = self._read(), mark
            return self._value

    def save(self, value: JsonObject) -> None:
        """Write the value durably.

        Raises:
            NotWrittenError: the disk refused; the file is as it was.
        """
        with self._lock:
            if self.mark != self._mark:
                self._read()  # only to know whether it is damaged
            if self.note:
                set_aside(self._space, self._document.name)
            self._document.put(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))
            self._value, self._mark, self.note = value, self.mark, ""

    def delete(self) -> None:
        """Remove the file, unless it was unreadable. Raises: NotWrittenError."""
        if not self.note:
            self._document.delete()

    @contextmanager
    def changing(self) -> Iterator[JsonObject]:
        """Read-modify-write under the lock: yields the current value and saves it if it was changed inside.

        Raises:
            NotWrittenError: the disk refused; the value is as it was.
        """
        with self._lock, self._space.lock("state"):
            before = self.load()
            value = dict(before)
            yield value
            if value != before:
                self.save(value)

    def _read(self) -> JsonObject:
        self.note = ""
        try:
            mark = self.mark
            if mark is not None and mark.size > MAX_BYTES:
                raise ValueError(f"larger than {MAX_BYTES // 2**20} MB")
            found = orjson.loads(self._document.read())
            if not isinstance(found, dict):
                raise TypeError("not an object")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError) as error:
            name = self._document.name.rpartition("/")[2]
            self.note = f"{self._document.place}: cannot be read ({error}); it counts as empty, and is kept as {name}.damaged"
            _log.warning("%s", self.note)
            return {}
        return found


_REMOVED = "removed"  # first key of a log after removals: their count; all other values are objects
SHORT_BYTES = 32 * 1024  # logs up to this length are not compacted

Values = dict[str, JsonObject]
"""Key (mostly a chat) -> name -> value."""


class StateLog:
    """Values by key and name, in the log `state/{name}`: a change costs O(its size), not O(all keys).

    Written in the background; changes of several processes are merged, value by value. Thread-safe. `legacy` converts
    `state/{name}.json` of older versions.
    """

    def __init__(
        self,
        space: Space,
        name: str,
        legacy: Callable[[JsonObject], Values] = lambda found: {},
        *,
        rest_s: float = REST_S,
    ) -> None:
        self.revision = 0  # changes when another process changed something
        self._space, self._legacy = space, legacy
        self._log, self._older = space.log(f"state/{name}"), StateFile(space, name)
        self._lock = threading.RLock()
        self._values: Values | None = None
        self._pending: Values = {}
        self._place = START
        self._look: object = None
        self._mark: Revision | None = None  # of the log when it was last read
        self._long = SHORT_BYTES
        self._damaged = False  # whether lines of the log could not be read
        self._removed = 0  # number of permanent removals, as in the log
        self._failed = False
        self._idle = Debouncer(rest_s, self._written, f"state {name}")

    def load(self) -> Values:
        """A copy of all values, the key changed last comes last. Cost: O(values)."""
        with self._lock:
            return {key: dict(held) for key, held in self._current().items()}

    def of(self, key: str) -> JsonObject:
        """A copy of the values of this key. One stat when nothing changed; cost: O(its values)."""
        with self._lock:
            return dict(self._current().get(key, {}))

    def news(self, revision: int) -> tuple[int, Values] | None:
        """All values with their revision; None if that equals `revision`. One stat when nothing changed."""
        with self._lock:
            self._current()
            return None if self.revision == revision else (self.revision, self.load())

    def put(self, key: str, changes: JsonMapping) -> None:
        """Set values at once, None removes one; they are written soon, together with later ones."""
        with self._lock:
            _change(self._current(), key, changes)
            if not self._pending:  # later ones do not postpone it: a busy role is never quiet
                self._idle.touch()
            self._pending[key] = {**self._pending.get(key, {}), **changes}

    def flush(self) -> None:
        """Write pending values now. Raises: NotWrittenError; the pending values are discarded."""
        with self._lock:
            try:
                self._store()
            except NotWrittenError:
                self._pending, self._values, self._place = {}, None, START
                raise

    def drop(self, keys: Collection[str]) -> None:
        """Remove these keys permanently: on return nothing of them is on disk.

        Other processes discard what they have not written until now.
        """
        with self._lock, self._space.lock("state"):
            kept = {key: held for key, held in self._current().items() if key not in keys}
            self._rewrite(kept)  # also removes older lines of other dropped keys

    def replace(self, values: Values) -> None:
        """Replace all values at once; other processes discard what they have not written until now."""
        with self._lock, self._space.lock("state"):
            self._current()
            self._rewrite(values)

    def close(self) -> None:
        """Write pending values."""
        self._idle.close()
        self._written()

    def _current(self) -> Values:
        """All values, up to date and not copied."""
        look = this_look()
        if self._values is None or look is not self._look:
            mark = self._log.mark()
            if self._values is None or mark != self._mark:
                self._follow()
                self._mark = mark
            self._look = look
        assert self._values is not None
        return self._values

    def _follow(self) -> None:
        """Apply new lines of the log, then pending values."""
        try:
            part = self._log.read(self._place)
        except OSError as error:
            _log.warning("%s: cannot be read: %s", self._log.place, error)
            self._values = self._values or {}
            return
        if self._values is None or part.anew:
            older = {} if part.appends else self._legacy(self._older.load())
            self._values, self.revision, self._damaged = older, self.revision + 1, False
        self._damaged |= bool(part.bad)
        for append in part.appends:
            self.revision += 1
            for line in append.lines:
                if (removed := _removed(line)) is None:
                    _take(self._values, line)
                elif removed != self._removed:  # by another process
                    self._removed, self._pending, self._values = removed, {}, {}
        for key, changes in self._pending.items():
            _change(self._values, key, changes)
        self._place = part.place

    def _written(self) -> bool:
        """Write pending values; whether done. Errors are logged once and retried."""
        with self._lock:
            try:
                self._store()
                self._failed = False
            except DeletedRoleError:
                self._pending = {}
            except NotWrittenError as error:
                if not self._failed:
                    _log.warning("%s", error)
                self._failed = True
            return not self._pending

    def _store(self) -> None:
        if self._pending:
            with self._space.lock("state"):
                self._write()

    def _write(self) -> None:
        self._current()
        if self._log.mark() is None:
            self._rewrite()
            return
        if not self._pending:  # its keys were removed
            return
        line = orjson.dumps(self._pending)
        self._log.append(line)
        self._pending = {}
        part = self._log.read(self._place)
        if [append.lines for append in part.appends] == [(line,)] and not part.anew:
            self._place, self._mark = part.place, self._log.mark()
        if self._mark is not None and self._mark.size > self._long:
            if self._damaged:
                set_aside(self._space, self._log.name + ENDING)
            self._rewrite()

    def _rewrite(self, left: Values | None = None) -> None:
        """Write everything as one line; `left`: the values to keep, others are removed permanently. Under the lock."""
        removed = self._removed
        if left is not None:
            self._values, removed = left, removed + 1
        data = orjson.dumps(self._values or {})
        head = [(orjson.dumps({_REMOVED: removed}),)] if removed else []
        self._log.rewrite([*head, (data,)] if len(data) > 2 else head)
        self._removed = removed
        self._older.delete()
        self._pending, self._long, self._damaged = {}, SHORT_BYTES + 2 * len(data), False
        self._place, self._mark = self._log.read().place, self._log.mark()


def _removed(line: bytes) -> int | None:
    """The number of permanent removals before this log was written; None if the line is something else."""
    if not line.startswith(b'{"%b":' % _REMOVED.encode()):
        return None
    with suppress(ValueError):
        found = orjson.loads(line)[_REMOVED]
        return found if isinstance(found, int) else None
    return None


def _take(values: Values, line: bytes) -> None:
    """Apply a line; one with an unknown shape is ignored."""
    with suppress(ValueError, AttributeError, TypeError):
        for key, changes in orjson.loads(line).items():
            _change(values, key, changes)


def _change(values: Values, key: str, changes: JsonMapping) -> None:
    held = values.pop(key, {})
    for name, value in changes.items():
        if value is None:
            held.pop(name, None)
        else:
            held[name] = value
    if held:
        values[key] = held
