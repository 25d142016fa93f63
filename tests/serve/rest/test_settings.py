"""Settings, presets and models over REST, in a house of their own: what is changed here holds for all of it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from rolememory.schema.settings import EmbeddingSettings
from rolememory.storage.settings_text import commented
from rolememory.storage.settings_tree import leaves
from rolememory.text.embed.loader import chosen
from tests.hashing import HashingEmbedder
from tests.serve.houses import Served, served
from tests.serve.rest.callers import caller, good


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("settings")
    (folder / "rolememory.toml").write_text(commented("en"), "utf-8")
    (folder / "presets").mkdir()
    (folder / "presets" / "mine.toml").write_text("# My own.\n[recall]\nmax_items = 2\n", "utf-8")
    with served(folder) as open_house:
        yield open_house


@pytest.fixture(scope="module")
def api(house: Served) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=f"{house.url}/api", timeout=120, trust_env=False, verify=False
    ) as client:
        yield client


def rows(api: httpx.Client, **params: Any) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in good(api.get("/settings", params=params))["items"]}


def test_every_key_is_told_with_what_it_does(api: httpx.Client) -> None:
    found = rows(api)
    assert list(found) == list(leaves())
    assert all(row["en"] and row["zh"] and row["type"] for row in found.values())
    assert found["embedding.backend"]["value"] == "off"
    assert found["embedding.backend"]["source"] == "overrides"
    assert found["recall.max_items"]["source"] == ""
    assert list(rows(api, prefix="recall.")) == [
        key for key in leaves() if key.startswith("recall.")
    ]


def test_it_is_told_in_the_caller_s_language(api: httpx.Client) -> None:
    row = good(api.get("/settings", headers={"Accept-Language": "zh"}))["items"][0]
    assert row["about"] == row["zh"] != row["en"]


def test_a_change_is_written_where_its_comment_stands(api: httpx.Client, house: Served) -> None:
    before = good(api.get("/settings"))
    changed = good(
        api.patch(
            "/settings",
            json={"values": {"recall.max_items": 7, "serve.allowed_hosts": ["memory.lan"]}},
        )
    )
    found = {row["key"]: row for row in changed["items"]}
    assert (found["recall.max_items"]["value"], found["recall.max_items"]["default"]) == (
        7,
        before["items"] and rows(api)["recall.max_items"]["default"],
    )
    assert re.fullmatch(r"rolememory\.toml:\d+", found["recall.max_items"]["source"])
    text = (house.home.path / "rolememory.toml").read_text("utf-8")
    assert re.search(r"# [^\n]+\nmax_items = 7\n", text)
    assert house.house.home.settings.recall.max_items == 7
    assert house.house.settings.allowed_hosts == ("memory.lan",)
    assert changed["etag"] != before["etag"]
    back = good(
        api.patch(
            "/settings", json={"values": {"recall.max_items": None, "serve.allowed_hosts": None}}
        )
    )
    assert {row["key"]: row["source"] for row in back["items"]}["recall.max_items"] == ""


def test_the_address_of_the_server_itself_is_not_written_as_the_models(
    api: httpx.Client, house: Served
) -> None:
    file = house.home.path / "rolememory.toml"
    before = file.read_bytes()
    own = {"values": {"serve.upstream": f"http://localhost:{house.port}/v1"}}
    for language, told in (("en", "set the model's own address"), ("zh", "模型")):
        answer = api.patch("/settings", json=own, headers={"accept-language": language})
        assert (answer.status_code, file.read_bytes()) == (422, before)
        assert told in answer.text
    good(api.patch("/settings", json={"values": {"serve.upstream": "http://localhost:1/v1"}}))


def test_a_change_of_what_was_edited_by_hand_meanwhile_is_refused(
    api: httpx.Client, house: Served
) -> None:
    seen = good(api.get("/settings"))["etag"]
    file = house.home.path / "rolememory.toml"
    file.write_text(file.read_text("utf-8") + "\n# by hand\n", "utf-8")
    late = api.patch(
        "/settings", json={"values": {"recall.max_items": 3}}, headers={"If-Match": seen}
    )
    assert (late.status_code, late.json()["current"]["etag"] != seen) == (412, True)
    assert "# by hand" in file.read_text("utf-8")


@pytest.mark.parametrize(
    ("values", "status", "says"),
    [
        pytest.param({"recall.max_itmes": 3}, 404, "recall.max_items", id="a key that is mistyped"),
        pytest.param(
            {"recall.max_items": 3, "recall.mode": "shout"},
            422,
            "recall.mode",
            id="one of two does not fit: none is written",
        ),
        pytest.param(
            {"recall.max_items": {"a": {"b": []}}},
            422,
            "recall.max_items",
            id="an object for a number",
        ),
        pytest.param({"preset": "../../etc/passwd"}, 422, "preset", id="a path for a preset"),
        pytest.param(
            {"learn.api_key_env": "sk-1234567890abcdef"},
            422,
            "environment variable",
            id="a key where its variable's name should stand",
        ),
        pytest.param(
            {"serve.upstream": "127.0.0.1:5001/v1"},
            422,
            "http://127.0.0.1:5001/v1",
            id="a model server without its scheme",
        ),
        pytest.param({}, 422, "values", id="nothing"),
    ],
)
def test_what_would_not_load_is_not_written(
    api: httpx.Client, house: Served, values: dict[str, Any], status: int, says: str
) -> None:
    before = (house.home.path / "rolememory.toml").read_bytes()
    answer = api.patch("/settings", json={"values": values})
    assert (answer.status_code, (house.home.path / "rolememory.toml").read_bytes()) == (
        status,
        before,
    )
    assert says in answer.text
    assert "sk-1234567890abcdef" not in answer.text


def test_a_broken_file_is_told_and_the_last_good_settings_hold(
    api: httpx.Client, house: Served
) -> None:
    file = house.home.path / "rolememory.toml"
    whole = file.read_bytes()
    file.write_text("[recall\n", "utf-8")
    found = good(api.get("/settings"))
    assert "rolememory.toml:1" in found["problem"]
    assert str(house.home.path) not in found["problem"]
    assert api.patch("/settings", json={"values": {"recall.max_items": 3}}).status_code == 422
    file.write_bytes(whole)
    assert good(api.get("/settings"))["problem"] == ""


def test_a_role_s_own_settings_are_told_as_its_own(api: httpx.Client) -> None:
    role = caller(api, "Has Her Own")
    good(role("PATCH", "", {"settings": {"recall.max_items": 9}}))
    row = rows(api, role=role.id)["recall.max_items"]
    assert (row["value"], row["source"].endswith("role.json")) == (9, True)


def test_presets_are_listed_and_chosen(api: httpx.Client) -> None:
    found = {one["name"]: one for one in good(api.get("/settings/presets"))["items"]}
    assert {
        "default",
        "sillytavern",
        "koishi",
        "anh",
        "assistant",
        "local_chat",
        "agent",
        "mine",
    } <= set(found)
    assert (found["mine"]["own"], found["mine"]["values"], found["mine"]["about"]) == (
        True,
        {"recall.max_items": 2},
        ["My own."],
    )
    assert found["default"]["chosen"]
    good(api.patch("/settings", json={"values": {"preset": "mine"}}))
    assert rows(api)["recall.max_items"]["value"] == 2
    assert [
        one["name"] for one in good(api.get("/settings/presets"))["items"] if one["chosen"]
    ] == ["mine"]
    good(api.patch("/settings", json={"values": {"preset": None}}))


def test_what_meaning_rests_on_is_told(api: httpx.Client, house: Served) -> None:
    found = good(api.get("/meaning"))
    assert (found["state"], found["backend"], found["dims"], found["breakers"]) == (
        "absent",
        "off",
        0,
        [],
    )
    server = house.home.upstreams.at("http://127.0.0.1:9/v1")
    for _ in range(3):
        server.allows()
        server.fails("refused")
    one = good(api.get("/meaning"))["breakers"][0]
    assert (one["state"], one["reason"], one["for"]) == ("failed", "refused", "learning")


def test_the_model_of_meaning_is_told_by_its_name(tmp_path: Path) -> None:
    with (
        served(tmp_path, embedder=HashingEmbedder()) as house,
        httpx.Client(base_url=f"{house.url}/api", trust_env=False, timeout=60) as api,
    ):
        found = good(api.get("/meaning"))
    assert (found["key"], found["model"]) == (
        HashingEmbedder().key,
        chosen(EmbeddingSettings()).name,
    )


def test_what_a_model_still_has_to_read_is_told(api: httpx.Client) -> None:
    role = caller(api, "Learns By Rules")
    assert role.get("/learning")["on"] is False


def test_the_models_we_know_are_listed(api: httpx.Client) -> None:
    found = {
        one["name"]: one
        for one in good(api.get("/models", headers={"Accept-Language": "zh"}))["items"]
    }
    assert found["bge-small-zh-v1.5"]["languages"] == ["zh"]
    assert "中文" in found["bge-small-zh-v1.5"]["about"]
