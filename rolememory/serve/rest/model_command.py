"""A command of `rolememory model`, begun over REST: in a process of its own, for a library that downloads or draws models must not take the server along."""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from rolememory.locales import LocalizedText
from rolememory.serve.rest.dependencies import HomeCall
from rolememory.serve.rest.schemas import Out

State = TypeVar("State", bound=Out)
READY = LocalizedText("restart the server to use it")


class ModelCommand(Generic[State]):
    """One at a time; how it stands is told in an event with every step."""

    event: ClassVar[str]

    def __init__(self, idle: State) -> None:
        self.state = idle
        self._running: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def begin(self, call: HomeCall, words: Sequence[str], begun: State) -> State:
        """Start, unless one is running; that one's state then."""
        with self._lock:
            if self._running is None:
                ours = [sys.executable, "-m", "rolememory", "model", *words, "--json"]
                told = ["--home", str(call.home.path), "--lang", call.language]
                self._running = subprocess.Popen(  # noqa: S603  # our own program
                    [*ours, *told], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                    errors="replace", env={**os.environ, "PYTHONIOENCODING": "utf-8"},
                )  # fmt: skip
                self.tell(call, begun)
                named, follow = f"rolememory-{self.event}", (call, self._running)
                threading.Thread(target=self._follow, args=follow, name=named, daemon=True).start()
            return self.state

    def stop(self) -> None:
        """End what is running: what has arrived stays where it is."""
        with self._lock:
            if self._running is not None:
                self._running.terminate()

    def tell(self, call: HomeCall, state: State) -> None:
        """A step further."""
        self.state = state
        call.bus.tell(self.event, **state.model_dump())

    def watch(self, call: HomeCall, running: "subprocess.Popen[str]") -> str:
        """Tell of every step until it ends; what it said on standard error."""
        raise NotImplementedError

    def ended(self, good: bool) -> dict[str, Any]:
        """What the end makes of the state."""
        return {"state": "done" if good else "failed"}

    def _follow(self, call: HomeCall, running: "subprocess.Popen[str]") -> None:
        with running:
            said = self.watch(call, running)
        good = running.returncode == 0
        why = (said.strip().splitlines() or [""])[-1][:500]
        text = call.say(READY if good else why)
        with self._lock:
            self._running = None
            self.tell(call, self.state.model_copy(update={**self.ended(good), "text": text}))
