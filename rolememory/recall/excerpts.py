"""Excerpts: extends the best passages by whole sentences around the one that answers best.

Role-play messages are long, and the relevant part rarely ends where a passage ends. So the best passages of a turn get the
sentences around them, further ones less.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rolememory.schema.memory import MemoriesById, Memory
from rolememory.schema.passage import Passage
from rolememory.text.fold import fold
from rolememory.text.passages import limit_at
from rolememory.text.sentences import SentenceSpan, sentences
from rolememory.text.words import tokens

LENGTHS = (2.5, 1.75, 0.6, 0.5, 0.36)
"""How long the excerpts of a turn may be, best first, as shares of the length of a passage; the last one holds for all others."""
FADING = 0.7  # of what a word tells, with each that tells more
AFTER = 0.7  # of its distance counts for a sentence that follows: a speaker goes on about what they have named
_WORD = re.compile(r"[^\W_]+")
_BLANKS = 4  # characters that may lie between passages that stand side by side


@dataclass(slots=True)
class Excerpts:
    """The excerpts of one turn, without repeated sentences, also from other messages."""

    known: MemoriesById = field(default_factory=dict)  # what may be told, by id
    _taken: dict[tuple[str, str], list[SentenceSpan]] = field(
        default_factory=dict
    )  # by chat and version
    _said: set[str] = field(
        default_factory=set
    )  # the sentences that stand there, whoever said them
    _count: int = 0

    def part(self, one: Memory, words: Sequence[str]) -> Memory:
        """The memory to render next: all of it, or the sentences around the one that answers best."""
        length, spans = self._length(one.content), _spans(one.content)
        span = _grown(_core(one.content, 0, words, spans), spans, lambda _: False, length)
        content = one.content[span.start : span.end]
        return one if content == one.content else one.model_copy(update={"content": content})

    def cuts(self, one: Memory) -> bool:
        """Whether a memory is longer than the next excerpt may be."""
        return len(one.content) > self._length(one.content)

    def count(self) -> None:
        """Count a rendered memory: the next excerpt is shorter."""
        self._count += 1

    def _length(self, text: str) -> int:
        return int(LENGTHS[min(self._count, len(LENGTHS) - 1)] * limit_at(text, 0))

    def tells(self, one: Passage) -> bool:
        """Whether part of it is rendered already."""
        return self._overlaps(one, SentenceSpan(one.start, one.end))

    def of(self, one: Passage, words: Sequence[str]) -> Passage | None:
        """The next excerpt, for this passage; None if its best sentence is rendered already. Cost: O(length of the message).

        `words`: shared with the question, most informative first.
        """
        text, offset = _text(self._beside(one))
        spans = [SentenceSpan(offset + at.start, offset + at.end) for at in _spans(text)]
        core = _core(one.content, one.start, words, spans)
        if self._overlaps(one, core) or self._stands(one.content, core, one.start):
            return None

        def told(at: SentenceSpan) -> bool:
            return self._stands(text, at, offset) or self._overlaps(one, at)

        span = _grown(core, spans, told, self._length(one.content))
        content = text[span.start - offset : span.end - offset]
        if content == one.content:
            return one
        return one.model_copy(update={"content": content, "start": span.start, "end": span.end})

    def take(self, one: Passage, *, along: bool = False) -> None:
        """Record a rendered passage; one recalled `along` with another does not shorten further ones."""
        self._taken.setdefault(one.message, []).append(SentenceSpan(one.start, one.end))
        self._said.update(_words(one.content[at.start : at.end]) for at in _spans(one.content))
        self._count += not along

    def _stands(self, text: str, span: SentenceSpan, offset: int) -> bool:
        """Whether the sentence is rendered already; `text` begins at `offset`."""
        words = _words(text[span.start - offset : span.end - offset])
        return bool(words) and words in self._said

    def _beside(self, one: Passage) -> list[Passage]:
        """The adjacent passages of its message, including itself."""
        message = [self.known.get(name) for name in one.beside]
        run: list[Passage] = []
        for other in message:
            if not isinstance(other, Passage) or other.ooc != one.ooc:
                continue
            if run and other.start - run[-1].end > _BLANKS:
                if one.id in {each.id for each in run}:
                    break
                run = []
            run.append(other)
        return run if any(each.id == one.id for each in run) else [one]

    def _overlaps(self, one: Passage, span: SentenceSpan) -> bool:
        taken = self._taken.get(one.message, ())
        return any(span.start < other.end and other.start < span.end for other in taken)


@lru_cache(maxsize=2048)
def _spans(text: str) -> tuple[SentenceSpan, ...]:
    return tuple(sentences(text))


@lru_cache(maxsize=4096)
def _tokens(sentence: str) -> frozenset[str]:
    return frozenset(tokens(sentence))


def _core(
    content: str, start: int, words: Sequence[str], spans: Sequence[SentenceSpan]
) -> SentenceSpan:
    """The sentence with the most informative words, of a text that begins at `start`; the whole text without any."""
    weights = {word: FADING**place for place, word in reversed([*enumerate(words)])}
    best, most = SentenceSpan(start, start + len(content)), 0.0
    for span in spans:
        if start <= span.start and span.end <= start + len(content):
            said = _tokens(content[span.start - start : span.end - start])
            weight = sum(weights[word] for word in weights.keys() & said)
            best, most = (span, weight) if weight > most else (best, most)
    return best


def _grown(
    core: SentenceSpan,
    spans: Sequence[SentenceSpan],
    told: Callable[[SentenceSpan], bool],
    length: int,
) -> SentenceSpan:
    """The core extended by adjacent sentences, up to `length` or a sentence rendered already."""
    start, end = core
    before = [span for span in reversed(spans) if span.end <= start]
    after = [span for span in spans if span.start >= end]
    while before or after:
        behind = after and (
            not before or AFTER * (after[0].end - core.end) < core.start - before[0].start
        )
        nearest = (after if behind else before)[0]
        grown = SentenceSpan(min(start, nearest.start), max(end, nearest.end))
        if grown.end - grown.start > length or told(nearest):
            (after if behind else before).clear()
            continue
        (after if behind else before).pop(0)
        start, end = grown
    return SentenceSpan(start, end)


@lru_cache(maxsize=4096)
def _words(sentence: str) -> str:
    return " ".join(_WORD.findall(fold(sentence).text))


def _text(run: Sequence[Passage]) -> tuple[str, int]:
    """The joined text of the passages, keeping their offsets, and its start in the message."""
    text, offset = "", run[0].start
    for one in run:
        gap = one.start - offset - len(text)
        text += ("\n" if gap > 1 else " ") * gap + one.content
    return text, offset
