"""A role behind the real proxy, before one scripted server that is the chat's model, the learning model and the embedding model.

with chatting(tmp_path, preset="koishi") as mira:
    mira.say("Good evening.")
    mira.sent  # the messages that the model got
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from rolememory.engine import RoleMemory
from rolememory.learn.model.worker import ExtractionWorker
from tests.endpoint import Behaviour, Endpoint, Line, Request, answers
from tests.hashing import HashingEmbedder
from tests.serve.houses import Served, served

CARD = {
    "en": "Mira keeps the lighthouse at Cape Morrow. She is forty, dry and patient.",
    "zh": "明月是山中古观里的守夜人，四十岁，话少而耐心，每隔四个时辰添一次油。",
}
Said = Sequence[tuple[str, str]]


def u(text: str) -> tuple[str, str]:
    """The user says this."""
    return "user", text


def a(text: str) -> tuple[str, str]:
    """The character says this."""
    return "assistant", text


@dataclass
class Script:
    """What the server answers: `reply` to a chat, `steps` to a learning model's question by its schema's name, vectors to texts."""

    reply: Any = "Hm."
    steps: dict[str, Any] = field(default_factory=dict)
    embedder: HashingEmbedder = field(default_factory=HashingEmbedder)
    embedding: Behaviour | None = None  # in the place of vectors

    def __call__(self, line: Line) -> None:
        """Answer one request."""
        request = line.request
        if request.path.endswith("/embeddings") and self.embedding:
            self.embedding(line)
        elif request.path.endswith("/embeddings"):
            vectors = self.embedder.embed(request.json["input"]).tolist()
            rows = [{"index": at, "embedding": row} for at, row in enumerate(vectors)]
            line.reply(json.dumps({"object": "list", "data": rows}).encode())
        else:
            answer = self.steps[step] if (step := step_of(request)) else self.reply
            (answer if callable(answer) else answers(answer))(line)


def step_of(request: Request) -> str:
    """Which step of learning asks; "" for a chat, and for texts to embed."""
    asked = request.json.get("response_format", {}).get("json_schema", {})
    return str(asked.get("name", ""))


@dataclass
class Chatting:
    """The role, as a frontend has it."""

    house: Served
    model: Endpoint
    script: Script
    card: str
    answer: httpx.Response | None = None

    @property
    def mind(self) -> RoleMemory:
        """The role once all that was said is kept, learned and embedded."""
        assert self.house.house.settle(60)
        role = self.house.home.role("Mira")
        assert role.learned(20)
        if isinstance(role.learner.worker, ExtractionWorker):
            assert role.learner.worker.settle(60)
        assert role.ready(60) or role.settings.embedding.backend == "off"
        return role

    @property
    def chats(self) -> list[Request]:
        """The chat requests that came to the model, oldest first."""
        asked = (one for one in self.model.requests if one.path.endswith("/chat/completions"))
        return [one for one in asked if not step_of(one)]

    @property
    def body(self) -> dict[str, Any]:
        """The newest of them."""
        found: dict[str, Any] = self.chats[-1].json
        return found

    @property
    def sent(self) -> list[tuple[str, str]]:
        """The messages in it."""
        return [(one["role"], one["content"]) for one in self.body["messages"]]

    @property
    def block(self) -> str:
        """The memories in it with their fence; "" where there are none."""
        text = "\n".join(text or "" for _, text in self.sent)
        begin, end = text.find("<rolememory>"), text.find("</rolememory>")
        return text[begin : end + len("</rolememory>")] if begin >= 0 else ""

    @property
    def tools(self) -> list[str]:
        """The names of the tools in it."""
        return [one["function"]["name"] for one in self.body.get("tools", ())]

    @property
    def asked(self) -> list[str]:
        """The steps of learning that were asked for, oldest first."""
        return [step for one in self.model.requests if _talks(one) and (step := step_of(one))]

    def say(
        self,
        *said: str | tuple[str, str],
        chat: str = "one",
        user: str = "lin",
        reply: Any = "Hm.",
        system: str | None = None,
        **fields: Any,
    ) -> str:
        """Send a chat, the newest message last; the block that went to the model with it."""
        assert self.mind is not None
        self.script.reply = reply
        card = self.card if system is None else system
        messages = [("system", card)] if card else []
        messages += [u(one) if isinstance(one, str) else one for one in said]
        self.answer = httpx.post(
            f"{self.house.url}/v1/chat/completions",
            json={
                "model": "m",
                "messages": [{"role": role, "content": text} for role, text in messages],
                "rolememory": {"role": "Mira", "user": user, "chat": chat},
                **fields,
            },
            timeout=60,
            trust_env=False,
            verify=False,
        )
        assert self.answer.status_code == 200, self.answer.text
        return self.block

    def tell(self, *facts: str, user: str = "lin", **fields: Any) -> None:
        """Memories that are there already."""
        for fact in facts:
            self.house.home.role("Mira").remember(fact, user=user, **fields)


def _talks(request: Request) -> bool:
    return request.path.endswith("/chat/completions")


@contextmanager
def chatting(
    folder: Path,
    *,
    preset: str = "default",
    language: str = "en",
    steps: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    toml: str = "",
) -> Iterator[Chatting]:
    """A home with this preset, served until the block ends; the role Mira is there.

    `steps`: what the learning model answers. `toml`: the whole rolememory.toml in place of ours; SERVER in it is the server's.
    """
    script = Script(steps=dict(steps or {}))
    with Endpoint(script) as model:
        written = toml.replace("SERVER", model.url)
        (folder / "rolememory.toml").write_text(written or f'preset = "{preset}"', encoding="utf-8")
        ours = {
            "embedding.endpoint": model.url,
            "embedding.model": "hashing",
            **({"learn.endpoint": model.url, "learn.model": "small"} if steps is not None else {}),
        }
        given = {"serve.upstream": model.url, "embedding.backend": "endpoint"}
        with served(folder, given | ({} if toml else ours) | dict(settings or {})) as house:
            house.home.role("Mira", create=True)
            yield Chatting(house, model, script, CARD[language])
