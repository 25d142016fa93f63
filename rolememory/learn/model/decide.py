"""Extractor in two steps: whether to remember a conversation, then one sentence. Source: S0.6-S0.12."""

import logging
import re
from dataclasses import replace
from typing import Annotated, ClassVar, Self

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from rolememory.learn.model.base import Batch, ExtractorDependencies
from rolememory.learn.model.extract import Fact, asked, drafts
from rolememory.llm.answer_words import WordedAnswer, answer_words
from rolememory.llm.fields import UNTOLD, Line, Number, Sure, Words
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.value_class import value_class

_log = logging.getLogger(__name__)
_WORDS = answer_words("words")
_SAYS = dict.fromkeys(_WORDS["yes"], True) | dict.fromkeys(_WORDS["no"], False)
_LABEL = re.compile(rf"^(?:{'|'.join(_WORDS['label'])})\s*[:：]\s*", re.IGNORECASE)
_Yes = Annotated[bool, BeforeValidator(lambda value: _SAYS.get(str(value).strip(), value))]
_YES = TypeAdapter(_Yes)


class Decision(WordedAnswer):
    """Whether to remember. Source: S0.10."""

    should_remember: _Yes
    reason: Line = ""

    @classmethod
    def of_text(cls, text: str) -> Self | None:
        """Parse a bare yes or no."""
        word = re.match(r"\W*(\w+)", text)
        try:
            return cls(should_remember=_YES.validate_python(word[1].casefold())) if word else None
        except ValidationError:
            return None


class RememberedSentence(WordedAnswer):
    """One sentence to remember; and the line it is based on, if the model named one."""

    memory: Line = Field(min_length=1)
    about: Line = ""
    turn: Number = 0
    quote: Words = ""
    when: Line = ""
    confidence: Sure = UNTOLD

    @classmethod
    def of_text(cls, text: str) -> Self | None:
        """Parse a bare sentence, as custom prompts may ask for; an introductory line before it is dropped. Source: S0.12."""
        lines = [one for line in text.splitlines() if (one := line.strip(" *#>`\"'“”「」"))]
        said = [one for one in lines if not one.endswith((":", "："))]
        return cls(memory=_LABEL.sub("", said[0])) if len(said) == 1 else None


@value_class
class DecideExtractor:
    """Extracts one sentence of each relevant batch."""

    name: ClassVar[str] = "decide"

    means: ExtractorDependencies

    def extract(self, batch: Batch) -> tuple[Draft, ...]:
        """Ask whether to remember, then what."""
        if not batch.turns:
            return ()
        ask, settings = self.means.ask, self.means.settings()
        values = asked(batch, settings)
        decision = ask("decision", Decision, values, language=batch.language, haste=batch.haste)
        if not decision.should_remember:
            _log.info(
                "chat %s: not worth remembering, by the model: %s",
                batch.chat,
                batch.said[0].version,
            )
            return ()
        told = ask(
            "summary",
            RememberedSentence,
            {**values, "reason": decision.reason[:200]},
            language=batch.language,
            haste=batch.haste,
        )
        fact = Fact.model_validate({**told.model_dump(exclude={"memory"}), "content": told.memory})
        why = Reason.of("decided", model=ask.named("summary"), why=decision.reason[:200])
        return tuple(replace(one, because=why, tags=()) for one in drafts((fact,), batch, settings))
