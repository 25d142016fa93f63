"""Each setting of an embedding server does what its row in docs/en/settings.md says: a home asks it over HTTP, and keeps vectors, as it says."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rolememory import Home
from tests.endpoint import Endpoint, Line, Request
from tests.hashing import HashingEmbedder

ENGLISH, CHINESE, ASKED = "She keeps bees in Riga.", "她在里加养蜂。", "Who makes honey in Riga?"


def vectors(line: Line) -> None:
    asked = line.request.json
    rows = HashingEmbedder(asked.get("dimensions", 64)).embed(asked["input"]).tolist()
    data = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
    line.reply(json.dumps({"data": data}).encode())


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("ROLEMEMORY_EMBEDDING_KEY", "usual")
    monkeypatch.setenv("MINE", "mine")
    with Endpoint(vectors) as opened:
        yield opened


@dataclass(frozen=True)
class Seen:
    """What a server was asked, and what is kept."""

    requests: Sequence[Request]
    folder: Path

    @property
    def texts(self) -> list[str]:
        return [text for one in self.requests for text in one.json["input"]]

    @property
    def kept(self) -> int:
        """Bytes of the vectors."""
        files = (self.folder / ".cache").rglob("*")
        return sum(one.stat().st_size for one in files if "vectors" in str(one) and one.is_file())


def body(name: str) -> Callable[[Seen], Any]:
    return lambda seen: seen.requests[-1].json.get(name)


def key(seen: Seen) -> Any:
    return seen.requests[-1].headers["authorization"]


def texts(*wanted: str) -> Callable[[Seen], Any]:
    return lambda seen: [one in seen.texts for one in wanted]


@pytest.mark.parametrize(
    ("name", "value", "see", "usual", "then"),
    [
        ("backend", "off", lambda seen: bool(seen.requests), True, False),
        ("model", "bge", body("model"), "small", "bge"),
        ("dims", 32, body("dimensions"), None, 32),
        ("api_key_env", "MINE", key, "Bearer usual", "Bearer mine"),
        ("query_prefix", "Q: ", texts(ASKED, f"Q: {ASKED}"), [True, False], [False, True]),
        ("passage_prefix", "P: ", texts(ENGLISH, f"P: {ENGLISH}"), [True, False], [False, True]),
        ("languages", ["en"], texts(ENGLISH, CHINESE), [True, True], [True, False]),
        ("dtype", "float32", lambda seen: seen.kept > 400, False, True),
    ],
)
def test_a_server_of_vectors_is_asked_as_the_file_says(
    tmp_path: Path,
    server: Endpoint,
    name: str,
    value: Any,
    see: Callable[[Seen], Any],
    usual: Any,
    then: Any,
) -> None:
    told = {"backend": "endpoint", "endpoint": server.url, "model": "small"}
    for place, (own, wanted) in enumerate((({}, usual), ({name: value}, then))):
        folder = tmp_path / str(place)
        folder.mkdir()
        rows = [f"embedding.{one} = {json.dumps(it)}\n" for one, it in {**told, **own}.items()]
        (folder / "rolememory.toml").write_text("".join(rows), "utf-8")
        server.requests.clear()
        with Home.open(folder) as home:
            role = home.create("Mira")
            role.remember_all([ENGLISH, CHINESE])
            role.ready(60)
            role.recall(ASKED, user="lin")
        assert see(Seen(server.requests, role.folder)) == wanted
