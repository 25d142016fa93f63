"""First whether a conversation is worth remembering, then one sentence of it. Source: S0.6-S0.12."""

from typing import ClassVar, Self

from pydantic import AliasChoices, Field

from rolememory.learn.model.answers import Answer
from rolememory.learn.model.base import Batch, Means
from rolememory.learn.model.extract import LONGEST_FACT, asked
from rolememory.learn.model.fields import Line, Number, Words
from rolememory.learn.model.grounding import source_of
from rolememory.learn.model.people import subject_in, subject_of
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.memory import Evidence, MemoryType, Source


class Decision(Answer):
    """Whether to remember. Source: S0.10."""

    should_remember: bool = Field(
        validation_alias=AliasChoices("should_remember", "shouldRemember", "remember")
    )
    reason: Line = ""


class Sentence(Answer):
    """What to remember, in one sentence; the words it rests on, where the model named them."""

    memory: Line = Field(
        min_length=1,
        max_length=LONGEST_FACT,
        validation_alias=AliasChoices("memory", "summary", "content", "text"),
    )
    about: Line = Field("", validation_alias=AliasChoices("about", "subject"))
    turn: Number = 0
    quote: Words = ""

    @classmethod
    def of_text(cls, text: str) -> Self | None:
        """A prompt of one's own may ask for the bare sentence. Source: S0.12."""
        sentence = text.strip().strip("\"'“”「」`").strip()
        return (
            cls(memory=sentence)
            if sentence and len(sentence) <= LONGEST_FACT and "\n" not in sentence
            else None
        )


class DecideExtractor:
    """One sentence of each batch that is worth it."""

    name: ClassVar[str] = "decide"

    def __init__(self, means: Means) -> None:
        self._means = means

    def extract(self, batch: Batch) -> tuple[Draft, ...]:
        """Ask whether, then what."""
        if not batch.turns:
            return ()
        ask, settings = self._means.ask, self._means.settings()
        values = asked(batch, settings)
        decision = ask("decision", Decision, values, language=batch.language, haste=batch.haste)
        if not decision.should_remember:
            return ()
        told = ask(
            "summary",
            Sentence,
            {**values, "reason": decision.reason[:200]},
            language=batch.language,
            haste=batch.haste,
        )
        return (_draft(told, decision, batch, ask.named("summary")),)


def _draft(told: Sentence, decision: Decision, batch: Batch, model: str) -> Draft:
    """The sentence with its ground: the message it quotes, else all that was read."""
    newest = batch.turns[max(batch.turns)]
    said, quote = source_of(told.quote, told.turn, batch.turns) or (newest, "")
    version = said.version if quote else "+".join(one.version for one in batch.turns.values())
    return Draft(
        content=told.memory,
        type=MemoryType.SEMANTIC,
        source=Source.SUMMARY,
        evidence=(Evidence(chat=batch.chat, version=version, quote=quote),),
        because=Reason("decided", (("model", model), ("why", decision.reason[:200]))),
        subject=subject_of(told.about, said, batch.company)
        if told.about
        else subject_in(told.memory, batch.company),
        user=batch.user,
        created=said.at,
    )
