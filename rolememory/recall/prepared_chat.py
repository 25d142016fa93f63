"""Builds the scene of a turn from its messages, for all strategies."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING

from rolememory.recall.index import MemoryIndex
from rolememory.schema.message import Message
from rolememory.schema.role import Character
from rolememory.schema.scene import Feeling, Scene, Segment
from rolememory.schema.value_class import value_class
from rolememory.text.affect import mood, read_affect
from rolememory.text.clean import Cleaner
from rolememory.text.dates import times
from rolememory.text.embed.queries import asked
from rolememory.text.language import language_of
from rolememory.text.marks import is_aside
from rolememory.text.pattern import PatternBudget

if TYPE_CHECKING:
    from rolememory.schema.scene import Vector

SPOKEN = ("user", "assistant")  # what was said; instructions are not story
MOOD_MESSAGES = 24  # older ones have faded from the mood
CARD_TEXTS = ("description", "personality", "depth_prompt", "scenario", "creator_notes", "persona")
"""Texts of a `Character` that become segments if not empty, in this order."""

_LIMIT = 1000  # messages; Source: SillyTavern's own limit, spec worldinfo 4.1
_NOBODY = Character()


def segments(
    messages: Sequence[Message],
    *,
    cleaner: Cleaner | None = None,
    character: Character | None = None,
) -> tuple[Segment, ...]:
    """The segments of a turn in order of number: the newest messages, then card texts.

    `messages` are the visible ones, oldest first. An empty message keeps its number; empty card texts are left out.

    >>> [s.text for s in segments([Message.user("Why?"), Message.assistant("The storm.")], character=Character(scenario="A harbour."))]
    ['The storm.', 'Why?', 'A harbour.']
    """
    who = character or _NOBODY
    first = max(len(messages) - _LIMIT, 0)
    clean = cleaner.clean if cleaner else str
    names = {"user": who.user, "assistant": who.name}
    newest = [
        Segment(
            clean(message.content).strip(),
            "message",
            place,
            message.role,
            message.name or names.get(message.role, ""),
        )
        for place, message in zip(
            range(len(messages) - 1, first - 1, -1), reversed(messages), strict=False
        )
    ]
    return (*newest, *(_card(character) if character else ()))


def _card(who: Character) -> Iterator[Segment]:
    for source in CARD_TEXTS:
        if text := str(getattr(who, source)).strip():
            yield Segment(text, source=source)


@value_class
class PreparedChat:
    """The cleaned messages: segments newest first, and the newest user message among them."""

    segments: tuple[Segment, ...]
    query: str
    spoken: tuple[Segment, ...] = ()  # those of user and character
    before: tuple[str, ...] = ()  # what was said before the newest user message, newest first
    aside: bool = False  # it is nothing but words out of character

    @property
    def embedded(self) -> str:
        """The text to embed for the newest user message."""
        return asked(self.query, self.before[0] if self.before else "")

    @property
    def fingerprint(self) -> str:
        """Identifies the user message of a chat: equal for a swiped or regenerated turn."""
        return blake2b(
            f"{len(self.before)}\0{self.query}".encode("utf-8", "replace"), digest_size=8
        ).hexdigest()


def prepare_chat(
    messages: Sequence[Message], cleaner: Cleaner | None = None, character: Character | None = None
) -> PreparedChat:
    """Clean the messages, with a cache. If the newest one is out of character, it is the query unchanged."""
    read = segments(messages, cleaner=cleaner, character=character)
    newest = next((segment for segment in read if segment.role == "user"), None)
    if newest is None:
        return PreparedChat(read, "", tuple(one for one in read if one.role in SPOKEN))
    if aside := is_aside(messages[newest.index].content):
        told = replace(newest, text=messages[newest.index].content.strip())
        read = tuple(told if segment is newest else segment for segment in read)
        newest = told
    spoken = tuple(one for one in read if one.role in SPOKEN)
    before = tuple(one.text for one in spoken if one.index < newest.index)
    return PreparedChat(read, newest.text, spoken, before, aside)


def build_scene(
    prepared: PreparedChat,
    index: MemoryIndex,
    *,
    now: datetime,
    turn: int = 0,
    user: str | None = None,
    chat: str = "",
    talk: "Vector | None" = None,
    seed: int = 0,
    wanted: int = 0,
    names: Mapping[str, str] = MappingProxyType({}),
    vector: "Vector | None" = None,
) -> Scene:
    """The turn as the strategies see it."""
    settings = index.settings
    spoken = prepared.spoken
    language = language_of(prepared.query or " ".join(segment.text for segment in spoken[:4]))
    return Scene(
        segments=prepared.segments,
        now=now,
        turn=turn,
        user=user,
        chat=chat,
        language=language,
        query=prepared.query,
        names=names,
        reading=index.read(prepared.segments, names),
        window=window(prepared.segments, settings.recall.scan_depth),
        vector=vector,
        talk=talk,
        feeling=read_affect(prepared.query, lexicon=index.lexicon)
        if settings.triggers.emotional.enabled
        else Feeling(),
        mood=_mood(spoken, index),
        times=times(prepared.query, now, language, settings.triggers.dates)
        if settings.triggers.dates.enabled
        else (),
        seed=seed,
        wanted=wanted,
        patterns=PatternBudget(
            settings.triggers.pattern.turn_budget_ms,
            settings.triggers.pattern.timeout_ms,
            index.patterns,
        ),
    )


def window(read: Sequence[Segment], depth: int) -> int:
    """The bit mask of the newest `depth` spoken messages.

    >>> bin(window([Segment("rules", role="system"), Segment("hi", role="user"), Segment("ho", role="assistant")], depth=1))
    '0b10'
    """
    spoken = [number for number, segment in enumerate(read) if segment.role in SPOKEN]
    return sum(1 << number for number in spoken[:depth])


def _mood(spoken: Sequence[Segment], index: MemoryIndex) -> Feeling:
    emotional = index.settings.triggers.emotional
    if not emotional.enabled:
        return Feeling()
    return mood(
        [read_affect(segment.text, lexicon=index.lexicon) for segment in spoken[:MOOD_MESSAGES]],
        emotional.half_life_messages,
    )
