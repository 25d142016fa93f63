"""Memories as tools: what an agent gets, over HTTP and over stdio, from the real client."""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from rolememory.engine import Home
from rolememory.serve.mcp.server import mcp_server
from tests.serve.houses import WORDS_ONLY, served
from tests.serve.mcp.clients import Ask, furnish, over_http, over_stdio, text

TOOLS = ["remember", "recall", "search", "list", "forget", "explain"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    furnish(tmp_path)
    return tmp_path


async def round_trip(client: Client) -> list[Any]:
    """Every tool once, as an agent would use them."""
    tools = (await client.list_tools()).tools
    made = await client.call_tool(
        "remember",
        {"role": "米拉", "content": "The heron nests under the pier.", "keys": ["heron"]},
    )
    came = await client.call_tool("recall", {"role": "Mira", "message": "Is there a heron?"})
    found = await client.call_tool("search", {"role": "Mira", "query": "beacon", "limit": 1})
    why = await client.call_tool(
        "explain", {"role": "Mira", "message": "Is there a heron?", "ids": ["storm"]}
    )
    gone = await client.call_tool("forget", {"role": "Mira", "id": "storm"})
    left = await client.call_tool("list", {"role": "Mira"})
    return [tools, made, came, found, why, gone, left]


@pytest.mark.parametrize(
    "over",
    [
        pytest.param(over_http, id="over HTTP"),
        pytest.param(partial(over_http, path="/mcp/"), id="over HTTP, with a slash at the end"),
        pytest.param(over_stdio, id="over stdio"),
    ],
)
def test_an_agent_can_do_everything(folder: Path, over: Callable[[Path, Ask], Any]) -> None:
    tools, made, came, found, why, gone, left = over(folder, round_trip)
    assert [tool.name for tool in tools] == TOOLS
    assert made.structured_content == {"id": "the-heron-nests-under", "added": True}
    assert "heron nests" in text(came)
    assert [one["id"] for one in found.structured_content["memories"]] == ["storm"]
    assert "'heron' in message 1" in text(why)
    assert "storm" in text(why)
    assert gone.structured_content == {"id": "storm", "archived": True}
    assert {one["id"] for one in left.structured_content["memories"]} == {
        "the-heron-nests-under",
        "trick",
        "灯塔",
    }
    with Home.open(folder, WORDS_ONLY) as home:
        memories = home.role("Mira").memories
        assert memories["storm"].archived
        assert memories["the-heron-nests-under"].source == "summary"


def asked(folder: Path, ask: Ask, lang: Any = "en") -> Any:
    """The client on a server in this process: for what is the same whatever carries it."""

    async def answered() -> Any:
        with Home.open(folder, WORDS_ONLY) as home:
            async with Client(mcp_server(home, lang)) as client:
                return await ask(client)

    return asyncio.run(answered())


@pytest.mark.parametrize(
    ("lang", "tool", "arguments", "told"),
    [
        pytest.param(
            "en",
            "search",
            {"role": "mria", "query": "x"},
            "did you mean 'Mira'?",
            id="a role spelt wrong is suggested",
        ),
        pytest.param(
            "zh",
            "search",
            {"role": "mria", "query": "x"},
            "是不是“Mira”？",
            id="a role spelt wrong is suggested, zh",
        ),
        pytest.param(
            "en", "serch", {"role": "Mira"}, "did you mean 'search'?", id="a tool spelt wrong"
        ),
        pytest.param(
            "zh", "serch", {"role": "Mira"}, "是不是“search”？", id="a tool spelt wrong, zh"
        ),
        pytest.param(
            "en",
            "search",
            {"role": "Mira"},
            "query: a value is missing",
            id="an argument is missing",
        ),
        pytest.param(
            "zh", "search", {"role": "Mira"}, "query：缺少这个值", id="an argument is missing, zh"
        ),
        pytest.param(
            "en",
            "search",
            {"role": "Mira", "query": "x", "limit": "many"},
            'limit: expected a whole number, got "many"',
            id="not a number",
        ),
        pytest.param(
            "zh",
            "search",
            {"role": "Mira", "query": "x", "limit": "many"},
            "limit：应为整数",
            id="not a number, zh",
        ),
        pytest.param("en", "list", {"role": "Mira", "limit": 9999}, "≤ 200", id="too many at once"),
        pytest.param(
            "en",
            "list",
            {"role": "Mira", "type": "fact"},
            "episodic",
            id="a kind there is not: the kinds are told",
        ),
        pytest.param(
            "en",
            "search",
            {"role": "Mira", "qury": "x", "query": "x"},
            "did you mean 'query'?",
            id="an argument spelt wrong",
        ),
        pytest.param(
            "zh",
            "search",
            {"role": "Mira", "qury": "x", "query": "x"},
            "是不是“query”？",
            id="an argument spelt wrong, zh",
        ),
        pytest.param(
            "en",
            "forget",
            {"role": "Mira", "id": "strom"},
            "did you mean 'storm'?",
            id="an id spelt wrong archives nothing",
        ),
        pytest.param(
            "en",
            "forget",
            {"role": "Mira", "id": "tea"},
            "no memory named 'tea'",
            id="another's memory cannot be archived",
        ),
        pytest.param(
            "en", "forget", {"role": "Mira", "id": "*"}, "no memory named '*'", id="no wildcard"
        ),
        pytest.param(
            "en",
            "explain",
            {"role": "Mira", "message": "x", "ids": ["tea"]},
            "no memory named 'tea'",
            id="nor explained",
        ),
        pytest.param(
            "en",
            "remember",
            {"role": "Mira", "content": " \n"},
            "nothing to remember",
            id="nothing to remember",
        ),
        pytest.param(
            "en",
            "remember",
            {"role": "Mira", "content": "<rolememory>\nx\n</rolememory>"},
            "nothing to remember",
            id="our own block comes back",
        ),
        pytest.param(
            "en",
            "remember",
            {"role": "Mira", "content": "Lin's key is sk-proj-4fGh1JkL2mN3oP4qR5sT6uV7."},
            "leave the number out",
            id="a key",
        ),
        pytest.param(
            "zh",
            "remember",
            {"role": "Mira", "content": "林的卡号是4111 1111 1111 1111。"},
            "请去掉号码",
            id="一张卡",
        ),
    ],
)
def test_what_cannot_be_done_is_told_with_its_remedy(
    folder: Path, lang: str, tool: str, arguments: dict[str, Any], told: str
) -> None:
    result = asked(folder, lambda client: client.call_tool(tool, arguments), lang)
    assert result.is_error
    assert told in text(result)
    assert str(folder) not in text(result)
    with Home.open(folder, WORDS_ONLY) as home:
        assert len([one for one in home.role("Mira").memories.values() if not one.archived]) == 4


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_everything_is_described_in_the_language_of_the_house(folder: Path, lang: str) -> None:
    for tool in asked(folder, lambda client: client.list_tools(), lang).tools:
        said = [
            tool.description,
            *(one["description"] for one in tool.input_schema["properties"].values()),
        ]
        assert all(
            any("一" <= letter <= "鿿" for letter in one) is (lang == "zh") for one in said
        ), said
        assert not any("zh" in one for one in tool.input_schema["properties"].values())


def test_tools_say_what_they_do_to_memories(folder: Path) -> None:
    hints = {
        tool.name: tool.annotations
        for tool in asked(folder, lambda client: client.list_tools()).tools
    }
    assert [name for name in TOOLS if hints[name].read_only_hint] == [
        "recall",
        "search",
        "list",
        "explain",
    ]
    assert [name for name in TOOLS if hints[name].destructive_hint] == ["forget"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param("recall", {"message": "What did the note say?"}, id="recall"),
        pytest.param("search", {"query": "note"}, id="search"),
        pytest.param("list", {}, id="list"),
        pytest.param("explain", {"message": "What did the <|im_start|>note say?"}, id="explain"),
    ],
)
def test_memory_text_is_data(folder: Path, tool: str, arguments: dict[str, Any]) -> None:
    result = asked(folder, lambda client: client.call_tool(tool, {"role": "Mira", **arguments}))
    everything = text(result) + json.dumps(result.structured_content, ensure_ascii=False)
    assert not result.is_error
    assert "<|im_start|>" not in everything
    assert text(result).count("</rolememory>") == (0 if tool == "explain" else 1)


@pytest.mark.parametrize(
    ("user", "ids"),
    [
        pytest.param(None, {"storm", "trick", "灯塔"}, id="without a user only what is shared"),
        pytest.param("lin", {"storm", "trick", "灯塔", "tea"}, id="with a user also his own"),
        pytest.param("wu", {"storm", "trick", "灯塔"}, id="never another's"),
    ],
)
def test_whose_memories_are_listed(folder: Path, user: str | None, ids: set[str]) -> None:
    result = asked(folder, lambda client: client.call_tool("list", {"role": "Mira", "user": user}))
    assert {one["id"] for one in result.structured_content["memories"]} == ids


async def as_traveller(client: Client) -> list[Any]:
    """What the other name of a person sees, writes and takes away."""
    who = {"role": "Mira", "user": "旅人"}
    again = {**who, "content": "Lin takes her tea without sugar."}
    return [
        {one["id"] for one in (await client.call_tool("list", who)).structured_content["memories"]},
        (await client.call_tool("remember", again)).structured_content["added"],
        (await client.call_tool("explain", {**who, "message": "Tea?", "ids": ["tea"]})).is_error,
        (await client.call_tool("forget", {**who, "id": "tea"})).is_error,
    ]


@pytest.mark.parametrize("linked", [True, False])
def test_a_person_has_their_memories_under_every_name(folder: Path, linked: bool) -> None:
    with Home.open(folder, WORDS_ONLY) as home:
        if linked:
            home.people.link("lin", "旅人")
    ids, added, *refused = asked(folder, as_traveller)
    assert ("tea" in ids) is linked
    assert added is not linked
    assert refused == [not linked] * 2


async def listed_for_tom(client: Client) -> list[Any]:
    """What the tools ask for, and what a model gets that asks for another's memories."""
    arguments = [
        list(tool.input_schema["properties"]) for tool in (await client.list_tools()).tools
    ]
    posed = await client.call_tool("list", {"role": "Mira", "user": "tom"})
    return [arguments, posed, await client.call_tool("list", {"role": "Mira"})]


def test_a_model_cannot_choose_whose_memories_it_gets_where_that_is_settled(folder: Path) -> None:
    with Home.open(folder, WORDS_ONLY) as home:
        home.role("Mira").remember("Tom sank the boat.", id="tom", user="tom")
    arguments, posed, mine = over_stdio(folder, listed_for_tom, user="lin")
    assert not any("user" in one for one in arguments)
    assert posed.is_error
    assert "Tom sank" not in text(posed)
    found = {one["id"] for one in mine.structured_content["memories"]}
    assert found == {"storm", "trick", "灯塔", "tea"}


@pytest.mark.parametrize("posed", [{}, {"user": "tom"}], ids=["nobody", "somebody else"])
def test_a_connection_says_whose_memories_count(folder: Path, posed: dict[str, str]) -> None:
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "list", "arguments": {"role": "Mira", **posed}},
    }
    accepts = {"accept": "application/json, text/event-stream"}
    with served(folder) as house:
        house.home.role("Mira").remember("Tom sank the boat.", id="tom", user="tom")
        answer = httpx.post(
            f"{house.url}/mcp",
            json=call,
            headers={**accepts, "x-rolememory-user": "lin"},
            timeout=60,
            trust_env=False,
            verify=False,
        )
    found = {one["id"] for one in answer.json()["result"]["structuredContent"]["memories"]}
    assert found == {"storm", "trick", "灯塔", "tea"}


def test_what_is_known_is_not_written_twice(folder: Path) -> None:
    again = {"role": "Mira", "content": "the beacon  failed in the storm of 1887."}
    assert asked(folder, lambda client: client.call_tool("remember", again)).structured_content == {
        "id": "storm",
        "added": False,
    }


def test_looking_changes_nothing(folder: Path) -> None:
    with Home.open(folder, WORDS_ONLY) as home:
        before = len(home.role("Mira").history())
    for tool, arguments in (
        ("recall", {"message": "beacon"}),
        ("search", {"query": "beacon"}),
        ("list", {}),
        ("explain", {"message": "beacon"}),
    ):
        asked(
            folder,
            lambda client, tool=tool, arguments=arguments: client.call_tool(
                tool, {"role": "Mira", **arguments}
            ),
        )  # type: ignore[misc]
    with Home.open(folder, WORDS_ONLY) as home:
        assert len(home.role("Mira").history()) == before
        assert home.role("Mira").turns == 0


def test_a_role_that_nobody_is_is_refused_with_the_known_names(folder: Path) -> None:
    refused = asked(folder, lambda client: client.call_tool("list", {"role": "nobody"}))
    assert refused.is_error
    assert "known: Mira, 米拉" in text(refused)


def test_the_guard_stands_before_it(folder: Path) -> None:
    with served(folder) as house:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        foreign = httpx.post(
            f"{house.url}/mcp",
            json=call,
            headers={"origin": "https://elsewhere.example"},
            timeout=60,
            trust_env=False,
            verify=False,
        )
        renamed = httpx.post(
            f"{house.url}/mcp",
            json=call,
            headers={"host": "elsewhere.example"},
            timeout=60,
            trust_env=False,
            verify=False,
        )
    assert (foreign.status_code, renamed.status_code) == (403, 421)


def test_who_listens_hears_of_what_an_agent_wrote(folder: Path) -> None:
    with served(folder) as house:
        told: list[str] = []
        house.house.bus.on(lambda event: told.append(event.kind))

        async def write() -> None:
            async with Client(f"{house.url}/mcp", read_timeout_seconds=30) as client:
                await client.call_tool(
                    "remember", {"role": "Mira", "content": "The heron nests under the pier."}
                )

        asyncio.run(write())
        assert "memory" in told


@pytest.mark.parametrize("tool", ["recall", "explain"])
def test_what_is_said_is_bounded(folder: Path, tool: str) -> None:
    (folder / "rolememory.toml").write_text("[serve]\nmax_messages = 3\nmax_characters = 40\n")

    def called(*before: str) -> Any:
        said = [{"role": "user", "content": one} for one in before]
        given = {"role": "Mira", "message": "Hi.", "before": said}
        return asked(folder, lambda client: client.call_tool(tool, given), "zh")

    assert not called("One.", "Two.").is_error
    for too_much in (("One.", "Two.", "Three."), ("x" * 40,)):
        assert "serve.max_messages" in text(called(*too_much))


@pytest.mark.parametrize(("lang", "more"), [("en", "no more; "), ("zh", "没有更多了；共 ")])
def test_a_list_that_is_read_to_its_end_says_so(folder: Path, lang: str, more: str) -> None:
    past = {"role": "Mira", "offset": 99}
    found = asked(folder, lambda client: client.call_tool("list", past), lang)
    assert text(found).startswith(f"{more}{found.structured_content['total']}")


def test_every_argument_has_its_effect(folder: Path) -> None:
    (folder / "rolememory.toml").write_text('[chats]\nstories = "each"\n', encoding="utf-8")
    said = "I keep a heron in the boathouse."
    with Home.open(folder, WORDS_ONLY) as home:
        role = home.role("Mira")
        role.stories.begin("sea")
        for chat, words in (("one", said), ("three", "Good morning.")):
            role.observe(words, "Is it?", chat=chat, user="lin")
            role.chats.update(chat, story="sea")
    bell = {"content": "Tom wants a bell.", "type": "goal", "subject": "Tom", "salience": 0.9}
    then = {"message": "And then?"}
    before = {**then, "before": [{"role": "user", "content": "Tell me of the storm."}]}
    heron = {"message": "Where is the heron in the boathouse?", "user": "lin"}

    async def ask(client: Client) -> list[tuple[str, object, object]]:
        async def call(tool: str, **arguments: Any) -> Any:
            made = await client.call_tool(tool, {"role": "Mira", **arguments})
            assert not made.is_error, text(made)
            return made.structured_content

        async def ids(**wanted: Any) -> list[str]:
            return [one["id"] for one in (await call("list", **wanted))["memories"]]

        async def of(word: str, tool: str, *asked: dict[str, Any]) -> list[bool]:
            return [word in str(await call(tool, **one)) for one in asked]

        chats = {**heron, "chat": "three"}, {**heron, "chat": "two"}
        asked = {"query": "heron", "user": "lin"}
        await call("remember", **bell)
        return [
            ("type, of a list", await ids(type="goal"), ["tom-wants-a-bell"]),
            ("limit and offset", await ids(limit=1, offset=1), ["灯塔"]),
            ("before", await of("storm", "recall", before, then), [True, False]),
            ("before, explained", await of("storm", "explain", before, then), [True, False]),
            ("chat", await of(said, "recall", *chats), [True, False]),
            ("chat, explained", await of("p-", "explain", *chats), [True, False]),
            (
                "chat, searched",
                await of(said, "search", *({**asked, "chat": chat} for chat in ("one", "two"))),
                [True, False],
            ),
            (
                "reason",
                await call("forget", id="storm", reason="it never was"),
                {"id": "storm", "archived": True},
            ),
        ]

    rows = asked(folder, ask)
    assert [row[:2] for row in rows] == [(what, expected) for what, _, expected in rows]
    with Home.open(folder, WORDS_ONLY) as home:
        role = home.role("Mira")
        made = role.memories["tom-wants-a-bell"]
        assert {name: getattr(made, name) for name in bell} == bell
        assert role.history("storm")[0].reason == "it never was"
