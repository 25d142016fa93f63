"""Facts out of a batch, in one question: each with the words it rests on, which must really stand there. Source: S4.22-S4.28."""

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from pydantic import AliasChoices, Field, ValidationError, model_validator
from rapidfuzz import fuzz

from rolememory.learn.model.answers import Answer
from rolememory.learn.model.base import Batch, Means
from rolememory.learn.model.fields import UNTOLD, Line, Number, Sure, Texts, Words
from rolememory.learn.model.grounding import letters, source_of, stands
from rolememory.learn.model.people import subject_of
from rolememory.learn.model.prompts import line, listed, marked
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.memory import Evidence, MemoryType, Source
from rolememory.schema.settings import LearnSettings
from rolememory.storage.said import Said as Sentence
from rolememory.text.language import language_of

_log = logging.getLogger(__name__)

LONGEST_FACT = 500  # characters: more is no fact but a retelling
MOST_TAGS = 5
SAME = 92.0  # two facts at least this alike (0..100, rapidfuzz ratio of their letters) are one
_MOST_READ = 100  # facts of one answer that are looked at


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fact: what a model may call it, and what it becomes."""

    name: str  # the tag it gives
    words: tuple[str, ...] = ()
    type: MemoryType = MemoryType.SEMANTIC
    of_role: MemoryType = MemoryType.SEMANTIC  # what it becomes when it is about the role itself
    salience: float = 0.5


KINDS = (
    Kind("fact", ("事实", "事實", "信息", "資訊", "information", "knowledge", "semantic")),
    Kind("preference", ("偏好", "喜好", "like", "dislike", "taste"), salience=0.6),
    Kind("project", ("项目", "項目", "专案", "專案", "work")),
    Kind(
        "event",
        ("事件", "经历", "經歷", "experience", "episodic", "happening"),
        MemoryType.EPISODIC,
        MemoryType.EPISODIC,
    ),
    Kind(
        "trait",
        ("性格", "特质", "特質", "特点", "特點", "特征", "特徵", "personality"),
        of_role=MemoryType.TRAIT,
        salience=0.6,
    ),
    Kind(
        "goal",
        ("目标", "目標", "愿望", "願望", "心愿", "心願", "wish", "desire"),
        of_role=MemoryType.GOAL,
        salience=0.7,
    ),
    Kind(
        "plan", ("计划", "計劃", "計畫", "打算", "安排", "appointment", "intention"), salience=0.6
    ),
    Kind(
        "promise",
        ("约定", "約定", "承诺", "承諾", "诺言", "諾言", "commitment", "agreement"),
        salience=0.8,
    ),
    Kind("relationship", ("关系", "關係", "relation", "family"), salience=0.7),
)
_BY_WORD = {word: kind for kind in KINDS for word in (kind.name, *kind.words)}

_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:instructions?|prompts?|rules)\b|\bsystem prompt\b|\b(?:previous|prior|above) instructions?\b"
    r"|(?:忽略|无视|無視|忘记|忘記|忘掉).{0,20}(?:指令|提示词|提示詞|规则|規則|设定|設定)|系统提示词|系統提示詞",
    re.IGNORECASE,
)
_NO_QUOTE = Sentence(
    "the quote of fact {numbers} does not stand in the line of that turn; copy it word for word",
    "第 {numbers} 条的 quote 没有原样出现在 turn 所指的那一行；请逐字照抄",
)
_LANGUAGE = Sentence(
    "write content in the language of the chat, not in Chinese",
    "content 请用对话的语言（中文）来写",
)


class Fact(Answer):
    """One fact as a model gives it."""

    content: Line = Field(
        min_length=1,
        validation_alias=AliasChoices("content", "fact", "text", "memory", "statement"),
    )
    turn: Number = Field(0, validation_alias=AliasChoices("turn", "line", "number", "message"))
    quote: Words = Field("", validation_alias=AliasChoices("quote", "evidence", "source"))
    about: Line = Field("", validation_alias=AliasChoices("about", "subject", "who"))
    type: Line = Field("fact", validation_alias=AliasChoices("type", "kind", "category"))
    tags: Texts = ()
    confidence: Sure = UNTOLD
    replaces: Line = Field("", validation_alias=AliasChoices("replaces", "replace", "updates"))

    @property
    def kind(self) -> Kind:
        """What kind of fact it is; a plain one where the word is not known."""
        return _BY_WORD.get(self.type.casefold().strip(), KINDS[0])


class Facts(Answer):
    """What a model found in a batch. A single bad fact is left out and does not spoil the others."""

    facts: tuple[Fact, ...] = Field(
        validation_alias=AliasChoices("facts", "memories", "results", "items")
    )

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, value: Any) -> Any:
        """A bare list and a single fact are taken for the whole."""
        rows = value if isinstance(value, list) else _rows(value)
        if rows is None:
            return value
        good = [fact for row in rows[:_MOST_READ] if (fact := _fact(row))]
        if rows and not good:
            raise ValueError("no entry of facts has a content that is a text")
        return {"facts": good}


def _rows(value: Any) -> list[Any] | None:
    if not isinstance(value, dict):
        return None
    for name in ("facts", "memories", "results", "items"):
        if name in value:
            return (
                list(value[name])
                if isinstance(value[name], list)
                else [value[name]]
                if isinstance(value[name], dict)
                else None
            )
    return [value] if _fact(value) else None


def _fact(row: Any) -> Fact | None:
    try:
        return Fact.model_validate(row)
    except ValidationError:
        return None


class FactExtractor:
    """Facts in batches."""

    name: ClassVar[str] = "extract"

    def __init__(self, means: Means) -> None:
        self._means = means

    def extract(self, batch: Batch) -> tuple[Draft, ...]:
        """Ask for the facts of a batch; what holds of them becomes drafts."""
        settings = self._means.settings()
        if not batch.turns or not settings.max_facts:
            return ()
        check = partial(fault, batch=batch)
        found = self._means.ask(
            "extraction",
            Facts,
            asked(batch, settings),
            language=batch.language,
            check=check,
            haste=batch.haste,
        )
        return drafts(found.facts, batch, settings, model=self._means.ask.named("extraction"))


def asked(batch: Batch, settings: LearnSettings) -> Mapping[str, Any]:
    """What the templates of decision, summary and extraction get."""
    shown = [line(one.turn, one.name, one.said.text, batch.language) for one in batch.lines]
    return {
        "conversation": marked("chat", shown),
        "memories": listed(memory.content for memory in batch.known),
        "char": batch.char,
        "user": batch.person,
        "others": batch.others,
        "language": batch.language,
        "max_facts": settings.max_facts,
    }


def fault(found: Facts, batch: Batch) -> str:
    """What is wrong with most of the facts, in words for the model; "" when most are right."""
    numbers = [
        str(number)
        for number, fact in enumerate(found.facts, 1)
        if source_of(fact.quote, fact.turn, batch.turns) is None
    ]
    if len(numbers) * 2 > len(found.facts):
        return _NO_QUOTE.filled(numbers=", ".join(numbers)).text(batch.language)
    foreign = sum(
        language_of(fact.content, batch.language) != batch.language for fact in found.facts
    )
    return _LANGUAGE.text(batch.language) if foreign * 2 > len(found.facts) else ""


def drafts(
    facts: Sequence[Fact], batch: Batch, settings: LearnSettings, *, model: str = ""
) -> tuple[Draft, ...]:
    """The facts that hold, in the order of the story, as drafts; why another was dropped stands in the log, its words do not."""
    held = [draft for fact in facts if (draft := _draft(fact, batch, settings, model))]
    best = sorted(_single(held), key=lambda draft: -draft.confidence)[: settings.max_facts]
    return tuple(sorted(best, key=held.index))


def _draft(fact: Fact, batch: Batch, settings: LearnSettings, model: str) -> Draft | None:
    ground = source_of(fact.quote, fact.turn, batch.turns)
    why = _unfit(fact, ground is not None, settings)
    if ground is None or why:
        _log.info("chat %s: a fact of message %d was dropped: %s", batch.chat, fact.turn, why)
        return None
    said, quote = ground
    subject = subject_of(fact.about, said, batch.company)
    return Draft(
        content=fact.content,
        type=fact.kind.of_role if subject is None else fact.kind.type,
        source=Source.SUMMARY,
        evidence=(Evidence(chat=batch.chat, version=said.version, quote=quote),),
        because=Reason("extracted", (("model", model),)),
        subject=subject,
        user=batch.user,
        created=said.at,
        emotions=said.emotions,
        tags=tuple(
            dict.fromkeys((fact.kind.name, *(fact.tags[:MOST_TAGS] if settings.auto_tag else ())))
        ),
        salience=fact.kind.salience,
        confidence=fact.confidence,
        replaces=replaced(fact.replaces, batch),
    )


def _unfit(fact: Fact, grounded: bool, settings: LearnSettings) -> str:
    """Why a fact cannot be kept; "" when it can."""
    if not grounded:
        return "its quote does not stand there"
    if fact.confidence < settings.min_confidence:
        return f"confidence {fact.confidence:.2f} is below {settings.min_confidence:.2f}"
    if len(fact.content) > LONGEST_FACT:
        return f"longer than {LONGEST_FACT} characters"
    return "it gives orders" if _ORDER.search(fact.content) else ""


def _single(held: Sequence[Draft]) -> Iterator[Draft]:
    """Without those that say what an earlier one says of the same subject."""
    seen: list[tuple[str | None, str]] = []
    for draft in held:
        plain = letters(draft.content)
        if not any(
            subject == draft.subject and fuzz.ratio(plain, other) >= SAME for subject, other in seen
        ):
            seen.append((draft.subject, plain))
            yield draft


def replaced(value: str, batch: Batch) -> str:
    """The id of the known memory that is meant by its number or by its words; "" for none of them."""
    if value.strip().strip("[]").isdecimal():
        number = int(value.strip().strip("[]")[:6])
        return batch.known[number - 1].id if 0 < number <= len(batch.known) else ""
    same = (
        memory.id
        for memory in batch.known
        if stands(value, memory.content) or stands(memory.content, value)
    )
    return next(same, "")
