"""serve as a person starts it: a process with an address, a key, a role, and one chat through it."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import takewhile
from os import environ
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest

from rolememory.storage.settings_text import set_value
from tests.cli.running import ENVIRONMENT, Command
from tests.e2e.server import Memory
from tests.endpoint import Endpoint, Line, answers

CTRL_C = {"en": "Ctrl-C ends", "zh": "按 Ctrl-C 结束"}
ELSEWHERE = "127.0.0.2"
ASKED = {"model": "m", "messages": [{"role": "user", "content": "Why is the beacon dark?"}]}


@contextmanager
def serving(home: Path, *options: str) -> Iterator[str]:
    """The address it greets with."""
    words = ["--home", str(home), "serve", "--json", "--port", "0", *options]
    with subprocess.Popen(
        [sys.executable, "-m", "rolememory", *words],
        stdout=subprocess.PIPE,
        env=environ | ENVIRONMENT | {"PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            assert process.stdout is not None
            text, greeting = "", None
            while greeting is None:
                line = process.stdout.readline().decode()
                assert line, "it ended without a greeting"
                text += line
                greeting = whole(text)
            yield str(greeting["url"])
        finally:
            process.send_signal(signal.SIGINT)


def whole(text: str) -> Any:
    """The JSON of a text that may not be at its end; None until then."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def post(url: str, key: str = "") -> httpx.Response:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx.post(
        f"{url}/chat/completions",
        json=ASKED,
        headers=headers,
        timeout=60,
        trust_env=False,
        verify=False,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one loopback address")
def test_it_listens_where_it_is_told_and_puts_in_the_key_and_the_role(command: Command) -> None:
    set_value(command.home, "serve.recall_timeout_s", 60.0)
    with Endpoint(answers("The oil ran out.")) as model:
        options = ("--host", ELSEWHERE, "--upstream", model.url, "--api-key", "sk-of-the-model")
        with serving(command.home, *options, "--role", "Mira") as url:
            assert url.startswith(f"http://{ELSEWHERE}:")
            token = (command.home / ".token").read_text("ascii").strip()
            assert post(url, token).json()["choices"][0]["message"]["content"] == "The oil ran out."
        (request,) = model.requests
        assert request.headers["authorization"] == "Bearer sk-of-the-model"
        assert "storm of 1887" in request.said


def test_as_a_service_nobody_is_let_in_without_a_key(command: Command) -> None:
    told = ("--role", "Mira", "--user", "lin", "--rights", "read,write", "--json")
    key = command("keys", "add", "lin", *told).json["key"]
    with Endpoint(answers("The oil ran out.")) as model:
        with serving(command.home, "--service", "--upstream", model.url, "--role", "Mira") as url:
            assert [post(url, one).status_code for one in ("", "sk-other", key)] == [401, 401, 200]
        assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "API key of each caller: one of 1 that `rolememory keys add NAME` made"),
        ("zh", "现有 1 个"),
    ],
)
def test_a_service_greets_with_how_callers_get_in(
    command: Command, language: str, told: str
) -> None:
    command("keys", "add", "lin", "--user", "lin")
    words = ["--home", str(command.home), "--lang", language, "serve", "--service", "--port", "0"]
    with subprocess.Popen(
        [sys.executable, "-m", "rolememory", *words],
        stdout=subprocess.PIPE,
        env=environ | ENVIRONMENT | {"PYTHONUNBUFFERED": "1"},
        encoding="utf-8",
    ) as process:
        try:
            assert process.stdout is not None
            lines = list(takewhile(lambda line: CTRL_C[language] not in line, process.stdout))
        finally:
            process.send_signal(signal.SIGINT)
    assert any(told in line for line in lines), lines
    assert not any((command.home / ".token").read_text("ascii").strip() in one for one in lines)


def test_who_waits_when_it_is_stopped_is_told_and_the_log_stays_short(tmp_path: Path) -> None:
    asked, released = Event(), Event()

    def waits(line: Line) -> None:
        asked.set()
        released.wait(60)

    (tmp_path / "home").mkdir()
    with Endpoint(waits) as model, ThreadPoolExecutor() as pool:
        server = Memory(tmp_path / "home", f"{model.url}/v1").start()
        answer = pool.submit(
            httpx.post,
            f"{server.url}/v1/chat/completions",
            json=ASKED,
            timeout=60,
            trust_env=False,
            verify=False,
        )
        try:
            assert asked.wait(60)
        finally:
            server.stop()
            released.set()
        assert answer.result().status_code == 503
        assert answer.result().json()["error"]["code"] == "stopping"
    assert "Traceback" not in (tmp_path / "server.log").read_text("utf-8")
