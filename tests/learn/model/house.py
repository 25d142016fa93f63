"""A role with a chat, a clock and a shelf, and a model behind it: what a test of the background needs, in one line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

from rolememory.chats import VisiblePath
from rolememory.chats.presence import Audience
from rolememory.chats.transcript import Chat as ReadChat
from rolememory.chats.values import ChatInfo
from rolememory.inject.environment import Templates
from rolememory.learn.admission import AdmissionFilter, Passed, Quarantined, Refused, SourceIndex
from rolememory.learn.model.base import Batch
from rolememory.learn.model.known_memories import KnownMemories
from rolememory.learn.model.run import ExtractionContext
from rolememory.learn.model.worker import ExtractionWorker
from rolememory.llm.servers import ModelServers
from rolememory.schema.learning import ChatMessage, Company, Draft
from rolememory.schema.memory import Evidence, Memory
from rolememory.schema.settings import LearnSettings, Settings
from rolememory.storage.files.space import FileSpace
from rolememory.storage.people import alone
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
    """One chat, as lists of chats show it."""

    id: str
    said: tuple[ChatMessage, ...]
    user: str | None = "lin"
    teaches: bool = True
    story: str = ""
    branch_of: str = ""


@dataclass(frozen=True)
class Seen:
    """Supports count while their words stand in their own chat."""

    chats: "Chats"

    def sees(self, evidence: Evidence) -> bool:
        """Whether they do."""
        own = self.chats.all.get(evidence.chat)
        standing = {said.version for said in own.said} if own else set()
        return not own or standing.issuperset(filter(None, evidence.version.split("+")))


class Chats:
    """The chats of a role."""

    def __init__(self, *chats: Chat) -> None:
        self.all = {chat.id: chat for chat in chats}
        self._paths: dict[str, tuple[Sequence[ChatMessage], VisiblePath]] = {}
        self._stood: dict[str, tuple[list[str], int]] = {}

    def path(self, chat: str) -> VisiblePath:
        """What is visible."""
        said = self.all[chat].said
        known = self._paths.get(chat)
        if known is None or known[0] is not said:
            path = VisiblePath({one.version: one for one in said}).spliced(0, 0, said)
            known = self._paths[chat] = (said, path)
        return known[1]

    def chat(self, chat: str) -> ReadChat:
        """As it stands now; it was disturbed where what stood there when it was last asked for stands there no longer."""
        now = [said.version for said in self.all[chat].said]
        then, moves = self._stood.get(chat, ([], 0))
        moves += now[: len(then)] != then
        self._stood[chat] = now, moves
        path, known = self.path(chat), self.all[chat]
        file = Path(f"{chat}.jsonl")
        info = ChatInfo(
            chat, "", known.user, None, "on", START, START, len(path), False, known.branch_of, file
        )
        return ReadChat(info, path, {}, disturbed=moves, worded=path)

    same = staticmethod(alone)

    def readers(self, chat: str = "", user: str | None = None) -> Audience:
        """Nobody's presence is asked about."""
        return Audience()

    def visible_from(self, chat: str | None, *, readers: Audience) -> Seen:
        """What stands in its own chat."""
        return Seen(self)

    def family(self, chat: str) -> frozenset[str]:
        """Those that come from the same beginning."""
        return frozenset(one for one in (chat, *self.all) if self._root(one) == self._root(chat))

    def _root(self, chat: str) -> str:
        parent = self.all[chat].branch_of if chat in self.all else ""
        return self._root(parent) if parent else chat

    def chats(self) -> list[Chat]:
        """All."""
        return list(self.all.values())


class House:
    """Use it in a `with`; `learn` are settings of that section. `url` may be changed, and so may all else."""

    def __init__(
        self,
        folder: Path,
        url: str,
        *lines: str,
        chats: Chats | None = None,
        templates: Path | None = None,
        **learn: Any,
    ) -> None:
        self.chats = chats or Chats(Chat("harbour", path(*lines)))
        self.now, self.seconds = START + timedelta(hours=1), 0.0
        self.kept: list[tuple[str, Draft]] = []  # what the real admission filter let through
        self.refused: list[Refused | Quarantined] = []
        self.memories: dict[str, Memory] = {}
        self.refuses: Exception | None = None
        self.broken: Exception | None = None
        self.company = MIRA
        self.settings = Settings()
        self.set(
            **{
                "endpoint": url,
                "model": "small",
                "batch_size": 1,
                "timeout_s": 5.0,
                "delay_s": 36_000.0,
                "idle_minutes": 600.0,
                **learn,
            }
        )
        context = ExtractionContext(
            self.chats,
            self._settings,
            self._keep,
            lambda: self.memories,
            lambda _: self.company,
            self._heard,
            lambda texts, ids: {},
            ModelServers(clock=lambda: self.seconds),
            lambda: self.now,
        )
        chosen = Templates(templates) if templates else SHIPPED
        self.behind = ExtractionWorker(FileSpace(folder), context, chosen)

    def set(self, **learn: Any) -> None:
        """Change settings of learning."""
        tree = {**self.settings.learn.model_dump(), **learn}
        self.settings = self.settings.model_copy(
            update={"learn": LearnSettings.model_validate(tree)}
        )

    def say(self, *lines: str, chat: str = "harbour") -> None:
        """The chat goes on."""
        spoken = self.chats.all[chat]
        spoken.said = (
            *spoken.said,
            *(said(len(spoken.said) + number, line) for number, line in enumerate(lines, 1)),
        )

    def touch(self, times: int = 1, chat: str = "harbour") -> bool:
        """So many turns, each looked at; false when that took too long."""
        done = True
        for _ in range(times):
            self.behind.touch(chat)
            done = self.behind.settle(60.0) and done
        return done

    @property
    def contents(self) -> list[str]:
        """What was kept, in order."""
        return [draft.content for _, draft in self.kept]

    @property
    def queue(self) -> Mapping[str, int]:
        """What waits, per chat."""
        return self.behind.status()["queue"]  # type: ignore[no-any-return]

    def _settings(self) -> Settings:
        if self.broken:
            raise self.broken
        return self.settings

    def _keep(self, drafts: Sequence[Draft], actor: str) -> None:
        if self.refuses:
            raise self.refuses
        gate = AdmissionFilter(names=("Mira", "米拉"))
        judged = [
            gate.judge(draft, SourceIndex(self.memories.values()), self._saying) for draft in drafts
        ]
        self.refused += [one for one in judged if not isinstance(one, Passed)]
        for draft in (one.draft for one in judged if isinstance(one, Passed)):
            self.kept.append((actor, draft))
            fields = {
                name: getattr(draft, name)
                for name in (
                    "content",
                    "type",
                    "source",
                    "evidence",
                    "subject",
                    "user",
                    "created",
                    "tags",
                )
            }
            number = f"m{len(self.kept)}"
            replaced = (draft.replaces,) if draft.replaces in self.memories else ()
            self.memories[number] = Memory(id=number, supersedes=replaced, **fields)

    def _heard(self, chat: str, user: str | None) -> KnownMemories:
        def stands(evidence: Evidence) -> bool:
            return all(self._saying(evidence.chat, one) for one in evidence.version.split("+"))

        return KnownMemories(self.memories, stands, lambda one: one.user in (None, user))

    def _saying(self, chat: str, version: str) -> str:
        path = self.chats.all[chat].said if chat in self.chats.all else ()
        return next((one.text for one in path if one.version == version), "")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.behind.close()
