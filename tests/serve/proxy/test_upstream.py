"""The leg to the model's server: a line it left open may be dead when it is used again, and nobody should notice."""

import json
import socket
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.endpoint import Behaviour, Endpoint, Line
from tests.endpoint import raw as writes
from tests.serve.houses import served
from tests.serve.proxy.requests import request
from tests.serve.proxy.test_transparency import ask

WHOLE = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
HELLO = json.dumps(request([("user", "Hello")], stream=False)).encode()


def answers_once(*, reset: bool) -> Behaviour:
    """Answer, leave the line open, and close it when the next request has come over it."""

    def behave(line: Line) -> None:
        line.send(WHOLE)
        while b"Hello" not in line.socket.recv(65536):
            pass
        if reset:
            line.cut()

    return behave


@pytest.mark.parametrize(
    "reset", [pytest.param(False, id="it hangs up"), pytest.param(True, id="it resets the line")]
)
def test_an_idle_line_that_died_is_replaced_unnoticed(tmp_path: Path, reset: bool) -> None:
    with (
        Endpoint(answers_once(reset=reset), writes(WHOLE)) as model,
        served(tmp_path, {"serve.upstream": model.url}) as house,
    ):
        assert [ask(house, HELLO).status for _ in range(2)] == [200, 200]
        assert [one.body for one in model.requests] == [
            HELLO,
            HELLO,
        ]  # the one that was lost with its line was never answered


@pytest.mark.parametrize(
    "behaviour",
    [
        pytest.param(writes(), id="it hangs up"),
        pytest.param(lambda line: line.cut(), id="it resets the line"),
        pytest.param(writes(b"HTTP/1.1 200 OK\r\nno header\r\n\r\n"), id="it talks nonsense"),
    ],
)
def test_a_new_line_that_dies_is_told_and_asked_once(tmp_path: Path, behaviour: Behaviour) -> None:
    with Endpoint(behaviour) as model, served(tmp_path, {"serve.upstream": model.url}) as house:
        answer = ask(house, HELLO)
        assert (answer.status, json.loads(answer.body)["error"]["code"]) == (
            502,
            "upstream_unreachable",
        )
        assert len(model.requests) == 1


def test_what_comes_over_an_idle_line_is_nobodys_answer(tmp_path: Path) -> None:
    answered, told = threading.Event(), threading.Event()

    def behave(line: Line) -> None:
        line.send(WHOLE)
        assert answered.wait(30)
        line.send(b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n")
        told.set()
        line.wait()

    with (
        Endpoint(behave, writes(WHOLE)) as model,
        served(tmp_path, {"serve.upstream": model.url}) as house,
    ):
        assert ask(house, HELLO).status == 200
        answered.set()
        assert told.wait(30)
        assert ask(house, HELLO).status == 200


def test_an_idle_line_that_talks_nonsense_is_not_asked_again(tmp_path: Path) -> None:
    def behave(line: Line) -> None:
        line.send(WHOLE)
        while b"Hello" not in line.socket.recv(65536):
            pass
        line.send(b"HTTP/1.1 200 OK\r\nno header\r\n\r\n")

    with (
        Endpoint(behave, writes(WHOLE)) as model,
        served(tmp_path, {"serve.upstream": model.url}) as house,
    ):
        assert [ask(house, HELLO).status for _ in range(2)] == [200, 502]
        assert len(model.requests) == 1


class Searches:
    """Hears of every module that is searched for."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> None:
        self.names.append(name)


def test_a_call_searches_for_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searches = Searches()
    monkeypatch.delitem(sys.modules, "sniffio", raising=False)
    monkeypatch.setattr(sys, "meta_path", [searches, *sys.meta_path])
    with (
        Endpoint(writes(WHOLE)) as model,
        served(tmp_path, {"serve.upstream": model.url}) as house,
    ):
        ask(house, HELLO)  # what is loaded on first use
        searches.names.clear()
        assert ask(house, HELLO).status == 200
        assert not searches.names


def test_a_server_that_takes_no_connection_is_waited_for_as_long_as_the_settings_say(
    tmp_path: Path,
) -> None:
    with socket.socket() as full, ExitStack() as waiting:
        full.bind(("127.0.0.1", 0))
        full.listen(0)  # the system completes one connection more, and lets the next ones wait
        for _ in range(3):
            line = waiting.enter_context(socket.socket())
            line.setblocking(False)
            line.connect_ex(full.getsockname())
        settings = {
            "serve.upstream": f"http://127.0.0.1:{full.getsockname()[1]}/v1",
            "serve.connect_timeout_s": 0.2,
        }
        with served(tmp_path, settings) as house:
            answer = httpx.get(f"{house.url}/v1/models", timeout=60, trust_env=False)
    assert answer.status_code == 504
    assert answer.json()["error"]["code"] == "upstream_timeout"
