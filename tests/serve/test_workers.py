"""Several processes on one home and one port: whichever answers a turn, the character has one memory and one chat."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from rolememory import Home
from tests.e2e.server import until
from tests.endpoint import Endpoint
from tests.serve.proxy.upstreams import streams

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs POSIX signals")
COUNT = 3
SETTINGS = '[embedding]\nbackend = "off"\n[serve]\nrecall_timeout_s = 60.0\n'


@dataclass
class Together:
    """A server of several processes, as people start it."""

    process: "subprocess.Popen[str]"
    folder: Path
    model: Endpoint
    url: str = ""
    others: list[int] = field(default_factory=list)
    role: str = "Mira"
    said: list[dict[str, str]] = field(default_factory=list)

    @contextmanager
    def only(self, number: int) -> Iterator[None]:
        """The others stand still: what is asked now is taken by this one."""
        still = [pid for at, pid in enumerate([self.process.pid, *self.others]) if at != number]
        for pid in still:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in still:
                os.kill(pid, signal.SIGCONT)

    def ready(self, count: int) -> None:
        """Wait until so many further processes have told that they are there."""
        assert self.process.stderr is not None
        told = (re.search(r"worker (\d+) is ready", line) for line in self.process.stderr)
        for _ in range(count):
            self.others.append(int(next(found[1] for found in told if found)))

    def turn(self, text: str, reply: str, by: int, chat: str = "harbour", **hint: Any) -> str:
        """One exchange with a frontend that shows all of it, answered by that process; what the model was asked."""
        self.said.append({"role": "user", "content": text})
        self.model.now(streams(reply))
        named = {"role": self.role, "user": "Lin", "chat": chat, **hint}
        body = {"model": "m", "stream": True, "messages": self.said, "rolememory": named}
        with self.only(by):
            httpx.post(
                f"{self.url}/v1/chat/completions", json=body, timeout=60, verify=False
            ).raise_for_status()
        self.said.append({"role": "assistant", "content": reply})
        self.until(f"/chats/{chat}", reply)  # kept behind the answer
        return self.model.requests[-1].said

    def get(self, path: str, **headers: str) -> httpx.Response:
        """What REST tells of the role."""
        whole = f"{self.url}/api/roles/{self.role}{path}"
        return httpx.get(whole, headers=headers, timeout=60, verify=False)

    def until(self, path: str, words: str) -> str:
        """What stands at an address once these words are in it: what one process is told it does soon."""
        found = ""

        def came() -> bool:
            nonlocal found
            found = self.get(path).text
            return words in found

        until(came, lambda: f"{words!r} never came: {found}")
        return found


@contextmanager
def served_together(folder: Path) -> Iterator[Together]:
    (folder / "rolememory.toml").write_text(SETTINGS, encoding="utf-8")
    with Home.open(folder) as home:
        home.create("Mira")
    with Endpoint(streams("")) as model:
        command = [sys.executable, "-m", "rolememory", "--home", str(folder), "--json"]
        command += ["serve", "--upstream", model.url, "--port", "0", "--workers", str(COUNT)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            found = Together(process, folder, model)
            assert process.stdout is not None
            try:
                told = (re.search(r'"url": "(.+)/v1"', line) for line in process.stdout)
                found.url = next(one[1] for one in told if one)
                found.ready(COUNT - 1)
                yield found
            finally:
                process.terminate()
                process.wait(30)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Together]:
    with served_together(tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.fixture
def together(server: Together, request: pytest.FixtureRequest) -> Together:
    """The server, and a role of the test's own."""
    name = f"Mira {abs(hash(request.node.name))}"
    made = httpx.post(f"{server.url}/api/roles", json={"name": name}, timeout=60, verify=False)
    return replace(server, role=made.raise_for_status().json()["id"], said=[])


def test_one_chat_is_one_chat_whoever_answers(together: Together) -> None:
    for number in range(6):
        together.turn(f"I painted boat number {number}.", f"Boat {number} it is.", number % COUNT)
    del together.said[-1]
    asked = together.said.pop()["content"]
    together.turn(asked, "Another answer.", 0)  # a swipe of what the third answered
    (chat,) = together.get("/chats").json()["items"]
    assert chat["messages"] == 12
    assert "Boat 5 it is." not in [said["text"] for said in told(together)]


def told(together: Together) -> list[dict[str, Any]]:
    """The messages that stand in the chat."""
    found: list[dict[str, Any]] = together.get("/chats/harbour").json()["items"]
    return found


def test_what_one_heard_the_others_recall(together: Together) -> None:
    together.turn("My boat is called Heron, it lies at the north mole.", "A fine name.", 1)
    together.said.clear()
    assert "Heron" in together.turn("What is my boat called?", "Heron.", 2, chat="later")
    together.said.clear()
    assert "Heron" in together.turn("Where does my boat lie?", "North mole.", 0, chat="last")


def test_an_order_is_obeyed_once(together: Together) -> None:
    together.turn("Please remember that my sister is called Ida.", "I will.", 1)
    together.until("/memories", "Ida")
    together.turn("Good night.", "Good night.", 2)
    assert together.get("/memories").text.count('"id":') == 1


def test_memory_off_holds_in_every_process(together: Together) -> None:
    together.turn("My boat is called Heron.", "A fine name.", 0)
    together.said.clear()
    together.turn("/memory off", "Good.", 1, chat="new")
    assert "Heron" not in together.turn("What is my boat called?", "No idea.", 2, chat="new")
    together.turn("/memory on", "Good.", 0, chat="new")
    assert "Heron" in together.turn("What is my boat called?", "Heron.", 1, chat="new")


def test_who_was_there_is_known_to_all(together: Together) -> None:
    alone, both = ["Lin"], ["Lin", "Rafi"]
    together.turn("My secret boat is called Heron.", "Ours alone.", 1, present=alone)
    together.said.clear()
    open_to = together.turn("What is my boat called?", "Well.", 2, chat="open", present=both)
    assert "Heron" not in open_to
    together.said.clear()
    assert "Heron" in together.turn(
        "What is my boat called?", "Heron.", 0, chat="own", present=alone
    )


def test_all_turns_are_shown_by_the_first(together: Together) -> None:
    for number in range(COUNT):
        together.turn(f"I painted boat number {number}.", f"Boat {number}.", number)
    for _ in range(2 * COUNT):  # lines of their own, taken by whoever is first
        assert len(together.get("/turns").json()["items"]) == COUNT


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({}, 200, id="program"),
        pytest.param({"Origin": "http://evil.example"}, 403, id="foreign page"),
        pytest.param({"Host": "evil.example"}, 421, id="foreign name"),
        pytest.param({"X-Forwarded-For": "1.2.3.4"}, 401, id="through a proxy"),
        pytest.param(
            {
                "X-Forwarded-For": "1.2.3.4",
                "X-Rolememory-Relayed": 'x {"client": ["127.0.0.1", 1]}',
            },
            401,
            id="forged",
        ),
    ],
)
def test_the_guard_judges_who_asked(
    together: Together, headers: dict[str, str], status: int
) -> None:
    for _ in range(9):
        assert together.get("", **headers).status_code == status


def test_an_upload_is_relayed_whole(together: Together) -> None:
    memory = {"type": "episodic", "content": "x" * 5000 + " at the mill"}
    for _ in range(6):
        path = f"/api/roles/{together.role}/memories"
        made = httpx.post(f"{together.url}{path}", json=memory, timeout=60, verify=False)
        assert made.status_code in (200, 201)
        assert made.json()["content"] == memory["content"]


def test_one_that_dies_is_replaced_and_all_end_with_the_first(tmp_path: Path) -> None:
    with served_together(tmp_path) as together:
        together.turn("I painted the boat.", "So it is.", 1)
        os.kill(together.others.pop(), signal.SIGKILL)
        together.turn("I painted the oars.", "Those too.", 1)
        together.process.kill()
        assert together.process.stderr is not None
        together.process.stderr.read()  # ends once nobody holds it any more
        with pytest.raises(ConnectionRefusedError):
            HTTPConnection("127.0.0.1", urlsplit(together.url).port).connect()
