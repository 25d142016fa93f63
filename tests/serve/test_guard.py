"""Who may come in, asked over real sockets."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.houses import Served, raw, served


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("home")
    with served(folder, {"serve.allowed_origins": ("http://127.0.0.1:8000",), "serve.allowed_hosts": ("memory.lan",)}) as open_house:
        yield open_house


def request(house: Served, method: str, path: str, body: bytes = b"", **headers: str) -> int:
    """The status of one request as a line of bytes, headers as given."""
    given = {"Host": f"127.0.0.1:{house.port}", "Connection": "close", **{name.replace("_", "-"): value for name, value in headers.items()}}
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
        pytest.param({"Host": "evil.example"}, 421, id="a name that was bound to this machine by others"),
        pytest.param({"Host": "127.0.0.1.evil.example"}, 421, id="a name that begins like an address"),
        pytest.param({"Host": "evil@127.0.0.1"}, 421, id="a name before the address"),
        pytest.param({"Host": "192.168.0.9"}, 421, id="another address while listening on loopback"),
        pytest.param({"Origin": "https://evil.example"}, 403, id="a page of a stranger reads"),
        pytest.param({"Origin": "null"}, 403, id="a page without an origin"),
        pytest.param({"Origin": "http://127.0.0.1:8000"}, 401, id="an allowed page without the token"),
        pytest.param({"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"}, 403, id="an image on a stranger's page"),
        pytest.param(
            {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}, 200, id="a link that was followed"
        ),
        pytest.param(
            {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"},
            403,
            id="a frame on a stranger's page",
        ),
    ],
)
def test_who_may_read(house: Served, headers: dict[str, str], status: int) -> None:
    assert request(house, "GET", "/healthz", **headers) == status


def test_an_allowed_page_with_the_token_reads(house: Served) -> None:
    assert request(house, "GET", "/healthz", Origin="http://127.0.0.1:8000", Authorization=f"Bearer {house.house.token}") == 200


def test_the_preflight_of_an_allowed_page_is_answered(house: Served) -> None:
    head = f"OPTIONS /api/roles HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nOrigin: http://127.0.0.1:8000\r\nConnection: close\r\n\r\n"
    answer = raw(house.port, head.encode())
    assert answer.startswith(b"HTTP/1.1 204")
    assert b"access-control-allow-origin: http://127.0.0.1:8000" in answer
    assert b"access-control-allow-origin: *" not in answer


def test_the_preflight_of_a_stranger_is_not(house: Served) -> None:
    assert request(house, "OPTIONS", "/api/roles", Origin="https://evil.example", Access_Control_Request_Method="POST") == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({"Content_Type": "text/plain"}, 415, id="a form that poses as text"),
        pytest.param({"Content_Type": "application/x-www-form-urlencoded"}, 415, id="an ordinary form"),
        pytest.param({"Content_Type": ""}, 415, id="a body without a type"),
        pytest.param({"Content_Type": "application/json", "Origin": "https://evil.example"}, 403, id="a stranger's page"),
        pytest.param({"Content_Type": "application/json", "Content_Length": str(10**9)}, 413, id="a gigabyte is announced"),
    ],
)
def test_who_may_not_write(house: Served, headers: dict[str, str], status: int) -> None:
    assert request(house, "POST", "/healthz", b"{}", **headers) == status


def test_our_own_page_writes_only_with_its_cookie(house: Served) -> None:
    own = {"Origin": f"http://127.0.0.1:{house.port}", "Content_Type": "application/json"}
    assert request(house, "POST", "/healthz", b"{}", **own) == 401
    assert request(house, "POST", "/healthz", b"{}", Cookie=f"rolememory={house.house.token}", **own) == 405
    assert request(house, "POST", "/healthz", b"{}", Cookie="rolememory=wrong", **own) == 401


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"GET / HTTP/9.9\r\n\r\n", id="a version of the future"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", id="a TLS greeting"),
        pytest.param(b"GET " + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n", id="a path without end"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"x: y\r\n" * 20_000 + b"\r\n", id="headers without end"),
        pytest.param(
            b"POST /api/roles HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            id="a chunk of no length",
        ),
        pytest.param(
            b"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", id="a way out of the folder"
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


def test_every_answer_of_ours_carries_the_headers_of_a_closed_page(house: Served) -> None:
    answer = raw(house.port, f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nConnection: close\r\n\r\n".encode())
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
