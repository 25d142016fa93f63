"""Bodies that come packed: read where we read them, bounded by what they unpack to, and told where nobody can unpack them."""

import asyncio
import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import httpx
import pytest

from rolememory.serve.body import PIECE, Unpacked
from tests.endpoint import Endpoint, answers
from tests.serve.houses import served

FACT = "Anna keeps bees in Riga."
CALL = {"model": "m", "messages": [{"role": "user", "content": "Who keeps bees in Riga? 里加呢？"}]}


def post(url: str, body: bytes, encoding: str) -> httpx.Response:
    headers = {"Content-Encoding": encoding, "Content-Type": "application/json"}
    return httpx.post(url, content=body, headers=headers, timeout=60, trust_env=False)


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("X-Gzip", gzip.compress), ("deflate", zlib.compress)],
)
@pytest.mark.parametrize("filler", [0, PIECE, 400_000], ids=["short", "one piece", "large"])
def test_a_packed_call_has_its_memory(
    tmp_path: Path, encoding: str, pack: Any, filler: int
) -> None:
    body = json.dumps({**CALL, "note": "x" * filler}).encode()
    with (
        Endpoint(answers("Anna.")) as model,
        served(tmp_path, {"serve.upstream": model.url}) as house,
    ):
        house.home.create("Asha").remember(FACT, keys=["Riga"])
        came = post(f"{house.url}/r/Asha/v1/chat/completions", pack(body), encoding)
        sent = model.requests[-1]
    assert came.status_code == 200
    assert FACT in sent.body.decode()
    assert "content-encoding" not in sent.headers
    assert sent.json["note"] == "x" * filler


def test_rest_reads_a_packed_body(tmp_path: Path) -> None:
    with served(tmp_path) as house:
        house.home.create("Asha").remember(FACT, keys=["Riga"])
        url = f"{house.url}/api/roles/Asha/search"
        query = json.dumps({"query": "Riga"}).encode()
        assert FACT in post(url, gzip.compress(query), "gzip").text
        refused = post(url, query, "br")
    assert refused.status_code == 415
    assert "'br'" in refused.text


def test_what_a_body_unpacks_to_is_bounded(tmp_path: Path) -> None:
    bomb = gzip.compress(b" " * 40 * 2**20)
    with (
        Endpoint(answers("Anna.")) as model,
        served(tmp_path, {"serve.upstream": model.url, "serve.max_body_mb": 1}) as house,
    ):
        for path in ("/v1/chat/completions", "/api/roles"):
            assert post(house.url + path, bomb, "gzip").status_code == 413
    assert not model.requests


def test_no_more_is_unpacked_at_once_than_is_counted() -> None:
    bomb = {"type": "http.request", "body": gzip.compress(b" " * 2**20), "more_body": False}

    async def pieces() -> list[int]:
        async def receive() -> dict[str, Any]:
            return bomb

        body, sizes = Unpacked(receive), list[int]()
        while (message := await body.receive())["more_body"]:
            sizes.append(len(message["body"]))
        return [*sizes, len(message["body"])]

    sizes = asyncio.run(pieces())
    assert sum(sizes) == 2**20
    assert max(sizes) <= PIECE


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"{}", id="not packed at all"),
        pytest.param(gzip.compress(b"{}" * 9000)[:-9], id="broken off"),
        pytest.param(gzip.compress(b"{}") + b"rest", id="something behind it"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_what_cannot_be_unpacked_is_told(tmp_path: Path, body: bytes) -> None:
    with (
        Endpoint(answers("Anna.")) as model,
        served(tmp_path, {"serve.upstream": model.url}) as house,
    ):
        refused = post(f"{house.url}/v1/chat/completions", body, "gzip")
    assert refused.status_code == 400
    assert "cannot be unpacked" in refused.text


def test_what_nobody_here_unpacks_passes_and_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        Endpoint(answers("Anna.")) as model,
        served(tmp_path, {"serve.upstream": model.url}) as house,
    ):
        for _ in range(2):
            assert (
                post(f"{house.url}/r/Asha/v1/chat/completions", b"\x0b\x02{}", "br").status_code
                == 200
            )
        assert post(f"{house.url}/v1/files", gzip.compress(b"x"), "gzip").status_code == 200
    assert [one.headers["content-encoding"] for one in model.requests] == ["br", "br", "gzip"]
    assert gzip.decompress(model.requests[-1].body) == b"x"
    assert [row.message.count("packed with br") for row in caplog.records].count(1) == 1
