"""A life of SillyTavern comes over REST: by its path or file by file, looked at first, carried in the background."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cards.tavern.folders import life
from tests.serve.houses import Served, served
from tests.serve.rest.callers import good

PATIENCE_S = 60.0
UNDER = "/import/sillytavern"


@contextmanager
def opened(folder: Path) -> Iterator[tuple[Served, httpx.Client]]:
    """An empty home of its own."""
    with (
        served(folder) as house,
        httpx.Client(
            base_url=f"{house.url}/api", timeout=120, trust_env=False, verify=False
        ) as client,
    ):
        yield house, client


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return life(tmp_path / "SillyTavern")


def ended(api: httpx.Client) -> Any:
    """How the import ended."""
    until = time.monotonic() + PATIENCE_S
    while (state := good(api.get(UNDER)))["state"] == "running":
        assert time.monotonic() < until, state
        time.sleep(0.02)
    return state


def hand_over(api: httpx.Client, user: Path) -> None:
    for path in sorted(user.rglob("*")):
        if path.is_file():
            answer = api.put(
                f"{UNDER}/files",
                params={"path": path.relative_to(user).as_posix()},
                content=path.read_bytes(),
                headers={"content-type": "application/octet-stream"},
            )
            assert answer.status_code == 204, answer.text


def names(house: Served) -> list[str]:
    return sorted(role.name for role in house.home.roles())


def test_a_folder_is_looked_at_without_changing_anything_then_brought(
    user: Path, tmp_path: Path
) -> None:
    with opened(tmp_path / "home") as (house, api):
        looked_at_then_brought(api, house, user)


def test_whose_chats_share_one_life_is_asked_and_told(user: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "home") as (house, api):
        seen = good(api.post(f"{UNDER}/look", json={"path": str(user)}))
        asked = {one["avatar"]: (one["name"], one["chats"]) for one in seen["many"]}
        assert asked == {"Asha.png": ("Asha", 4), "明月.png": ("明月", 2)}
        wrong = {"path": str(user), "stories": {"Asha.png": "many"}}
        assert api.post(UNDER, json=wrong).status_code == 422
        api.post(UNDER, json={"path": str(user), "stories": {"Asha.png": "one"}})
        assert ended(api)["state"] == "done"
        told = {
            role.card_from: {one.story for one in house.home.role(role.id).chats.chats()}
            for role in house.home.roles()
        }
        assert (told["Asha.png"], told["明月.png"]) == ({""}, {"own"})
        assert good(api.post(f"{UNDER}/look", json={"path": str(user)}))["many"] == []


def test_one_of_several_users_comes_with_what_was_hidden(user: Path, tmp_path: Path) -> None:
    tavern, wren = user.parent.parent, user.parent / "wren"
    shutil.copytree(user, wren)
    (user / "chats").rename(user / "no chats")
    with opened(tmp_path / "home") as (house, api):
        asked = {"path": str(tavern), "profile": "wren", "hidden": True}
        assert good(api.post(f"{UNDER}/look", json=asked))["profile"] == "wren"
        api.post(UNDER, json=asked)
        assert ended(api)["state"] == "done"
        chats = {one.title: one.messages for one in house.home.role("明月").chats.chats()}
        assert 5 in chats.values()


def looked_at_then_brought(api: httpx.Client, house: Served, user: Path) -> None:
    seen = good(api.post(f"{UNDER}/look", json={"path": str(user.parent.parent)}))
    assert (seen["profile"], seen["profiles"], seen["roles"].count("Asha")) == (
        "default-user",
        ["default-user"],
        2,
    )
    assert seen["characters"]["due"] == seen["characters"]["all"] == len(seen["roles"])
    assert seen["chats"]["due"] > 0
    assert names(house) == []
    assert good(api.post(UNDER, json={"path": str(user)}))["state"] == "running"
    state = ended(api)
    assert (
        state["state"],
        state["done"] == state["total"],
        state["chats"] == seen["chats"]["due"],
    ) == ("done", True, True)
    assert {role["id"] for role in state["roles"]} == {role.id for role in house.home.roles()}
    again = good(api.post(f"{UNDER}/look", json={"path": str(user)}))
    assert (again["characters"]["due"], again["chats"]["due"]) == (0, 0)


def test_file_by_file_gives_the_same_and_twice_doubles_nothing(user: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "home") as (house, api):
        hand_over(api, user)
        assert good(api.post(f"{UNDER}/look", json={}))["characters"]["due"] == 4
        api.post(UNDER, json={})
        first = ended(api)
        assert (first["state"], len(names(house))) == ("done", 4), first
        memories = {role.id: len(house.home.role(role.id).memories) for role in house.home.roles()}
        hand_over(api, user)
        api.post(UNDER, json={})
        assert ended(api)["state"] == "done"
        assert {
            role.id: len(house.home.role(role.id).memories) for role in house.home.roles()
        } == memories


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("../role.json", id="above"),
        pytest.param("chats/../../../x.jsonl", id="above from within"),
        pytest.param("/etc/passwd", id="from the root"),
        pytest.param("C:/x.json", id="of a drive"),
        pytest.param("chats\\x\\y.jsonl", id="with backslashes"),
        pytest.param("characters/x.exe", id="of another kind"),
        pytest.param("worlds/a/b/c.json", id="too deep"),
        pytest.param("secrets.json", id="keys of other services"),
        pytest.param("chats/a\n/b.jsonl", id="with a line end"),
        pytest.param(f"chats/{'x' * 300}/b.jsonl", id="too long"),
    ],
)
def test_a_file_from_elsewhere_is_not_taken(api: httpx.Client, house: Served, path: str) -> None:
    answer = api.put(
        f"{UNDER}/files",
        params={"path": path},
        content=b"{}",
        headers={"content-type": "application/octet-stream"},
    )
    assert (answer.status_code, answer.json()["error"]["hint"][:4]) == (422, "send")
    assert not list(house.home.path.rglob("handed-over/*"))


def test_what_was_handed_over_is_forgotten_on_request(
    api: httpx.Client, house: Served, user: Path
) -> None:
    hand_over(api, user)
    assert api.delete(f"{UNDER}/files").status_code == 204
    assert good(api.post(f"{UNDER}/look", json={}))["roles"] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_folder_that_is_none_says_what_to_do(
    api: httpx.Client, tmp_path: Path, language: str
) -> None:
    answer = api.post(
        f"{UNDER}/look",
        json={"path": str(tmp_path / "nothing")},
        headers={"accept-language": language},
    )
    assert answer.status_code in (404, 409, 422)
    assert "data/<" in answer.json()["error"]["hint"]


def test_what_cannot_be_read_is_named_and_the_rest_comes(
    api: httpx.Client, house: Served, user: Path
) -> None:
    (user / "characters" / "Bo.png").write_bytes(b"no picture")
    shutil.rmtree(user / "groups")
    api.post(UNDER, json={"path": str(user)})
    state = ended(api)
    assert state["state"] == "done"
    assert any("Bo.png" in problem for problem in state["problems"])
    assert "明月" in names(house)


@pytest.mark.parametrize("door", [f"{UNDER}/look", UNDER])
def test_from_another_machine_no_folder_of_this_one_is_named(
    user: Path, tmp_path: Path, door: str
) -> None:
    with opened(tmp_path / "home") as (house, api):
        answer = api.post(
            door, json={"path": str(user)}, headers={"x-forwarded-for": "192.168.0.9", **house.auth}
        )
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "unsafe_path")
        assert names(house) == []
