"""Which names are the same person: `people.json` of the home, filled by linking names.

    {"linked": [["Lin", "Traveller"]], "apart": ["Bob"]}

Names of one list are one person, known by the first; names in `apart` were reviewed and are persons of their own.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain

from rolememory.errors import InvalidValueError
from rolememory.schema.json_types import JsonMapping
from rolememory.storage.exact_json import listed
from rolememory.storage.json_document import JsonDocument
from rolememory.storage.look import Watched
from rolememory.storage.port import Space

FILE = "people.json"
Same = Callable[[str], str]
"""Maps a user's name to the person's main name; equal for all linked names."""


def alone(name: str) -> str:
    """The identity: every name is a person of its own."""
    return name


def are_one(one: str | None, other: str | None, same: Same) -> bool:
    """Whether two users are the same person; None equals only None."""
    if one is None or other is None:
        return one is other
    return same(one) == same(other)


def is_for(whose: str | None, user: str | None, same: Same) -> bool:
    """Whether what is of `whose` is that user's, under whatever name, or everybody's (None)."""
    return whose is None or are_one(whose, user, same)


class People:
    """Reads the file when it changed; an unreadable file keeps its last content. Thread-safe. Cost: one stat when nothing changed."""

    def __init__(self, home: Space) -> None:
        self._file = JsonDocument(home, FILE)
        self._person: Mapping[str, str] = {}
        self.edition = 0  # changes whenever links change
        self._lock = threading.RLock()

    def same(self, name: str) -> str:
        """The main name of this person; the name itself if not linked."""
        return self._person.get(name, name)

    def follow(self) -> "People":
        """Read the file again if it changed; self."""
        with self._lock:
            if self._file.follow():
                self._index()
        return self

    @property
    def watched(self) -> Watched:
        """The file."""
        return self._file.watched

    @property
    def apart(self) -> list[str]:
        """Names reviewed as persons of their own."""
        return listed(self._file.value, "apart", str)

    @property
    def linked(self) -> Sequence[Sequence[str]]:
        """The names of each person that has several, main name first."""
        return _groups(self._file.value)

    def are_one(self, one: str | None, other: str | None) -> bool:
        """Whether two users are the same person."""
        return are_one(one, other, self.same)

    def is_for(self, whose: str | None, user: str | None) -> bool:
        """Whether what is of `whose` is that user's, under whatever name, or everybody's (None)."""
        return is_for(whose, user, self.same)

    def names_of(self, name: str) -> frozenset[str]:
        """Every name of this person."""
        found = (names for names in _groups(self._file.value) if name in names)
        return frozenset(next(found, [name]))

    def link(self, *names: str) -> None:
        """Link these names, and all that each is linked with, as one person.

        Raises: InvalidValueError (fewer than two names), FileError, NotWrittenError.
        """
        told = list(dict.fromkeys(name.strip() for name in names if name.strip()))
        if len(told) < 2:
            raise InvalidValueError("expected two names or more to link, such as 'Lin' 'Traveller'")
        touched, others = list[list[str]](), list[list[str]]()
        for group in _groups(self._file.load()):
            (others if set(group).isdisjoint(told) else touched).append(group)
        one = list(dict.fromkeys(chain(*touched, told)))
        self._write([*others, one], [name for name in self.apart if name not in one])

    def unlink(self, name: str) -> None:
        """Make this name a person of its own, and do not ask about it again.

        Raises: InvalidValueError (a blank name), FileError, NotWrittenError.
        """
        if not (name := name.strip()):
            raise InvalidValueError("expected a name")
        groups = [[one for one in group if one != name] for group in _groups(self._file.load())]
        self._write([group for group in groups if len(group) > 1], [*self.apart, name])

    def unasked(self, names: Iterable[str]) -> list[tuple[str, str]]:
        """New names not reviewed yet, each with the person it may be, if exactly one person was known.

        `names`: users in order of first appearance.
        """
        self.follow()
        persons: list[str] = []
        found: list[tuple[str, str]] = []
        for name in names:
            person = self.same(name)
            if person in persons:
                continue
            if len(persons) == 1 and {person, *persons}.isdisjoint(self.apart):
                found.append((name, persons[0]))
            persons.append(person)
        return found if len(persons) == 2 else []

    def forget(self, names: Collection[str]) -> None:
        """Take these names out of the file. Raises: FileError, NotWrittenError."""
        before = _groups(self._file.load())
        groups = [[one for one in group if one not in names] for group in before]
        apart = [one for one in self.apart if one not in names]
        if (groups, apart) != (before, self.apart):
            self._write([group for group in groups if len(group) > 1], apart)

    def _write(self, groups: Sequence[Sequence[str]], apart: Sequence[str]) -> None:
        with self._lock:
            told = {"linked": groups, "apart": list(dict.fromkeys(apart))}
            self._file.save({**self._file.value, **told})
            self._index()

    def _index(self) -> None:
        groups, before = _groups(self._file.value), self._person
        self._person = {name: group[0] for group in groups for name in group}
        self.edition += before != self._person


def _groups(document: JsonMapping) -> list[list[str]]:
    rows = listed(document, "linked", list)
    return [names for row in rows if (names := [one for one in row if isinstance(one, str)])]
