"""`rolememory model fetch`, begun over REST: in a process of its own, for a library that downloads models must not take the server along."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from rolememory.locales import LocalizedText
from rolememory.serve.rest.dependencies import HomeCall
from rolememory.serve.rest.schemas import Out
from rolememory.text.embed.catalogue import RecommendedModel

READY = LocalizedText("restart the server to use it")
LOOK_S = 1.0  # between two looks at how much of a model has arrived


class FetchOut(Out):
    """How a fetch stands; every step is an event `model` as well."""

    name: str = ""
    state: str = "none"
    """none, fetching, done, failed"""
    bytes: int = 0
    expected: int = 0
    text: str = ""
    """failed: why; done: what to do now"""


class Fetches:
    """Fetching a model from the hub, one at a time."""

    def __init__(self) -> None:
        self.state = FetchOut()
        self._running: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def begin(self, call: HomeCall, model: RecommendedModel) -> FetchOut:
        """Start, unless one is running; that one's state then."""
        with self._lock:
            if self._running is None:
                ours = [sys.executable, "-m", "rolememory", "model", "fetch", model.name, "--json"]
                told = ["--home", str(call.home.path), "--lang", call.language]
                self._running = subprocess.Popen(  # noqa: S603  # our own program
                    [*ours, *told], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                    errors="replace", env={**os.environ, "PYTHONIOENCODING": "utf-8"},
                )  # fmt: skip
                expected = model.megabytes * 10**6
                self.state = FetchOut(name=model.name, expected=expected)
                self._tell(call, state="fetching")
                follow = (call, self._running, _cache(model))
                threading.Thread(target=self._follow, args=follow, daemon=True).start()
            return self.state

    def stop(self) -> None:
        """End what is running: what has arrived stays where it is."""
        with self._lock:
            if self._running is not None:
                self._running.terminate()

    def _tell(self, call: HomeCall, **changes: Any) -> None:
        """A step further."""
        self.state = self.state.model_copy(update=changes)
        call.bus.tell("model", **self.state.model_dump())

    def _follow(self, call: HomeCall, running: "subprocess.Popen[str]", folder: Path) -> None:
        with running:
            said = self._said(call, running, folder)
        if running.returncode == 0:
            ended = {"state": "done", "bytes": self.state.expected, "text": call.say(READY)}
        else:
            why = (said.strip().splitlines() or [""])[-1][:500]
            ended = {"state": "failed", "bytes": 0, "text": call.say(why)}
        with self._lock:
            self._running = None
            self._tell(call, **ended)

    def _said(self, call: HomeCall, running: "subprocess.Popen[str]", folder: Path) -> str:
        """Tell how much has arrived until it ends; what it said on standard error."""
        while True:
            try:
                return running.communicate(timeout=LOOK_S)[1]
            except subprocess.TimeoutExpired:
                self._tell(call, bytes=min(_size(folder), self.state.expected))


def _cache(model: RecommendedModel) -> Path:
    """Where the hub's library keeps a model that it fetches."""
    try:
        from huggingface_hub.constants import HF_HUB_CACHE
    except ImportError:
        return Path()
    return Path(HF_HUB_CACHE) / f"models--{model.repository.replace('/', '--')}" / "blobs"


def _size(folder: Path) -> int:
    try:
        return sum(path.stat().st_size for path in folder.iterdir())
    except OSError:
        return 0
