"""chat: talk with a role in the terminal through any OpenAI-compatible server, and see what it remembers and learns."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

from rolememory.cli.context import open_role
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.options import RoleName, Text, UserName, option, server_url
from rolememory.cli.output import one_line, out, printable, say, write
from rolememory.cli.stories import end_chapter
from rolememory.errors import InvalidValueError, RoleMemoryError
from rolememory.locales import translatable
from rolememory.schema.message import Message

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory
    from rolememory.llm.client import ChatModel
    from rolememory.recall.turn import Turn

_TIMEOUT_S = 300.0  # for a whole reply
_HELP = translatable(
    "/why  reasons of the last turn    /swipe  another reply    /undo  take the last thing learned back    /chapter [TITLE]  end a chapter    /help  these commands    /quit  end"
)


def chat(
    role: RoleName,
    upstream: Annotated[
        Text,
        option("--upstream URL", "the model's server; none = serve.upstream", server_url),
    ] = None,
    model: Annotated[Text, option("--model NAME", "name of the model; none = learn.model")] = None,
    session: Annotated[str, option("--chat NAME", "continue or start this chat")] = "terminal",
    user: UserName = None,
    pane: Annotated[bool, option("--pane/--no-pane", "show what was recalled and learned")] = True,
) -> None:
    """One line is one message; the chat goes on where it stood."""
    with open_role(role, meaning=True) as role_memory:
        talk = ChatSession(role_memory, _model(role_memory, upstream, model), session, user, pane)
        talk.greet()
        for line in _lines():
            if not talk.heard(line):
                return


@dataclass
class ChatSession:
    """A chat in progress."""

    role_memory: "RoleMemory"
    model: "ChatModel"
    chat: str
    user: str | None
    pane: bool
    turn: "Turn | None" = None
    said: list[Message] = field(default_factory=list)

    def greet(self) -> None:
        """Show the state of the chat."""
        settings = self.role_memory.settings.memory
        if self.chat in {info.id for info in self.role_memory.chats.chats(archived=True)}:
            recent = self.role_memory.chats.recent(
                self.chat, settings.short_term_items, settings.short_term_characters
            )
            self.said = [Message(role=one.role, content=one.text) for one in recent]
            if recent:
                self._previously(recent[-1].at)
        names = {"assistant": self.role_memory.role.name}
        for message in self.said[-4:]:
            out.line(f"{names.get(message.role, self.user or say('you'))}:", "bold cyan")
            out.raw(message.content)
        out.say(_HELP, style="dim")

    def heard(self, line: str) -> bool:
        """Handle a line of the user; false to quit."""
        from rolememory.learn.commands import chapter_commands

        commands = {
            "/quit": lambda: False,
            "/help": lambda: out.say(_HELP, style="dim"),
            "/why": self._why,
            "/swipe": self._swipe,
            "/undo": self._undo,
        }
        word = line.strip()
        if word in commands:
            return commands[word]() is not False
        if found := chapter_commands(word):
            self._chapter(found[-1][2])
            return True
        if word:
            self.said.append(Message.user(word))
            self._reply()
        return True

    def _reply(self) -> None:

        most = self.role_memory.settings.memory.max_history
        sent = self.said if most is None else self.said[-max(most, 1) :]
        self.turn = self.role_memory.recall(
            [*self._instructions(), *sent], chat=self.chat, user=self.user
        )
        before = set(self.role_memory.memories)
        try:
            reply = self._streamed(
                [{"role": one.role, "content": one.content} for one in self.turn.messages]
            )
        except RoleMemoryError as error:
            out.warn(error)
            reply = ""
        if reply.strip():
            self.said.append(Message.assistant(reply))
        self.role_memory.observe(self.said, chat=self.chat, user=self.user)
        self.role_memory.learned()
        if self.pane:
            self._pane(before)

    def _streamed(self, messages: list[dict[str, str]]) -> str:
        from rolememory.llm.client import RequestLimits

        write(f"{self.role_memory.role.name}: ")
        parts: list[str] = []
        try:
            for piece in self.model.chat_stream(messages, RequestLimits(patient=False)):
                parts.append(piece)
                write(printable(piece))
        finally:
            write("\n")
        return "".join(parts)

    def _pane(self, before: set[str]) -> None:
        if self.turn and self.turn.answer.closed:
            self._why()
        for one in self.turn.recalled if self.turn else ():
            out.line(f"  ~ {one_line(one.memory.content)}  {one.score:.2f}", "dim")
        for memory_id, memory in self.role_memory.memories.items():
            if memory_id not in before:
                out.line(f"  + {one_line(memory.content)}", "green")

    def _instructions(self) -> list[Message]:

        card = self.role_memory.as_character(self.user)
        texts = [text for text in (card.description, card.personality, card.scenario) if text]
        named = say("You are {name}. Reply as {name}, in character.", name=card.name)
        return [Message.system("\n\n".join([named, *texts]))]

    def _why(self) -> None:
        out.raw(
            str(self.turn.explain(language=ProcessLanguage.language))
            if self.turn
            else say("nothing was said yet")
        )

    def _swipe(self) -> None:
        if (
            self.said
            and self.said[-1].role == "assistant"
            and any(message.role == "user" for message in self.said)
        ):
            self.said.pop()
            self._reply()

    def _undo(self) -> None:
        try:
            self.role_memory.undo()
            out.say("taken back")
        except RoleMemoryError as error:
            out.warn(error)

    def _chapter(self, title: str) -> None:
        """End a chapter; the model writes it now, or later."""
        if not self.said:
            out.raw(say("nothing was said yet"))
            return
        end_chapter(self.role_memory, self.chat, title)

    def _previously(self, last: datetime) -> None:
        """A recap after days of inactivity."""
        least = self.role_memory.settings.inject.previously_days
        told = self.role_memory.chapters(self.chat)
        if least and told and datetime.now(UTC) - last >= timedelta(days=least):
            out.say("Previously:", style="bold")
            out.raw(told[-1].content)


def _model(role_memory: "RoleMemory", upstream: str | None, model: str | None) -> "ChatModel":
    from rolememory.llm.client import ChatModel, ModelAddress
    from rolememory.llm.servers import ModelServers
    from rolememory.upstream import translated

    settings = role_memory.settings
    base = upstream or settings.serve.upstream or settings.learn.endpoint
    if not base:
        raise InvalidValueError(
            "no model server: give --upstream URL, or set serve.upstream in rolememory.toml"
        )
    key = (
        settings.serve.upstream_key_env
        if os.environ.get(settings.serve.upstream_key_env)
        else settings.learn.api_key_env
    )
    where = ModelAddress(translated(base, "")[0], model or settings.learn.model or "default", key)
    return ChatModel(where, ModelServers().at(where.base), _TIMEOUT_S)


def _lines() -> Iterator[str]:
    while True:
        try:
            line = input("> ") if sys.stdin.isatty() else sys.stdin.readline()
        except (EOFError, KeyboardInterrupt):
            return
        if not line and not sys.stdin.isatty():
            return
        yield line.rstrip("\n")
