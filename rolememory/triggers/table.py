"""Candidates in columns: what strategies read of all of them at once, by row.

A candidate keeps its row while its id is in the table; free rows are reused. The
owner changes a table in place, under its `lock`, between turns.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property
from itertools import compress
from typing import Any, Protocol
from weakref import WeakSet

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Earlier, Hit, Reason
from rolememory.schema.memory import Source, is_plain, is_ungated
from rolememory.schema.passage import Passage
from rolememory.schema.value_class import value_class
from rolememory.text.arrays import Doubles, Mask, NDArray, Rows, np

_FIRST = 64  # rows that a new column has room for


class ArrayColumn:
    """One value per row, in an array that grows by a quarter: amortised O(1) per row, little unused memory."""

    __slots__ = ("_all", "_empty", "values")

    def __init__(self, dtype: str, empty: Any = 0, width: int | None = None) -> None:
        self._empty = empty
        shape = (_FIRST,) if width is None else (_FIRST, width)
        self._all: NDArray[Any] = _filled(shape, dtype, empty)
        self.values = self._all[:0]  # of all rows, (n_rows,); a view

    def grow(self, size: int) -> None:
        """Grow to at least `size` rows; new ones are empty."""
        known = len(self.values)
        if size <= known:
            return
        if size > len(self._all):
            shape = (max(size, len(self._all) * 5 // 4), *self._all.shape[1:])
            room = _filled(shape, self._all.dtype, self._empty)
            room[:known] = self.values
            self._all = room
        self.values = self._all[:size]

    def set_rows(self, most: int | None = None) -> list[int]:
        """The rows where a mask is set; none if they are more than `most`."""
        many = most is not None and np.count_nonzero(self.values) > most
        return [] if many else self.values.nonzero()[0].tolist()

    def __setitem__(self, rows: Any, values: Any) -> None:
        self._all[_places(rows)] = values

    def __getitem__(self, rows: Any) -> Any:
        return self._all[_places(rows)]


def _filled(shape: tuple[int, ...], dtype: Any, empty: Any) -> "NDArray[Any]":
    """An array of it; zeros take no room until something else is written there."""
    return np.full(shape, empty, dtype) if empty else np.zeros(shape, dtype)


def _places(rows: Any) -> Any:
    """Rows as arrays read them fastest."""
    return slice(rows.start, rows.stop) if isinstance(rows, range) else rows


def seconds(moment: datetime | None) -> float:
    """A moment as seconds since 1970, nan for none."""
    return moment.timestamp() if moment else float("nan")


class Follower(Protocol):
    """Keeps something about the rows of a table."""

    def add(self, rows: Sequence[int]) -> None:
        """Read these rows: what stands in them is new."""
        ...

    def remove(self, rows: Sequence[int]) -> None:
        """Forget these rows; what stood in them still does."""
        ...


class Table:
    """The candidates by row, with columns for ranking: times, weight, salience, ..."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.lock = threading.RLock()
        self.row_of: dict[str, int] = {}
        self.created = ArrayColumn("f8", float("nan"))  # seconds: when it happened or was said
        self.since = ArrayColumn("f8", float("nan"))  # ... or, where nobody knows, was written down
        self.weight, self.salience, self.priority = (
            ArrayColumn("f8"),
            ArrayColumn("f8"),
            ArrayColumn("f8"),
        )
        self.kind = ArrayColumn("i1")  # `kind_of`
        self.source = ArrayColumn("i1")  # `SOURCES` from 1 on; 0 = of no memory
        self.decay, self.fades = ArrayColumn("f8"), ArrayColumn("?")
        self.plain = ArrayColumn("?")  # `schema.memory.is_plain`; no free row is
        self.ungated = ArrayColumn("?")  # `schema.memory.is_ungated`; no free row is
        self.says = ArrayColumn("f4")  # 1 where a text says anything of its own, else 0 ...
        self.asks = ArrayColumn("f4")  # ... and how much of it asks, 0..1: `Informativeness`
        self.told = ArrayColumn("?")  # whether these two are known
        self.came = ArrayColumn("i8")  # numbers the candidates in the order in which their ids came
        self.owner = ArrayColumn("i8")  # numbers the users that something is of; 0 = of nobody
        self._owners: dict[str, int] = {}
        self.n_rows = 0  # of every column, free ones included
        self._entries: list[Entry | None] = []
        self._free: list[int] = []
        self._coming = 0
        self._followers: WeakSet[Follower] = WeakSet()
        self.change(list(entries))

    def __len__(self) -> int:
        return len(self.row_of)

    @property
    def rows(self) -> list[int]:
        """The rows that are taken, in the order in which their ids came."""
        return list(self.row_of.values())

    def entry(self, row: int) -> Entry:
        """The candidate in a row that is taken."""
        found = self._entries[row]
        assert found is not None, "a free row was asked about"
        return found

    def ids(self, rows: Sequence[int]) -> Collection[str]:
        """The ids of the candidates in rows that are taken."""
        every = len(rows) == len(self.row_of) and list(rows) == self.rows
        return self.row_of.keys() if every else [self.entry(row).id for row in rows]

    def entries(self, rows: Iterable[int]) -> list[Entry]:
        """The candidates in rows that are taken."""
        return list(map(self._entries.__getitem__, rows))  # type: ignore[arg-type]

    def hold(self, entries: Iterable[Entry]) -> None:
        """Hold these instead of equal ones."""
        for entry in entries:
            self._entries[self.row_of[entry.id]] = entry

    def follow(self, follower: Follower) -> None:
        """Notify it of every change from now on; held by a weak reference."""
        self._followers.add(follower)

    def change(self, fresh: Sequence[Entry], gone: Iterable[str] = ()) -> None:
        """Put candidates into the rows of their ids, else into free ones; free the rows of `gone`."""
        leaving = [self.row_of[one] for one in gone if one in self.row_of]
        changing = [self.row_of[one.id] for one in fresh if one.id in self.row_of]
        if leaving or changing:
            for follower in self._followers:
                follower.remove([*leaving, *changing])
        for row in leaving:
            del self.row_of[self.entry(row).id]
            self._entries[row] = None
        self._free += leaving
        self.plain[leaving] = self.ungated[leaving] = False
        rows = self._rows(fresh)
        self._write(rows, fresh)
        for follower in self._followers:
            follower.add(rows)

    def _rows(self, entries: Iterable[Entry]) -> list[int]:
        """The row of each, given to those that have none."""
        rows, came = [], []
        for entry in entries:
            row = self.row_of.get(entry.id)
            if row is None:
                row = self._free.pop() if self._free else self.n_rows
                if row == self.n_rows:
                    self._entries.append(None)
                    self.n_rows += 1
                self.row_of[entry.id] = row
                came.append(row)
            rows.append(row)
        self.came.grow(self.n_rows)
        self.came[came] = range(self._coming, self._coming + len(came))
        self._coming += len(came)
        return rows

    def _write(self, rows: Sequence[int], entries: Sequence[Entry]) -> None:
        self._grow()
        self.told[rows] = False
        for row, entry in zip(rows, entries, strict=True):
            self._entries[row] = entry
        if rows:
            self.owner[rows] = [self._owner(getattr(entry, "user", None)) for entry in entries]
            facts = zip(*map(_facts, entries), strict=True)
            for name, values in zip(FACTS, facts, strict=False):
                getattr(self, name)[rows] = values

    def _grow(self) -> None:
        for name in ("owner", "told", *FACTS):
            getattr(self, name).grow(self.n_rows)

    def facts(self, entries: Sequence[Entry]) -> "NDArray[np.void] | None":
        """The column values of each, (n_entries,), named as in `FACTS`; None if one is missing or incomplete."""
        rows = [self.row_of.get(entry.id, -1) for entry in entries]
        here = (
            row >= 0 and self._entries[row] is entry
            for row, entry in zip(rows, entries, strict=True)
        )
        if not all(here) or not self.told[rows].all():
            return None
        found = np.zeros(len(rows), list(FACTS.items()))
        for name in FACTS:
            found[name] = getattr(self, name)[rows]
        return found

    def adopt(self, entries: Mapping[str, Entry], facts: "NDArray[np.void]") -> None:
        """Fill the empty table with these entries and their `facts`."""
        rows = range(len(entries))
        self.row_of.update(zip(entries, rows, strict=True))
        self._entries, self.n_rows, self._coming = list(entries.values()), len(rows), len(rows)
        self._grow()
        for name in FACTS:
            getattr(self, name)[rows] = facts[name]
        self.came.grow(self.n_rows)
        self.came[rows] = rows
        self.told[rows] = True
        for row in self.special(rows):
            self.owner[row] = self._owner(getattr(self.entry(row), "user", None))
        for follower in self._followers:
            follower.add(rows)

    def special(self, rows: "Sequence[int]") -> list[int]:
        """Those of these rows without a plain memory."""
        return list(compress(rows, (~self.plain[rows]).tolist())) if rows else []

    def owner_of(self, user: str | None) -> int:
        """The number of a user in `owner`; 0 if they own nothing."""
        return self._owners.get(user or "", 0)

    def _owner(self, user: str | None) -> int:
        return self._owners.setdefault(user, len(self._owners) + 1) if user else 0

    def among(self, ids: Collection[str]) -> "Among":
        """Those of these ids that are in the table."""
        if isinstance(ids, Among):
            return ids
        of = self.row_of
        return Among.of_rows(self, [of[one] for one in ids if one in of])


SAID, FREE, TYPED, CHAPTER = range(4)


def kind_of(entry: Entry) -> int:
    """The kind of a candidate for limits: a passage, a memory added by a person, a chapter, or other."""
    if isinstance(entry, Passage):
        return SAID
    if entry.constant or getattr(entry, "authored", False):
        return FREE
    return CHAPTER if getattr(entry, "chapter", None) else TYPED


FACTS = {
    **dict.fromkeys(("created", "since", "weight", "salience", "priority"), "<f8"),
    "kind": "i1",
    "source": "i1",
    "decay": "<f8",
    "fades": "?",
    "plain": "?",
    "ungated": "?",
    "says": "<f4",
    "asks": "<f4",
}
"""The columns that hold what a candidate says of itself, with their types; those of `_facts` first."""
SOURCES = {source: number for number, source in enumerate(Source, 1)}


def _facts(entry: Entry) -> tuple[float | bool, ...]:
    """The first of `FACTS`; an entry of a lorebook has the neutral ones."""
    return (
        seconds(getattr(entry, "created", None)),
        seconds(getattr(entry, "since", None)),
        getattr(entry, "weight", 1.0),
        getattr(entry, "salience", 0.5),
        getattr(entry, "priority", 50),
        kind_of(entry),
        SOURCES.get(getattr(entry, "source", None), 0),  # type: ignore[arg-type]
        getattr(entry, "decay", 0.0),
        getattr(entry, "fades", False),
        is_plain(entry),
        is_ungated(entry),
    )


@dataclass(eq=False, repr=False)
class Among(Set[str]):
    """Some of the candidates of a table, as a mask over its rows; looks like a set of ids, and `ids` is a real one."""

    table: Table
    _chosen: ArrayColumn = field(default_factory=lambda: ArrayColumn("?"))
    heirs: Mapping[str, str] | None = None  # of who may not come, once somebody looked

    @classmethod
    def of_rows(cls, table: Table, rows: "Rows | Sequence[int]") -> "Among":
        """The candidates in these rows."""
        among = cls(table)
        among.mask[rows] = True
        return among

    @property
    def mask(self) -> Mask:
        """Which rows they stand in, (n_rows,)."""
        self._chosen.grow(self.table.n_rows)
        return self._chosen.values

    def __contains__(self, entry_id: object) -> bool:
        row = self.table.row_of.get(entry_id)  # type: ignore[call-overload]
        return row is not None and bool(self.mask[row])

    def __iter__(self) -> Iterator[str]:
        return (entry_id for entry_id, row in self.table.row_of.items() if self.mask[row])

    def __len__(self) -> int:
        return int(np.count_nonzero(self.mask))

    @cached_property
    def ids(self) -> frozenset[str]:
        """The same as a frozenset; made when a strategy asks by ids. Cost: O(n) once."""
        return frozenset(self)

    @classmethod
    def _from_iterable(cls, ids: Iterable[str]) -> frozenset[str]:  # type: ignore[override]
        return frozenset(ids)


@value_class
class TableEvidence:
    """One strategy's evidence by row; reasons are computed only for those shown."""

    rows: Rows  # (n,), none twice
    strengths: Doubles  # (n,)
    because: Callable[
        [int], Reason
    ]  # of a place in `rows`; still true when the table has changed since
    earlier: Callable[[int], Earlier | None] | None = None  # of a row
    gained: Collection[int] = ()  # rows that came along with something earlier

    @classmethod
    def of(cls, hits: Sequence[tuple[int, float, Reason]]) -> "TableEvidence":
        """Evidence from (row, strength, reason)."""
        if not hits:
            return _nothing()
        rows = np.array([row for row, *_ in hits], dtype=np.int64)
        strengths = np.array([strength for _, strength, _ in hits], dtype=np.float64)
        return cls(rows, strengths, lambda place: hits[place][2])

    def only(self, chosen: Mask) -> "TableEvidence":
        """The evidence at these places only."""
        places, because = chosen.nonzero()[0], self.because
        return TableEvidence(
            self.rows[places],
            self.strengths[places],
            lambda place: because(int(places[place])),
            self.earlier,
            self.gained,
        )

    def hits(self, table: Table, name: str) -> Iterator[Hit]:
        """The same as hits."""
        for place, (row, strength) in enumerate(
            zip(self.rows.tolist(), self.strengths.tolist(), strict=True)
        ):
            yield Hit(table.entry(row).id, name, strength, self.because(place))


@cache
def _nothing() -> TableEvidence:
    """No evidence."""
    empty = np.empty(0)
    return TableEvidence(empty.astype(np.int64), empty, list[Reason]().__getitem__)
