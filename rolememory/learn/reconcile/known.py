"""The memories of one role that a draft may meet, found by subject, by attribute and by the words they share."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from rolememory.learn.reconcile.lexicon import lexicon
from rolememory.learn.reconcile.reading import Statement
from rolememory.learn.reconcile.told import Told
from rolememory.schema.claims import ATTRIBUTES
from rolememory.schema.memory import Memory

_RARE = 256  # memories that share one word: of what more of them share, two words must be shared
_Key = tuple[str | None, str]  # user, subject


class Known:
    """Memories by whose they are and whom they are about. Not thread-safe.

    A shelf is read when the first draft about its subject comes: `follow` costs O(memories) comparisons of identity and
    O(changes) work, `candidates` O(memories that share a word or an attribute).
    """

    def __init__(self, memories: Mapping[str, Memory] | None = None) -> None:
        self._memories: Mapping[str, Memory] = {}
        self._shelves: dict[_Key, _Shelf] = {}
        self.follow(memories or {})

    def follow(self, memories: Mapping[str, Memory]) -> None:
        """Take over what differs from the last time."""
        before, self._memories = self._memories, memories
        if before is memories:
            return
        for memory_id, memory in memories.items():
            old = before.get(memory_id)
            if old is not memory:
                if old is not None:
                    self._drop(old)
                self.add(Told(memory))
        for memory_id, memory in before.items():
            if memory_id not in memories:
                self._drop(memory)

    def add(self, told: Told) -> None:
        """One more, which `follow` does not know."""
        self._shelves.setdefault(_key(told), _Shelf()).add(told)

    def candidates(self, told: Told) -> list[Told]:
        """What the memory may restate or contradict: of the same user or shared by all, about the same subject; oldest first.

        A shared memory meets shared ones only.
        """
        keys = dict.fromkeys([_key(told), (None, told.subject)])
        found = {one.id: one for key in keys if key in self._shelves for one in self._shelves[key].like(told)}
        found.pop(told.id, None)
        return sorted(found.values(), key=lambda one: (one.told_at, one.id))

    def _drop(self, memory: Memory) -> None:
        told = Told(memory)
        self._shelves[_key(told)].drop(memory.id)


class _Shelf:
    """The memories of one user about one subject."""

    def __init__(self) -> None:
        self._all: dict[str, Told] = {}
        self._unread: dict[str, Told] = {}
        self._by_word: dict[str, dict[str, None]] = {}
        self._by_attribute: dict[str, dict[str, None]] = {}

    def add(self, told: Told) -> None:
        self._all[told.id] = self._unread[told.id] = told

    def drop(self, memory_id: str) -> None:
        told = self._all.pop(memory_id)
        if self._unread.pop(memory_id, None) is None:
            for index, names in self._places(told):
                for name in names:
                    index[name].pop(memory_id)

    def like(self, told: Told) -> Iterator[Told]:
        """Those that share an attribute of which one has one, a rare word or two others with it."""
        self._read()
        shared = Counter[str]()
        for name in _words_near(told.statement):
            ids = self._by_word.get(name, ())
            shared.update(dict.fromkeys(ids, 2) if len(ids) <= _RARE else ids)
        near = {memory_id for memory_id, count in shared.items() if count > 1}
        for name in _attributes(told):
            near |= self._by_attribute.get(name, {}).keys()
        return (self._all[memory_id] for memory_id in near)

    def _read(self) -> None:
        for told in self._unread.values():
            for index, names in self._places(told):
                for name in names:
                    index.setdefault(name, {})[told.id] = None
        self._unread.clear()

    def _places(self, told: Told) -> tuple[tuple[dict[str, dict[str, None]], Iterable[str]], ...]:
        return (self._by_word, _words(told.statement)), (self._by_attribute, _attributes(told))


def _key(told: Told) -> _Key:
    return told.memory.user, told.subject


def _words(statement: Statement) -> Iterator[str]:
    """What a statement is found by: meanings, people, units; runs of Han also by their pairs of characters."""
    for word in statement.words | statement.people:
        if word in lexicon().light:
            continue
        yield word
        if not word.isascii() and len(word) > 2:
            yield from (word[place : place + 2] for place in range(len(word) - 1))
    yield from {f"#{unit}" for _, unit in statement.numbers}


def _words_near(statement: Statement) -> set[str]:
    """The same, and the meanings that it may end or be ended by."""
    said = statement.words | statement.people
    near = {one for pair in lexicon().opposites if pair & said for one in pair}
    for end in lexicon().ends:
        near |= (end.ends if end.told & said else frozenset()) | (end.told if end.ends & said else frozenset())
    return {*_words(statement), *near}


def _attributes(told: Told) -> set[str]:
    return {claim.attribute for claim in told.claims.each if ATTRIBUTES[claim.attribute].single}
