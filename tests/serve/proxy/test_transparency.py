"""What passes through is what came, byte for byte: any body, any headers, any answer however it is cut into pieces."""

import gzip
import http.client
import json
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.endpoint import Behaviour, Endpoint
from tests.endpoint import raw as writes
from tests.serve.houses import Served, served
from tests.serve.proxy.requests import request
from tests.serve.proxy.upstreams import chunk, lines

CHAT = "/v1/chat/completions"
FEW = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
    database=None,
)
TEXT = st.text(max_size=30) | st.sampled_from(
    ["灯塔在雾里灭了", "👩‍🚀", "\u2028", "data: x\n\ndata: [DONE]", "{{char}}", "\x00"]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
HEADER = st.tuples(
    st.text("abcdefghijklmnopqrstuvwxyz-", min_size=1, max_size=12).map(lambda name: f"x-{name}"),
    st.text(
        st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_categories=["Cc"]),
        max_size=20,
    ).map(lambda value: value.strip().encode("latin-1")),
)


@dataclass(frozen=True)
class Answer:
    """What came back, as the wire had it."""

    status: int
    body: bytes
    headers: list[tuple[str, str]]

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)


class Way:
    """A house and the model behind it. No dataclass: what is drawn is printed, and this would be printed with it."""

    def __init__(self, house: Served, model: Endpoint) -> None:
        self.house, self.model = house, model


def ask(
    house: Served,
    body: bytes,
    path: str = CHAT,
    method: str = "POST",
    headers: Sequence[tuple[str, bytes]] = (),
) -> Answer:
    """One request with exactly these bytes; nothing is unpacked."""
    line = http.client.HTTPConnection("127.0.0.1", house.port, timeout=60)
    try:
        line.putrequest(method, path, skip_accept_encoding=True)
        for name, value in (
            ("content-type", b"application/json"),
            ("content-length", str(len(body)).encode()),
            *headers,
        ):
            line.putheader(name, value)
        line.endheaders(body)
        answer = line.getresponse()
        return Answer(answer.status, answer.read(), answer.getheaders())
    finally:
        line.close()


def in_pieces(
    body: bytes,
    cuts: Sequence[int],
    kind: str = "text/event-stream",
    trailer: bytes = b"",
    **headers: str,
) -> Behaviour:
    """An answer in chunks that are cut anywhere, with whatever trailer."""
    places = [0, *sorted(cut % (len(body) + 1) for cut in cuts), len(body)]
    pieces = [body[start:end] for start, end in pairwise(places) if end > start]
    named = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n{named}\r\n".encode()
    return writes(
        head,
        *(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces),
        b"0\r\n" + trailer + b"\r\n",
    )


EVENT = st.one_of(
    JSON.map(lambda value: b"data: " + json.dumps(value).encode() + b"\n\n"),
    TEXT.map(
        lambda text: (
            b"data: " + json.dumps(chunk(content=text), ensure_ascii=False).encode() + b"\n\n"
        )
    ),
    JSON.map(
        lambda value: b"data: " + json.dumps({"choices": [{"delta": value}]}).encode() + b"\r\n\r\n"
    ),
    JSON.map(
        lambda value: (
            b"data:"
            + json.dumps({"choices": [{"delta": {"content": value, "tool_calls": value}}]}).encode()
            + b"\n\n"
        )
    ),
    JSON.map(
        lambda value: (
            b"event: x\nid: 1\nretry: 5\ndata: " + json.dumps({"choices": value}).encode() + b"\n\n"
        )
    ),
    st.sampled_from(
        [
            b": keep-alive\n\n",
            b": OPENROUTER PROCESSING\r\n\r\n",
            b"\n",
            b"\r\n",
            b"data\n\n",
            b"data: \n\n",
            b"data: [DONE]\n\n",
        ]
    ),
    st.binary(max_size=40),
    st.just(b"data: " + b"x" * 70_000 + b"\n\n"),
)
STREAM = st.lists(EVENT, max_size=6).map(b"".join)
CUTS = st.lists(st.integers(0, 200_000), max_size=6)


@pytest.fixture(scope="module", params=[False, True], ids=["memory off", "memory on"])
def between(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Way]:
    with house(tmp_path_factory.mktemp("home"), memory=request.param) as found:
        yield found


@pytest.fixture(scope="module")
def remembering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Way]:
    with house(tmp_path_factory.mktemp("home"), memory=True) as found:
        yield found


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Way]:
    with house(tmp_path_factory.mktemp("home"), memory=False) as found:
        yield found


@contextmanager
def house(folder: Path, memory: bool) -> Iterator[Way]:
    """A house before a scripted model; its one role always remembers something."""
    with (
        Endpoint(in_pieces(b"", ())) as model,
        served(folder, {"serve.upstream": model.url, "serve.memory": memory}) as found,
    ):
        found.home.create("Asha").remember("Oil is counted on Sundays.", constant=True)
        yield Way(found, model)


@FEW
@given(
    body=JSON.filter(lambda one: not isinstance(one, dict) or "rolememory" not in one).map(
        lambda value: json.dumps(value).encode()
    )
    | st.binary(max_size=200),
    headers=st.lists(HEADER, max_size=3, unique_by=lambda pair: pair[0]),
)
def test_without_memory_any_request_goes_up_as_it_came(
    forgetful: Way, body: bytes, headers: list[tuple[str, bytes]]
) -> None:
    house, model = forgetful.house, forgetful.model
    model.now(in_pieces(b"ok", ()))
    ask(house, body, headers=headers)
    came = model.requests[-1]
    assert came.body == body
    assert {name: came.headers[name].encode("latin-1") for name, _ in headers} == dict(headers)


@FEW
@given(stream=STREAM, cuts=CUTS)
def test_any_stream_comes_back_as_it_was(between: Way, stream: bytes, cuts: list[int]) -> None:
    house, model = between.house, between.model
    model.now(in_pieces(stream, cuts, x_upstream="yes"))
    answer = ask(
        house, json.dumps(request([("user", "Hello")], hint={"role": "Asha", "chat": "c"})).encode()
    )
    assert (answer.status, answer.body, answer.header("x-upstream")) == (200, stream, "yes")


@FEW
@given(body=JSON.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=200), cuts=CUTS)
def test_any_whole_answer_comes_back_as_it_was(between: Way, body: bytes, cuts: list[int]) -> None:
    house, model = between.house, between.model
    model.now(in_pieces(body, cuts, "application/json"))
    answer = ask(house, json.dumps(request([("user", "Hello")], stream=False)).encode())
    assert (answer.status, answer.body) == (200, body)


MESSAGE = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["system", "user", "assistant", "tool", "developer"]),
        "content": TEXT | st.none(),
    },
    optional={"name": TEXT, "tool_calls": JSON, "unknown": JSON},
) | st.fixed_dictionaries(
    {
        "role": st.just("user"),
        "content": st.lists(
            st.fixed_dictionaries({"type": st.just("text"), "text": TEXT}), max_size=2
        ),
    }
)


@FEW
@given(
    messages=st.lists(MESSAGE, max_size=5),
    rest=st.dictionaries(
        TEXT.filter(lambda name: name not in ("rolememory", "messages")), JSON, max_size=3
    ),
)
def test_with_memory_only_block_and_hint_differ(
    remembering: Way, messages: list[dict[str, Any]], rest: dict[str, Any]
) -> None:
    house, model = remembering.house, remembering.model
    model.now(in_pieces(lines([chunk(content="Hm.")]), ()))
    body = {
        **rest,
        "model": "m",
        "messages": messages,
        "rolememory": {"role": "Asha", "chat": "c", "type": "normal"},
    }
    assert ask(house, json.dumps(body).encode()).status == 200
    came = model.requests[-1].json
    assert {**came, "messages": without_block(came["messages"], messages)} == {
        **rest,
        "model": "m",
        "messages": messages,
    }


def without_block(came: list[Any], sent: list[Any]) -> list[Any]:
    """The messages without the one that is ours."""
    return [one for one in came if one in sent or "<rolememory>" not in str(one.get("content"))]


def sent_back(status: str, *headers: bytes, body: bytes = b"", close: bool = False) -> Behaviour:
    """These header lines and this body."""
    length = b"" if close else b"content-length: %d\r\n" % len(body)
    return writes(
        f"HTTP/1.1 {status}\r\n".encode()
        + b"".join(one + b"\r\n" for one in headers)
        + length
        + b"\r\n"
        + body
    )


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        pytest.param(
            "200 OK",
            [b"set-cookie: a=1", b"set-cookie: b=2"],
            b"{}",
            id="a header that comes twice",
        ),
        pytest.param("200 OK", ["x-name: 明月".encode()], b"{}", id="a header in UTF-8"),
        pytest.param("200 OK", [b"x-name: caf\xe9"], b"{}", id="a header in Latin-1"),
        pytest.param(
            "418 I am a teapot", [b"x-a: 1"], b"short and stout", id="a status of its own"
        ),
        pytest.param(
            "302 Found",
            [b"location: http://elsewhere.example/"],
            b"",
            id="a redirection is the frontend's to follow",
        ),
        pytest.param(
            "429 Slow down", [b"retry-after: 7"], b'{"error": {}}', id="when to come back"
        ),
        pytest.param("204 No Content", [b"x-a: 1"], b"", id="no content"),
        pytest.param("200 OK", [b"content-type: audio/mpeg"], bytes(range(256)) * 300, id="sound"),
    ],
)
def test_an_answer_keeps_status_headers_and_body(
    between: Way, status: str, headers: list[bytes], body: bytes
) -> None:
    house, model = between.house, between.model
    model.now(sent_back(status, *headers, body=body))
    answer = ask(house, json.dumps(request([("user", "Hello")])).encode())
    assert (answer.status, answer.body) == (int(status[:3]), body)
    came = [(name.lower(), value) for name, value in answer.headers]
    for header in headers:
        name, _, value = header.decode("latin-1").partition(": ")
        assert (name, value) in came


@pytest.mark.parametrize(
    "body",
    [b"{}", b"x" * 300_000, lines([chunk(content="灯")])],
    ids=["small", "large", "a stream"],
)
@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress)],
    ids=["gzip", "deflate"],
)
def test_a_packed_answer_says_the_same(between: Way, encoding: str, pack: Any, body: bytes) -> None:
    house, model = between.house, between.model
    model.now(in_pieces(pack(body), (7, 11, 1000), content_encoding=encoding))
    answer = ask(house, json.dumps(request([("user", "Hello")])).encode())
    unpacked = (
        zlib.decompress(answer.body, 47)
        if answer.header("content-encoding") == encoding
        else answer.body
    )
    assert unpacked == body


def test_trailers_and_the_end_of_a_line_end_an_answer(between: Way) -> None:
    house, model = between.house, between.model
    for behaviour in (
        in_pieces(b"data: x\n\n", (3,), trailer=b"x-checksum: 1\r\n"),
        sent_back("200 OK", body=b"data: x\n\n", close=True),
    ):
        model.now(behaviour)
        assert ask(house, json.dumps(request([("user", "Hello")])).encode()).body == b"data: x\n\n"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/models/org%2Fname", id="a slash in a name"),
        pytest.param("/files/a%3Fb%23c%25d", id="marks of an address in a name"),
        pytest.param(
            "/models/%E6%98%8E%E6%9C%88?after=%E6%98%8E&limit=2&x=a+b",
            id="Chinese in path and query",
        ),
        pytest.param("/models//x/", id="empty parts and a slash at the end"),
    ],
)
@pytest.mark.parametrize("door", ["/v1", "/r/Asha/v1"], ids=["plain", "of a role"])
def test_an_address_goes_up_as_it_was_written(between: Way, door: str, path: str) -> None:
    house, model = between.house, between.model
    model.now(in_pieces(b"{}", ()))
    assert ask(house, b"", door + path, "GET").status == 200
    assert model.requests[-1].path == f"/v1{path}"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/../admin", id="up"),
        pytest.param("/models/../../admin", id="down and up twice"),
        pytest.param("/%2e%2e/admin", id="spelt in hexadecimal"),
        pytest.param("/%2E./admin", id="half of it"),
        pytest.param("/..%2fadmin", id="with an escaped slash"),
        pytest.param("/..%5cadmin", id="with a backslash"),
        pytest.param("/%252e%252e/admin", id="escaped twice"),
        pytest.param("/..;x=1/admin", id="with a parameter"),
        pytest.param("/./models", id="a dot"),
        pytest.param("/..", id="at the end"),
    ],
)
@pytest.mark.parametrize("door", ["/v1", "/r/Asha/v1"], ids=["plain", "of a role"])
def test_no_address_leads_out_of_the_upstreams(between: Way, door: str, path: str) -> None:
    house, model = between.house, between.model
    asked = len(model.requests)
    answer = ask(house, b"{}", door + path)
    assert (answer.status, json.loads(answer.body)["error"]["code"]) == (400, "path")
    assert len(model.requests) == asked


def test_the_model_hears_only_headers_that_the_frontend_sent(between: Way) -> None:
    house, model = between.house, between.model
    model.now(sent_back("200 OK", b"set-cookie: whose=somebody", body=b"{}"))
    for _ in range(2):  # a cookie that came with one answer is not sent with the next call
        ask(house, json.dumps(request([("user", "Hello")])).encode(), headers=[("x-own", b"1")])
    sent = set(model.requests[-1].headers) - {"accept-encoding"}  # no packing, where we read too
    assert sent == {"host", "content-type", "content-length", "x-own"}


def test_what_headers_tell_us_stays_with_us(between: Way) -> None:
    house, model = between.house, between.model
    told = ("Token", "User", "Role", "Chat", "Anything-New")
    headers = [(f"X-Rolememory-{name}", b"secret") for name in told]
    ask(
        house,
        json.dumps(request([("user", "Hello")])).encode(),
        headers=[*headers, ("x-own", b"1")],
    )
    came = model.requests[-1].headers
    assert "x-own" in came
    assert not [name for name in came if name.lower().startswith("x-rolememory")]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[1]",
        b'"x"',
        b"\xff\xfe",
        b'{"messages": "none"}',
        b'{"messages": [1, null, {}]}',
        b'{"n": NaN}',
    ],
)
def test_what_is_no_chat_goes_up_untouched(between: Way, body: bytes) -> None:
    house, model = between.house, between.model
    model.now(in_pieces(b"{}", ()))
    assert ask(house, body).status == 200
    assert model.requests[-1].body == body
