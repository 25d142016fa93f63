"""Inferences from several memories, with confidence and sources. Off by default. Source: S2.22-S2.26, S2.31."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field, field_validator, model_validator

from rolememory.learn.model.extract import LONGEST_FACT, same_words
from rolememory.learn.model.known_memories import Sees, told_at
from rolememory.learn.model.prompter import StepPrompter
from rolememory.learn.model.prompts import listed
from rolememory.llm.answer_words import WordedAnswer
from rolememory.llm.answers import ModelAnswer
from rolememory.llm.client import UNHURRIED, RequestLimits
from rolememory.llm.fields import UNTOLD, Line, Sure
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.memory import Evidence, Memory, MemoryType, Source
from rolememory.schema.settings import LearnSettings
from rolememory.storage.people import Same, alone, is_for
from rolememory.text.fold import letters
from rolememory.text.language import language_of

MOST_MEMORIES = 60  # shown in one request: the newest
FEWEST = 2  # minimal memories for a conclusion
TAG = "inference"


class Conclusion(WordedAnswer):
    """A conclusion. `based_on` are numbers of the list that was shown, or ids."""

    conclusion: Line = Field(min_length=1, max_length=LONGEST_FACT)
    confidence: Sure = UNTOLD
    based_on: tuple[str, ...] = ()

    @field_validator("based_on", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> tuple[str, ...]:
        if isinstance(value, str):
            value = value.replace("，", ",").split(",")
        rows = value if isinstance(value, list) else [value]
        return tuple(
            str(row).strip().strip("[]#").strip()
            for row in rows
            if isinstance(row, str | int | float)
        )


class Conclusions(ModelAnswer):
    """A model's conclusions; invalid ones are left out."""

    conclusions: tuple[Conclusion, ...]

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, value: Any) -> Any:
        rows = value
        if isinstance(value, dict):
            rows = value.get("conclusions", value.get("inferences"))
            if rows is None and Conclusion.of_row(value):
                rows = [value]
        if not isinstance(rows, list):
            return value
        good = [one for row in rows[:MOST_MEMORIES] if (one := Conclusion.of_row(row))]
        if rows and not good:
            raise ValueError("no entry of conclusions has a conclusion that is a text")
        return {"conclusions": good}


def for_each_user(
    memories: Sequence[Memory], users: Iterable[str | None] = (), same: Same = alone
) -> Mapping[str | None, list[Memory]]:
    """The shared memories and each user's own (none given = all users). Without users, only the shared."""
    found = list(users) or sorted({one.user for one in memories if one.user is not None}) or [None]
    wanted = dict.fromkeys(user if user is None else same(user) for user in found)
    return {user: [one for one in memories if is_for(one.user, user, same)] for user in wanted}


def infer(
    ask: StepPrompter,
    known: Sequence[Memory],
    user: str | None,
    settings: LearnSettings,
    *,
    sees: Sees,
    char: str = "",
    haste: RequestLimits = UNHURRIED,
) -> tuple[Draft, ...]:
    """Request conclusions from what is known with one user.

    Raises:
        ModelError: the request failed.
    """
    shown = sorted(known, key=lambda one: (told_at(one), one.id))[-MOST_MEMORIES:]
    if len(shown) < FEWEST:
        return ()
    language = language_of("\n".join(one.content for one in shown))
    values = {
        "memories": listed(
            f"({one.subject}) {one.content}" if one.subject else one.content for one in shown
        ),
        "char": char,
        "language": language,
        "max_facts": settings.max_facts,
    }
    found = ask("inference", Conclusions, values, language=language, haste=haste)
    return drafts(found.conclusions, shown, user, settings, sees=sees, model=ask.named("inference"))


def drafts(
    found: Iterable[Conclusion],
    shown: Sequence[Memory],
    user: str | None,
    settings: LearnSettings,
    *,
    sees: Sees = lambda _: True,
    model: str = "",
) -> tuple[Draft, ...]:
    """Every conclusion as a draft, highest confidence first; invalid ones have a `fault`."""
    said = [letters(one.content) for one in shown]
    out: list[Draft] = []
    for one in sorted(found, key=lambda one: -one.confidence):
        ground = _ground(one, shown)
        held = sum(draft.fault is None for draft in out)
        why = _fault(one, ground, said, settings, held)
        said += [] if why else [letters(one.conclusion)]
        out.append(replace(_draft(one, ground, user, sees, model), fault=why))
    return tuple(out)


def _fault(
    one: Conclusion,
    ground: Sequence[Memory],
    said: Sequence[str],
    settings: LearnSettings,
    held: int,
) -> Reason | None:
    """Why a conclusion is invalid: fewer than two shown memories, low confidence, known, or too many."""
    plain = letters(one.conclusion)
    if len(ground) < FEWEST:
        return Reason.of("few_grounds", limit=FEWEST)
    if one.confidence < settings.min_confidence:
        return Reason.of("unsure", confidence=one.confidence, limit=settings.min_confidence)
    if any(same_words(plain, other) for other in said):
        return Reason("told_twice")
    return Reason.of("over_limit", limit=held) if held >= settings.max_facts else None


def _ground(one: Conclusion, shown: Sequence[Memory]) -> list[Memory]:
    """The memories that a conclusion cites, in their order, without duplicates; unknown numbers and ids are ignored."""
    by_id = {memory.id: place for place, memory in enumerate(shown)}
    places = {
        by_id.get(word, int(word) - 1 if word.isdecimal() and len(word) < 9 else -1)
        for word in one.based_on
    }
    return [memory for place, memory in enumerate(shown) if place in places]


def _draft(
    one: Conclusion, ground: Sequence[Memory], user: str | None, sees: Sees, model: str
) -> Draft:
    dates = [memory.created for memory in ground if memory.created]
    return Draft(
        content=one.conclusion,
        type=MemoryType.SEMANTIC,
        source=Source.INFERENCE,
        evidence=_together(ground, sees),
        because=Reason.of("inferred", model=model, count=len(ground)),
        subject=Counter(memory.subject for memory in ground).most_common(1)[0][0]
        if ground
        else None,
        user=user if any(memory.user for memory in ground) else None,
        created=max(dates, default=None),
        tags=(TAG,),
        confidence=one.confidence,
        rests_on=tuple(memory.id for memory in ground),
    )


def _together(ground: Sequence[Memory], sees: Sees) -> tuple[Evidence, ...]:
    """Evidence that stands while all the memories do: `rests_on` as evidence."""
    chats: dict[str, dict[str, None]] = {}
    for learned in (one for memory in ground if (one := next(filter(sees, memory.evidence), None))):
        for each in (learned, *learned.also):
            chats.setdefault(each.chat, {}).update(dict.fromkeys(filter(None, each.versions)))
    found = [
        Evidence(chat=chat, version="+".join(versions))
        for chat, versions in chats.items()
        if versions
    ]
    return (found[0].model_copy(update={"also": tuple(found[1:])}),) if found else ()
