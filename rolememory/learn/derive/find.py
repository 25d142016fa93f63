"""What a memory wakes by, what it is about, what is felt in it and how much it matters: read from its words and claims."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rolememory.learn.derive import chinese, english
from rolememory.learn.derive.rules import Rules, rules
from rolememory.schema.claims import ATTRIBUTES, ROLE, USER, Claim
from rolememory.schema.memory import MemoryType
from rolememory.schema.scene import Language
from rolememory.text.feel import feel
from rolememory.text.feel_words import Lexicon
from rolememory.text.fold import fold
from rolememory.text.language import language_of
from rolememory.text.plain import plain
from rolememory.text.words import tokens

MOST_KEYS = 6
_MOST_TOPICS = 4
_MOST_EMOTIONS = 3
_FELT = 0.35  # weight from which an emotion is named
_OWN_NAMES = frozenset(
    {"name", "nickname", "age", "gender"}
)  # said of who talks: in every message, or nowhere
_PREFERENCES = frozenset({"likes", "dislikes", "favourite", "prefers_reply"})

TOLD = 0.3
"""Salience of anything worth keeping. The parts below are independent reasons on top of it."""
OF_CLAIM, OF_FEELING, OF_LOSS, OF_LIFE, OF_PROMISE, OF_FIRST, OF_WISH = (
    0.6,
    0.4,
    0.4,
    0.3,
    0.3,
    0.2,
    0.6,
)


@dataclass(frozen=True, slots=True)
class Derived:
    """What is derived."""

    keys: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    emotions: tuple[str, ...] = ()  # labels of `text.feel.EMOTIONS`, strongest first
    tags: tuple[str, ...] = ()
    salience: float = 0.5


def derive(
    text: str,
    claims: Sequence[Claim] = (),
    *,
    lexicon: Lexicon | None = None,
    auto_tag: bool = True,
    names: Collection[str] = (),
    explicit: bool = False,
) -> Derived:
    """Keys, topics, emotions, tags and salience of a memory's text. Pure. Cost: O(length).

    A key wakes the memory whenever it stands in a message, so there are few and telling ones, or none: names, rare nouns, the
    values of claims; `names` (the role's, the user's) are in every chat and wake nothing.

    >>> derive("I lent Captain Ross my violin.").keys
    ('Ross', 'violin')
    >>> derive("我把小提琴借给了罗斯船长。").keys
    ('罗斯船长', '小提琴')
    >>> derive("We went home and talked.").keys
    ()
    """
    language = language_of(text)
    table, even = rules(language), plain(text)
    felt = feel(text, lexicon=lexicon)
    return Derived(
        keys=tuple(_keys(text, claims, language, names)),
        topics=tuple(_topics(text, claims, language)),
        emotions=tuple(label for label, weight in felt.emotions if weight >= _FELT)[
            :_MOST_EMOTIONS
        ],
        tags=tuple(_tags(even, claims, table)) if auto_tag else (),
        salience=salience(
            max((ATTRIBUTES[claim.attribute].salience for claim in claims), default=0.0),
            felt.intensity,
            loss=bool(table.loss.search(even)),
            life=bool(table.life.search(even)),
            promise=bool(table.promise.search(even)),
            first=bool(table.first.search(even)),
            explicit=explicit,
        ),
    )


def salience(
    claim: float = 0.0,
    intensity: float = 0.0,
    *,
    loss: bool = False,
    life: bool = False,
    promise: bool = False,
    first: bool = False,
    explicit: bool = False,
) -> float:
    """How much a memory matters, 0..1: 1 - 0.7 x product of (1 - part) over what speaks for it.

    Source: S1.45; noisy-or, so that independent reasons add up and none is needed.

    Parts: 0.6 x the weight of what is claimed (an allergy 0.9, a liking 0.5), 0.4 x the strength of feeling, a loss 0.4, a
    change of life 0.3, a promise 0.3, a first time 0.2, a person's wish that it be remembered 0.6. Nothing of it gives 0.3.

    >>> salience(), salience(claim=0.5), salience(claim=0.9), salience(intensity=0.8, loss=True), salience(explicit=True)
    (0.3, 0.51, 0.678, 0.7144, 0.72)
    """
    parts = [OF_CLAIM * claim, OF_FEELING * intensity]
    parts += [
        part
        for part, holds in (
            (OF_LOSS, loss),
            (OF_LIFE, life),
            (OF_PROMISE, promise),
            (OF_FIRST, first),
            (OF_WISH, explicit),
        )
        if holds
    ]
    left = 1.0 - TOLD
    for part in parts:
        left *= 1.0 - min(max(part, 0.0), 1.0)
    return round(1.0 - left, 4)


def _keys(
    text: str, claims: Sequence[Claim], language: Language, names: Collection[str]
) -> Iterator[str]:
    """The best keys first, each once, the names of who talks left out."""
    seen = {
        fold(name).text
        for name in (*names, *(claim.value for claim in claims if _names_a_speaker(claim)))
    }
    given = 0
    for key in (*_claimed(claims, language), *_found(text, language)):
        folded = fold(key).text
        if (
            folded in seen
            or given >= MOST_KEYS
            or (language == "zh" and any(folded in other for other in seen))
        ):
            continue
        seen.add(folded)
        given += 1
        yield key
        if (
            language == "en"
            and (one := english.singular(key)) != key
            and key.islower()
            and fold(one).text not in seen
            and given < MOST_KEYS
        ):
            seen.add(fold(one).text)
            given += 1
            yield one


def _found(text: str, language: Language) -> Iterator[str]:
    return chinese.keys(text) if language == "zh" else english.keys(text)


def _claimed(claims: Sequence[Claim], language: Language) -> Iterator[str]:
    """The words of a claim's value that are keys: a name, a thing, the last word of a group of words."""
    for claim in claims:
        if _names_a_speaker(claim):
            continue
        for value in (claim.value, claim.former):
            yield from _of_value(value.strip(), language)


def _names_a_speaker(claim: Claim) -> bool:
    return claim.attribute in _OWN_NAMES and claim.subject in (ROLE, USER)


def _of_value(value: str, language: Language) -> Iterator[str]:
    if not value or len(value) > 40:
        return
    if language == "zh":
        yield from chinese.keys(value)
        return
    found = [*english.keys(f"a {value}")]
    alone = value.split(" ")
    yield from found or (
        [value] if len(alone) == 1 and english.telling(value) and value.isalpha() else []
    )


def _topics(text: str, claims: Sequence[Claim], language: Language) -> Iterator[str]:
    """Topics of the claims, then of the words, the most frequent first."""
    table = rules(language)
    of_claims = [
        table.topic_of[claim.attribute] for claim in claims if claim.attribute in table.topic_of
    ]
    if language == "en":
        of_words = [table.topics[token] for token in tokens(text) if token in table.topics]
    else:
        even = plain(text)
        of_words = [topic for word, topic in table.topics.items() if word in even]
    ranked = sorted(dict.fromkeys(of_words), key=lambda topic: -of_words.count(topic))
    yield from list(dict.fromkeys((*of_claims, *ranked)))[:_MOST_TOPICS]


def _tags(even: str, claims: Sequence[Claim], table: Rules) -> Iterator[str]:
    """What kind of memory it is, as S4.24 calls facts and preferences; `scene` for what was acted out."""
    attributes = {claim.attribute for claim in claims}
    if attributes & _PREFERENCES:
        yield "preference"
    if any(
        ATTRIBUTES[name].kind is MemoryType.SEMANTIC
        and name not in (*_PREFERENCES, "plan", "promise", "wants")
        for name in attributes
    ):
        yield "fact"
    if "plan" in attributes:
        yield "plan"
    if "promise" in attributes or table.promise.search(even):
        yield "promise"
    if table.loss.search(even):
        yield "loss"
    if table.first.search(even):
        yield "first"
    if even.startswith("*") and even.rstrip().endswith("*"):
        yield "scene"
