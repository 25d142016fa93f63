"""The index of a role's memories: built once, updated incrementally, read by every turn."""

from collections import ChainMap, Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rolememory import triggers
from rolememory.recall.weigh import Strategy
from rolememory.schema.entry import Entry
from rolememory.schema.memory import MemoriesById, Memory, glimpsed, is_plain
from rolememory.schema.scene import Feeling, Segment
from rolememory.schema.settings import Settings
from rolememory.schema.value_class import value_class
from rolememory.storage.gc_pause import gc_paused
from rolememory.text.affect import affect_of_entry
from rolememory.text.affect_lexicon import Lexicon
from rolememory.text.arrays import Doubles, NDArray, np
from rolememory.text.keys import KeyIndex, KeyScan, KeySpec
from rolememory.text.macros.macros import Macros, has_macros
from rolememory.text.pattern import Quarantine
from rolememory.text.postings import DIGEST_BYTES
from rolememory.text.terms import TermIndex
from rolememory.text.vectors import VectorTable
from rolememory.triggers.base import (
    TRIGGERS,
    ByRows,
    Derive,
    Parts,
    Trigger,
    anew,
    factory,
    third_party,
)
from rolememory.triggers.keyword import KeywordTrigger
from rolememory.triggers.pattern import PatternTrigger
from rolememory.triggers.semantic import SemanticTrigger, reads
from rolememory.triggers.table import FACTS, Table

if TYPE_CHECKING:
    Facts = tuple[NDArray[np.void], list[bytes]]


class Feelings(Mapping[str, Feeling]):
    """The feeling of each candidate, computed on access."""

    def __init__(self, table: Table, lexicon: Lexicon | None = None) -> None:
        self._table, self._lexicon = table, lexicon

    def __getitem__(self, entry_id: str) -> Feeling:
        entry = self._table.entry(self._table.row_of[entry_id])
        return affect_of_entry(glimpsed(entry), self._lexicon)

    def __iter__(self) -> Iterator[str]:
        return iter(self._table.row_of)

    def __len__(self) -> int:
        return len(self._table)


Clock = Callable[[Doubles], Doubles]


@value_class
class MemoryIndex:
    """The memories and everything needed to query them.

    `table`, `terms`, `vectors`, `heard`, `macro_keys` and the strategies that follow the table are shared by an index and its
    successors and changed in place by their owner, under the table's lock; all else is immutable.
    """

    settings: Settings
    memories: MemoriesById
    table: Table
    terms: TermIndex
    keys: KeyIndex
    heard: Counter[KeySpec]  # how many memories have each key
    strategies: tuple[Strategy, ...] = ()
    vectors: VectorTable | None = None
    patterns: Quarantine = field(default_factory=Quarantine)
    clock: Clock | None = None
    lexicon: Lexicon | None = None  # words of feeling; None = the shipped ones
    derive: Derive = anew  # finds out about texts, or remembers
    macro_keys: set[KeySpec] = field(default_factory=set)  # keys with macros in them

    @classmethod
    def empty(
        cls, settings: Settings, clock: Clock | None = None, derive: Derive = anew
    ) -> "MemoryIndex":
        """An index of no memories."""
        table, terms = Table(), TermIndex(reads)
        index = cls(settings, {}, table, terms, KeyIndex(), Counter(), clock=clock, derive=derive)
        return index._with_strategies()

    def changed(
        self,
        fresh: Sequence[Entry],
        gone: Collection[str] = (),
        memories: MemoriesById | None = None,
    ) -> "MemoryIndex":
        """The index with `fresh` candidates and without `gone` ones, then of `memories` (None = as before).

        Cost: O(differences), unless a strategy only knows ids.
        """
        with self.table.lock, gc_paused():
            before = [self._known(one) for one in (*gone, *(entry.id for entry in fresh))]
            keys = self._keys(
                [one for one in before if one is not None and not is_plain(one)],
                [one for one in fresh if not is_plain(one)],
            )
            for entry_id in gone:
                self.terms.remove(entry_id)
            self.terms.add_all((entry.id, entry) for entry in fresh)
            self.table.change(fresh, gone)
            after = self.memories if memories is None else memories
            return replace(self, keys=keys, memories=after)._with_strategies()

    def adopting(
        self, memories: MemoriesById, facts: "Facts", special: Sequence[Memory]
    ) -> "MemoryIndex":
        """The index of these memories, if it was empty: with their `facts`; `special` are those that are not plain."""
        with self.table.lock, gc_paused():
            keys, (told, digests) = self._keys((), special), facts
            self.terms.add_known(memories, digests)
            self.table.adopt(memories, told)
            return replace(self, keys=keys, memories=memories)._with_strategies()

    def facts(self, memories: Sequence[Memory]) -> bytes | None:
        """The `facts` of these for `adopting`; None if one is missing."""
        told = self.table.facts(memories)
        if told is None:
            return None
        return b"".join((told.tobytes(), *self.terms.digests(one.id for one in memories)))

    def contents(self, memories: MemoriesById) -> list[bytes]:
        """The digest of each one's content, as far as it is known unread, else b""."""
        table, digests = self.table, self.terms.digests(memories)
        rows = map(table.row_of.get, memories)
        same = (
            row is not None and table.entry(row) is memory and table.plain[row]
            for row, memory in zip(rows, memories.values(), strict=True)
        )
        return [one if known else b"" for one, known in zip(digests, same, strict=True)]

    def _known(self, entry_id: str) -> Entry | None:
        row = self.table.row_of.get(entry_id)
        return None if row is None else self.table.entry(row)

    def read_ahead(self, most: int | None = None) -> None:
        """Have the strategies read what they would read when they are first asked, those that lack no more than so many rows.

        Cost: O(new texts).
        """
        with self.table.lock:
            for one in self.strategies:
                if isinstance(one.trigger, ByRows):
                    one.trigger.read_ahead(most)

    @contextmanager
    def supposing(self, memory: Memory) -> Iterator["MemoryIndex"]:
        """The index with this version of a memory, inside the context; not to be used concurrently."""
        with self.table.lock:
            before = self._known(memory.id)
            others: Any = self.memories  # nobody writes to it
            index = self.changed([memory], (), ChainMap({memory.id: memory}, others))
            try:
                yield index
            finally:
                index.changed(
                    [] if before is None else [before], [memory.id] if before is None else []
                )

    def under(self, settings: Settings) -> "MemoryIndex":
        """The index under other settings; rebuilds only strategies whose settings changed."""
        same = (
            settings.triggers == self.settings.triggers
            and settings.recall.candidates == self.settings.recall.candidates
        )
        if same:
            return replace(self, settings=settings)
        with self.table.lock:
            index = replace(
                self,
                settings=settings,
                keys=KeyIndex(),
                heard=Counter(),
                macro_keys=set(),
                strategies=(),
            )
            keys = index._keys((), map(self.table.entry, self.table.rows))
            return replace(index, keys=keys)._with_strategies()

    def with_vectors(self, vectors: VectorTable | None) -> "MemoryIndex":
        """The index with a model's vectors, or without."""
        with self.table.lock:
            for strategy in self.strategies:
                if isinstance(strategy.trigger, SemanticTrigger):
                    strategy.trigger.look_in(vectors)
            return replace(self, vectors=vectors)._with_strategies()

    def with_lexicon(self, lexicon: Lexicon | None) -> "MemoryIndex":
        """The index with another emotion lexicon."""
        return replace(self, lexicon=lexicon)._with_strategies("emotional")

    def embedded(self, text: str, among: Collection[str]) -> str:
        """The text to embed for a message, for an audience of these ids."""
        triggers = (one.trigger for one in self.strategies)
        semantic = next((one for one in triggers if isinstance(one, SemanticTrigger)), None)
        with self.table.lock:
            return semantic.embedded(text, self.table.among(among).mask) if semantic else text

    def read(
        self, segments: Sequence[Segment], names: Mapping[str, str] = MappingProxyType({})
    ) -> KeyScan:
        """Which keys stand in these segments; `names` are what `{{char}}` and `{{user}}` say in a key."""
        if not self.macro_keys or not names:
            return KeyScan(self.keys, segments)
        macros = Macros(names)
        said = {spec: replace(spec, text=macros.expand(spec.text)) for spec in self.macro_keys}
        return KeyScan(self.keys, segments, said)

    def _keys(self, before: Iterable[Entry], after: Iterable[Entry]) -> KeyIndex:
        """The key index after replacing `before` by `after`; counts the owners of keys."""
        old = Counter(spec for entry in before for spec in _specs(entry, self.settings))
        new = Counter(spec for entry in after for spec in _specs(entry, self.settings))
        touched = old.keys() | new.keys()
        known = {spec for spec in touched if self.heard[spec] > 0}
        self.heard.update(new)
        self.heard.subtract(old)
        wanted = {spec for spec in touched if self.heard[spec] > 0}
        for spec in touched - wanted:
            del self.heard[spec]
            self.macro_keys.discard(spec)
        self.macro_keys.update(spec for spec in wanted - known if has_macros(spec.text))
        return self.keys.updated(wanted - known, known - wanted) if touched else self.keys

    def _with_strategies(self, *anew: str) -> "MemoryIndex":
        """The index with its strategies: keeps those that follow the table, unless named; rebuilds all others."""
        with self.table.lock:
            kept = {
                one.trigger.name: one
                for one in self.strategies
                if isinstance(one.trigger, ByRows) and one.trigger.name not in anew
            }
            return replace(self, strategies=tuple(_strategies(self, kept)))


def facts_in(raw: memoryview, n: int) -> "Facts":
    """The bytes of `MemoryIndex.facts` for `n` memories, with the digests of their texts."""
    told = np.frombuffer(raw, list(FACTS.items()), n)
    rest = bytes(raw[told.nbytes :])
    starts = range(0, len(rest), DIGEST_BYTES)
    return told, [rest[at : at + DIGEST_BYTES] for at in starts]


def _specs(entry: Entry, settings: Settings) -> frozenset[KeySpec]:
    if not entry.keys:
        return frozenset()
    keyword = settings.triggers.keyword
    return KeywordTrigger.specs([entry], keyword) | PatternTrigger.specs([entry], keyword)


def _strategies(index: MemoryIndex, kept: Mapping[str, Strategy]) -> Iterator[Strategy]:
    settings = index.settings.triggers
    parts = Parts(
        settings=settings,
        candidates=index.settings.recall.candidates,
        keys=index.keys,
        terms=index.terms,
        vectors=index.vectors,
        feelings=Feelings(index.table, index.lexicon),
        told_at_turns=index.clock,
        patterns=index.patterns,
        table=index.table,
        derive=index.derive,
        felt=index.derive if index.lexicon is None else anew,
    )
    for name in dict.fromkeys((*triggers.NAMES, *TRIGGERS, *third_party())):
        own = parts.own(name)
        if name in kept:
            yield kept[name]
        elif own.enabled:
            yield _strategy(_made(name, index.table, parts), own.weight, own.activates)


def _made(name: str, table: Table, parts: Parts) -> Trigger:
    """Build a strategy; one that reads the table does not get all entries."""
    make = factory(name)
    by_rows = isinstance(make, type) and issubclass(make, ByRows)
    return make(() if by_rows else tuple(map(table.entry, table.rows)), parts)


def _strategy(trigger: Trigger, weight: float, activates: bool | None) -> Strategy:
    """The weights of a trigger: an activating one by its weight, a weighing one by its share; one that does both activates in full."""
    wakes = trigger.activates if activates is None else activates
    both = hasattr(trigger, "weigh")
    weighs = both or not wakes
    return Strategy(
        trigger,
        weight=1.0 if both else weight,
        share=weight if weighs else 0.0,
        wakes=wakes,
        weighs=weighs,
    )
