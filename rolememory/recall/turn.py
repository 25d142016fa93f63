"""The result of a turn: texts for the prompt, their places, and explanations."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from rolememory.inject.place import Placement, fill_outlets, place_all
from rolememory.recall.answer import RecallResult
from rolememory.recall.explain import ExplanationRow, lines, refusal, refused
from rolememory.recall.fit import Fitted
from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.place import LorePlacement
from rolememory.recall.query import RecallQuery
from rolememory.schema.evidence import Reason, Recalled, Refusal, Scored, Trace
from rolememory.schema.json_types import JsonObject
from rolememory.schema.message import Message
from rolememory.schema.scene import Language
from rolememory.schema.settings import InjectSettings
from rolememory.schema.value_class import value_class
from rolememory.schema.wording import strategy_name, word, word_change, word_gate
from rolememory.text.intent import intent
from rolememory.text.lengths import TokenEstimate
from rolememory.text.width import cells, padded

NEAREST = 3  # memories that an explanation names where nothing was recalled
LORE_DEPTH = 4  # messages from the end, where an entry or the place of a note does not say


@value_class
class Stats:
    """Sizes of a turn. Source: S4.20."""

    short_term_count: int = 0  # messages of the chat in view
    long_term_count: int = 0  # memories injected
    block: str = field(default="", repr=False)  # what was injected

    @property
    def total_tokens(self) -> int:
        """Of the injected block, estimated."""
        return TokenEstimate()(self.block)

    @property
    def total_characters(self) -> int:
        """Of the injected block."""
        return len(self.block)


@value_class
class Explanation:
    """Why the lines of a turn are there, and why others are not. `str` words it; `rows` has the codes and numbers."""

    rows: tuple[ExplanationRow, ...]
    language: Language = "en"
    closed: str | None = None

    def __str__(self) -> str:
        if self.closed:
            return self.closed
        wide = max((cells(row.id) for row in self.rows), default=0)
        return "\n".join(self._row(row, wide) for row in self.rows)

    def _row(self, row: ExplanationRow, wide: int) -> str:
        score = "   -" if row.score is None else f"{row.score:.2f}"
        comma, way = (", ", " -> ") if self.language == "en" else ("，", " → ")
        told = comma.join(
            _named("" if name == row.gate else name, reason, self.language)
            for name, reason in row.reasons
        )
        remedy = way + word_change(row.remedy, self.language) if row.remedy else ""
        return f"{score}  {padded(row.id, wide)}  {told}{remedy}".rstrip()


_SAY_THEMSELVES = {
    "weight",
    "salience",
    "priority",
    "associate",
    "restated",
}  # their sentence begins with their name


def _named(name: str, reason: Reason, language: Language) -> str:
    told = word(reason, language)
    alone = not name or name in _SAY_THEMSELVES
    return told if alone else f"{strategy_name(name, language, reason)} {told}"


@dataclass(frozen=True, slots=True, repr=False)
class Turn:
    """One turn's memory. `text` is the block, `messages` the chat with the block in its place."""

    text: str
    messages: tuple[Message, ...]
    recalled: tuple[Recalled, ...] = ()
    near: tuple[Scored, ...] = ()  # hybrid mode: offered to the model through a tool
    lore: Activation | None = None  # the lorebook entries of this turn; None = the role has no book
    parts: tuple[Placement, ...] = ()  # the same texts one by one, with their places
    persona: str = (
        ""  # how the user likes to be answered, when that is wanted; stands before the memories
    )
    story: str = ""  # the chapters of the story, in a block of their own before the memories
    scene: str = ""  # how things stand in the scene, in a short block of its own
    trace: Trace = field(default_factory=Trace)
    stats: Stats = field(default_factory=Stats)
    language: Language = "en"
    asked: str = field(default="", repr=False)  # the message that it was asked for
    searchable: bool = False  # hybrid mode: whether a search may find what the prompt does not hold
    question: RecallQuery | None = field(default=None, repr=False, compare=False)
    answer: RecallResult = field(default_factory=RecallResult, repr=False, compare=False)

    @property
    def intent(self) -> str:
        """What the message wants: past, request, mixed, chat."""
        return intent(self.asked)

    def openai(self) -> list[JsonObject]:
        """The messages as dicts in OpenAI's format."""
        return [
            message.model_dump(mode="json", exclude_none=True, exclude={"sent", "owner"})
            for message in self.messages
        ]

    def __repr__(self) -> str:
        return f"<Turn: {len(self.recalled)} recalled, {len(self.text)} characters>"

    def explain(self, *ids: str, language: Language | None = None) -> Explanation:
        """Why each recalled line is there; with ids, also why those memories are not, and what would let them in.

        Without ids, where nothing was recalled: the same for the three that came nearest.

        Raises:
            UnknownMemoryError: an id that the role does not have.
        """
        asked = {one: found for one in ids or self._nearest() if (found := self.why_not(one))}
        spoken = language or self.language
        closed = (
            word_gate(Refusal("", self.answer.closed[0].code, *self.answer.closed), spoken)
            if self.answer.closed and not ids
            else None
        )
        rows = (*lines(self.answer, asked), *_lore_lines(self.lore))
        if not rows and not closed:
            closed = word(Reason("nothing_near"), spoken)
        return Explanation(rows, spoken, closed)

    def _nearest(self) -> Iterable[str]:
        left_out = () if self.recalled else self.left_out()
        return [one.entry_id for one in islice(left_out, NEAREST)]

    def why_not(self, memory_id: str) -> Refusal | None:
        """Why this memory is not in the prompt and what would include it; None if it is. Cost: some turns."""
        return refusal(self.question, self.answer, memory_id) if self.question else None

    def left_out(self) -> Iterable[Refusal]:
        """Activated memories that were left out, best first, without remedies: cheap."""
        return refused(self.answer)

    def bare(self) -> "Turn":
        """The turn without its inputs: the block and its explanations; `why_not` no longer works."""
        recalled = tuple(replace(one, scored=one.scored.made()) for one in self.recalled)
        return replace(
            self,
            messages=(),
            parts=(),
            recalled=recalled,
            near=(),
            lore=self.lore.bare() if self.lore else None,
            question=None,
            answer=RecallResult(
                fitted=Fitted([one.scored for one in recalled]),
                closed=self.answer.closed,
                notes=self.answer.notes,
            ),
        )


def render_turn(
    question: RecallQuery,
    given: RecallResult,
    lore: Activation | None = None,
    *,
    persona: str = "",
    story: str = "",
    scene: str = "",
    untold: str = "",
    searchable: bool = False,
    embedder: str = "absent",
    notes: Sequence[str] = (),
) -> Turn:
    """Render the result into the messages; unchanged if nothing was recalled.

    `untold`: a text instead of the fresh part; `embedder` and `notes`
    go into the trace.
    """
    chosen, request = [one.memory for one in given.fitted.chosen], question.request
    told, messages = question.measure, request.messages
    style, parts = told.style, told.parts(chosen)
    lines = map(style.line, chosen)
    text = "\n\n".join(part for part in (*parts, untold) if part)
    rules: InjectSettings = question.settings.inject
    own = tuple(
        _own_placements(
            style.apart, rules, [one for one in (persona, story) if one], scene, parts, untold
        )
    )
    placed = place_all(
        messages,
        [*(lore_placements(lore.placement) if lore else ()), *own],
        continuing=request.generation.kind == "continue",
    )
    of_lore = lore.notes if lore else ()
    return Turn(
        text=text,
        messages=fill_outlets(
            placed, {name: "\n".join(said) for name, said in lore.placement.outlets.items()}
        )
        if lore
        else placed,
        recalled=tuple(
            Recalled(one, line, told.count(line))
            for one, line in zip(given.fitted.chosen, lines, strict=True)
        ),
        near=tuple(given.fitted.near),
        lore=lore,
        parts=own,
        persona=persona,
        story=story,
        scene=scene,
        trace=Trace(
            (*given.notes, *of_lore, *style.notes, *notes),
            embedder,
            given.closed[0].code if given.closed else None,
        ),
        stats=Stats(len(messages), len(chosen), text),
        language=style.language,
        asked=question.scene.query,
        searchable=searchable,
        question=question,
        answer=given,
    )


def _own_placements(
    apart: bool,
    rules: InjectSettings,
    before: Sequence[str],
    scene: str,
    parts: tuple[str, str],
    untold: str,
) -> Iterator[Placement]:
    """The stable part before the history, scene and fresh part where configured; if not `apart`, all there together."""
    rare, fresh = parts
    if apart:
        yield from (Placement(said, "system") for said in (*before, rare) if said)
        before = ()
    yield from (
        Placement(said, rules.position, rules.depth, rules.depth_role, merged=True)
        for said in (*before, scene, fresh, untold)
        if said
    )


def lore_placements(at: LorePlacement) -> Iterator[Placement]:
    """The placements of lore texts. Those around a missing author's note go four messages from the end."""
    yield Placement(at.before_text, "before_character", merged=True)
    behind = (at.after_text, *at.personality, *at.scenario, *reversed(at.em_top), *at.em_bottom)
    yield Placement("\n".join(text for text in behind if text), "after_character", merged=True)
    yield Placement(
        at.author_note or "\n".join((*at.an_top, *at.an_bottom)), "depth", depth=LORE_DEPTH
    )
    yield from (
        Placement(
            group.text, "depth", LORE_DEPTH if group.depth is None else group.depth, group.role
        )
        for group in at.depth
    )


def _lore_lines(lore: Activation | None) -> Iterator[ExplanationRow]:
    for one in lore.awake if lore else ():
        yield ExplanationRow(one.entry.comment or one.id, None, None, (("lore", one.why),))
