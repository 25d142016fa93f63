"""How keys of entries are searched: by the automaton, as patterns, or, for a few special ones, in the joined text.

Source: spec/worldinfo.md 4.1, 4.2. A key cannot match over two texts, since each begins with U+0001, so the automaton
reads text by text. The exceptions are keys that hold that character or end in a line break: they are searched for directly.
"""

from enum import Enum

from rolememory.errors import PatternError
from rolememory.recall.lore.rules import LoreRules
from rolememory.schema.lorebook import LoreEntry
from rolememory.schema.settings import ScanSettings
from rolememory.schema.value_class import value_class
from rolememory.text.boundaries import BLANKS, boundaries, is_han, stands_alone
from rolememory.text.keys import Form, KeySpec
from rolememory.text.macros import has_macros
from rolememory.text.pattern import Pattern, PatternSource, compile_pattern, parse_pattern

START = "\x01"
"""Put before every scanned text, so that a pattern can match its start."""


class KeyKind(Enum):
    """How a key is searched."""

    PLAIN = "plain"  # the automaton
    PATTERN = "pattern"  # the joined text, once per window
    DIRECT = "direct"  # the joined text too: a key that could straddle two texts
    MACRO = "macro"  # not known before its macros are said
    ALWAYS = "always"  # a key of nothing but blanks, where the rules find it everywhere
    NEVER = "never"


@value_class
class Looks:
    """How the keys of one entry are compared."""

    rules: LoreRules
    case_sensitive: bool = False
    whole_words: bool = False
    cjk_words: bool = False
    use_regex: bool | None = None  # None = a key in slashes is a pattern

    @classmethod
    def of(cls, entry: LoreEntry, rules: LoreRules, settings: ScanSettings) -> "Looks":
        """The entry's own options, else the settings."""
        case, words = entry.case_sensitive, entry.match_whole_words
        if rules.card_fields and case is None:
            case = entry.card_case_sensitive
        return cls(
            rules,
            case_sensitive=settings.case_sensitive if case is None else case,
            whole_words=settings.match_whole_words if words is None else words,
            cjk_words=settings.cjk_words and rules.card_fields,
            use_regex=entry.use_regex if rules.card_fields else None,
        )

    def spec(self, text: str) -> KeySpec:
        """The key's spec for the automaton."""
        alone = self.cjk_words and len(text) == 1 and is_han(text)
        form: Form = "raw" if self.case_sensitive else self.rules.form
        return KeySpec(text, form, self.rules.edges if self.whole_words else "none", alone)


@value_class
class LoreKey:
    """One key, and how it is searched."""

    text: str  # as it is written
    kind: KeyKind
    spec: KeySpec | None = None
    pattern: Pattern | None = None
    looks: Looks | None = None
    hint: KeySpec | None = None  # a plain text without which the pattern cannot match


def read_key(text: str, looks: Looks) -> LoreKey:
    """Prepare a key: macros are expanded first, then it is stripped."""
    return (
        LoreKey(text, KeyKind.MACRO, looks=looks)
        if has_macros(text)
        else read_said_key(text, text, looks)
    )


def read_said_key(written: str, said: str, looks: Looks) -> LoreKey:
    """The same after expanding its macros. An empty key is never found."""
    return (
        LoreKey(written, KeyKind.NEVER)
        if not said
        else _compared(written, said.strip(BLANKS), looks)
    )


def read_raw_key(text: str, looks: Looks) -> LoreKey:
    """Prepare a key for group scores: as written, including blanks and macros."""
    return _compared(text, text, looks)


def _compared(written: str, said: str, looks: Looks) -> LoreKey:
    if looks.use_regex is not False and (source := _source(said, looks)):
        return _pattern(written, source)
    if said and START not in said and said.strip(BLANKS):
        kind = KeyKind.DIRECT if said.endswith("\n") else KeyKind.PLAIN
        return LoreKey(written, kind, spec=looks.spec(said), looks=looks)
    if not said.strip(BLANKS) and not looks.rules.blank_key_matches:
        return LoreKey(written, KeyKind.NEVER)
    return LoreKey(
        written, KeyKind.DIRECT if said else KeyKind.ALWAYS, spec=looks.spec(said), looks=looks
    )


def _source(said: str, looks: Looks) -> PatternSource | None:
    """The pattern of a key; if all keys are patterns (V3), slashes are optional."""
    source = parse_pattern(said) if said.startswith("/") else None
    return source or (PatternSource(said) if looks.use_regex and said else None)


def _pattern(written: str, source: PatternSource) -> LoreKey:
    """A pattern that is broken or too expensive to run is never found."""
    try:
        pattern = compile_pattern(source)
    except PatternError:
        return LoreKey(written, KeyKind.NEVER)
    return LoreKey(written, KeyKind.PATTERN, pattern=pattern, hint=_hint(pattern))


def _hint(pattern: Pattern) -> KeySpec | None:
    literal = pattern.literal
    if not literal or START in literal or "\n" in literal:  # it might straddle two texts
        return None
    spec = KeySpec(literal, "lower" if pattern.lowered else "raw", "none")
    return spec if spec.needle else None


def direct(text: str, needle: str, looks: Looks) -> tuple[int, int] | None:
    r"""The first place of a plain key in a joined text, by linear search: as the automaton, but slower.

    >>> from rolememory.recall.lore.rules import SILLYTAVERN
    >>> direct("\x01the Red\n\x01dragon", "red\n\x01", Looks(SILLYTAVERN))
    (5, 10)
    """
    if not looks.case_sensitive:
        text, needle = text.lower(), needle.lower()
    sides = (
        boundaries(needle, looks.rules.edges if looks.whole_words else "none")
        if needle
        else (None, None)
    )
    start = text.find(needle)
    while start >= 0:
        if stands_alone(text, start, start + len(needle), sides):
            return start, start + len(needle)
        start = text.find(needle, start + 1)
    return None
