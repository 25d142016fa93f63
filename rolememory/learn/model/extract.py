"""Extracts facts from a batch in one request: each with its subject, date, and what it replaces. Source: S4.22-S4.28."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator
from rapidfuzz import fuzz

from rolememory.learn.model.base import Batch, ExtractorDependencies
from rolememory.learn.model.grounding import Grounding, ground_of, stands
from rolememory.learn.model.people import names_role, names_user, subject_in, subject_of
from rolememory.learn.model.prompts import listed, marked
from rolememory.llm.answer_words import WordedAnswer, answer_words
from rolememory.llm.answers import ModelAnswer
from rolememory.llm.fields import UNTOLD, Line, Number, Sure, Texts, Words
from rolememory.locales import LocalizedText
from rolememory.schema.evidence import Reason
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.learning import Company, Draft
from rolememory.schema.memory import Evidence, Memory, MemoryType, Source
from rolememory.schema.settings import LearnSettings
from rolememory.schema.value_class import value_class
from rolememory.text.dates import times
from rolememory.text.fold import letters
from rolememory.text.language import language_of
from rolememory.text.marks import is_told_by_an_i

LONGEST_FACT = 500  # maximum characters; longer ones are retellings
MOST_TAGS = 5
SAME = 92.0  # similarity above which two facts are one (0..100, rapidfuzz ratio of their letters)
_MOST_READ = 100  # facts of one answer that are used
_LONGEST_WHEN = 40
_A_SENTENCE = 12  # maximum bytes of a text given in place of a list


@value_class
class FactKind:
    """A kind of fact, and how it is stored."""

    name: str  # its tag
    type: MemoryType = MemoryType.SEMANTIC
    of_role: MemoryType = MemoryType.SEMANTIC  # its type if it is about the role
    salience: float = 0.5


EVENT = FactKind("event", MemoryType.EPISODIC, MemoryType.EPISODIC)
KINDS = (
    FactKind("fact"),
    FactKind("preference", salience=0.6),
    FactKind("project"),
    EVENT,
    FactKind("trait", of_role=MemoryType.TRAIT, salience=0.6),
    FactKind("goal", of_role=MemoryType.GOAL, salience=0.7),
    FactKind("plan", salience=0.6),
    FactKind("promise", salience=0.8),
    FactKind("relationship", salience=0.7),
)
_BY_WORD = {
    word: kind for kind in KINDS for word in (kind.name, *answer_words("kinds").get(kind.name, ()))
}

_LANGUAGE = LocalizedText("write content in the language of the chat, not in Chinese")
_SAID = LocalizedText("{name} said: “{words}”")
_DATED = LocalizedText("{content} ({when}).")
_BULLET = re.compile(
    r"^\s*(?:[-*•·–—]|\d{1,2}[.)、．]|[(（]\d{1,2}[)）])\s*(?P<fact>\S.+)$", re.MULTILINE
)
_LISTS = answer_words("words")["lists"]
_NUMBERED = re.compile(rf"(?:fact_?|{'|'.join(_LISTS)})?\d+")


class Fact(WordedAnswer):
    """A fact from a model. Only the content is required; other schemas' fields are read too. Source: S4.24."""

    content: Line = Field(min_length=1)
    turn: Number = 0
    quote: Words = ""
    about: Line = ""
    when: Line = ""
    type: Line = ""
    tags: Texts = ()
    confidence: Sure = UNTOLD
    replaces: Line = ""

    @property
    def kind(self) -> FactKind:
        """Its kind; a plain fact if unknown."""
        return _BY_WORD.get(self.type.casefold().strip(), KINDS[0])


class Facts(ModelAnswer):
    """The facts found in a batch. Invalid facts are left out and do not affect the others."""

    facts: tuple[Fact, ...]

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, value: Any) -> Any:
        """Facts in any structure: a list, a single one, several lists, by number, as plain sentences."""
        rows = _rows(value)
        if rows is None:
            return value
        good = [fact for row in rows[:_MOST_READ] if (fact := _fact(row))]
        if rows and not good:
            raise ValueError("no entry of facts has a content that is a text")
        return {"facts": good}

    @classmethod
    def of_text(cls, text: str) -> Self | None:
        """Parse a list of plain lines with bullets."""
        found = [one["fact"].strip() for one in _BULLET.finditer(text)]
        return cls.model_validate(found) if found else None


def _rows(value: Any) -> list[Any] | None:
    """The rows of an answer; None if there are none."""
    if isinstance(value, list):
        return [row for one in value for row in (_listed(one) if _is_packed(one) else [one])]
    if not isinstance(value, dict) or not value:
        return None
    if _is_packed(value):
        return _listed(value)
    if _fact(value):
        return [value]
    return list(value.values()) if all(map(_NUMBERED.fullmatch, value)) else None


def _is_packed(value: Any) -> bool:
    return isinstance(value, dict) and any(name in value for name in _LISTS) and not _fact(value)


def _listed(value: JsonObject) -> list[Any]:
    inner = next(value[name] for name in _LISTS if name in value)
    if isinstance(inner, dict):
        return _rows(inner) or []
    if isinstance(inner, str):
        if len(inner.encode()) < _A_SENTENCE:
            raise ValueError("facts is no list")
        return [inner]
    return inner if isinstance(inner, list) else []


def _fact(row: Any) -> Fact | None:
    return Fact.of_row({"content": row} if isinstance(row, str) else row)


@value_class
class FactExtractor:
    """Extracts facts in batches."""

    name: ClassVar[str] = "extract"

    means: ExtractorDependencies

    def extract(self, batch: Batch) -> tuple[Draft, ...]:
        """Request the facts of a batch and return all as drafts."""
        settings = self.means.settings()
        if not batch.turns or not settings.max_facts:
            return ()
        found = self.means.ask(
            "extraction",
            Facts,
            asked(batch, settings),
            language=batch.language,
            check=partial(fault, batch=batch),
            haste=batch.haste,
        )
        return drafts(found.facts, batch, settings, model=self.means.ask.named("extraction"))


def asked(batch: Batch, settings: LearnSettings) -> JsonMapping:
    """The template values of decision, summary and extraction."""
    return {
        "conversation": marked("chat", batch.shown),
        "memories": listed(memory.content for memory in batch.known),
        **batch.company_values,
        "max_facts": settings.max_facts,
    }


def fault(found: Facts, batch: Batch) -> str:
    """The error of most facts, worded for the model; "" if most are valid."""
    foreign = sum(
        language_of(fact.content, batch.language) != batch.language for fact in found.facts
    )
    return _LANGUAGE.text(batch.language) if foreign * 2 > len(found.facts) else ""


def drafts(
    facts: Sequence[Fact], batch: Batch, settings: LearnSettings, *, model: str = ""
) -> tuple[Draft, ...]:
    """Every fact as a draft, in the order of the answer; invalid ones have a `fault`."""
    found = list(_single([_draft(fact, batch, settings, model) for fact in facts]))
    held = [draft for draft in found if draft.fault is None]
    best = sorted(held, key=lambda draft: -draft.confidence)[: settings.max_facts]
    many = Reason.of("over_limit", limit=settings.max_facts)
    return tuple(
        draft if draft.fault or draft in best else replace(draft, fault=many) for draft in found
    )


def _draft(fact: Fact, batch: Batch, settings: LearnSettings, model: str) -> Draft:
    ground = ground_of(fact.content, fact.quote, fact.turn, batch)
    subject = _subject(fact, ground, batch)
    told = third_person(fact.content, subject, ground, batch)
    happened = _when(fact.when, batch)
    kind = EVENT if happened and not fact.type else fact.kind
    return Draft(
        content=dated(told or fact.content, happened, ground, batch),
        type=kind.of_role if subject is None else kind.type,
        source=Source.SUMMARY,
        evidence=(Evidence(chat=batch.chat, version=ground.version, quote=ground.quote),),
        because=Reason.of("extracted", model=model),
        subject=subject,
        user=batch.user,
        created=ground.said.at,
        emotions=ground.said.emotions,
        tags=tuple(
            dict.fromkeys((kind.name, *(fact.tags[:MOST_TAGS] if settings.auto_tag else ())))
        ),
        salience=kind.salience,
        confidence=fact.confidence,
        replaces=replaced(fact.replaces, subject, batch),
        context=ground.context,
        fault=_fault(fact, told, settings),
    )


def _fault(fact: Fact, told: str, settings: LearnSettings) -> Reason | None:
    """Why a fact is invalid, as far as the answer alone shows; None if valid."""
    if fact.confidence < settings.min_confidence:
        return Reason.of("unsure", confidence=fact.confidence, limit=settings.min_confidence)
    if len(fact.content) > LONGEST_FACT:
        return Reason.of("too_long", length=len(fact.content), limit=LONGEST_FACT)
    return None if told else Reason("first_person")


def _subject(fact: Fact, ground: Grounding, batch: Batch) -> str | None:
    if not fact.about and not ground.is_named:
        return subject_in(fact.content, batch.company)
    return subject_of(fact.about, ground.said, batch.company)


def third_person(content: str, subject: str | None, ground: Grounding, batch: Batch) -> str:
    """The content if in the third person; a first-person one as the speaker's words; "" if the speaker is unknown."""
    if not is_told_by_an_i(content):
        return content
    speaker = batch.company.subject_of(ground.said) or None
    if not ground.is_named or subject != speaker:
        return ""
    name = batch.name_of(ground.said)
    return _SAID.filled(name=name, words=content.strip('"“”')).text(batch.language)


def _when(when: str, batch: Batch) -> str:
    """The date of the event, if it is numeric or occurs in the messages or a scene's stamp."""
    plain = when.strip(" .。()（）")
    if plain in ("", "0") or len(plain) > _LONGEST_WHEN:
        return ""
    if any(map(str.isdigit, plain)):
        return plain
    heard = (one for said in batch.said for one in (said.text, *dict(said.stamp).values()))
    return plain if any(plain.casefold() in one.casefold() for one in heard) else ""


def dated(content: str, when: str, ground: Grounding, batch: Batch) -> str:
    """The content with its date, unless it contains one or it is the day of the message."""
    at = ground.said.at.astimezone()
    if not when or when == f"{at:%Y-%m-%d}" or letters(when) in letters(content):
        return content
    if any(map(str.isdigit, "".join(one.text for one in times(content, at, batch.language)))):
        return content
    return _DATED.filled(content=content.rstrip(".。 "), when=when).text(batch.language)


def _single(found: Sequence[Draft]) -> Iterator[Draft]:
    """Adds a fault to those that repeat an earlier one about the same subject."""
    seen: list[tuple[str | None, str]] = []
    for draft in found:
        plain = letters(draft.content)
        twice = any(
            subject == draft.subject and same_words(plain, other) for subject, other in seen
        )
        if draft.fault is None and not twice:
            seen.append((draft.subject, plain))
        yield replace(draft, fault=Reason("told_twice")) if twice and not draft.fault else draft


def same_words(plain: str, other: str) -> bool:
    """Whether two texts, as letters, are nearly equal; different numbers are different facts.

    >>> same_words("linownsboat12", "linownsboat13"), same_words("linownsaboat", "linownsboat")
    (False, True)
    """
    digits = ["".join(filter(str.isdigit, one)) for one in (plain, other)]
    return digits[0] == digits[1] and fuzz.ratio(plain, other) >= SAME


def replaced(value: str, subject: str | None, batch: Batch) -> str:
    """The id of the known memory referred to by number or text; "" for none."""
    number = value.strip().strip("[]#")
    if number.isdecimal():
        place = int(number[:6])
        named = [*batch.known[max(place - 1, 0) : place]]
    else:
        named = [
            one for one in batch.known if stands(value, one.content) or stands(one.content, value)
        ]
    of_role = subject is None  # the role's traits never replace those of others
    return next((one.id for one in named if _may_be_of(one, of_role, batch.company)), "")


def _may_be_of(memory: Memory, of_role: bool, company: Company) -> bool:
    """Whether a memory may be about the role, or about others: one without a subject that names both may be either."""
    others = memory.subject is not None or names_user(memory.content, company)
    if not of_role:
        return others
    return memory.subject is None and (not others or names_role(memory.content, company))
