"""A role's memories, prepared for asking: built once, brought up to date by differences, read by every turn."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from rolememory import triggers
from rolememory.recall.weigh import Strategy
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Feeling, Segment
from rolememory.schema.settings import Settings
from rolememory.text.feel import feeling_of
from rolememory.text.feel_words import Lexicon
from rolememory.text.keys import KeyIndex, KeySpec, Reading
from rolememory.text.pattern import Quarantine
from rolememory.text.terms import TermIndex
from rolememory.text.vectors import VectorTable
from rolememory.triggers.base import TRIGGERS, Parts, Trigger, factory, third_party
from rolememory.triggers.keyword import KeywordTrigger
from rolememory.triggers.pattern import PatternTrigger
from rolememory.triggers.semantic import reads


class Feelings(Mapping[str, Feeling]):
    """The feeling of each memory, read when it is first asked for and kept while the memory stays the same object."""

    def __init__(
        self, memories: Mapping[str, Memory], lexicon: Lexicon | None = None, known: dict[str, tuple[Memory, Feeling]] | None = None
    ) -> None:
        self._memories, self._lexicon = memories, lexicon
        self._known = known if known is not None else {}

    def of(self, memories: Mapping[str, Memory]) -> "Feelings":
        """The same for other memories; what is known of unchanged ones stays."""
        return Feelings(memories, self._lexicon, self._known)

    def __getitem__(self, memory_id: str) -> Feeling:
        memory = self._memories[memory_id]
        known = self._known.get(memory_id)
        if known is None or known[0] is not memory:
            known = self._known[memory_id] = (memory, feeling_of(memory, self._lexicon))
        return known[1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._memories)

    def __len__(self) -> int:
        return len(self._memories)


Clock = Callable[[datetime], int | None]


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """The memories and everything that is read when they are asked.

    `terms` and `vectors` are shared by an index and its successors and kept up to date in place by their owner, who
    lets nobody ask meanwhile; all else is immutable.
    """

    settings: Settings
    memories: Mapping[str, Memory]
    terms: TermIndex
    keys: KeyIndex
    specs: Mapping[str, frozenset[KeySpec]]  # of each memory
    feelings: Feelings
    strategies: tuple[Strategy, ...]
    vectors: VectorTable | None = None
    patterns: Quarantine = field(default_factory=Quarantine)
    clock: Clock | None = None
    lexicon: Lexicon | None = None  # words of feeling; None = the shipped ones

    @classmethod
    def empty(cls, settings: Settings, clock: Clock | None = None) -> "MemoryIndex":
        """An index of no memories."""
        return cls(settings, {}, TermIndex(), KeyIndex(()), {}, Feelings({}), (), clock=clock)._rebuilt()

    def updated(self, memories: Mapping[str, Memory]) -> "MemoryIndex":
        """The index of these memories; only what differs is read. Memories keep their identity while they are unchanged."""
        fresh, gone = self.differences(memories)
        if not fresh and not gone:
            return self
        self._update_terms(fresh, gone)
        return self._with(memories, fresh, gone)

    def differences(self, memories: Mapping[str, Memory]) -> tuple[list[Memory], list[str]]:
        """What is new or changed, and the ids that are gone. Cost: O(memories)."""
        fresh = [memory for memory_id, memory in memories.items() if self.memories.get(memory_id) is not memory]
        return fresh, [memory_id for memory_id in self.memories if memory_id not in memories]

    def supposing(self, memory: Memory) -> "MemoryIndex":
        """What the index would be, had this memory been written so; its text must be the one that stands."""
        return self._with({**self.memories, memory.id: memory}, [memory], [])

    def under(self, settings: Settings) -> "MemoryIndex":
        """The index under other settings; strategies are only made anew if theirs changed."""
        same = settings.triggers == self.settings.triggers and settings.recall.candidates == self.settings.recall.candidates
        if same:
            return replace(self, settings=settings)
        specs = {memory.id: _specs(memory, settings) for memory in self.memories.values()}
        keys = KeyIndex({spec for some in specs.values() for spec in some})
        return replace(self, settings=settings, specs=specs, keys=keys)._rebuilt()

    def with_vectors(self, vectors: VectorTable | None) -> "MemoryIndex":
        """The index with a model's vectors, or without."""
        return replace(self, vectors=vectors)._rebuilt()

    def with_lexicon(self, lexicon: Lexicon | None) -> "MemoryIndex":
        """The index with other words of feeling."""
        return replace(self, lexicon=lexicon, feelings=Feelings(self.memories, lexicon))._rebuilt()

    def read(self, segments: Sequence[Segment]) -> Reading:
        """Which keys stand in these segments."""
        return Reading(self.keys, segments)

    def _update_terms(self, fresh: Iterable[Memory], gone: Iterable[str]) -> None:
        for memory_id in gone:
            self.terms.remove(memory_id)
        for memory in fresh:
            self.terms.add(memory.id, reads(memory))

    def _with(self, memories: Mapping[str, Memory], fresh: Sequence[Memory], gone: Sequence[str]) -> "MemoryIndex":
        specs = {memory_id: own for memory_id, own in self.specs.items() if memory_id in memories}
        specs |= {memory.id: _specs(memory, self.settings) for memory in fresh}
        keys = _keys(self, specs, [memory.id for memory in fresh], gone)
        return replace(self, memories=memories, specs=specs, feelings=self.feelings.of(memories), keys=keys)._rebuilt()

    def _rebuilt(self) -> "MemoryIndex":
        return replace(self, strategies=tuple(_strategies(self)))


def _specs(memory: Memory, settings: Settings) -> frozenset[KeySpec]:
    keyword = settings.triggers.keyword
    return KeywordTrigger.specs([memory], keyword) | PatternTrigger.specs([memory], keyword)


def _keys(before: MemoryIndex, specs: Mapping[str, frozenset[KeySpec]], fresh: Sequence[str], gone: Sequence[str]) -> KeyIndex:
    touched = {spec for memory_id in (*fresh, *gone) for some in (before.specs, specs) for spec in some.get(memory_id, ())}
    if not touched:
        return before.keys
    old = Counter(spec for some in before.specs.values() for spec in some if spec in touched)
    new = Counter(spec for some in specs.values() for spec in some if spec in touched)
    return before.keys.updated([spec for spec in new if spec not in old], [spec for spec in old if spec not in new])


def _strategies(index: MemoryIndex) -> Iterable[Strategy]:
    settings = index.settings.triggers
    parts = Parts(
        settings=settings,
        candidates=index.settings.recall.candidates,
        keys=index.keys,
        terms=index.terms,
        vectors=index.vectors,
        feelings=index.feelings,
        told_at_turn=index.clock,
        patterns=index.patterns,
    )
    memories = tuple(index.memories.values())
    for name in dict.fromkeys((*triggers.NAMES, *TRIGGERS, *third_party())):
        own = parts.own(name)
        if own.enabled:
            yield _strategy(factory(name)(memories, parts), own.weight, own.activates)


def _strategy(trigger: Trigger, weight: float, activates: bool | None) -> Strategy:
    """How a trigger counts: a waking one by its weight, a weighing one by its share, one that does both wakes in full."""
    wakes = trigger.activates if activates is None else activates
    both = hasattr(trigger, "weigh")
    weighs = both or not wakes
    return Strategy(trigger, weight=1.0 if both else weight, share=weight if weighs else 0.0, wakes=wakes, weighs=weighs)
