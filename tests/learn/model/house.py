"""A real role with chats and a clock, and a model server: what a test of learning in the background needs, in one line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

from rolememory.chats.values import OWN
from rolememory.engine import Home
from rolememory.inject.environment import Templates
from rolememory.learn.model.base import Batch
from rolememory.learn.model.worker import ExtractionWorker
from rolememory.llm.servers import ModelServers
from rolememory.schema.learning import ChatMessage, Company
from rolememory.schema.memory import Memory
from rolememory.schema.message import Message
from rolememory.schema.settings import LearnSettings, Settings
from rolememory.storage.codec import encode
from rolememory.storage.files.space import FileSpace
from rolememory.storage.review import Waiting
from rolememory.text.language import language_of

START = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
SHIPPED = Templates()
MIRA = Company("Mira", ("米拉",), "Lin")
"""The role is Mira, the user is Lin."""


def said(number: int, line: str) -> ChatMessage:
    """`Lin: Hello` is said by the user, anything else by the character; the number names the version."""
    name, _, text = line.partition(": ")
    role = "user" if name in ("Lin", "林") else "assistant"
    return ChatMessage(f"v{number}", role, text, START + timedelta(minutes=number), number)  # type: ignore[arg-type]


def path(*lines: str) -> tuple[ChatMessage, ...]:
    """A chat, oldest first."""
    return tuple(said(number, line) for number, line in enumerate(lines, 1))


def batch(
    *lines: str,
    known: Sequence[Memory] = (),
    company: Company = MIRA,
    before: Sequence[ChatMessage] = (),
) -> Batch:
    """Everything in it is fresh."""
    spoken = path(*lines)
    fresh = frozenset(one.version for one in spoken)
    language = language_of(" ".join(one.text for one in spoken))
    return Batch("harbour", spoken, fresh, tuple(before), company, "lin", language, tuple(known))


@dataclass
class Chat:
    """What is told to the role in one chat."""

    id: str
    lines: tuple[str, ...]
    user: str = "Lin"
    mode: str = "on"
    story: str = ""


def told(number: int, line: str) -> Message:
    """A line of a chat as a frontend sends it."""
    one = said(number, line)
    return Message(role=one.role, content=one.text, sent=one.at)


class House:
    """Use it in a `with`; `learn` are settings of that section. `url` may be changed, and so may all else.

    The role, its chats, its memories and the way a draft takes into them are real; settings, clock and server are the test's. The
    worker keeps how far it read in `folder`, the role lives in `folder`/home.
    """

    def __init__(
        self,
        folder: Path,
        url: str,
        *lines: str,
        chats: Sequence[Chat] = (),
        templates: Path | None = None,
        **learn: Any,
    ) -> None:
        self.now, self.seconds = START + timedelta(hours=1), 0.0
        self.broken: Exception | None = None
        self.settings = Settings()
        self.set(
            **{
                "endpoint": url,
                "model": "small",
                "batch_size": 1,
                "timeout_s": 60.0,
                "delay_s": 36_000.0,
                "idle_minutes": 600.0,
                **learn,
            }
        )
        self.home = Home.open(folder / "home", {"embedding.backend": "off"})
        self.role = self.home.role("Mira", create=True)
        self.chats = {one.id: one for one in chats or [Chat("harbour", lines)]}
        for one in self.chats.values():
            self.tell(one.id, *one.lines)
            if one.story:
                self._assign(one)
            if one.mode != "on":
                self.role.chats.update(one.id, mode=one.mode)
        self._before = set(self.role.memories)
        context = replace(
            self.role.learner.worker._context,
            settings=self._settings,
            upstreams=ModelServers(clock=lambda: self.seconds),
            clock=lambda: self.now,
        )
        chosen = Templates(templates) if templates else SHIPPED
        self.behind = ExtractionWorker(FileSpace(folder), context, chosen)

    def _assign(self, chat: Chat) -> None:
        if chat.story != OWN and chat.story not in self.role.stories.list():
            self.role.stories.begin(chat.story)
        self.role.stories.assign(chat.id, chat.story)

    def set(self, **learn: Any) -> None:
        """Change settings of learning."""
        tree = {**self.settings.learn.model_dump(), **learn}
        self.settings = self.settings.model_copy(
            update={"learn": LearnSettings.model_validate(tree)}
        )

    def tell(self, chat: str, *lines: str) -> None:
        """The chat stands like this now: what is another line than before was swiped or edited."""
        self.chats[chat].lines = lines
        self.role.chats.observe(
            [told(number, line) for number, line in enumerate(lines, 1)],
            chat=chat,
            user=self.chats[chat].user,
        )
        assert self.role.learned(60.0)

    def say(self, *lines: str, chat: str = "harbour") -> None:
        """The chat goes on."""
        self.tell(chat, *self.chats[chat].lines, *lines)

    def knows(self, *memories: Memory) -> None:
        """What somebody wrote down."""
        self.role.remember_all([encode(one) for one in memories])
        self._before |= {one.id for one in memories}

    def touch(self, times: int = 1, chat: str = "harbour") -> bool:
        """So many turns, each looked at; false when that took too long."""
        done = True
        for _ in range(times):
            self.behind.touch(chat)
            done = self.behind.settle(60.0) and done
        return done

    def version(self, *numbers: int, chat: str = "harbour") -> str:
        """What the messages of these numbers are called, from 1 on."""
        path = self.role.chats.path(chat)
        return "+".join(path[number - 1].version for number in numbers)

    @property
    def kept(self) -> list[Memory]:
        """What was learned, in order."""
        return [one for key, one in self.role.memories.items() if key not in self._before]

    @property
    def actors(self) -> list[str]:
        """Who learned it."""
        lines = {one.id: one.actor for one in self.role.history() if one.op == "add"}
        return [lines[one.id] for one in self.kept]

    @property
    def contents(self) -> list[str]:
        """What was kept, in order."""
        return [one.content for one in self.kept]

    @property
    def refused(self) -> list[Waiting]:
        """What was not kept."""
        return self.role.refused()

    @property
    def queue(self) -> Mapping[str, int]:
        """What waits, per chat."""
        return self.behind.status()["queue"]  # type: ignore[no-any-return]

    def _settings(self) -> Settings:
        if self.broken:
            raise self.broken
        return self.settings

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.behind.close()
        self.home.close()
