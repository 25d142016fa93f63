"""Extracts the scene's state: a model reads the messages since the last state and returns the current one.

A state depends on the messages read for it and on the previous state: it counts while all of them stand, so that a swipe
or branch restores the earlier one. Not stored as memories, since the next state makes it obsolete.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator

from rolememory.chats import ChatInfo
from rolememory.inject.fence import tame
from rolememory.learn.admission.unsafe_text import leak_in, order_in
from rolememory.learn.model.batches import MOST_TOKENS, exchanges, length_of
from rolememory.learn.model.chapters import widens
from rolememory.learn.model.prompter import StepPrompter
from rolememory.learn.model.prompts import marked
from rolememory.learn.model.report import Look
from rolememory.learn.model.scene_states import SceneRecord, Scenes, State
from rolememory.llm.answer_words import WordedAnswer
from rolememory.llm.fields import Line, Texts
from rolememory.schema.learning import ChatMessage
from rolememory.schema.value_class import value_class
from rolememory.text.lengths import fitting
from rolememory.text.plain import plain
from rolememory.text.secrets import secrets_in

if TYPE_CHECKING:
    from rolememory.learn.model.run import ExtractionContext

LONGEST = 80  # maximum characters of a value
MOST = 6  # maximum values of a list


Value = Annotated[
    Line, BeforeValidator(lambda value: "" if value is None else str(value)[:LONGEST])
]


class SceneText(WordedAnswer):
    """The current state of the scene."""

    time: Value = ""
    place: Value = ""
    who: Texts = ()
    relationship: Value = ""
    items: Texts = ()
    promises: Texts = ()

    def state(self) -> State:
        """The non-empty fields, without orders, leaks or secrets."""
        told = ((name, (value,) if isinstance(value, str) else value) for name, value in self)
        kept = {name: "; ".join(filter(_harmless, value[:MOST])) for name, value in told}
        return {name: value for name, value in kept.items() if value}


def _harmless(value: str) -> bool:
    even = plain(value)
    return bool(value) and not (order_in(even) or leak_in(value, even) or secrets_in(value))


@value_class
class SceneReader:
    """Tracks the scene state of a role's chats. Not thread-safe: one pass at a time."""

    context: "ExtractionContext"
    ask: StepPrompter
    scenes: Scenes

    def look(self, chat: ChatInfo, look: Look, *, quiet: bool) -> None:
        """Read the messages since the last state if there are enough exchanges, or (`quiet`) whatever there is.

        Cost: one request per `learn.batch_size` exchanges; the messages since the last one.

        Raises:
            ModelError, NotWrittenError: it is retried later.
        """
        path = self.context.chats.path(chat.id)
        standing = self.scenes.standing(chat.id, lambda versions: all(map(path.standing, versions)))
        said = _since(path, standing[-1].at if standing else "")
        read = _newest(self._final(said, anyway=quiet or look.forced))
        if not read:
            return
        at: str = ""
        fields: State = {}
        if standing and not _widens(path, standing, read):
            at, fields = standing[-1].at, standing[-1].fields
        told = self._told(chat, read, fields, look)
        versions = tuple(one.version for one in read)
        self.scenes.add(chat.id, SceneRecord(versions, at, told.state()))

    def _final(self, said: Sequence[ChatMessage], *, anyway: bool) -> list[ChatMessage]:
        """The messages of final exchanges, if there are enough; `anyway`: all there are."""
        found = exchanges(said)
        final, wanted = (found, 1) if anyway else (found[:-1], self.context.learn.batch_size)
        return [one for each in final for one in each.said] if len(final) >= wanted else []

    def _told(
        self, chat: ChatInfo, read: Sequence[ChatMessage], before: State, look: Look
    ) -> SceneText:
        batch = self.context.batch(chat, read, look)
        known = [f"{name}: {tame(value)}" for name, value in before.items()]
        values = {
            "conversation": marked("chat", batch.story),
            "memories": marked("memories", known),
            **batch.company_values,
        }
        return self.ask(
            "summarize",
            SceneText,
            values,
            language=batch.language,
            words="scene",
            haste=batch.haste,
        )


def _since(path: Sequence[ChatMessage], version: str) -> list[ChatMessage]:
    """The readable messages after that version; the newest of it, if there is none."""
    found, left = list[ChatMessage](), MOST_TOKENS
    for said in reversed(path):
        if said.version == version or left < 0:
            break
        if said.is_readable:
            found.append(said)
            left -= 0 if version else length_of(said)
    return found[::-1]


def _newest(said: Sequence[ChatMessage]) -> list[ChatMessage]:
    """As many of the newest as fit one request."""
    count = fitting(map(length_of, reversed(said)), MOST_TOKENS) or 1
    return list(said[-count:])


def _widens(
    path: Sequence[ChatMessage], standing: Sequence[SceneRecord], read: Sequence[ChatMessage]
) -> bool:
    """Whether a current reader was not there for the evidence of the previous states."""
    versions = {version for one in standing for version in one.of}
    return widens([one for one in path if one.version in versions], read)
