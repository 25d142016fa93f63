"""Our files inside stand-ins for their hosts: what is told in one chat comes back in the next, to the same person alone."""

import asyncio
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from rolememory import Home, Message
from tests.integrations.hosts import loaded, needs_node, run_node
from tests.serve.houses import WORDS_ONLY, Served, served

FACT, ASKED = "My sister Anna keeps bees in Riga.", "What does my sister do in Riga?"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "home") as found:
        yield found


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def heard(house: Served, role: str) -> list[str]:
    mind = house.home.role(role)
    assert mind.learned(60)
    return [said.text for info in mind.chats.chats() for said in mind.chats.path(info.id)]


# ── Open WebUI ───────────────────────────────────────────────────────────────────────────────────────────────────────


def web_filter(url: str) -> Any:
    found = loaded("open_webui_filter.py").Filter()
    found.valves = found.Valves(url=url, role="Mira", timeout_s=60.0)
    return found


def asked_webui(
    found: Any, text: str, chat: str, user: str = "u-1", reply: str = "I see.", **metadata: Any
) -> list[dict[str, Any]]:
    """One turn as Open WebUI makes it; what the model would get."""
    about = {
        "__user__": {"id": user, "name": "Lin"},
        "__metadata__": {"chat_id": chat, "message_id": "m", **metadata},
    }
    body = {
        "model": "some-model",
        "messages": [{"role": "system", "content": "Be Mira."}, {"role": "user", "content": text}],
    }
    sent = asyncio.run(found.inlet(body, **about))["messages"]
    after = {
        **body,
        "chat_id": chat,
        "messages": [*sent, {"id": "r", "role": "assistant", "content": reply, "timestamp": 1}],
    }
    asyncio.run(found.outlet(after, **about))
    return list(sent)


def test_open_webui_remembers_across_chats(house: Served) -> None:
    found = web_filter(house.url)
    asked_webui(found, FACT, "one")
    assert FACT in heard(house, "Mira")
    sent = asked_webui(found, ASKED, "two")
    assert [one["role"] for one in sent] == ["system", "system", "user"]
    assert "bees" in sent[1]["content"]
    assert "bees" not in str(asked_webui(found, ASKED, "three", user="u-2"))


def test_open_webui_leaves_titles_and_tags_alone(house: Served) -> None:
    found = web_filter(house.url)
    sent = asked_webui(found, FACT, "one", task="title_generation")
    assert [one["role"] for one in sent] == ["system", "user"]
    assert house.home.roles() == []


def test_open_webui_goes_on_without_the_server(
    nowhere: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(asked_webui(web_filter(nowhere), FACT, "one")) == 2
    assert "Riga" not in capsys.readouterr().out


# ── text-generation-webui ────────────────────────────────────────────────────────────────────────────────────────────


class WebUI:
    """The order in which the program calls its extensions in one turn of a chat: history, state, input, then the prompt."""

    def __init__(
        self, script: ModuleType, name1: str = "Lin", chat: str = "20260101-01-01-01"
    ) -> None:
        self.script = script
        self.state: dict[str, Any] = {
            "name1": name1,
            "name2": "Mira",
            "context": "Mira keeps the light.",
            "mode": "chat",
            "unique_id": chat,
        }
        self.pairs: list[list[str]] = [["<|BEGIN-VISIBLE-CHAT|>", "Come in."]]

    def says(self, text: str, answer: str = "I see.", regenerate: bool = False) -> str:
        """One turn; the context that the prompt is built from."""
        state = self.script.state_modifier(
            {**self.state, "history": {"internal": [*self.pairs], "visible": []}}
        )
        if regenerate:
            self.pairs.pop()
        else:
            text, _ = self.script.chat_input_modifier(text, text, state)
        self.pairs.append([text, answer])
        return str(state["context"])


@pytest.fixture
def script(tmp_path: Path) -> Iterator[ModuleType]:
    found = loaded("text_generation_webui/script.py")
    found.params["home"] = str(tmp_path)
    (tmp_path / "rolememory.toml").write_text('[embedding]\nbackend = "off"\n', encoding="utf-8")
    found.setup()
    yield found
    found._open["home"].close()


def test_text_generation_webui_remembers_across_chats(script: ModuleType) -> None:
    first = WebUI(script)
    assert first.says(FACT) == "Mira keeps the light."
    first.says("Good night.")
    assert script._open["home"].role("Mira").learned(60)
    second = WebUI(script, chat="20260202-02-02-02")
    assert "bees" in second.says(ASKED)
    assert second.says(ASKED, regenerate=True).count("<rolememory>") == 1
    assert "bees" not in WebUI(script, name1="Tom", chat="20260303-03-03-03").says(ASKED)
    assert "BEGIN-VISIBLE" not in str(
        [said.text for said in script._open["home"].role("Mira").chats.path("20260101-01-01-01")]
    )


def test_text_generation_webui_does_nothing_in_instruct_mode(script: ModuleType) -> None:
    program = WebUI(script)
    program.state["mode"] = "instruct"
    assert program.says(FACT) == "Mira keeps the light."
    assert script._open["home"].roles() == []


# ── Discord ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class Channel:
    """As a bot sees one."""

    def __init__(self, number: int) -> None:
        self.id, self.sent = number, list[str]()

    async def send(self, text: str) -> None:
        self.sent.append(text)


def message(channel: Channel, user: int, text: str, bot: bool = False) -> Any:
    return SimpleNamespace(
        author=SimpleNamespace(id=user, display_name=f"user {user}", bot=bot),
        channel=channel,
        content=text,
    )


async def quoting(messages: Sequence[Message]) -> str:
    """A model that says what it was reminded of."""
    return (
        "bees"
        if "bees" in str([one.content for one in messages if one.role == "system"])
        else "nothing"
    )


def test_two_people_talk_to_a_bot_at_once(tmp_path: Path) -> None:
    module, hall, pier = loaded("discord_bot.py"), Channel(1), Channel(4)

    async def evening(bot: Any) -> None:
        await asyncio.gather(
            bot.on_message(message(hall, 7, FACT)),
            bot.on_message(message(pier, 8, "I sail to Visby every June.")),
            bot.on_message(message(hall, 9, "beep", bot=True)),
        )
        assert bot.role.learned(60)
        garden, own = Channel(2), Channel(3)
        await asyncio.gather(
            bot.on_message(message(garden, 7, ASKED)), bot.on_message(message(own, 8, ASKED))
        )
        assert (garden.sent, own.sent) == (["bees"], ["nothing"])

    with Home.open(tmp_path, WORDS_ONLY) as home:
        bot = module.Bot(home, "Mira", quoting)
        asyncio.run(evening(bot))
        assert bot.role.chats.users().keys() == {"7", "8"}
    assert (hall.sent, pier.sent) == (["nothing"], ["nothing"])


# ── RisuAI ───────────────────────────────────────────────────────────────────────────────────────────────────────────

RISU = """
const given = JSON.parse(process.env.GIVEN)
const replacers = {}
let chat = 'one'
globalThis.Risuai = {
  getArgument: async (name) => ({ url: given.url, token: '' })[name],
  getCharacter: async () => ({ name: 'Mira', chatPage: 0, chats: [{ id: chat }] }),
  nativeFetch: (url, options) => fetch(url, options),
  addRisuReplacer: async (when, call) => { replacers[when] = call },
}
await import('./plugin.mjs')
while (!replacers.afterRequest) await new Promise((done) => setImmediate(done))
const told = []
for (const [id, type, text] of given.turns) {
  chat = id
  const messages = [{ role: 'system', content: 'Be Mira.' }, { role: 'user', content: text }]
  told.push(await replacers.beforeRequest(messages, type))
  const answer = await replacers.afterRequest('I see.', type)
  if (answer !== 'I see.') throw new Error('the reply was changed')
}
console.log(JSON.stringify(told))
"""


@needs_node
def test_risuai_remembers_across_chats(house: Served, tmp_path: Path) -> None:
    first = run_node(
        "risuai/plugin.js",
        RISU,
        tmp_path,
        {"url": house.url, "turns": [["one", "model", FACT], ["one", "memory", "Sum up."]]},
    )
    assert [len(sent) for sent in first] == [2, 2]
    assert FACT in heard(house, "Mira")
    assert [said.text for said in house.home.role("Mira").chats.path("one")][-2:] == [
        FACT,
        "I see.",
    ]
    (again,) = run_node(
        "risuai/plugin.js", RISU, tmp_path, {"url": house.url, "turns": [["two", "model", ASKED]]}
    )
    assert [one["role"] for one in again] == ["system", "system", "user"]
    assert "bees" in again[1]["content"]


@needs_node
def test_risuai_goes_on_without_the_server(nowhere: str, tmp_path: Path) -> None:
    assert [
        len(sent)
        for sent in run_node(
            "risuai/plugin.js", RISU, tmp_path, {"url": nowhere, "turns": [["one", "model", FACT]]}
        )
    ] == [2]


# ── Koishi ───────────────────────────────────────────────────────────────────────────────────────────────────────────

KOISHI = """
import { apply } from './plugin.mjs'
const given = JSON.parse(process.env.GIVEN)
const calls = {}
apply({ on: (event, call) => { calls[event] = call } }, { url: given.url })
const human = (content, name) => ({ content: `[${name}] ${content}`, name, additional_kwargs: { raw_content: content }, getType: () => 'human' })
const ai = (content) => ({ content, getType: () => 'ai' })
const told = []
for (const [conversation, userId, text] of given.turns) {
  const variables = {}, message = human(text, userId)
  const chat = { preset: Promise.resolve({ triggerKeyword: ['Mira', 'mira'] }), chatHistory: { getMessages: async () => [ai('Come in.')] } }
  await calls['chatluna/before-chat'](conversation, message, variables, chat, { userId })
  told.push(variables.rolememory)
  await calls['chatluna/after-chat'](conversation, message, ai('I see.'), variables, chat, { userId })
}
console.log(JSON.stringify(told))
"""


@needs_node
def test_koishi_remembers_each_person_in_every_channel(house: Served, tmp_path: Path) -> None:
    assert run_node(
        "koishi/index.ts", KOISHI, tmp_path, {"url": house.url, "turns": [["one", "7", FACT]]}
    ) == [""]
    assert FACT in heard(house, "Mira")
    assert [said.text for said in house.home.role("Mira").chats.path("one")] == [
        "Come in.",
        FACT,
        "I see.",
    ]
    told = run_node(
        "koishi/index.ts",
        KOISHI,
        tmp_path,
        {"url": house.url, "turns": [["two", "7", ASKED], ["three", "8", ASKED]]},
    )
    assert ["bees" in one for one in told] == [True, False]


@needs_node
def test_koishi_goes_on_without_the_server(nowhere: str, tmp_path: Path) -> None:
    assert run_node(
        "koishi/index.ts", KOISHI, tmp_path, {"url": nowhere, "turns": [["one", "7", FACT]]}
    ) == [""]
