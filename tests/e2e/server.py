"""`rolememory serve` as a person starts it, and waiting for what it does."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any, Self
from urllib.parse import quote

import httpx

from tests.conformance.live.server import free_port

PATIENCE_S = 60.0  # far more than anything needs: machines may be busy
LOOK_S = 0.03


class Memory:
    """`rolememory serve` before the model, as a person starts it."""

    def __init__(self, home: Path, upstream: str) -> None:
        self.home, self.upstream, self.port = home, upstream, free_port()
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return (self.home / ".token").read_text(encoding="ascii").strip()

    def start(self) -> Self:
        words = [
            "serve",
            "--json",
            "--home",
            str(self.home),
            "--upstream",
            self.upstream,
            "--port",
            str(self.port),
        ]
        settings = {
            "HF_HUB_OFFLINE": "1",
            "TOKENIZERS_PARALLELISM": "false",
            "PYTHONUNBUFFERED": "1",
        }
        log = (self.home.parent / "server.log").open("a")
        with log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "rolememory", *words],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=os.environ | settings,
            )
        assert self._process.stdout
        first = self._process.stdout.readline()
        assert first, (
            f"the server did not start: {(self.home.parent / 'server.log').read_text()[-2000:]}"
        )
        threading.Thread(target=self._process.stdout.read, daemon=True).start()
        return self

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait(PATIENCE_S)
            if self._process.stdout:
                self._process.stdout.close()
            self._process = None

    def heard(self, words: str, role: str) -> None:
        """Wait until a visible message of this role's chats holds these words."""
        until(
            lambda: any(words in text for text in self.said(role)),
            lambda: f"nothing was heard of {words!r}; there is {self.said(role)}",
        )

    def remember(self, words: str, role: str) -> None:
        """Write a memory, as the page does."""
        self._change("POST", f"/roles/{quote(role, safe='')}/memories", json={"content": words})

    def delete(self, role: str) -> None:
        """Delete a role, as the page does."""
        self._change("DELETE", f"/roles/{quote(role, safe='')}")

    def _change(self, method: str, path: str, **body: Any) -> None:
        httpx.request(
            method,
            f"{self.url}/api{path}",
            headers={"Authorization": f"Bearer {self.token}"},
            trust_env=False,
            verify=False,
            timeout=PATIENCE_S,
            **body,
        ).raise_for_status()

    def said(self, role: str) -> list[str]:
        """The texts of all visible messages of a role's chats."""
        chats = f"/roles/{quote(role, safe='')}/chats"
        return [
            said["text"]
            for chat in self._ask(f"{chats}?limit=200")
            for said in self._ask(f"{chats}/{quote(chat['id'], safe='')}?limit=200")
        ]

    def understands(self) -> None:
        """Wait until meaning works; loading a model takes a while on a slow machine."""
        until(
            lambda: self.meaning != "loading",
            lambda: "the model is still being loaded",
            4 * PATIENCE_S,
        )
        assert self.meaning == "ready"

    @property
    def meaning(self) -> str:
        return str(
            httpx.get(
                f"{self.url}/healthz", trust_env=False, verify=False, timeout=PATIENCE_S
            ).json()["meaning"]
        )

    def contents(self, role: str) -> list[str]:
        """The texts of all memories of a role, given by name or id, those that do not count any more among them; none while nobody knows it."""
        return [
            one["content"] for one in self._ask(f"/roles/{quote(role, safe='')}/memories?limit=200")
        ]

    def everything(self) -> list[str]:
        """The texts of all memories."""
        return [
            text for role in self._ask("/roles?limit=200") for text in self.contents(role["id"])
        ]

    def _ask(self, path: str) -> list[dict[str, Any]]:
        answer = httpx.get(
            f"{self.url}/api{path}",
            headers={"Authorization": f"Bearer {self.token}"},
            trust_env=False,
            verify=False,
            timeout=PATIENCE_S,
        )
        if answer.status_code == httpx.codes.NOT_FOUND:
            return []
        items: list[dict[str, Any]] = answer.raise_for_status().json()["items"]
        return items


def until(
    holds: Callable[[], bool], otherwise: Callable[[], str], patience_s: float = PATIENCE_S
) -> None:
    """Wait for a condition."""
    last, pause = monotonic() + patience_s, threading.Event()
    while not holds():
        assert monotonic() < last, otherwise()
        pause.wait(LOOK_S)
