"""The memories of one role that a draft may meet, found by subject, by attribute and by the words they share."""

from collections import Counter
from collections.abc import Iterator, Mapping

from rolememory.learn.reconcile.finding import filed_under, size, sought_by, sought_for
from rolememory.learn.reconcile.told import Told
from rolememory.schema.memory import Memory

_RARE = 64  # memories that share one word: of what more of them share, two words must be shared
_ENOUGH = 0.6  # of a memory's words are common ones that the draft has too: it says little else
_Key = tuple[str | None, str]  # user, owner
Words = tuple[str, str, str]  # chat, version, quote


class Known:
    """Memories by whose they are and whom they are about. Not thread-safe.

    A shelf is read when the first draft about its subject comes: `follow` costs O(memories) comparisons of identity and
    O(changes) work, `candidates` O(memories that share a word or an attribute).
    """

    def __init__(self, memories: Mapping[str, Memory] | None = None) -> None:
        self._memories: Mapping[str, Memory] = {}
        self._shelves: dict[_Key, _Shelf] = {}
        self._users: dict[
            str, dict[str | None, None]
        ] = {}  # owner -> whose memories there are about him
        self._spoken: dict[Words, dict[str, Told]] = {}  # what is kept in its own words
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
        self._users.setdefault(told.owner, {})[told.memory.user] = None
        self._shelves.setdefault(_key(told), _Shelf()).add(told)
        for words in told.rests_on if told.in_its_words else ():
            self._spoken.setdefault(words, {})[told.id] = told

    def words_of(self, told: Told) -> list[Told]:
        """The very sentences that a memory was read in, where they are kept as well."""
        return [
            one
            for words in told.rests_on
            for one in self._spoken.get(words, {}).values()
            if one.id != told.id
        ]

    def candidates(self, told: Told) -> list[Told]:
        """What the memory may restate or contradict: of the same user or shared by all, about the same subject; oldest first.

        A shared memory meets those of every user.
        """
        user = told.memory.user
        users = [
            one for one in self._users.get(told.owner, ()) if user is None or one in (None, user)
        ]
        found = {
            one.id: one for whose in users for one in self._shelves[whose, told.owner].like(told)
        }
        found.pop(told.id, None)
        return sorted(found.values(), key=lambda one: (one.told_at, one.id))

    def _drop(self, memory: Memory) -> None:
        told = Told(memory)
        self._shelves[_key(told)].drop(memory.id)
        for words in told.rests_on:
            self._spoken.get(words, {}).pop(memory.id, None)


class _Shelf:
    """The memories of one user about one subject."""

    def __init__(self) -> None:
        self._all: dict[str, Told] = {}
        self._unread: dict[str, Told] = {}
        self._filed: dict[str, dict[str, None]] = {}  # unit -> ids
        self._sizes: dict[str, float] = {}  # id -> how many words it says

    def add(self, told: Told) -> None:
        self._all[told.id] = self._unread[told.id] = told

    def drop(self, memory_id: str) -> None:
        told = self._all.pop(memory_id)
        if self._unread.pop(memory_id, None) is None:
            del self._sizes[memory_id]
            for name in filed_under(told.memory.content):
                self._filed[name].pop(memory_id)

    def like(self, told: Told) -> Iterator[Told]:
        """Those that share a rare word, or enough common ones, and those with a claim of the same attribute."""
        self._file()
        near = self._near(told)
        yield from (self._all[memory_id] for memory_id in near)
        for attribute in told.attributes:
            ids = {
                memory_id: None
                for name in sought_for(attribute)
                for memory_id in self._filed.get(name, ())
            }
            yield from (
                self._all[one]
                for one in ids
                if one not in near and attribute in self._all[one].attributes
            )

    def _near(self, told: Told) -> set[str]:
        common, near = Counter[str](), set[str]()
        for name in sought_by(told.statement):
            ids = self._filed.get(name, {})
            if len(ids) <= _RARE:
                near.update(ids)
            elif len(name) > 1:  # one character of Han says little
                common.update(iter(ids))
        some = 0.0 if self._may_share_little(told) else _ENOUGH
        return near | {
            memory_id
            for memory_id, count in common.items()
            if count > 1 and count > some * self._sizes[memory_id]
        }

    def _may_share_little(self, told: Told) -> bool:
        """Whether a frame in common is enough: "my favourite colour is", numbers; or there is nothing rare that could be shared."""
        said = told.statement
        if (
            said.numbers
            or "favorite" in said.words
            or not said.marks.isdisjoint({"switched", "moved"})
        ):
            return True
        return all(
            len(self._filed.get(unit, ())) > _RARE
            for word in said.order
            for unit in filed_under(word)
        )

    def _file(self) -> None:
        for told in self._unread.values():
            names = filed_under(told.memory.content)
            self._sizes[told.id] = size(names)
            for name in names:
                self._filed.setdefault(name, {})[told.id] = None
        self._unread.clear()


def _key(told: Told) -> _Key:
    return told.memory.user, told.owner
