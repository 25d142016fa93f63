"""What goes wrong is told in one shape, in the caller's language, without a word about this machine."""

import json
import os
from pathlib import Path
from typing import Any

import httpx
import pytest

from rolememory.serve.http_refusal import preferred
from rolememory.serve.rest.error_responses import parted
from tests.paths import ROOT
from tests.serve.houses import Served, raw
from tests.serve.rest.callers import Caller, good


@pytest.mark.parametrize(
    ("header", "language"),
    [
        pytest.param("zh-CN,zh;q=0.9,en;q=0.8", "zh", id="a Chinese browser"),
        pytest.param("en-GB", "en", id="an English one"),
        pytest.param(
            "fr, zh;q=0.3, en;q=0.2", "zh", id="a French one that takes Chinese before English"
        ),
        pytest.param("en;q=0, zh", "zh", id="anything but English"),
        pytest.param("", "en", id="one that does not say"),
        pytest.param(";;;q=q=,,", "en", id="one that talks nonsense"),
    ],
)
def test_the_caller_s_language(api: httpx.Client, header: str, language: str) -> None:
    error = api.get("/nothing", headers={"Accept-Language": header}).json()["error"]
    assert ("地址" in error["message"]) is (language == "zh")
    assert set(error) == {"code", "message", "hint"}


def test_languages_are_ranked_as_written() -> None:
    assert preferred("de;q=0.1, zh-TW;q=0.7, en;q=0.7") == ["zh", "en", "de"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param("no such thing; make one", ("no such thing", "make one"), id="with a way out"),
        pytest.param("没有；请新建", ("没有", "请新建"), id="in Chinese"),
        pytest.param("no such thing", ("no such thing", ""), id="without"),
    ],
)
def test_a_message_and_its_hint_are_told_apart(text: str, parts: tuple[str, str]) -> None:
    assert parted(text) == parts


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("GET", "/nothing", 404, id="an address that nobody has"),
        pytest.param("GET", "/roles/nobody", 404, id="a role that nobody is"),
        pytest.param("DELETE", "/roles", 405, id="an address not asked so"),
        pytest.param("PUT", "/roles/nobody/memories/x", 405, id="a deeper one not asked so"),
    ],
)
def test_every_answer_says_which_rest_this_is(
    api: httpx.Client, method: str, path: str, status: int
) -> None:
    answer = api.request(method, path, json={})
    assert (answer.status_code, answer.headers["x-rolememory-api"]) == (status, "1")
    assert answer.headers["content-type"] == "application/json"
    assert ("allow" in answer.headers) is (status == 405)
    assert ("Allow" in answer.json()["error"]["hint"]) is (status == 405)


def test_the_openapi_document_says_so_too(api: httpx.Client) -> None:
    document = good(api.get("/openapi.json"))
    assert document["info"]["x-rolememory-api"] == "1"
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if path.startswith("/api/"):
                assert operation.get("description"), f"{method} {path} says nothing"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        pytest.param(b"{", 400, "not_json", id="half an object"),
        pytest.param(b'{"name": NaN}', 400, "not_json", id="a number that is none"),
        pytest.param(b'{"name": "\\ud800"}', 400, "not_json", id="half a character"),
        pytest.param(b"[" * 5000, 400, "not_json", id="five thousand levels"),
        pytest.param(b"[" * 65 + b"]" * 65, 422, "invalid", id="more levels than are read"),
        pytest.param(b'\xff\xfe{"name": "x"}', 400, "not_json", id="not UTF-8"),
        pytest.param(b"", 422, "request", id="nothing"),
        pytest.param(b"null", 422, "request", id="null"),
        pytest.param(b'"name"', 422, "request", id="a text"),
    ],
)
def test_a_body_that_is_no_json_is_refused(
    api: httpx.Client, body: bytes, status: int, code: str
) -> None:
    answer = api.post("/roles", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize(
    ("body", "where", "message", "hint"),
    [
        pytest.param(
            {"messages": "Hello."},
            "body.messages",
            'expected a list, got "Hello."',
            "write [...]",
            id="a text for a list",
        ),
        pytest.param({}, "body.messages", "a value is missing", "write it", id="a missing value"),
        pytest.param(
            {"messages": [], "mesages": []},
            "body.mesages",
            "no such field",
            "remove it, or check how it is spelled",
            id="a field that nobody knows",
        ),
        pytest.param(
            {"messages": [], "user": ""},
            "body.user",
            "at least 1 character is expected",
            "write more",
            id="a text that is too short",
        ),
        pytest.param(
            {"messages": [], "now": "at noon"},
            "body.now",
            '"at noon" is not a time',
            "write one like 2024-05-01T18:30:00Z or 2024-05-01",
            id="no time",
        ),
        pytest.param(
            "Hello.",
            "body",
            'expected an object, got "Hello."',
            "send an object as application/json",
            id="no object",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_its_place_and_what_to_write(
    role: Caller, body: Any, where: str, message: str, hint: str
) -> None:
    answer = role("POST", "/recall", body)
    assert (answer.status_code, answer.json()["error"]) == (
        422,
        {"code": "request", "message": message, "hint": hint, "where": where},
    )


def test_half_a_character_in_a_name_becomes_a_question_mark(
    role: Caller, api: httpx.Client, house: Served
) -> None:
    folder = house.home.role(role.id).folder / "worldbooks"
    folder.mkdir(exist_ok=True)
    (folder / os.fsdecode(b"tide\xff.json")).write_text('{"entries": {}}', encoding="utf-8")
    shown = good(api.get("/books", params={"shelf": role.id}))["items"][0]
    assert (shown["id"], shown["name"]) == ("tide?.json", "tide?")


def test_a_body_that_is_too_large_is_refused_before_it_is_read(house: Served) -> None:
    head = f"POST /api/roles HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    answer = raw(house.port, head.encode() + chunk * 600 + b"0\r\n\r\n", timeout=20)
    assert b" 413 " in answer.split(b"\r\n", 1)[0] + b" "
    assert b"too_large" in answer


def test_no_answer_tells_where_the_files_are(
    role: Caller, house: Served, api: httpx.Client
) -> None:
    folder: Path = house.home.role(role.id).folder
    before = (folder / "memory.json").read_bytes()
    (folder / "memory.json").write_text("{ broken", "utf-8")
    told: list[Any] = [
        role("GET"),
        role("POST", "/memories", {"content": "x"}),
        role("PATCH", "", {"settings": {"preset": "nothing-such"}}),
    ]
    (folder / "memory.json").write_bytes(before)  # the house is shared
    assert [answer.status_code for answer in told] == [200, 409, 422]
    assert told[0].json()["writable"] is False
    assert "memory.json" in told[0].json()["problems"][0]
    for answer in told:
        assert str(house.home.path) not in answer.text
        assert "site-packages" not in answer.text
        assert str(Path(__file__).parents[3]) not in answer.text


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "</script><img src=x onerror=1>", '"}{', "\u202ereversed"]
)
def test_hostile_words_come_back_as_json_text(another: Any, name: str) -> None:
    role = another(name)
    role.remember(name, id="it", tags=[name], keys=[name])
    for path in ("", "/memories", "/memories/it", "/history"):
        answer = role("GET", path)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert name in json.dumps(answer.json(), ensure_ascii=False).replace('\\"', '"')


def test_what_fails_here_is_told_without_a_trace(role: Caller, house: Served) -> None:
    folder: Path = house.home.role(role.id).folder
    (folder / "state").mkdir(exist_ok=True)
    (folder / "role.json").unlink()
    (folder / "role.json").mkdir()
    answer = role("PATCH", "", {"aliases": ["x"]})
    assert answer.status_code in (409, 422, 503)
    assert "Traceback" not in answer.text
    assert str(folder) not in answer.text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_guide_names_every_path(api: httpx.Client, language: str) -> None:
    guide = (ROOT / "docs" / language / "rest.md").read_text("utf-8")
    paths = [path for path in good(api.get("/openapi.json"))["paths"] if path.startswith("/api/")]
    assert [path for path in paths if path.replace(":path", "") not in guide] == []
