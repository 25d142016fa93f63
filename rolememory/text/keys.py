"""Multi-pattern search of keys in texts: one Aho-Corasick automaton per form of text, run once per text.

`KeyIndex` holds the keys, `KeyScan` the texts of a turn. Results are cached by text, and a changed key does not rebuild
the large automata (it goes to a small additional one).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal

from ahocorasick_rs import AhoCorasick

from rolememory.schema.scene import Segment, Span
from rolememory.schema.value_class import value_class
from rolememory.text.boundaries import Edges, Guards, boundaries, stands_alone
from rolememory.text.fold import Folded, fold, folded_key, lower
from rolememory.text.pattern import parse_pattern

Form = Literal["raw", "lower", "folded"]
Place = tuple[int, int]

_CACHED_TEXTS = 2048
_CACHED_LENGTH = 65_536  # longer texts are read each time: the cache stays small
_SMALLEST_MERGE = 256
_NOT_TEXT = re.compile("[\ud800-\udfff]")  # lone surrogates


@value_class
class KeySpec:
    """A key and how it is matched; equal specs are one key, so a spec is its own id.

    `form` is the form of the text to search: unchanged, lower case, or folded (`text.fold`). A key that is empty in that
    form is never found. Blanks around a folded key are ignored; one inside matches any white space.
    """

    text: str
    form: Form = "folded"
    edges: Edges = "script"
    cjk_words: bool = False

    @property
    def needle(self) -> str:
        """The string to search for; "" for a key that cannot be found."""
        if _NOT_TEXT.search(self.text):
            return ""
        return (
            folded_key(self.text)
            if self.form == "folded"
            else self.text.lower()
            if self.form == "lower"
            else self.text
        )


def is_pattern(key: str) -> bool:
    r"""Whether a key is written as a regular expression, /pattern/flags, and not as text (`text.pattern.parse_pattern`).

    >>> [is_pattern(key) for key in ("/drag(on|ons)/i", "and/or", "/usr/bin/", "/a\\/b/", "//", "/(/")]
    [True, False, False, True, False, False]
    """
    return parse_pattern(key.strip()) is not None


class KeyIndex:
    """Searchable keys. Immutable and thread-safe: `updated` gives a new index that shares the large parts.

    >>> index = KeyIndex([KeySpec("beacon"), KeySpec("red dragon")])
    >>> index.read("The Beacon went dark.")
    mappingproxy({KeySpec(text='beacon', form='folded', edges='script', cjk_words=False): (4, 10)})
    """

    def __init__(self, specs: Iterable[KeySpec] = ()) -> None:
        self._base = _Automata(frozenset(specs))
        self._delta = _Automata(frozenset())
        self._removed: frozenset[KeySpec] = frozenset()

    def __len__(self) -> int:
        return len(self._base.specs) - len(self._removed) + len(self._delta.specs)

    def __contains__(self, spec: object) -> bool:
        return spec in self._delta.specs or (spec in self._base.specs and spec not in self._removed)

    def __iter__(self) -> Iterator[KeySpec]:
        yield from (spec for spec in self._base.specs if spec not in self._removed)
        yield from self._delta.specs

    def read(self, text: str) -> Mapping[KeySpec, Place]:
        """The first place (start, end) of every key found in the text. Cost: O(text + hits), cached per text."""
        found = self._base.read(text)
        if not self._delta.specs and not self._removed:
            return found
        kept = {spec: place for spec, place in found.items() if spec not in self._removed}
        return MappingProxyType(kept | dict(self._delta.read(text)))

    def updated(self, add: Iterable[KeySpec] = (), remove: Iterable[KeySpec] = ()) -> "KeyIndex":
        """The index without `remove` and then with `add`: equal to a rebuilt one. Cost: O(changes) amortised."""
        added, removed = frozenset(add), frozenset(remove)
        delta = (self._delta.specs - removed) | (added - self._base.specs)
        gone = (self._removed | (removed & self._base.specs)) - added
        if len(delta) + len(gone) > max(_SMALLEST_MERGE, len(self._base.specs) // 8):
            return KeyIndex((self._base.specs - gone) | delta)
        return self._sharing(delta, gone)

    def _sharing(self, delta: frozenset[KeySpec], removed: frozenset[KeySpec]) -> "KeyIndex":
        index = KeyIndex.__new__(KeyIndex)
        index._base = self._base
        index._delta = self._delta if delta == self._delta.specs else _Automata(delta)
        index._removed = removed
        return index

    def cache_info(self) -> tuple[int, int]:
        """Cache statistics: (hits, misses)."""
        info = self._base.kept.cache_info()
        return info.hits, info.misses


def bits(window: int) -> Iterator[int]:
    """The segment numbers in a window, lowest first."""
    while window:
        lowest = window & -window
        yield lowest.bit_length() - 1
        window ^= lowest


class KeyScan:
    """The keys found in the segments of a turn; each segment is scanned on first use.

    A window is a bit mask over segment numbers: bit i = segment i. Segments are newest first, so the lowest bit wins.

    >>> reading = KeyScan(KeyIndex([KeySpec("beacon")]), [Segment("All is dark."), Segment("The beacon!")])
    >>> reading.seen(KeySpec("beacon"), 0b11), reading.seen(KeySpec("beacon"), 0b01)
    (Span(segment=1, start=4, end=10), None)
    """

    def __init__(
        self,
        index: KeyIndex,
        segments: Sequence[Segment],
        said: Mapping[KeySpec, KeySpec] = MappingProxyType({}),
    ) -> None:
        """`said`: keys with macros -> their expansion in this turn."""
        self.index, self._said = index, said
        self._spoken = KeyIndex(said.values()) if said else None
        self.segments = tuple(segments)
        self.window = (1 << len(self.segments)) - 1  # of all segments
        self._found: list[Mapping[KeySpec, Place] | None] = [None] * len(self.segments)
        self._masks: dict[int, Mapping[KeySpec, int]] = {}

    def found(self, number: int) -> Mapping[KeySpec, Place]:
        """The first place of every key found in that segment."""
        found = self._found[number]
        if found is None:
            text = self.segments[number].text
            found = self._found[number] = self.index.read(text)
            if self._spoken is not None:
                more = self._spoken.read(text)
                spoken = {key: more[spec] for key, spec in self._said.items() if spec in more}
                found = self._found[number] = {**found, **spoken}
        return found

    def seen(self, key: Any, window: int) -> Span | None:
        """The key's first place in the newest segment of the window that contains it, or None."""
        for number in bits(window & self.window):
            if place := self.found(number).get(key):
                return Span(number, *place)
        return None

    def keys_seen(self, window: int | None = None) -> Mapping[KeySpec, int]:
        """Every key seen in the window (None = all segments), with the mask of its segments. Cost: O(hits)."""
        asked = self.window if window is None else window & self.window
        if asked not in self._masks:
            masks: dict[KeySpec, int] = {}
            for number in bits(asked):
                bit = 1 << number
                for spec in self.found(number):
                    masks[spec] = masks.get(spec, 0) | bit
            self._masks[asked] = MappingProxyType(masks)
        return self._masks[asked]


class _Automata:
    """A fixed set of keys: one automaton per form, built on first use, and a cache of recent results."""

    def __init__(self, specs: frozenset[KeySpec]) -> None:
        self.specs = specs
        self.kept = lru_cache(maxsize=_CACHED_TEXTS)(self._first_places)

    @cached_property
    def _automata(self) -> "Mapping[Form, _Automaton]":
        forms: dict[Form, dict[tuple[str, Guards], list[KeySpec]]] = {}
        for spec in self.specs:
            if needle := spec.needle:
                sought = needle, boundaries(needle, spec.edges, spec.cjk_words)
                forms.setdefault(spec.form, {}).setdefault(sought, []).append(spec)
        return {form: _Automaton(sought) for form, sought in forms.items()}

    def read(self, text: str) -> Mapping[KeySpec, Place]:
        """The first place of every key, cached for short texts."""
        if not self.specs or not text:
            return _NOTHING
        return self.kept(text) if len(text) <= _CACHED_LENGTH else self._first_places(text)

    def _first_places(self, text: str) -> Mapping[KeySpec, Place]:
        first: dict[KeySpec, Place] = {}
        for form, automaton in self._automata.items():
            shown = _in_form(form, text)
            for spec, start, end in automaton.first_places(shown.text):
                first[spec] = shown.span(start, end)
        return MappingProxyType(first)


class _Automaton:
    """The automaton of one form's needles; a needle with two kinds of guards is in it twice."""

    def __init__(self, sought: Mapping[tuple[str, Guards], Sequence[KeySpec]]) -> None:
        self._guards = [sides for _, sides in sought]
        self._specs = list(sought.values())
        self._automaton = AhoCorasick([needle for needle, _ in sought], store_patterns=False)

    def first_places(self, text: str) -> Iterator[tuple[KeySpec, int, int]]:
        """The first place of each key that its guards accept."""
        sought, done = self._guards, set[int]()
        found = self._automaton.find_matches_as_indexes(text, overlapping=True)
        for number, start, end in found:
            if number not in done and stands_alone(text, start, end, sought[number]):
                done.add(number)
                for spec in self._specs[number]:
                    yield spec, start, end


_NOTHING: Mapping[KeySpec, Place] = MappingProxyType({})


def _in_form(form: Form, text: str) -> Folded:
    """The text in that form; lone surrogates become U+FFFD, which keeps offsets."""
    text = _NOT_TEXT.sub("\ufffd", text)
    return Folded(text) if form == "raw" else lower(text) if form == "lower" else fold(text)
