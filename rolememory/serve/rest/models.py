"""The models: whether meaning works and why not, which servers rest, what learning waits for, and fetching a model we know."""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from fastapi import Request
from pydantic import Field

from rolememory.circuit_breaker import CircuitBreaker
from rolememory.errors import ModelError, UnknownNameError
from rolememory.learn.model.models import is_offered
from rolememory.locales import LocalizedText
from rolememory.serve.app_state import AppState
from rolememory.serve.rest.dependencies import AppStateDep, LanguageDep, RoleDep, router
from rolememory.serve.rest.error_responses import clean, private
from rolememory.serve.rest.schemas import In, Name, Out

models = router("models")
READY = LocalizedText("restart the server to use it")
LOOK_S = 1.0  # between two looks at how much of a model has arrived
_log = logging.getLogger(__name__)


class BreakerOut(Out):
    """A server, and whether it is asked."""

    name: str
    state: str = Field(description="uninitialised, ready, failed, half_open")
    reason: str
    for_: str = Field(alias="for", description="learning or embedding")


class MeaningOut(Out):
    """The embedding model."""

    state: str = Field(description="absent, loading, ready, failed")
    reason: str
    backend: str
    model: str = Field(description="as the settings name it")
    key: str = Field(description="of the one that is loaded")
    dims: int
    runtime: str = Field(
        description="what computes the vectors: sentence-transformers, onnx float32, onnx int8; empty elsewhere"
    )
    note: str = Field(
        description="why the exported graph of the model is not used, if there is one"
    )
    languages: list[str]
    last_failure: str = Field(description="why the last question had no vector")
    breakers: list[BreakerOut]


class LearningOut(Out):
    """How learning by a model stands for a role."""

    on: bool
    busy: bool
    queue: dict[str, int] = Field(description="exchanges that wait, by chat")
    requests: int
    breakers: list[BreakerOut]
    last_error: str
    notes: list[str]
    exchanges_since_conclusions: int
    shared: bool = Field(
        description="the model behind the proxy distils, while nobody speaks to it"
    )
    offered: bool = Field(description="it could: nobody has said yes or no")
    calls_today: int = Field(description="requests of learning today, all roles together")
    tokens_today: int
    daily_tokens: int = Field(description="tokens that a day may cost; 0 = no limit")


class KnownModel(Out):
    """A model that can be fetched."""

    name: str
    repository: str
    languages: list[str]
    dims: int
    window: int
    megabytes: int
    licence: str
    about: str
    here: bool
    in_use: bool


class ModelsOut(Out):
    """All that we recommend."""

    items: list[KnownModel]


class FetchIn(In):
    """Which; only names that `GET /api/models` tells."""

    name: Name


class FetchOut(Out):
    """How a fetch stands; every step is an event `model` as well."""

    name: str
    state: str = Field(description="none, fetching, done, failed")
    bytes: int
    expected: int
    text: str = Field(description="failed: why; done: what to do now")


@models.get("/meaning")
def meaning(app_state: AppStateDep, language: LanguageDep) -> MeaningOut:
    """Whether meaning works here, and why not."""
    home, loader = app_state.home, app_state.home.loader
    embedder = loader.get()
    breaker: CircuitBreaker | None = getattr(embedder, "breaker", None)
    passed_over: ModelError | None = getattr(embedder, "passed_over", None)
    return MeaningOut(
        state=loader.state,
        reason=private(loader.reason, app_state),
        backend=loader.settings.backend,
        model=private(loader.settings.model, app_state),
        key=private(embedder.key, app_state) if embedder else "",
        dims=embedder.dim if embedder else 0,
        runtime=getattr(embedder, "runtime", ""),
        note=private(passed_over.text(language), app_state) if passed_over else "",
        languages=sorted(loader.background),
        last_failure=private(home.queries.failure, app_state),
        breakers=[
            *([_breaker_out(breaker, app_state, "embedding")] if breaker else ()),
            *_learning_breakers(app_state),
        ],
    )


@models.get("/roles/{role}/learning")
def learning(app_state: AppStateDep, role_memory: RoleDep, language: LanguageDep) -> LearningOut:
    """What a model still has to read, and what keeps it."""
    status = role_memory.learner.behind.status(language)
    return LearningOut(
        on=status["on"],
        busy=status["busy"],
        queue=dict(status["queue"]),
        requests=status["requests"],
        breakers=_learning_breakers(app_state),
        last_error=private(status["last_error"], app_state),
        notes=[private(str(note), app_state) for note in status["notes"]],
        exchanges_since_conclusions=status["exchanges_since_conclusions"],
        shared=status["shared"],
        offered=is_offered(role_memory.settings),
        calls_today=status["today"]["calls"],
        tokens_today=status["today"]["tokens"],
        daily_tokens=status["daily_tokens"],
    )


@models.get("/models")
def known(request: Request, app_state: AppStateDep, language: LanguageDep) -> ModelsOut:
    """The models we recommend, and which of them is in use."""
    return ModelsOut(
        items=[
            KnownModel.model_validate(row) for row in _fetches(request).known(app_state, language)
        ]
    )


@models.get("/models/fetch")
def fetched(request: Request) -> FetchOut:
    """How the last fetch stands."""
    return _fetches(request).state


@models.post("/models/fetch", status_code=202)
def fetch(
    request: Request, app_state: AppStateDep, language: LanguageDep, given: FetchIn
) -> FetchOut:
    """Fetch a model from the hub, check that it loads, and write it into the settings; the server uses it when it is started again."""
    fetches = _fetches(request)
    rows = {row["name"]: row for row in fetches.known(app_state, language)}
    if given.name not in rows:
        raise UnknownNameError("model", given.name, rows)
    return fetches.begin(app_state, rows[given.name], language)


def _fetches(request: Request) -> "Fetches":
    fetches: Fetches = request.app.state.fetches
    return fetches


def _learning_breakers(app_state: AppState) -> list[BreakerOut]:
    servers = app_state.home.upstreams.all()
    return [_breaker_out(one.breaker, app_state, "learning") for _, one in sorted(servers.items())]


def _breaker_out(breaker: CircuitBreaker, app_state: AppState, what: str) -> BreakerOut:
    told = {
        "name": breaker.name,
        "state": breaker.state.value,
        "reason": private(breaker.reason, app_state),
        "for": what,
    }
    return BreakerOut.model_validate(told)


class Fetches:
    """Runs our own command line for it, in a process of its own: a library that downloads and loads models must not take the server along."""

    def __init__(self) -> None:
        self.state = FetchOut(name="", state="none", bytes=0, expected=0, text="")
        self._running: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def known(self, app_state: AppState, language: str) -> list[dict[str, Any]]:
        """The table of models. Raises: ModelError."""
        done = subprocess.run(  # noqa: S603  # our own program
            ourselves(app_state, language, ["model", "list"]),
            capture_output=True,
            timeout=60,
            check=False,
        )
        if done.returncode != 0:
            raise ModelError(
                "`rolememory model list` failed: {last_line}",
                last_line=last_line(done.stderr.decode("utf-8", "replace")),
            )
        rows: list[dict[str, Any]] = orjson.loads(done.stdout)["models"]
        return rows

    def begin(self, app_state: AppState, row: Mapping[str, Any], language: str) -> FetchOut:
        """Start, unless one is running; that one's state then."""
        with self._lock:
            if self._running is None:
                command = ourselves(app_state, language, ["model", "fetch", row["name"]])
                self._running = subprocess.Popen(  # noqa: S603  # our own program
                    command, stdout=subprocess.PIPE, stderr=subprocess.PIPE
                )
                self._told(
                    app_state,
                    FetchOut(
                        name=row["name"],
                        state="fetching",
                        bytes=0,
                        expected=row["megabytes"] * 10**6,
                        text="",
                    ),
                )
                follow = threading.Thread(
                    target=self._follow,
                    args=(app_state, self._running, row, language),
                    name="rolememory-fetch",
                    daemon=True,
                )
                follow.start()
            return self.state

    def stop(self) -> None:
        """End what is running: what has arrived stays where it is."""
        with self._lock:
            if self._running is not None:
                self._running.terminate()

    def _follow(
        self,
        app_state: AppState,
        running: "subprocess.Popen[bytes]",
        row: Mapping[str, Any],
        language: str,
    ) -> None:
        """Tell how much has arrived, then how it ended."""
        folder = _cache() / f"models--{row['repository'].replace('/', '--')}"
        begun = self.state
        while True:
            try:
                _, said = running.communicate(timeout=LOOK_S)
                break
            except subprocess.TimeoutExpired:
                self._told(
                    app_state,
                    begun.model_copy(update={"bytes": min(_size(folder), begun.expected)}),
                )
        good = running.returncode == 0
        with self._lock:
            self._running = None
        text = (
            READY.text(language)
            if good
            else private(last_line(said.decode("utf-8", "replace")), app_state)
        )
        self._told(
            app_state,
            begun.model_copy(
                update={
                    "state": "done" if good else "failed",
                    "bytes": begun.expected if good else 0,
                    "text": text,
                }
            ),
        )

    def _told(self, app_state: AppState, state: FetchOut) -> None:
        self.state = state
        app_state.bus.tell(
            "model", name=state.name, state=state.state, bytes=state.bytes, expected=state.expected
        )


def ourselves(app_state: AppState, language: str, words: Sequence[str]) -> list[str]:
    """Our own command line at work on this home."""
    return [
        sys.executable,
        "-m",
        "rolememory",
        *words,
        "--home",
        str(app_state.home.path),
        "--json",
        "--lang",
        language,
    ]


def last_line(said: str) -> str:
    """What a command said in the end: why it failed."""
    lines = said.strip().splitlines()
    return clean(lines[-1])[:500] if lines else ""


def _cache() -> Path:
    """Where the hub's library keeps what it fetches. Source: huggingface_hub's variables HF_HUB_CACHE and HF_HOME."""
    home = Path(
        os.environ.get("HF_HOME")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface"
    )
    return Path(os.environ.get("HF_HUB_CACHE") or home / "hub")


def _size(folder: Path) -> int:
    try:
        return sum(path.stat().st_size for path in (folder / "blobs").iterdir())
    except OSError:
        return 0
