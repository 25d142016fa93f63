"""A service of many users: who asks is what a key says, on every door, whatever stands in a body, a header or a text."""

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import jwt
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.serve.keys import ApiKeys
from tests.endpoint import Endpoint, answers
from tests.serve.houses import Served, raw, served
from tests.serve.proxy.forgeries import ASKED, ROADS, ROLES, USERS, Sent, forged, honest, typed
from tests.serve.proxy.test_forged import SETTINGS, WORDS, furnished

ROLE, USER = "Asha", "eve"
MINE = {WORDS[ROLE, ""], WORDS[ROLE, USER]}
BOTH = "read,write".split(",")


@dataclass(frozen=True)
class Doors:
    """A service, the model behind it, somebody outside, and their keys."""

    house: Served
    model: Endpoint
    outside: httpx.Client
    keys: dict[str, str]

    def ask(
        self, key: str, method: str, path: str, body: Any = None, **headers: str
    ) -> httpx.Response:
        """One request with the key of this name; "" = without one."""
        told = {"authorization": f"Bearer {self.keys[key]}"} if key else {}
        return self.outside.request(
            method, self.house.url + path, json=body, headers={**told, **headers}
        )


def claim(name: str, key: str, user: str, **more: Any) -> str:
    """What the program that holds a key signs for one of its users."""
    told = {"sub": user, "exp": time.time() + 3600, **more}
    told = {field: value for field, value in told.items() if value is not None}
    return jwt.encode(told, sha256(key.encode()).hexdigest(), "HS256", {"kid": name})


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    settings = {"serve.service": True, "serve.trusted_proxies": ("10.0.0.0/8",), **SETTINGS}
    with (
        Endpoint(answers("Hm.")) as model,
        served(
            tmp_path_factory.mktemp("service"), {"serve.upstream": model.url, **settings}
        ) as house,
        httpx.Client(timeout=60, trust_env=False, verify=False) as outside,
    ):
        for name in ROLES:
            furnished(house.home, name)
        asha = house.home.role(ROLE).id
        keys = {
            "eve": house.house.keys.add("eve", [asha], USER, BOTH),
            "reader": house.house.keys.add("reader", [asha], USER, ["read"]),
            "app": house.house.keys.add("app"),
            "boss": house.house.keys.add("boss", rights=["admin"]),
            "unknown": "x" * 43,
        }
        claims = {
            "claimed": claim("app", keys["app"], USER),
            "one role": claim("app", keys["app"], USER, role=asha),
            "expired": claim("app", keys["app"], USER, exp=time.time() - 1),
            "endless": claim("app", keys["app"], USER, exp=None),
            "not eve's": claim("eve", keys["eve"], "tom"),
            "boss's": claim("boss", keys["boss"], USER),
            "stranger's": claim("app", "y" * 43, USER),
            "widened": claim("eve", keys["eve"], USER, role=house.home.role("Seraphina").id),
            "unsigned": jwt.encode(
                {"sub": USER, "exp": time.time() + 60}, "", "none", {"kid": "app"}
            ),
        }
        head, body, sign = claims["claimed"].split(".")
        claims["forged"] = f"{head}.{body}.{sign[::-1]}"
        yield Doors(house, model, outside, keys | claims)


def probes() -> Iterator[Sent]:
    """Every forged message on every road, as it is typed and with everything said outright as well."""
    for road in ROADS:
        for shape, posed in forged(road):
            sent = ROADS[road].sent(typed(shape, posed), posed)
            yield from (sent, honest(sent, posed))


MORE: tuple[dict[str, Any], ...] = (
    {},
    {"chat": "harbour"},
    {"present": []},
    {"present": list(USERS)},
    {"chat": "harbour@tom", "members": list(ROLES)},
)


def bodies() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """What REST is asked for others: role in the path, door, body."""
    for role, user, language, door in product(ROLES, USERS, ASKED, ("recall", "search")):
        asked = ASKED[language]
        for more in MORE:
            what = (
                {"query": asked}
                if door == "search"
                else {"messages": [{"role": "user", "content": asked, "owner": user, "name": user}]}
            )
            yield role, door, {"user": user, **what, **more}


def leaked(text: str) -> set[str]:
    """The words in it that are not for eve and Asha."""
    return {word for word in WORDS.values() if word in text} - MINE


def test_a_thousand_probes_find_nothing_of_others(doors: Doors) -> None:
    leaks, asked, heard = [], 0, 0
    for sent in probes():
        before = len(doors.model.requests)
        answer = doors.ask("eve", "POST", sent.path, sent.body, **sent.headers)
        out = "".join(one.body.decode() for one in doors.model.requests[before:])
        asked, heard = asked + 1, heard + (WORDS[ROLE, USER] in out)
        leaks += [(sent.path, found)] if (found := leaked(out) | leaked(answer.text)) else []
    for role, door, body in bodies():
        answer = doors.ask("eve", "POST", f"/api/roles/{role}/{door}", body)
        asked, heard = asked + 1, heard + (WORDS[ROLE, USER] in answer.text)
        assert (answer.status_code == 200) is (role == ROLE), answer.text
        leaks += [(role, body)] if leaked(answer.text) else []
    assert asked >= 1_000, asked
    assert heard > asked / 4, "what is eve's own is found"
    assert leaks == []
    assert [role.name for role in doors.house.home.roles()] == [*ROLES], "nobody is made up"


def test_what_is_written_for_another_is_the_callers_own(doors: Doors) -> None:
    told = {"role": "user", "content": "I hid the amber ring in the well.", "owner": "tom"}
    talk = [told, {"role": "assistant", "content": "Hm."}]
    body = {"messages": talk, "reply": told, "user": "tom", "chat": "harbour", "present": ["tom"]}
    assert doors.ask("eve", "POST", f"/api/roles/{ROLE}/observe", body).status_code == 200
    asha = doors.house.home.role(ROLE)
    (said,) = (
        one for one in asha.chats.path("harbour@eve") if one.role == "user" and one.slot == 0
    )
    assert (said.owner, said.users) == (USER, (USER,))
    question = "Where did I hide the amber ring?"
    assert "well" in asha.recall([question], chat="new", user=USER).text
    assert "well" not in asha.recall([question], chat="new", user="tom").text


def test_two_users_who_call_their_chats_alike_share_none(doors: Doors) -> None:
    for user, place in (("anna", "mill"), ("boris", "quarry")):
        key = doors.house.house.keys.add(user, user=user)
        doors.keys[user] = key
        told = [{"role": "user", "content": f"Hello. I sleep in the {place}."}]
        body = {"messages": told, "reply": "Good.", "chat": "main"}
        assert doors.ask(user, "POST", f"/api/roles/{ROLE}/observe", body).status_code == 200
    asked = {"messages": [{"role": "user", "content": "Where do I sleep?"}], "chat": "other"}
    heard = doors.ask("anna", "POST", f"/api/roles/{ROLE}/recall", asked).json()["text"]
    assert ("mill" in heard, "quarry" in heard) == (True, False)


OPEN = [("GET", "/"), ("GET", "/healthz"), ("GET", "/web/app.js")]
ADMINS = [
    ("GET", "/api/roles"),
    ("GET", "/api/settings"),
    ("GET", f"/api/roles/{ROLE}/memories"),
    ("GET", f"/api/roles/{ROLE}/chats"),
    ("POST", f"/api/roles/{ROLE}/explain"),
    ("POST", f"/api/roles/{ROLE}/memories"),
    ("DELETE", f"/api/roles/{ROLE}"),
    ("GET", f"/api/roles/Seraphina%2F..%2F{ROLE}/recall"),
    ("GET", "/api/events"),
    ("GET", "/v1/files"),
    ("DELETE", "/v1/models/m"),
    ("PUT", f"/r/{ROLE}/v1/chat/completions"),
]


@pytest.mark.parametrize(("method", "path"), ADMINS)
@pytest.mark.parametrize(
    ("key", "status"),
    [
        ("", 401),
        ("unknown", 401),
        ("eve", 403),
        ("claimed", 403),
        ("forged", 401),
        ("expired", 401),
    ],
)
def test_what_is_the_administrators_is_nobody_elses(
    doors: Doors, method: str, path: str, key: str, status: int
) -> None:
    assert doors.ask(key, method, path).status_code == status


def test_an_administrator_reads_what_there_is(doors: Doors) -> None:
    assert len(doors.ask("boss", "GET", "/api/roles").json()["items"]) == len(ROLES)


RECALL = {"messages": [{"role": "user", "content": ASKED["en"]}]}


@pytest.mark.parametrize(
    ("key", "role", "door", "status"),
    [
        pytest.param("", ROLE, "recall", 401, id="a program on this machine is nobody"),
        pytest.param("eve", ROLE, "recall", 200, id="the key of a user"),
        pytest.param("reader", ROLE, "recall/", 200, id="a slash at the end of the path"),
        pytest.param("eve", "Seraphina", "recall", 404, id="a role that is not the key's"),
        pytest.param("eve", "Nobody", "recall", 404, id="a role that is not there"),
        pytest.param("reader", ROLE, "recall", 200, id="a key that may read, reading"),
        pytest.param("reader", ROLE, "observe", 403, id="a key that may read, writing"),
        pytest.param("app", ROLE, "recall", 403, id="a key that names nobody"),
        pytest.param("boss", ROLE, "recall", 403, id="an administrator is no user"),
        pytest.param("claimed", "Seraphina", "recall", 200, id="a claim"),
        pytest.param("one role", ROLE, "recall", 200, id="a claim for one role"),
        pytest.param("one role", "Seraphina", "recall", 404, id="a claim for another role"),
        pytest.param("expired", ROLE, "recall", 401, id="a claim that is over"),
        pytest.param("forged", ROLE, "recall", 401, id="a claim with another's signature"),
        pytest.param("endless", ROLE, "recall", 401, id="a claim without an end"),
        pytest.param("unsigned", ROLE, "recall", 401, id="a claim without a signature"),
        pytest.param("boss's", ROLE, "recall", 401, id="a claim by a key that may administer"),
        pytest.param("not eve's", ROLE, "recall", 401, id="a claim for whom the key is not"),
        pytest.param("stranger's", ROLE, "recall", 401, id="a claim by a key that is not known"),
        pytest.param("widened", ROLE, "recall", 401, id="a claim for a role the key is not for"),
    ],
)
def test_what_a_key_opens(doors: Doors, key: str, role: str, door: str, status: int) -> None:
    answer = doors.ask(key, "POST", f"/api/roles/{role}/{door}", RECALL)
    assert answer.status_code == status, answer.text
    told = [name for name in ROLES if name != role and name in answer.text]
    assert status == 200 or not told, "a refusal tells of others"


@pytest.mark.parametrize(("method", "path"), OPEN)
def test_the_page_brings_no_key(doors: Doors, method: str, path: str) -> None:
    answer = doors.ask("", method, path)
    assert "set-cookie" not in answer.headers
    assert not [name for name in ROLES if name in answer.text]


@pytest.mark.parametrize(
    "header",
    [
        "X-Forwarded-For: 127.0.0.1",
        "X-Forwarded-Proto: https",
        "Forwarded: for=127.0.0.1",
        "X-Real-IP: ::1",
    ],
)
def test_forwarded_headers_count_from_named_proxies_alone(doors: Doors, header: str) -> None:
    head = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n{header}\r\n\r\n"
    assert raw(doors.house.port, head.encode()).startswith(b"HTTP/1.1 400")


def test_a_named_proxy_says_which_scheme_the_page_has(tmp_path: Path) -> None:
    settings = {"serve.service": True, "serve.trusted_proxies": ("127.0.0.0/8",)}
    with served(tmp_path, settings) as house:
        page = f"Host: 127.0.0.1:{house.port}\r\nOrigin: https://127.0.0.1:{house.port}"
        for proto, status in (("https", b"200"), ("http", b"403")):
            head = f"GET /healthz HTTP/1.1\r\n{page}\r\nX-Forwarded-Proto: {proto}\r\nX-Forwarded-For: 1.2.3.4\r\nConnection: close\r\n\r\n"
            assert raw(house.port, head.encode()).split()[1] == status
        head = f"GET /api/roles HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nX-Forwarded-For: 127.0.0.1\r\nConnection: close\r\n\r\n"
        assert raw(house.port, head.encode()).split()[1] == b"401", "nobody is local"


def test_no_key_goes_to_the_model(doors: Doors) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hello."}]}
    doors.ask("eve", "POST", "/v1/chat/completions", body)
    sent = doors.model.requests[-1]
    assert doors.keys["eve"] not in json.dumps([*sent.headers.items()]) + sent.body.decode()


def test_a_key_that_may_only_read_teaches_nothing(doors: Doors) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "I own a zinc trumpet."}]}
    for key in ("reader", "eve"):
        assert doors.ask(key, "POST", "/v1/chat/completions", body).status_code == 200
        assert doors.house.house.settle(30)
        asha = doors.house.home.role(ROLE)
        heard = asha.recall(["Which trumpet do I own?"], chat="z", user=USER, dry_run=True).text
        assert ("zinc" in heard) is (key == "eve")


def test_tools_take_no_role_and_no_user(doors: Doors) -> None:
    async def asked(key: str) -> tuple[list[Any], list[CallToolResult]]:
        headers = {"authorization": f"Bearer {doors.keys[key]}", "x-rolememory-user": "tom"}
        async with (
            httpx.AsyncClient(headers=headers, trust_env=False, verify=False, timeout=60) as line,
            Client(streamable_http_client(f"{doors.house.url}/mcp", http_client=line)) as client,
        ):
            tools = (await client.list_tools()).tools
            calls = [
                ("recall", {"message": ASKED["en"]}),
                ("search", {"query": "password"}),
                ("list", {}),
                ("recall", {"message": ASKED["en"], "user": "tom"}),
                ("recall", {"message": ASKED["en"], "role": "Seraphina"}),
                ("remember", {"content": f"{key} likes figs."}),
                ("forget", {"id": next(iter(doors.house.home.role(ROLE).memories))}),
            ]
            return tools, [await client.call_tool(name, told) for name, told in calls]

    tools, found = asyncio.run(asked("eve"))
    assert not [one for one in tools if {"role", "user"} & {*one.input_schema["properties"]}]
    assert [one.is_error for one in found] == [False, False, False, True, True, False, True]
    texts = [str(one.model_dump()) for one in found]
    assert not [leaked(text) for text in texts if leaked(text)]
    assert all(WORDS[ROLE, USER] in text for text in texts[:3])
    _, found = asyncio.run(asked("reader"))
    assert [one.is_error for one in found][-2:] == [True, True], "who may read writes nothing"
    figs = [one for one in doors.house.home.role(ROLE).memories.values() if "figs" in one.content]
    assert [(one.content, one.user) for one in figs] == [("eve likes figs.", USER)]


def test_a_header_chooses_among_the_roles_of_a_key(doors: Doors) -> None:
    async def listed(role: str) -> str:
        headers = {
            "authorization": f"Bearer {doors.keys['claimed']}",
            "x-rolememory-role": quote(role),
        }
        async with (
            httpx.AsyncClient(headers=headers, trust_env=False, verify=False, timeout=60) as line,
            Client(streamable_http_client(f"{doors.house.url}/mcp", http_client=line)) as client,
        ):
            return str((await client.call_tool("list", {})).model_dump())

    for role in ROLES:
        assert WORDS[role, USER] in asyncio.run(listed(role))


def test_keys_are_kept_as_digests_and_can_be_taken_away(tmp_path: Path) -> None:
    keys = ApiKeys(tmp_path, "t" * 32)
    made = keys.add("app")
    signed = claim("app", made, "lin")
    assert made not in (tmp_path / "keys.json").read_text()
    digest = json.loads((tmp_path / "keys.json").read_text())["keys"][0]["digest"]
    assert digest not in signed
    assert (tmp_path / "keys.json").stat().st_mode & 0o077 == 0
    again = ApiKeys(tmp_path, "t" * 32)
    assert [again.caller(one) is not None for one in (made, signed, "t" * 32, "")] == [
        True,
        True,
        True,
        False,
    ]
    keys.remove("app")
    assert [again.caller(one) for one in (made, signed)] == [None, None]
    with pytest.raises(UnknownNameError):
        keys.remove("app")
    with pytest.raises(InvalidValueError, match="cannot administer"):
        keys.add("half", ["a"], rights=["admin"])
    (tmp_path / "keys.json").write_text("{")
    with pytest.raises(InvalidValueError, match="cannot be read as keys"):
        again.caller(made)
