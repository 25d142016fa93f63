r"""Keys written as /body/flags: JavaScript's meaning, bounded time.

A key is a pattern exactly when SillyTavern takes it for one; every other key is plain text. Patterns run under a
`PatternBudget`, so that none delays a turn; those that time out repeatedly are skipped (`Quarantine`).

Differences to a browser: a back reference to an optional group inside a loop sees the group of an earlier iteration
(`(?:(a)?b\1)+`); with the flag `i`, back references use Unicode case folding; letters newer than Python's Unicode
tables have no case. Everything else is compared with Node.js in the tests.
"""

import re
import threading
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from time import thread_time
from typing import Any

from rolememory.errors import PatternError
from rolememory.jsregex import analysis
from rolememory.jsregex.escapes import in_units, paired
from rolememory.jsregex.nodes import Node
from rolememory.jsregex.parse import CostlyPatternError, Flags, parse
from rolememory.jsregex.write import Writer
from rolememory.locales import LocalizedNote, LocalizedText
from rolememory.schema.value_class import value_class

MAX_WEIGHT = 10_000  # nodes with loops unrolled to their minimum, as the engine does when compiling
MAX_TEXT = 100_000  # characters of one text that are searched
MOST_TRIES = 5  # of a search that timed out while other threads used the CPU
LEAST_SLICE_MS = 1.0  # a budget with less than this left is spent

_KEY = re.compile(r"/(?P<body>.+?)/(?P<flags>[gimsuy]*)", re.DOTALL)
_OPEN_SLASH = re.compile(r"(?:^|[^\\])/")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")

Place = tuple[int, int]
"""Start and end of a match, in characters of the searched text."""


@value_class
class PatternSource:
    """A pattern as written."""

    body: str
    flags: str = ""

    def __str__(self) -> str:
        return f"/{self.body}/{self.flags}"


def parse_pattern(key: str) -> PatternSource | None:
    r"""The pattern of a key, or None for plain text.

    Also for patterns that are too long or too deeply nested; `compile_pattern` says what is wrong with them.
    Source: SillyTavern 1.19, as told in own words by the world info specification, 4.2.

    >>> parse_pattern("/oil[\\s\\S]*lamp/i")
    PatternSource(body='oil[\\s\\S]*lamp', flags='i')
    >>> [parse_pattern(key) for key in ("oil", "/a/b/", "/(/", "/a/gg", "//")]
    [None, None, None, None, None]
    """
    found = _KEY.fullmatch(key) if key.startswith("/") else None
    if found is None or _OPEN_SLASH.search(found["body"]):
        return None
    source = PatternSource(found["body"].replace(r"\/", "/", 1), found["flags"])
    try:
        _parsed(source)
    except CostlyPatternError:
        return source
    except PatternError:
        return None
    return source


@lru_cache(maxsize=2048)
def compile_pattern(key: str | PatternSource) -> "Pattern":
    r"""The compiled pattern of a key; cached.

    Raises:
        PatternError: it is not a pattern, or too expensive; says what, where, and what to write instead.

    >>> compile_pattern("/(?<=dark )lamp/i").search("The dark Lamp")
    (9, 13)
    """
    source = key if isinstance(key, PatternSource) else _source(key)
    try:
        return _compiled(source)
    except PatternError as error:
        raise type(error)("{shown}: {reason}", shown=_shown(str(source)), reason=error) from None


class Pattern:
    """A compiled pattern. Safe to share between threads."""

    __slots__ = ("_splits", "engine", "literal", "lowered", "source")

    def __init__(self, source: PatternSource, tree: Node, flags: Flags) -> None:
        self.source = source
        self.lowered = flags.ignore_case
        # every match contains it; with `lowered`: in the lower-cased text
        self.literal = analysis.required_literal(tree, lowered=flags.ignore_case)
        self.engine = _engine(tree, flags)
        self._splits = not flags.unicode and analysis.splits_pairs(tree)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and self.source == other.source

    def __hash__(self) -> int:
        return hash(self.source)

    def __repr__(self) -> str:
        return f"Pattern({str(self.source)!r})"

    @property
    def matches_empty(self) -> bool:
        """Whether it matches the empty text and so everything: most likely a mistake."""
        return self.search("", timeout_s=0.1) is not None

    def search(self, text: str, timeout_s: float | None = None) -> Place | None:
        """The first match in the first MAX_TEXT characters, or None. Cost if its literal is absent: one substring test.

        Raises:
            TimeoutError: it took longer than `timeout_s` seconds.
        """
        if self.literal is not None and self.literal not in (
            _lower(text) if self.lowered else text
        ):
            return None
        text = text[:MAX_TEXT]
        if self._splits and not text.isascii() and _ASTRAL.search(text):
            return _whole_characters(self._search(_units(text), timeout_s), _units(text))
        return self._search(text, timeout_s)

    def _search(self, text: str, timeout_s: float | None) -> Place | None:
        found = self.engine.search(text, timeout=timeout_s)
        return found.span() if found else None


class Quarantine:
    """Patterns that timed out too often; skipped until their key is edited. Thread-safe."""

    def __init__(self, limit: int = 3) -> None:
        self._limit = limit
        self._timeouts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def holds(self, key: str) -> bool:
        """Whether the pattern is skipped."""
        return self._timeouts[key] >= self._limit

    def timed_out(self, key: str) -> bool:
        """Note that a pattern timed out; true when it is skipped from now on."""
        with self._lock:
            self._timeouts[key] += 1
            return self._timeouts[key] == self._limit


class PatternBudget:
    """CPU time budget of all patterns of a turn, measured per thread so that load from others skips none; records what did not finish."""

    def __init__(
        self,
        turn_ms: float = 100.0,
        each_ms: float = 50.0,
        quarantine: Quarantine | None = None,
        clock: Callable[[], float] = thread_time,
    ) -> None:
        self.left_ms = turn_ms
        self._each_ms, self._clock = each_ms, clock
        self._quarantine = quarantine or Quarantine()
        self.unfinished: dict[str, None] = {}  # keys of the patterns that were stopped, in order
        self.quarantined: list[str] = []  # keys skipped since this turn

    @property
    def spent(self) -> bool:
        """Whether the turn's time is used up: no more patterns are run."""
        return self.left_ms < LEAST_SLICE_MS

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the trace: one per pattern that did not finish."""
        slow, resting = (
            LocalizedText("pattern {pattern} took too long and was stopped"),
            LocalizedText("pattern {pattern} rests: it timed out too often; simplify it"),
        )
        told = [slow.filled(pattern=_shown(key)) for key in self.unfinished]
        told += [resting.filled(pattern=_shown(key)) for key in self.quarantined]
        return tuple(map(LocalizedNote, told))

    def search(self, pattern: Pattern, text: str) -> Place | None:
        """`pattern.search(text)` within the time left; None also if it did not finish. Never raises."""
        key = str(pattern.source)
        if key in self.unfinished:
            return None
        if self._quarantine.holds(key) or self.spent:
            self.unfinished[key] = None
            return None
        return self._timed(key, pattern, text)

    def _timed(self, key: str, pattern: Pattern, text: str) -> Place | None:
        started, slice_s = self._clock(), min(self._each_ms, self.left_ms) / 1000
        try:
            return self._searched(pattern, text, started, slice_s)
        except TimeoutError:
            if self._quarantine.timed_out(key):
                self.quarantined.append(key)
            self.unfinished[key] = None
            return None
        finally:
            self.left_ms -= (self._clock() - started) * 1000

    def _searched(
        self, pattern: Pattern, text: str, started: float, slice_s: float
    ) -> Place | None:
        """Search, repeated if other threads used the time: the engine counts the CPU time of the whole process."""
        for _ in range(MOST_TRIES - 1):
            try:
                return pattern.search(text, slice_s)
            except TimeoutError:
                if self._clock() - started >= slice_s / 2:
                    raise
        return pattern.search(text, slice_s)


def _source(key: str) -> PatternSource:
    source = parse_pattern(key)
    if source is None:
        found = _KEY.fullmatch(key)
        if found is None:
            raise PatternError(
                "{shown}: {reason}",
                shown=_shown(key),
                reason=LocalizedText(
                    "not a pattern; write /body/ with flags out of g, i, m, s, u, y behind the last slash"
                ),
            )
        if _OPEN_SLASH.search(found["body"]):
            raise PatternError(
                "{shown}: {reason}",
                shown=_shown(key),
                reason=LocalizedText("a slash inside the pattern ends it; write '\\/'"),
            )
        return PatternSource(found["body"].replace(r"\/", "/", 1), found["flags"])
    return source


def _shown(key: str) -> str:
    return repr(key if len(key) <= 60 else key[:57] + "...")


@lru_cache(maxsize=2048)
def _parsed(source: PatternSource) -> tuple[Node, Flags]:
    flags = Flags.read(source.flags)
    return parse(source.body, flags), flags


def _compiled(source: PatternSource) -> Pattern:
    tree, flags = _parsed(source)
    if (heavy := analysis.weight(tree)) > MAX_WEIGHT:
        raise CostlyPatternError(
            "its counts multiply to {heavy} steps, at most {most} are run; lower the numbers in braces",
            heavy=heavy,
            most=MAX_WEIGHT,
        )
    return Pattern(source, tree, flags)


def _engine(tree: Node, flags: Flags) -> Any:
    """The pattern compiled by `regex`."""
    import regex

    narrow = not analysis.beyond_ascii(tree)
    try:
        return regex.compile(
            Writer(tree, ascii=narrow).whole(sticky=flags.sticky),
            regex.DOTALL | (regex.ASCII if narrow else 0),
        )
    except (regex.error, RecursionError, MemoryError, OverflowError) as error:
        raise PatternError(
            "the engine refuses it ({error}); write it more simply", error=error
        ) from error


@lru_cache(maxsize=64)
def _lower(text: str) -> str:
    return text.lower()


@lru_cache(maxsize=64)
def _units(text: str) -> str:
    return in_units(text)


def _whole_characters(place: Place | None, units: str) -> Place | None:
    """A place in UTF-16 units as one in characters; half a character counts as a whole."""
    if place is None:
        return None
    start, end = (_characters(units, offset) for offset in place)
    return start[0], start[0] if place[0] == place[1] else end[1]


def _characters(units: str, offset: int) -> Place:
    """The number of characters before the offset, without and with one cut in half."""
    cut = (
        offset < len(units)
        and "\udc00" <= units[offset] <= "\udfff"
        and "\ud800" <= units[offset - 1 : offset] <= "\udbff"
    )
    whole = len(paired(units[: offset - 1 if cut else offset]))
    return whole, whole + cut
