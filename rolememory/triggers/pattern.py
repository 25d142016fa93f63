"""Entries whose keys are written as /pattern/flags."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from rolememory.errors import PatternError
from rolememory.schema.entry import Entry, SelectiveLogic
from rolememory.schema.evidence import Reason
from rolememory.schema.scene import PatternSearch, Scene, Span
from rolememory.schema.settings import KeywordSettings
from rolememory.schema.value_class import value_class
from rolememory.text.arrays import Mask
from rolememory.text.keys import KeySpec, is_pattern
from rolememory.text.macros.macros import Macros
from rolememory.text.pattern import Pattern, PatternBudget, compile_pattern
from rolememory.text.selective import selective
from rolememory.triggers.base import ByRows, Parts, may_wake, register
from rolememory.triggers.keyword import freshness, newest_user, spec_of, specificity, strength
from rolememory.triggers.table import TableEvidence

_MACRO = re.compile(r"\{\{[^{}]+\}\}|(?<!\(\?)(?<!\\k)<(?:user|bot|char|group)>", re.IGNORECASE)
_SPECIAL = re.compile(r"[\\^$.*+?()\[\]{}|/]")
LONGEST_QUOTE = 80  # characters of the matched text that a reason keeps

Key = Pattern | KeySpec
"""A pattern, searched in the text, or a plain key, from the key scan."""


@value_class
class _PatternEntry:
    """An entry's keys, prepared for this strategy."""

    primary: tuple[Key, ...]
    secondary: tuple[Key | None, ...]  # None = a pattern that cannot be run: never seen
    logic: SelectiveLogic


@register("pattern")
class PatternTrigger(ByRows):
    """Activates entries by keys that are regular expressions. Cost: O(window) for each pattern whose literal is found.

    Entries with a pattern among their secondary keys are handled here with their plain keys too.
    """

    name: ClassVar[str] = "pattern"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        super().__init__(entries, parts)
        self._settings, self._quarantine = parts.settings, parts.patterns
        self._listening: dict[int, _PatternEntry] = {}
        self._carriers: Counter[Key] = Counter()
        self._listen()

    def add(self, rows: Sequence[int]) -> None:
        """Add the keys of these rows."""
        for row in self.table.special(rows):
            if listening := _listening(self.table.entry(row), self._settings.keyword):
                self._listening[row] = listening
                self._carriers.update(listening.primary)

    def remove(self, rows: Sequence[int]) -> None:
        """Remove the keys of these rows."""
        for row in rows:
            if listening := self._listening.pop(row, None):
                self._carriers.subtract(listening.primary)

    @staticmethod
    def specs(entries: Iterable[Entry], settings: KeywordSettings) -> frozenset[KeySpec]:
        """The plain keys of these entries besides patterns, for the key index."""
        heard = filter(None, (_listening(entry, settings) for entry in entries))
        return frozenset(
            key
            for each in heard
            for key in (*each.primary, *each.secondary)
            if isinstance(key, KeySpec)
        )

    def find(self, scene: Scene, among: Mask) -> TableEvidence:
        """Each entry with a matching key in the window whose secondary keys agree."""
        if not self._listening:
            return TableEvidence.of(())
        own = self._settings.pattern
        patterns = scene.patterns or PatternBudget(
            own.turn_budget_ms, own.timeout_ms, self._quarantine
        )
        looking = _PatternSearch(scene, patterns)
        hits = (
            (row, *hit)
            for row, listening in self._listening.items()
            if among[row] and (hit := self._hit(listening, looking))
        )
        return TableEvidence.of(list(hits))

    def _hit(
        self, listening: _PatternEntry, looking: "_PatternSearch"
    ) -> tuple[float, Reason] | None:
        seen = [(key, span) for key in listening.primary if (span := looking.seen(key))]
        if not seen or not selective(
            listening.logic, [bool(looking.seen(key)) for key in listening.secondary]
        ):
            return None
        newest = newest_user(looking.scene)
        worth = {
            key: (
                specificity(self._carriers[key], len(self._listening)),
                freshness(span.segment - newest),
            )
            for key, span in seen
        }
        key, span = max(seen, key=lambda one: worth[one[0]][0] * worth[one[0]][1])
        return strength(worth.values()), _reason(key, span, looking.scene)


class _PatternSearch:
    """The key search of one turn; each key is searched once, newest segment first."""

    def __init__(self, scene: Scene, patterns: PatternSearch) -> None:
        self.scene = scene
        self._patterns = patterns
        self._found: dict[Pattern, Span | None] = {}
        self._texts = [
            (number, each.text)
            for number, each in enumerate(scene.segments)
            if scene.window >> number & 1
        ]

    def seen(self, key: Key | None) -> Span | None:
        """The first place of the key in the window."""
        if isinstance(key, KeySpec):
            return self.scene.reading.seen(key, self.scene.window) if self.scene.reading else None
        if key is not None and key not in self._found:
            said = _with_names(key, self.scene.names)
            self._found[key] = self._search(said) if said else None
        return self._found[key] if key else None

    def _search(self, pattern: Pattern) -> Span | None:
        for number, text in self._texts:
            if place := self._patterns.search(pattern, text):
                return Span(number, *place)
        return None


def _with_names(pattern: Pattern, names: Mapping[str, str]) -> Pattern | None:
    """The pattern with macros replaced by escaped text; None if that is invalid."""
    written = str(pattern.source)
    if "{{" not in written and "<" not in written:
        return pattern
    macros = Macros(names)

    def said(found: re.Match[str]) -> str:
        name = macros.expand(found[0])
        return found[0] if name == found[0] else _SPECIAL.sub(r"\\\g<0>", name)

    try:
        return compile_pattern(_MACRO.sub(said, written))
    except PatternError:
        return None


def _reason(key: Key, span: Span, scene: Scene) -> Reason:
    segment = scene.segments[span.segment]
    if isinstance(key, KeySpec):
        return Reason("key", (("key", key.text), ("message", segment.index)), span)
    matched = segment.text[span.start : span.end][:LONGEST_QUOTE]
    return Reason(
        "pattern", (("key", str(key.source)), ("message", segment.index), ("text", matched)), span
    )


def _listening(entry: Entry, settings: KeywordSettings) -> _PatternEntry | None:
    """The prepared keys of an entry, or None if this strategy may not activate it."""
    if not any("/" in key for key in (*entry.keys, *entry.secondary_keys)):
        return None
    if not entry.keys or not may_wake(entry, PatternTrigger.name):
        return None
    plain_too = any(map(is_pattern, entry.secondary_keys))
    keys = (_key(key, settings) for key in entry.keys if plain_too or is_pattern(key))
    primary = tuple(dict.fromkeys(key for key in keys if key))
    secondary = tuple(_key(key, settings) for key in entry.secondary_keys)
    return _PatternEntry(primary, secondary, entry.selective_logic) if primary else None


def _key(key: str, settings: KeywordSettings) -> Key | None:
    if not is_pattern(key):
        return spec_of(key, settings)
    try:
        return compile_pattern(key.strip())
    except PatternError:
        return None
