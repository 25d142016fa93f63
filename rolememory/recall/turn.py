"""What a turn gives back: the words for the prompt, where they go, and why each of them is there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rolememory.inject.place import place
from rolememory.inject.render import Style
from rolememory.recall.answer import Answer, Question
from rolememory.recall.explain import Line, lines, refusal, refused
from rolememory.schema.evidence import Recalled, Refusal, Scored, Trace
from rolememory.schema.message import Message
from rolememory.schema.scene import Language
from rolememory.schema.settings import InjectSettings
from rolememory.schema.wording import word, word_change, word_gate
from rolememory.text.lengths import TokenEstimate


@dataclass(frozen=True, slots=True)
class Stats:
    """Sizes of a turn. Source: S4.20."""

    short_term_count: int = 0  # messages of the chat in view
    long_term_count: int = 0  # memories injected
    total_tokens: int = 0  # of the injected block, estimated
    total_characters: int = 0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the lines of a turn are there, and why others are not. `str` words it; `rows` has the codes and numbers."""

    rows: tuple[Line, ...]
    language: Language = "en"
    closed: str | None = None

    def __str__(self) -> str:
        if self.closed:
            return self.closed
        wide = max((len(row.id) for row in self.rows), default=0)
        return "\n".join(self._row(row, wide) for row in self.rows)

    def _row(self, row: Line, wide: int) -> str:
        score = "   -" if row.score is None else f"{row.score:.2f}"
        comma, way = (", ", " -> ") if self.language == "en" else ("，", " → ")
        told = comma.join(f"{name} {word(reason, self.language)}" for name, reason in row.reasons)
        remedy = way + word_change(row.remedy, self.language) if row.remedy else ""
        return f"{score}  {row.id:<{wide}}  {told}{remedy}".rstrip()


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn's memory. `text` is the block, `messages` the chat with the block in its place."""

    text: str
    messages: tuple[Message, ...]
    recalled: tuple[Recalled, ...] = ()
    near: tuple[Scored, ...] = ()  # hybrid mode: offered to the model through a tool
    trace: Trace = field(default_factory=Trace)
    stats: Stats = field(default_factory=Stats)
    language: Language = "en"
    intent: str = "chat"  # past, request, mixed, chat
    question: Question | None = field(default=None, repr=False, compare=False)
    answer: Answer = field(default_factory=Answer, repr=False, compare=False)

    def explain(self, *ids: str, language: Language | None = None) -> Explanation:
        """Why each recalled line is there; with ids, also why those memories are not, and what would let them in.

        Raises:
            UnknownMemoryError: an id that the role does not have.
        """
        asked = {one: found for one in ids if (found := self.why_not(one))}
        spoken = language or self.language
        closed = word_gate(Refusal("", self.answer.closed[0].code, *self.answer.closed), spoken) if self.answer.closed and not ids else None
        return Explanation(tuple(lines(self.answer, asked)), spoken, closed)

    def why_not(self, memory_id: str) -> Refusal | None:
        """Why this memory is not in the prompt and what would let it in; None when it is. Cost: some turns."""
        return refusal(self.question, self.answer, memory_id) if self.question else None

    def left_out(self) -> Iterable[Refusal]:
        """What was woken and left out, best first, without remedies: cheap."""
        return refused(self.answer)


def say(question: Question, given: Answer, style: Style, messages: Sequence[Message], trace: Trace, description: str = "") -> Turn:
    """The answer in words, in its place among the messages. No memories: the messages as they are."""
    chosen = [one.memory for one in given.fitted.chosen]
    text = style.block(chosen)
    rules: InjectSettings = question.settings.inject
    placed = place(messages, text, rules.position, rules.depth, rules.depth_role, description=description)
    count = question.measure
    return Turn(
        text=text,
        messages=placed,
        recalled=tuple(Recalled(one, style.line(one.memory), count.share([one.memory])) for one in given.fitted.chosen),
        near=tuple(given.fitted.near),
        trace=trace,
        stats=Stats(len(messages), len(chosen), TokenEstimate()(text), len(text)),
        language=style.language,
        question=question,
        answer=given,
    )
