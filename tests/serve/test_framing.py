"""Requests that two readers could read in two ways, over real sockets: none goes up, and none hides another one behind it."""

from collections.abc import Iterator

import pytest

from tests.endpoint import Endpoint, answers
from tests.serve.houses import Served, raw, served

BODY = b'{"model": "m", "messages": [{"role": "user", "content": "Hi."}]}'
HIDDEN = b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Hidden: yes\r\nContent-Length: 2\r\n\r\n{}"
TYPE = b"Content-Type: application/json\r\n"
Doors = tuple[Served, Endpoint]


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with (
        Endpoint(answers("Hm.")) as model,
        served(tmp_path_factory.mktemp("framing"), {"serve.upstream": model.url}) as house,
    ):
        yield house, model


def post(*lines: bytes, body: bytes = BODY, path: bytes = b"/v1/chat/completions") -> bytes:
    """A call of the proxy with these header lines."""
    head = b"".join(line + b"\r\n" for line in (b"Host: 127.0.0.1", *lines))
    return b"POST " + path + b" HTTP/1.1\r\n" + TYPE + head + b"\r\n" + body


def chunked(*parts: bytes) -> bytes:
    """A body in chunks, with its end."""
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


LENGTH = b"Content-Length: %d" % len(BODY)
SHORT = b"Content-Length: 4"
CHUNKED = b"Transfer-Encoding: chunked"
REFUSED = {
    "a length and chunks": post(LENGTH, CHUNKED, body=chunked(BODY) + HIDDEN),
    "chunks and a length": post(CHUNKED, SHORT, body=chunked(BODY) + HIDDEN),
    "two lengths": post(LENGTH, SHORT, body=BODY + HIDDEN),
    "two lengths in one line": post(b"Content-Length: %d, 4" % len(BODY), body=BODY + HIDDEN),
    "a length with a sign": post(b"Content-Length: +%d" % len(BODY), body=BODY + HIDDEN),
    "a negative length": post(b"Content-Length: -1", body=BODY + HIDDEN),
    "a length in hexadecimal": post(b"Content-Length: 0x40", body=BODY + HIDDEN),
    "a length with an underscore": post(b"Content-Length: 6_4", body=BODY + HIDDEN),
    "no number for a length": post(b"Content-Length: many", body=BODY + HIDDEN),
    "chunks under another name": post(b"Transfer-Encoding: xchunked", body=chunked(BODY) + HIDDEN),
    "chunks twice": post(b"Transfer-Encoding: chunked, chunked", body=chunked(BODY) + HIDDEN),
    "chunks that are packed": post(b"Transfer-Encoding: gzip, chunked", body=chunked(BODY)),
    "a blank before the colon": post(b"Content-Length : 4", body=BODY + HIDDEN),
    "a blank before chunks' colon": post(b"Transfer-Encoding : chunked", LENGTH),
    "a name with a blank": post(b"X Name: a", LENGTH),
    "a null in a value": post(b"X-Name: a\x00b", LENGTH),
    "a carriage return in a value": post(b"X-Name: a\rTransfer-Encoding: chunked", LENGTH),
    "no host": b"POST /v1/chat/completions HTTP/1.1\r\n" + TYPE + LENGTH + b"\r\n\r\n" + BODY,
    "a line without a colon": post(b"nonsense", LENGTH),
    "a chunk's size with a sign": post(CHUNKED, body=b"+4\r\n{}{}\r\n0\r\n\r\n" + HIDDEN),
    "a chunk's size in other letters": post(CHUNKED, body=b"xyz\r\n{}\r\n0\r\n\r\n" + HIDDEN),
    "a chunk longer than it says": post(CHUNKED, body=b"1\r\n{}\r\n0\r\n\r\n" + HIDDEN),
    "a way up": post(LENGTH, path=b"/v1/../admin"),
    "an escaped way up": post(LENGTH, path=b"/v1/%2e%2e/admin"),
    "a twice escaped way up": post(LENGTH, path=b"/v1/%252e%252e/admin"),
    "a way up with a backslash": post(LENGTH, path=b"/v1/..%5cadmin"),
    "a way up with a parameter": post(LENGTH, path=b"/v1/..;x/admin"),
    "no protocol": b"POST /v1/chat/completions\r\nHost: 127.0.0.1\r\n\r\n",
    "too many headers": post(LENGTH, *(b"X-%d: a" % one for one in range(300))),
    "headers without end": post(LENGTH, b"X-Long: " + b"a" * 200_000),
    "a body without end": post(b"Content-Length: 99999999999"),
}


@pytest.mark.parametrize("shape", REFUSED)
def test_what_can_be_read_in_two_ways_is_refused(doors: Doors, shape: str) -> None:
    house, model = doors
    before = len(model.requests)
    answer = raw(house.port, REFUSED[shape])
    assert answer.split(b" ", 2)[1:2] in ([b"400"], [b"413"], [b"421"], [b"431"]), answer[:200]
    assert answer.count(b"HTTP/1.1 ") == 1, "what stood behind it was answered too"
    assert len(model.requests) == before


GOOD = {
    "a length": post(LENGTH, b"Connection: close"),
    "chunks": post(CHUNKED, b"Connection: close", body=chunked(BODY[:9], BODY[9:])),
    "the same length twice": post(LENGTH, LENGTH, b"Connection: close"),
    "a chunk with an extension": post(
        CHUNKED, b"Connection: close", body=b"%x;a=b\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
    ),
}


@pytest.mark.parametrize("shape", GOOD)
def test_what_goes_up_ends_where_it_ended_here(doors: Doors, shape: str) -> None:
    house, model = doors
    before = len(model.requests)
    assert raw(house.port, GOOD[shape]).startswith(b"HTTP/1.1 200")
    (sent,) = model.requests[before:]
    assert sent.body == BODY
    names = [name.lower() for name in sent.headers]
    assert ("transfer-encoding" in names) + ("content-length" in names) == 1
