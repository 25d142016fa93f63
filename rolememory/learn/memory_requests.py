"""The memory requests in a user's message: remember, pin, correct or forget. Pure.

Nothing else of a message becomes a memory without a model; messages are recalled verbatim.
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

SALIENCE = 0.9  # of explicitly remembered content
_FELT, _MOST_FELT = 0.35, 3  # minimal weight of a named emotion, and how many are named


@value_class
class MessageContext:
    """The context of a message."""

    chat: str
    company: Company
    user: str | None = None  # the user who owns the memory
    previous: ChatMessage | None = None  # the message before it
    near: tuple[str, ...] = ()  # the versions of the messages just before it
    lexicon: Lexicon | None = None


@value_class
class MemoryRequests:
    """Parsed requests: drafts, and forget commands with their words."""

    drafts: tuple[Draft, ...] = ()
    forget: tuple[Command, ...] = ()


def memory_requests(said: ChatMessage, context: MessageContext) -> MemoryRequests:
    """The requests in a message; none in a character's. Cost: O(length of the message)."""
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
    """Load the patterns of both languages before the first turn."""
    for text in ("Remember that I like tea.", "记住我喜欢茶。"):
        memory_requests(
            ChatMessage("", "user", text, datetime.min.replace(tzinfo=UTC)),
            MessageContext("", Company()),
        )


def emotions_of(text: str, lexicon: Lexicon | None = None) -> tuple[str, ...]:
    """The labels of the emotions in a text, strongest first."""
    felt = read_affect(text, lexicon=lexicon).emotions
    return tuple(label for label, weight in felt if weight >= _FELT)[:_MOST_FELT]


def _draft(command: Command, said: ChatMessage, context: MessageContext) -> Iterator[Draft]:
    """A draft of what is to be remembered, verbatim; "that" is the message before."""
    text = command.content or _last_words(context)
    if not text:
        return
    source, version = said, said.version
    if not command.content and context.previous:  # both must exist
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
