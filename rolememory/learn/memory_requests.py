"""What a user's message asks of the memory: to remember, pin, correct or forget something. Pure.

Nothing else of a message becomes a memory without a model: what was said is recalled in the words that were used.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from rolememory.learn.commands import Command, commands
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import ChatMessage, Company, Draft
from rolememory.schema.memory import Evidence, MemoryType, Source
from rolememory.schema.value_class import value_class
from rolememory.text.affect import read_affect
from rolememory.text.affect_lexicon import Lexicon

SALIENCE = 0.9  # of what somebody asked to be remembered
_FELT, _MOST_FELT = 0.35, 3  # weight from which an emotion is named, and how many are


@value_class
class MessageContext:
    """What a message is read with."""

    chat: str
    company: Company
    user: str | None = None  # whose memory it becomes
    previous: ChatMessage | None = None  # the message before it
    near: tuple[str, ...] = ()  # the versions of the last messages before it
    lexicon: Lexicon | None = None


@value_class
class MemoryRequests:
    """What a message asks for: drafts, and orders to forget (each with the words for what is to be forgotten)."""

    drafts: tuple[Draft, ...] = ()
    forget: tuple[Command, ...] = ()


def memory_requests(said: ChatMessage, context: MessageContext) -> MemoryRequests:
    """What a message asks for. The words of a character ask for nothing. Cost: O(length of the message)."""
    if said.role != "user":
        return MemoryRequests()
    found = commands(said.raw or said.text)  # out of character too
    return MemoryRequests(
        tuple(
            draft for one in found if one.kind != "forget" for draft in _draft(one, said, context)
        ),
        tuple(
            one if one.content else replace(one, content=_last_words(context))
            for one in found
            if one.kind == "forget"
        ),
    )


def warm_up() -> None:
    """Read the patterns of both languages, so that the first turn need not."""
    for text in ("Remember that I like tea.", "记住我喜欢茶。"):
        memory_requests(
            ChatMessage("", "user", text, datetime.min.replace(tzinfo=UTC)),
            MessageContext("", Company()),
        )


def emotions_of(text: str, lexicon: Lexicon | None = None) -> tuple[str, ...]:
    """The labels of what is felt in a text, strongest first."""
    felt = read_affect(text, lexicon=lexicon).emotions
    return tuple(label for label, weight in felt if weight >= _FELT)[:_MOST_FELT]


def _draft(command: Command, said: ChatMessage, context: MessageContext) -> Iterator[Draft]:
    """A draft of what is to be remembered, word for word; "that" means the message before."""
    text = command.content or _last_words(context)
    if not text:
        return
    source, version = said, said.version
    if not command.content and context.previous:  # both must stand
        source, version = context.previous, f"{context.previous.version}+{said.version}"
    proof = Evidence(
        chat=context.chat, version=version, quote=command.quote, adjoining="+" in version
    )
    yield Draft(
        content=text,
        type=MemoryType.SEMANTIC,
        source=Source.USER_INPUT,
        evidence=(proof,),
        because=Reason.of("asked", quote=command.quote[:80]),
        subject=context.company.subject_of(source) or None,
        user=context.user,
        created=said.at,
        emotions=tuple(dict.fromkeys((*said.emotions, *emotions_of(text, context.lexicon)))),
        salience=SALIENCE,
        explicit=True,
        constant=command.kind == "pin",
        corrects=command.kind == "correct",
        near=context.near if command.kind == "correct" else (),
    )


def _last_words(context: MessageContext) -> str:
    return context.previous.text if context.previous else ""
