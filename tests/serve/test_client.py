"""The client, against a real server."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from rolememory.schema.message import Message
from rolememory.serve import client as calls
from rolememory.serve.client import (
    AnsweredError,
    AsyncClient,
    Client,
    NotLetInError,
    NotThereError,
    RefusedError,
    StaleError,
    UnreachableError,
)
from tests.serve.houses import Served, served


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("home")
    with served(folder) as open_house:
        yield open_house


@pytest.fixture
def server(house: Served) -> Iterator[Client]:
    with Client(house.url, house.house.token, language="en") as client:
        yield client


def test_a_role_lives_through_the_client(server: Client) -> None:
    role = server.ask(calls.create("Mira 灯塔", ["mi/ra"]))
    made = server.ask(
        calls.remember(role.id, "The beacon failed in the storm.", id="be/acon", keys=["beacon"])
    )
    assert [one.id for one in server.ask(calls.memories("Mira 灯塔", q="storm")).items] == [
        "be/acon"
    ]
    question = [Message.user("Why is the beacon dark?")]
    turn = server.ask(
        calls.recall(role.id, question, chat="harbour", user="lin", budget={"max_items": 3})
    )
    assert ([item.id for item in turn.items], "beacon" in turn.text) == (["be/acon"], True)
    seen = server.ask(
        calls.observe(role.id, question, "The storm took it.", chat="harbour", user="lin", wait_s=5)
    )
    assert (seen.chat, len(seen.entered), seen.learned) == ("harbour", 2, True)
    heavier = server.ask(calls.edit(role.id, "be/acon", etag=made.etag, weight=2.0))
    assert (heavier.weight, server.ask(calls.memory(role.id, "be/acon")).memory.weight) == (
        2.0,
        2.0,
    )
    assert server.ask(calls.search(role.id, "storm")).items[0].id == "be/acon"
    assert server.ask(calls.delete(role.id, "be/acon")).changed == 1
    assert [one.did for one in server.ask(calls.undo(role.id)).changed] == ["added"]
    assert role.id in [one.id for one in server.ask(calls.roles()).items]


def test_what_stands_out_and_where_it_stands(server: Client) -> None:
    role = server.ask(calls.create("Doubles"))
    made = server.ask(calls.remember(role.id, "She likes jasmine tea."))
    assert [one.memory.id for one in server.ask(calls.insight(role.id)).lacking] == [made.id]
    assert [one.id for one in server.ask(calls.memory_map(role.id)).points] == [made.id]


def test_an_explanation_s_change_is_applied_as_it_came(server: Client) -> None:
    role = server.ask(calls.create("Explains"))
    server.ask(calls.remember(role.id, "The mayor sells bad bread.", id="bread"))
    told = server.ask(calls.explain(role.id, ["Tell me of the weather."], ids=["bread"]))
    change = told.rows[0].remedy
    assert change is not None
    assert server.ask(calls.apply(role.id, change)).target == change.target
    assert [
        item.id for item in server.ask(calls.explain(role.id, ["Tell me of the weather."])).items
    ] == ["bread"]


def test_what_has_no_call_is_asked_by_its_address(server: Client) -> None:
    assert server.ask(calls.call("GET", "/roles", dict, limit=1))["limit"] == 1


def test_errors_have_kinds(server: Client) -> None:
    role = server.ask(calls.create("Refuses"))
    made = server.ask(calls.remember(role.id, "One.", id="one"))
    server.ask(calls.edit(role.id, "one", weight=2.0))
    with pytest.raises(NotThereError, match="no role named 'nobody'") as nobody:
        server.ask(calls.memories("nobody"))
    assert (nobody.value.code, nobody.value.status) == ("unknown_role", 404)
    with pytest.raises(StaleError) as stale:
        server.ask(calls.edit(role.id, "one", etag=made.etag, weight=1.0))
    assert stale.value.current["weight"] == 2.0
    with pytest.raises(RefusedError) as refused:
        server.ask(calls.edit(role.id, "one", weight=9))
    assert refused.value.where == "body.weight"
    with pytest.raises(AnsweredError, match="not asked so"):
        server.ask(calls.call("PUT", "/roles", dict))


def test_who_is_not_let_in_and_who_finds_nobody(house: Served) -> None:
    foreign = calls.Call(
        "POST", "/roles", dict, {"name": "Never"}, headers={"origin": "https://evil.example"}
    )
    with Client(house.url) as stranger, pytest.raises(NotLetInError):
        stranger.ask(foreign)
    with (
        Client("http://127.0.0.1:1", timeout_s=2) as lost,
        pytest.raises(UnreachableError, match="rolememory serve"),
    ):
        lost.ask(calls.roles())


def test_events_are_heard(server: Client, house: Served) -> None:
    role = server.ask(calls.create("Is Heard"))
    number = house.house.bus.tell("memory", role.id, test=1).number
    house.house.bus.tell("turn", role.id, recalled=2)
    heard = next(iter(server.events(after=number)))
    assert (heard.kind, heard.role, heard.values["recalled"], heard.number) == (
        "turn",
        role.id,
        2,
        number + 1,
    )


def test_all_of_it_can_be_awaited(house: Served) -> None:
    async def life() -> tuple[str, int, str]:
        async with AsyncClient(house.url, house.house.token) as server:
            role = await server.ask(calls.create("Awaited"))
            await server.ask(calls.remember(role.id, "The beacon failed.", keys=["beacon"]))
            turn = await server.ask(calls.recall(role.id, ["The beacon?"]))
            number = house.house.bus.tell("memory", role.id).number
            house.house.bus.tell("turn", role.id)
            heard = await anext(events := server.events(after=number))
            await events.aclose()  # type: ignore[attr-defined]
            with pytest.raises(NotThereError):
                await server.ask(calls.memory(role.id, "nothing"))
            return role.name, len(turn.items), heard.kind

    assert asyncio.run(life()) == ("Awaited", 1, "turn")


def test_nobody_to_await(house: Served) -> None:
    async def lost() -> None:
        async with AsyncClient("http://127.0.0.1:1", timeout_s=2) as server:
            await server.ask(calls.roles())

    with pytest.raises(UnreachableError):
        asyncio.run(lost())
