"""Drawing the model as a graph that answers sooner: begun here, done by our own command line, told step by step."""

import os
import re
import subprocess
import threading

from fastapi import Request
from pydantic import Field

from rolememory.serve.app_state import AppState
from rolememory.serve.rest.dependencies import AppStateDep, LanguageDep, router
from rolememory.serve.rest.error_responses import clean, private
from rolememory.serve.rest.models import READY, last_line, ourselves
from rolememory.serve.rest.schemas import In, Out

graphs = router("models")
_STEP = re.compile(r"(\d+)/(\d+) (.+)")
_KEPT = 2000  # characters of what it said last


class ExportIn(In):
    """How."""

    int8: bool = Field(
        False, description="weights in 8 bits: a quarter of the size, a little less exact"
    )


class ExportOut(Out):
    """How an export stands; every step is an event `graph` as well."""

    state: str = Field(description="none, exporting, done, failed")
    step: int
    steps: int = Field(description="0 = not known yet")
    text: str = Field(description="exporting: what is done now; failed: why; done: what to do now")


@graphs.get("/models/export")
def exported(request: Request) -> ExportOut:
    """How the last export stands."""
    return _exports(request).state


@graphs.post("/models/export", status_code=202)
def export(
    request: Request, app_state: AppStateDep, language: LanguageDep, given: ExportIn
) -> ExportOut:
    """Draw the home's model as a graph, compare it with the original, and put it in place; used when the server is started again."""
    return _exports(request).begin(app_state, given.int8, language)


def _exports(request: Request) -> "Exports":
    exports: Exports = request.app.state.exports
    return exports


class Exports:
    """One at a time, in a process of its own: a library that draws models must not take the server along."""

    def __init__(self) -> None:
        self.state = ExportOut(state="none", step=0, steps=0, text="")
        self._running: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def begin(self, app_state: AppState, int8: bool, language: str) -> ExportOut:
        """Start, unless one is running; that one's state then."""
        with self._lock:
            if self._running is None:
                command = ourselves(
                    app_state, language, ["model", "export", *(["--int8"] if int8 else [])]
                )
                self._running = subprocess.Popen(  # noqa: S603  # our own program
                    command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace",
                    env={**os.environ, "PYTHONIOENCODING": "utf-8"},
                )  # fmt: skip
                self._told(app_state, ExportOut(state="exporting", step=0, steps=0, text=""))
                follow = (app_state, self._running, language)
                threading.Thread(
                    target=self._follow, args=follow, name="rolememory-export", daemon=True
                ).start()
            return self.state

    def stop(self) -> None:
        """End what is running: the graph before stays."""
        with self._lock:
            if self._running is not None:
                self._running.terminate()

    def _follow(self, app_state: AppState, running: "subprocess.Popen[str]", language: str) -> None:
        """Tell each step, then how it ended."""
        said = ""
        with running:
            for line in running.stderr or ():
                if step := _STEP.fullmatch(line.strip()):
                    done, steps, text = step.groups()
                    self._told(
                        app_state,
                        ExportOut(
                            state="exporting", step=int(done), steps=int(steps), text=clean(text)
                        ),
                    )
                said = (said + line)[-_KEPT:]
        good = running.returncode == 0
        text = READY.text(language) if good else private(last_line(said), app_state)
        with self._lock:
            self._running = None
            self._told(
                app_state,
                self.state.model_copy(update={"state": "done" if good else "failed", "text": text}),
            )

    def _told(self, app_state: AppState, state: ExportOut) -> None:
        self.state = state
        app_state.bus.tell("graph", **state.model_dump())
