"""Who may come in, asked over real sockets."""

import asyncio
import http.client
import socket
from collections.abc import Iterator, MutableMapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from rolememory.serve.body import Body
from rolememory.serve.guard import cookie_name
from rolememory.serve.http_refusal import HttpRefusal
from tests.serve.houses import Served, raw, served


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("home")
    with served(
        folder,
        {
            "serve.allowed_origins": ("http://127.0.0.1:8000",),
            "serve.allowed_hosts": ("memory.lan",),
        },
    ) as open_house:
        yield open_house


def request(house: Served, method: str, path: str, body: bytes = b"", **headers: str) -> int:
    """The status of one request as a line of bytes, headers as given."""
    given = {
        "Host": f"127.0.0.1:{house.port}",
        "Connection": "close",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    if body:
        given.setdefault("Content-Length", str(len(body)))
    head = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
    answer = raw(house.port, f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
    return int(answer.split(b" ", 2)[1]) if answer else 0


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({}, 200, id="a program on this machine reads"),
        pytest.param({"Host": "localhost:1"}, 200, id="by the name localhost"),
        pytest.param({"Host": "[::1]:8787"}, 200, id="by the address ::1"),
        pytest.param({"Host": "memory.lan"}, 200, id="by a name that the settings allow"),
        pytest.param(
            {"Host": "evil.example"}, 421, id="a name that was bound to this machine by others"
        ),
        pytest.param(
            {"Host": "127.0.0.1.evil.example"}, 421, id="a name that begins like an address"
        ),
        pytest.param({"Host": "evil@127.0.0.1"}, 421, id="a name before the address"),
        pytest.param(
            {"Host": "192.168.0.9"}, 421, id="another address while listening on loopback"
        ),
        pytest.param({"Origin": "https://evil.example"}, 403, id="a page of a stranger reads"),
        pytest.param({"Origin": "null"}, 403, id="a page without an origin"),
        pytest.param(
            {"Origin": "http://127.0.0.1:8000"}, 200, id="an allowed page looks for the server"
        ),
        pytest.param(
            {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"},
            403,
            id="an image on a stranger's page",
        ),
        pytest.param(
            {
                "Sec_Fetch_Site": "cross-site",
                "Sec_Fetch_Mode": "navigate",
                "Sec_Fetch_Dest": "document",
            },
            200,
            id="a link that was followed",
        ),
        pytest.param(
            {
                "Sec_Fetch_Site": "cross-site",
                "Sec_Fetch_Mode": "navigate",
                "Sec_Fetch_Dest": "iframe",
            },
            403,
            id="a frame on a stranger's page",
        ),
    ],
)
def test_who_may_read(house: Served, headers: dict[str, str], status: int) -> None:
    assert request(house, "GET", "/healthz", **headers) == status


@pytest.mark.parametrize("path", ["/api/roles", "/api/events", "/mcp", "/openapi.json"])
def test_an_allowed_page_reads_only_with_the_token(house: Served, path: str) -> None:
    assert request(house, "GET", path, Origin="http://127.0.0.1:8000") == 401


def test_an_allowed_page_with_the_token_reads(house: Served) -> None:
    assert (
        request(
            house,
            "GET",
            "/api/roles",
            Origin="http://127.0.0.1:8000",
            Authorization=f"Bearer {house.house.token}",
        )
        == 200
    )


def test_the_preflight_of_an_allowed_page_is_answered(house: Served) -> None:
    head = f"OPTIONS /api/roles HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nOrigin: http://127.0.0.1:8000\r\nConnection: close\r\n\r\n"
    answer = raw(house.port, head.encode())
    assert answer.startswith(b"HTTP/1.1 204")
    assert b"access-control-allow-origin: http://127.0.0.1:8000" in answer
    assert b"access-control-allow-origin: *" not in answer


@pytest.mark.parametrize(
    ("wanted", "allowed"),
    [
        ("authorization,content-type", b"authorization,content-type"),
        ("X-Rolememory-Role, x-stainless-os", b"X-Rolememory-Role, x-stainless-os"),
        ("x-title; nothing", b""),
    ],
)
def test_an_allowed_page_may_send_the_headers_it_asks_for(
    house: Served, wanted: str, allowed: bytes
) -> None:
    head = (
        f"OPTIONS /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\n"
        "Origin: http://127.0.0.1:8000\r\nAccess-Control-Request-Method: POST\r\n"
        f"Access-Control-Request-Headers: {wanted}\r\nConnection: close\r\n\r\n"
    )
    answer = raw(house.port, head.encode())
    assert answer.startswith(b"HTTP/1.1 204")
    assert b"access-control-allow-headers: " + allowed + b"\r\n" in answer


def test_the_preflight_of_a_stranger_is_not(house: Served) -> None:
    assert (
        request(
            house,
            "OPTIONS",
            "/api/roles",
            Origin="https://evil.example",
            Access_Control_Request_Method="POST",
        )
        == 403
    )


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({"Content_Type": "text/plain"}, 415, id="a form that poses as text"),
        pytest.param(
            {"Content_Type": "application/x-www-form-urlencoded"}, 415, id="an ordinary form"
        ),
        pytest.param({"Content_Type": ""}, 415, id="a body without a type"),
        pytest.param(
            {"Content_Type": "application/json", "Origin": "https://evil.example"},
            403,
            id="a stranger's page",
        ),
        pytest.param(
            {"Content_Type": "application/json", "Content_Length": str(10**9)},
            413,
            id="a gigabyte is announced",
        ),
    ],
)
def test_who_may_not_write(house: Served, headers: dict[str, str], status: int) -> None:
    assert request(house, "POST", "/healthz", b"{}", **headers) == status


def test_our_own_page_writes_only_with_its_cookie(house: Served) -> None:
    own = {"Origin": f"http://127.0.0.1:{house.port}", "Content_Type": "application/json"}
    assert request(house, "POST", "/healthz", b"{}", **own) == 401
    name, token = cookie_name(house.house.token), house.house.token
    assert request(house, "POST", "/healthz", b"{}", Cookie=f"{name}={token}", **own) == 405
    assert request(house, "POST", "/healthz", b"{}", Cookie=f"{name}=wrong", **own) == 401


FORWARDED = [
    {"X-Forwarded-For": "203.0.113.9"},
    {"X-Forwarded-For": "127.0.0.1"},
    {"X-Forwarded-For": ""},
    {"Forwarded": "for=127.0.0.1"},
    {"X-Real-IP": "127.0.0.1"},
    {"X-Forwarded-Host": "127.0.0.1"},
    {"X-Forwarded-Proto": "https"},
    {"Via": "1.1 proxy"},
    {"CF-Connecting-IP": "127.0.0.1"},
]


@pytest.mark.parametrize("headers", FORWARDED, ids=str)
def test_what_comes_through_a_proxy_is_not_from_here(
    house: Served, headers: dict[str, str]
) -> None:
    with httpx.Client(
        base_url=house.url, headers=headers, timeout=60, trust_env=False, verify=False
    ) as visitor:
        for path in ("/api/roles", "/v1/models", "/healthz", "/mcp", "/api/events"):
            answer = visitor.get(path)
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token")
        assert visitor.post("/api/roles", json={"name": "Eve"}).status_code == 401
        page = visitor.get("/")
        assert page.status_code == 200
        assert "set-cookie" not in page.headers
        assert house.house.token not in page.text
        assert visitor.get("/api/roles", headers=house.auth).status_code == 200


def test_what_speaks_as_nginx_does_is_not_from_here(house: Served) -> None:
    head = f"GET /api/roles HTTP/1.0\r\nHost: 127.0.0.1:{house.port}\r\nConnection: close\r\n"
    assert raw(house.port, f"{head}\r\n".encode()).startswith(b"HTTP/1.1 401")
    page = raw(house.port, head.replace("/api/roles", "/").encode() + b"\r\n")
    assert page.startswith(b"HTTP/1.1 200")
    assert b"set-cookie" not in page.lower()
    token = f"Authorization: Bearer {house.house.token}\r\n"
    assert raw(house.port, f"{head}{token}\r\n".encode()).startswith(b"HTTP/1.1 200")


def test_two_servers_on_one_machine_have_cookies_of_their_own(tmp_path: Path) -> None:
    with (
        served(tmp_path / "one") as one,
        served(tmp_path / "two") as two,
        httpx.Client(
            timeout=60, trust_env=False, verify=False
        ) as browser,  # as browsers do, it forgets the port
    ):
        for house in (one, two):
            assert browser.get(house.url + "/").status_code == 200
        assert len(browser.cookies) == 2
        for house in (one, two):
            own = {"origin": house.url, "content-type": "application/json"}
            made = browser.post(f"{house.url}/api/roles", json={"name": "Asha"}, headers=own)
            assert made.status_code == 201, "the other's cookie did not take the place of this one"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"GET / HTTP/9.9\r\n\r\n", id="a version of the future"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", id="a TLS greeting"),
        pytest.param(b"GET " + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n", id="a path without end"),
        pytest.param(
            b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"x: y\r\n" * 20_000 + b"\r\n",
            id="headers without end",
        ),
        pytest.param(
            b"POST /api/roles HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            id="a chunk of no length",
        ),
        pytest.param(
            b"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
            id="a way out of the folder",
        ),
        pytest.param(b"GET / HTTP/1.1\r\n\r\n", id="no host at all"),
        pytest.param(b"\r\n\r\n\r\n", id="only blank lines"),
        pytest.param("GET / HTTP/1.1\r\nHost: 灯塔\r\n\r\n".encode(), id="a host in Chinese"),
    ],
)
def test_malformed_requests_break_nothing(house: Served, data: bytes) -> None:
    answer = raw(house.port, data, timeout=2.0)
    assert b" 200 " not in answer.split(b"\r\n", 1)[0]
    assert b"Traceback" not in answer
    assert request(house, "GET", "/healthz") == 200


def chunks(house: Served, path: str, size: int) -> bytes:
    """The answer to a body that does not say how long it will be."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
    piece = b"x" * 65_000
    body = b"%x\r\n%s\r\n" % (len(piece), piece) * (size // len(piece) + 1) + b"0\r\n\r\n"
    return raw(
        house.port,
        head.encode() + b"Accept: application/json, text/event-stream\r\n\r\n" + body,
        timeout=30,
    )


@pytest.mark.parametrize(
    "path",
    [
        "/v1/chat/completions",
        "/v1/embeddings",
        "/r/Asha/v1/completions",
        "/api/roles",
        "/mcp",
        "/nothing",
    ],
)
def test_a_body_without_end_is_refused_where_it_is_too_much(
    tmp_path: Path, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    with served(
        tmp_path, {"serve.max_body_mb": 0.1, "serve.upstream": "http://127.0.0.1:1/v1"}
    ) as house:
        answer = chunks(house, path, 400_000)
    assert answer.split(b" ", 2)[1] in (b"413", b"404")
    assert (path == "/nothing") == answer.startswith(b"HTTP/1.1 404")
    assert not [
        record
        for record in caplog.records
        if record.exc_info and record.name.startswith(("rolememory", "uvicorn"))
    ]


def test_many_large_bodies_at_once_are_more_than_are_held(tmp_path: Path) -> None:
    head = "POST /api/roles HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
    with served(tmp_path, {"serve.max_body_mb": 0.1}) as house, ExitStack() as lines:
        for _ in range(4):  # each a byte short of its end
            line = lines.enter_context(socket.create_connection(("127.0.0.1", house.port)))
            line.sendall(head.encode() + b" " * 99_999)
        refused = raw(house.port, head.encode() + b" " * 99_999, timeout=20)
        assert refused.startswith(b"HTTP/1.1 503")
        assert b'"busy"' in refused
        lines.close()
        while True:  # until the server has noticed that the others are gone
            answer = raw(house.port, head.encode() + b" " * 100_000, timeout=20)
            if not answer.startswith(b"HTTP/1.1 503"):
                break
        assert answer.startswith(b"HTTP/1.1 400")


def test_headers_that_never_end_are_not_waited_for(tmp_path: Path) -> None:
    with served(tmp_path, headers_s=1.0) as house, ExitStack() as lines:
        begun = list[socket.socket]()
        for _ in range(50):
            line = socket.create_connection(("127.0.0.1", house.port), timeout=60)
            begun.append(lines.enter_context(line))
            if len(begun) > 1:
                line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
        said = [b"".join(iter(lambda line=line: line.recv(4096), b"")) for line in begun]
        assert said[0] == b"", "who says nothing is sent away without a word"
        assert all(one.startswith(b"HTTP/1.1 408") for one in said[1:])


def test_headers_in_drops_are_not_waited_for_longer(tmp_path: Path) -> None:
    with served(tmp_path, headers_s=0.3) as house:
        with socket.create_connection(("127.0.0.1", house.port), timeout=20) as line:
            line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            line.settimeout(0.02)
            ended = False
            for _ in range(1000):  # twenty seconds of drops
                with suppress(TimeoutError):
                    ended = line.recv(4096).startswith(b"HTTP/1.1 408")
                    break
                line.sendall(b"x: y\r\n")
        assert ended
        line_kept = http.client.HTTPConnection("127.0.0.1", house.port, timeout=20)
        for _ in range(2):  # one request behind the other begins again
            line_kept.request("GET", "/healthz")
            answer = line_kept.getresponse()
            assert (answer.status, b"ok" in answer.read()) == (200, True)
        line_kept.close()


def test_a_body_that_never_comes_is_not_waited_for() -> None:
    refused: list[str] = []

    async def never() -> MutableMapping[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async def refuse(refusal: HttpRefusal) -> None:
        refused.append(refusal.code)

    async def asked() -> MutableMapping[str, Any]:
        return await Body(never, 10, refuse, within_s=0.01).receive()

    assert asyncio.run(asked()) == {"type": "http.disconnect"}
    assert refused == ["slow"]


@pytest.mark.parametrize(
    ("path", "headers", "code", "words"),
    [
        pytest.param(
            "/api/roles",
            {"Host": "evil.example"},
            "host",
            "这个服务不应答“evil.example”这个名字",
            id="a foreign name",
        ),
        pytest.param(
            "/api/roles",
            {"Origin": "https://evil.example"},
            "origin",
            "serve.allowed_origins",
            id="a stranger's page",
        ),
        pytest.param(
            "/api/roles",
            {"Origin": "http://127.0.0.1:8000"},
            "token",
            "令牌",
            id="an allowed page without the token",
        ),
        pytest.param(
            "/v1/models",
            {"Origin": "https://evil.example"},
            "origin",
            "rolememory: 来自",
            id="at the proxy, in the shape of its clients",
        ),
        pytest.param("/nothing", {}, "not_found", "/v1", id="an address that nobody has"),
        pytest.param(
            "/models",
            {},
            "not_found",
            "rolememory: 这个地址没有内容",
            id="a frontend whose URL lacks its end",
        ),
        pytest.param("/api/none", {}, "not_found", "这个地址没有内容", id="nothing under REST"),
    ],
)
def test_a_refusal_is_told_in_the_callers_language(
    house: Served, path: str, headers: dict[str, str], code: str, words: str
) -> None:
    answer = httpx.get(
        house.url + path,
        headers={"accept-language": "zh-TW,zh;q=0.9", **headers},
        timeout=60,
        trust_env=False,
        verify=False,
    )
    told = answer.json()["error"]
    assert answer.status_code >= 400
    assert told["code"] == code
    assert words in f"{told['message']} {told['hint']}"
    english = httpx.get(
        house.url + path, headers=headers, timeout=60, trust_env=False, verify=False
    ).json()["error"]
    assert english["code"] == code
    assert f"{english['message']} {english['hint']}".isascii()


def test_an_allowed_page_may_read_why_it_was_refused(house: Served) -> None:
    page = {"origin": "http://127.0.0.1:8000"}
    for url in ("/api/roles", "/api/none"):
        assert (
            httpx.get(
                house.url + url, headers=page, timeout=60, trust_env=False, verify=False
            ).headers["access-control-allow-origin"]
            == page["origin"]
        )
    stranger = httpx.get(
        f"{house.url}/api/roles",
        headers={"origin": "https://evil.example"},
        timeout=60,
        trust_env=False,
        verify=False,
    )
    assert "access-control-allow-origin" not in stranger.headers


@pytest.mark.parametrize(
    ("method", "path"),
    [
        pytest.param("OPTIONS", "/api/roles", id="options of REST, from a program"),
        pytest.param("OPTIONS", "/healthz", id="options"),
        pytest.param("TRACE", "/api/roles", id="trace"),
        pytest.param("PURGE", "/api/roles", id="a method nobody knows"),
        pytest.param("POST", "/healthz", id="writing where one reads"),
    ],
)
def test_a_method_that_is_not_taken_is_told_in_our_shape(
    house: Served, method: str, path: str
) -> None:
    answer = httpx.request(method, house.url + path, timeout=60, trust_env=False, verify=False)
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method")


@pytest.mark.parametrize(
    "length",
    [
        pytest.param(b"Content-Length: 2\r\nContent-Length: 3\r\n", id="two lengths"),
        pytest.param(b"Content-Length: 2, 3\r\n", id="two lengths in one"),
        pytest.param(b"Content-Length: abc\r\n", id="a length that is no number"),
        pytest.param(b"Content-Length: -1\r\n", id="less than nothing"),
        pytest.param(b"Content-Length: +2\r\n", id="a sign"),
        pytest.param(b"Transfer-Encoding: gzip, chunked\r\n", id="packed on the way"),
        pytest.param(
            b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", id="in pieces, twice"
        ),
        pytest.param(b"Transfer-Encoding : chunked\r\n", id="a blank before the colon"),
        pytest.param(b"Host: 127.0.0.1\r\n", id="a second host"),
        pytest.param(
            b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", id="a length and pieces"
        ),
        pytest.param(b"X: a\r\n b\rc: d\r\n", id="a lone line end in a header"),
    ],
)
def test_no_request_hides_in_another(house: Served, length: bytes) -> None:
    head = f"POST /v1/models HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nContent-Type: application/json\r\n".encode()
    answer = raw(
        house.port,
        head + length + b"\r\n{}GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        timeout=20,
    )
    assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 501"))
    assert answer.count(b"HTTP/1.1 ") == 1


def test_requests_one_behind_the_other_are_answered_in_order(house: Served) -> None:
    one = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\n"
    last = f"GET /api/none HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nConnection: close\r\n"
    with socket.create_connection(("127.0.0.1", house.port), timeout=20) as line:
        line.sendall(f"{one}\r\n{one}\r\n{last}\r\n".encode())
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    assert [part.split(b" ", 1)[0] for part in answer.split(b"HTTP/1.1 ")[1:]] == [
        b"200",
        b"200",
        b"404",
    ]


def test_who_hangs_up_in_the_middle_of_a_body_leaves_no_trace(
    house: Served, caplog: pytest.LogCaptureFixture
) -> None:
    head = f"POST /api/roles HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{{"
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", house.port), timeout=20) as line:
            line.sendall(head.encode())
    assert request(house, "GET", "/healthz") == 200
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_every_answer_of_ours_carries_the_headers_of_a_closed_page(house: Served) -> None:
    answer = raw(
        house.port,
        f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nConnection: close\r\n\r\n".encode(),
    )
    for name in (
        b"content-security-policy",
        b"x-content-type-options: nosniff",
        b"referrer-policy: no-referrer",
        b"frame-ancestors 'none'",
    ):
        assert name in answer.lower()
    assert b"unsafe-inline" not in answer


def test_the_token_is_made_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    with served(tmp_path) as first:
        token = first.house.token
        assert first.house.fresh_token
        assert (tmp_path / ".token").stat().st_mode & 0o077 == 0
    with served(tmp_path) as again:
        assert again.house.token == token
        assert not again.house.fresh_token


def test_a_token_of_the_environment_replaces_the_homes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, given = "http://127.0.0.1:8000", "a token that somebody chose"
    with served(tmp_path, {"serve.allowed_origins": (page,)}) as house:
        kept = house.house.token
    monkeypatch.setenv("ROLEMEMORY_TOKEN", given)
    with served(tmp_path, {"serve.allowed_origins": (page,)}) as house:
        codes = [
            httpx.get(
                f"{house.url}/api/roles",
                headers={"Origin": page, "Authorization": f"Bearer {token}"},
                timeout=60,
                trust_env=False,
            ).status_code
            for token in (given, kept)
        ]
    assert codes == [200, 401]
