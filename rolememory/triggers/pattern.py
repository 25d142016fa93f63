"""Entries whose keys are written as /pattern/flags."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rolememory.errors import PatternError
from rolememory.schema.entry import Entry, SelectiveLogic
from rolememory.schema.evidence import Hit, Reason
from rolememory.schema.scene import PatternSearch, Scene, Span
from rolememory.schema.settings import KeywordSettings
from rolememory.text.keys import KeySpec, is_pattern
from rolememory.text.pattern import Budget, Pattern, compile_pattern
from rolememory.text.selective import selective
from rolememory.triggers.base import Parts, may_wake, register
from rolememory.triggers.keyword import freshness, newest_user, spec_of, specificity, strength

LONGEST_QUOTE = 80  # characters of the matched text that a reason keeps

Key = Pattern | KeySpec
"""What is looked for: a pattern in the text itself, a plain key in the reading."""


@dataclass(frozen=True, slots=True)
class _Listening:
    """An entry's keys as this strategy looks for them."""

    primary: tuple[Key, ...]
    secondary: tuple[Key | None, ...]  # None = a pattern that cannot be run: never seen
    logic: SelectiveLogic


@register("pattern")
class PatternTrigger:
    """Wakes entries by keys written as regular expressions. Cost: O(window) for each pattern whose literal stands there.

    An entry that has a pattern among its secondary keys is this strategy's with its plain keys too.
    """

    name: ClassVar[str] = "pattern"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        self._settings, self._quarantine = parts.settings.pattern, parts.patterns
        self._listening = dict(_listening(entries, parts.settings.keyword))
        self._carriers: dict[Key, int] = {}
        for listening in self._listening.values():
            for key in dict.fromkeys(listening.primary):
                self._carriers[key] = self._carriers.get(key, 0) + 1

    @staticmethod
    def specs(entries: Iterable[Entry], settings: KeywordSettings) -> frozenset[KeySpec]:
        """The plain keys these entries listen for beside their patterns: what the key index must hold as well."""
        heard = (listening for _, listening in _listening(entries, settings))
        return frozenset(key for each in heard for key in (*each.primary, *each.secondary) if isinstance(key, KeySpec))

    def fire(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield one hit per entry with a matching key in the window whose secondary keys agree."""
        if not self._listening:
            return
        patterns = scene.patterns or Budget(self._settings.turn_budget_ms, self._settings.timeout_ms, self._quarantine)
        looking = _Looking(scene, patterns)
        for entry_id, listening in self._listening.items():
            if entry_id in among and (hit := self._hit(entry_id, listening, looking)):
                yield hit

    def _hit(self, entry_id: str, listening: _Listening, looking: "_Looking") -> Hit | None:
        seen = [(key, span) for key in listening.primary if (span := looking.seen(key))]
        if not seen or not selective(listening.logic, [bool(looking.seen(key)) for key in listening.secondary]):
            return None
        newest = newest_user(looking.scene)
        worth = {key: (specificity(self._carriers[key], len(self._listening)), freshness(span.segment - newest)) for key, span in seen}
        key, span = max(seen, key=lambda one: worth[one[0]][0] * worth[one[0]][1])
        return Hit(entry_id, self.name, strength(worth.values()), _reason(key, span, looking.scene))


class _Looking:
    """The keys of one turn, each looked for once, newest segment first."""

    def __init__(self, scene: Scene, patterns: PatternSearch) -> None:
        self.scene = scene
        self._patterns = patterns
        self._found: dict[Pattern, Span | None] = {}
        self._texts = [(number, each.text) for number, each in enumerate(scene.segments) if scene.window >> number & 1]

    def seen(self, key: Key | None) -> Span | None:
        """The first place of the key in the window."""
        if isinstance(key, KeySpec):
            return self.scene.reading.seen(key, self.scene.window) if self.scene.reading else None
        if key is not None and key not in self._found:
            self._found[key] = self._search(key)
        return self._found[key] if key else None

    def _search(self, pattern: Pattern) -> Span | None:
        for number, text in self._texts:
            if place := self._patterns.search(pattern, text):
                return Span(number, *place)
        return None


def _reason(key: Key, span: Span, scene: Scene) -> Reason:
    segment = scene.segments[span.segment]
    if isinstance(key, KeySpec):
        return Reason("key", (("key", key.text), ("message", segment.index)), span)
    matched = segment.text[span.start : span.end][:LONGEST_QUOTE]
    return Reason("pattern", (("key", str(key.source)), ("message", segment.index), ("text", matched)), span)


def _listening(entries: Iterable[Entry], settings: KeywordSettings) -> Iterator[tuple[str, _Listening]]:
    """The entries that this strategy may wake, by id, with their keys as they are looked for."""
    for entry in entries:
        if not may_wake(entry, PatternTrigger.name):
            continue
        plain_too = any(map(is_pattern, entry.secondary_keys))
        keys = (_key(key, settings) for key in entry.keys if plain_too or is_pattern(key))
        if primary := tuple(dict.fromkeys(key for key in keys if key)):
            yield entry.id, _Listening(primary, tuple(_key(key, settings) for key in entry.secondary_keys), entry.selective_logic)


def _key(key: str, settings: KeywordSettings) -> Key | None:
    if not is_pattern(key):
        return spec_of(key, settings)
    try:
        return compile_pattern(key.strip())
    except PatternError:
        return None
