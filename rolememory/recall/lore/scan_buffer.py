"""The scan buffer: texts as numbered bits, windows as masks over them, every text scanned once.

Bits in the order of the joined text: messages newest first, texts of the card, injected texts, one block per recursion pass.
Source: spec/worldinfo.md 4.1.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from rolememory.recall.lore.index import LoreIndex
from rolememory.recall.lore.keys import START, KeyKind, LoreKey, direct
from rolememory.schema.lorebook import MatchSource
from rolememory.schema.scene import Segment, Span
from rolememory.schema.value_class import value_class
from rolememory.text.keys import KeyIndex, KeySpec, bits
from rolememory.text.pattern import PatternBudget

BLIND = -1
"""The window of an entry that sees nothing, not even the start of a text."""

MOST_MESSAGES = 1000


@value_class
class ScanTexts:
    """Everything that may be scanned in a turn."""

    messages: tuple[Segment, ...] = ()  # visible ones, newest first, as they are scanned
    card: tuple[tuple[MatchSource, str], ...] = ()  # macros said, in the order of MatchSource
    injected: tuple[Segment, ...] = ()  # scanned at every depth: author's note, prompts of others
    visible: int | None = None  # how many messages there are; None = as many as are given
    replies: int | None = None  # how many of them the character said; None = counted in those given

    @property
    def count(self) -> int:
        """How many messages are visible: the unit of timers."""
        return len(self.messages) if self.visible is None else self.visible

    def with_message(self, text: str) -> "ScanTexts":
        """A copy with this text appended to the newest message."""
        newest = self.messages[0] if self.messages else Segment("", index=0, role="user")
        told = replace(newest, text=f"{newest.text} {text}".strip())
        return replace(self, messages=(told, *self.messages[1:]))

    @property
    def said_by_character(self) -> int:
        """How many messages are the character's."""
        return (
            sum(message.role == "assistant" for message in self.messages)
            if self.replies is None
            else self.replies
        )


class ScanBuffer:
    """The keys of an index in the texts of a turn. Recursion text is added in blocks; results for a window never change."""

    def __init__(self, index: LoreIndex, texts: ScanTexts, patterns: PatternBudget) -> None:
        messages = texts.messages[:MOST_MESSAGES]
        card = [(source, Segment(text, source=source.value)) for source, text in texts.card if text]
        injected = [segment for segment in texts.injected if segment.text]
        self.segments: list[Segment] = [*messages, *(segment for _, segment in card), *injected]
        self._index, self._patterns = index, patterns
        self._messages = len(messages)
        self.sources = {source: 1 << (self._messages + at) for at, (source, _) in enumerate(card)}
        first = self._messages + len(card)
        self.injected = sum(1 << (first + at) for at in range(len(injected)))
        self.recursion = 0
        self._read = 0
        self.heard: dict[
            int, int
        ] = {}  # rank of an entry -> window of the texts read so far that have one of its primary keys
        self.hinted: dict[int, int] = {}  # the same for a hint at one of its patterns
        self._joined: dict[int, str] = {}
        self._found: dict[tuple[LoreKey, int], tuple[int, int] | None] = {}

    @property
    def whole(self) -> int:
        """The window of all texts."""
        return (1 << len(self.segments)) - 1

    @property
    def others(self) -> int:
        """The window of all texts except messages."""
        return self.whole & ~self.recent(self._messages)

    def recent(self, depth: int) -> int:
        """The window of the newest `depth` messages."""
        return (1 << min(max(depth, 0), self._messages)) - 1

    def add_block(self, text: str) -> None:
        """Add a block of recursion text."""
        self.recursion |= 1 << len(self.segments)
        self.segments.append(Segment(text, source="recursion"))

    def look(self, window: int) -> None:
        """Scan the new texts of the window for keys."""
        fresh = window & ~self._read & self.whole
        self._read |= fresh
        for number in bits(fresh):
            heard, hinted = self._index.heard(self._text(number))
            _note(self.heard, heard, 1 << number)
            _note(self.hinted, hinted, 1 << number)

    def has(self, key: LoreKey, window: int) -> bool:
        """Whether the key can be seen in the window."""
        if key.kind is KeyKind.PLAIN:
            return self.span(key, window) is not None
        if key.kind is KeyKind.ALWAYS or key.kind is KeyKind.NEVER or key.kind is KeyKind.MACRO:
            return key.kind is KeyKind.ALWAYS
        return self._place(key, window) is not None

    def has_anew(self, key: LoreKey, window: int) -> bool:
        """Whether a key that is not indexed is in the window. Cost: O(texts)."""
        if key.kind is not KeyKind.PLAIN or key.spec is None:
            return self.has(key, window)
        alone = _alone(key.spec)
        return window > 0 and any(alone.read(self._text(bit)) for bit in bits(window))

    def span(self, key: LoreKey, window: int) -> Span | None:
        """The place of the key, in the newest text with it."""
        if key.kind is not KeyKind.PLAIN:
            place = (
                self._place(key, window) if key.kind in (KeyKind.PATTERN, KeyKind.DIRECT) else None
            )
            return self._span(place, window) if place else None
        if key.spec is None or window <= 0:
            return None
        for number in bits(window):
            if place := self._index.keys.read(self._text(number)).get(key.spec):
                return Span(number, *place)
        return None

    def joined(self, window: int) -> str:
        """The texts of a window joined for patterns: each begins with U+0001, separated by line breaks."""
        if window == BLIND:
            return ""
        if window not in self._joined:
            recent = self.recent(self._messages)
            messages = f"\n{START}".join(self._text(bit) for bit in bits(window & recent))
            others = (f"\n{START}{self._text(bit)}" for bit in bits(window & ~recent))
            self._joined[window] = START + messages + "".join(others)
        return self._joined[window]

    def _text(self, bit: int) -> str:
        return self.segments[bit].text

    def _place(self, key: LoreKey, window: int) -> tuple[int, int] | None:
        asked = key, window
        if asked not in self._found:
            text = self.joined(window)
            if key.pattern is not None:
                self._found[asked] = self._patterns.search(key.pattern, text)
            elif key.looks is not None and key.spec is not None:
                self._found[asked] = direct(text, key.spec.text, key.looks)
        return self._found.get(asked)

    def _span(self, place: tuple[int, int], window: int) -> Span | None:
        """A place in the joined text as a place in one of its texts; one that straddles two ends with the first."""
        at = 0
        for bit in bits(max(window, 0)):  # a blind entry sees no text that a pattern could stand in
            start, end = at + 1, at + 1 + len(self._text(bit))
            if place[0] <= end:
                return Span(bit, max(place[0] - start, 0), min(place[1], end) - start)
            at = end + 1
        return None


@lru_cache(maxsize=256)
def _alone(spec: KeySpec) -> KeyIndex:
    return KeyIndex(frozenset({spec}))


def _note(windows: dict[int, int], ranks: Iterable[int], bit: int) -> None:
    for rank in ranks:
        windows[rank] = windows.get(rank, 0) | bit
