"""Chooses the embedding model, and loads it in the background: a turn never waits for it.

backend auto      configured model, else the packaged one, else the default one from the local cache, else none
backend endpoint  an OpenAI-compatible server
backend off       words only

A model in this process runs as its ONNX export if the home has a matching one and onnxruntime is installed, else by
sentence-transformers.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rolememory.errors import ModelError
from rolememory.schema.settings import EmbeddingSettings
from rolememory.text.arrays import Floats
from rolememory.text.embed.base import Embedder, background
from rolememory.text.embed.graph import open_graph
from rolememory.text.embed.in_process import InProcess
from rolememory.text.embed.local import DEFAULT_MODEL, PACKAGE_SHA256, LocalModel, cached, packaged
from rolememory.text.embed.shutdown import ENDING

State = Literal["absent", "loading", "ready", "failed"]
Load = Callable[[EmbeddingSettings], Embedder | None]
DEFAULT_NAME = "all-MiniLM-L6-v2"  # the default model
log = logging.getLogger(__name__)


def configured(settings: EmbeddingSettings) -> Path:
    """The folder of the configured model: a path, or a name in the local cache.

    Raises:
        ModelError: neither exists; no other model is used instead.
    """
    folder = Path(settings.model).expanduser()
    found = (
        folder
        if folder.is_dir()
        else cached(settings.model, "" if len(settings.revision) == 64 else settings.revision)
    )
    if found is None:
        raise ModelError(
            "embedding.model {model!r} is neither a folder nor in the local cache; run `rolememory model fetch`",
            model=settings.model,
        )
    return found


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """The model that a home uses."""

    source: str  # off, endpoint, folder, package, cache, none
    name: str = ""  # as shown to people
    folder: Path | None = None  # of a model in this process
    sha256: str = ""  # expected digest of its weights


def chosen(settings: EmbeddingSettings) -> ChosenModel:
    """The first model available for these settings on this machine.

    Raises:
        ModelError: the configured model is not available.
    """
    if settings.backend == "off":
        return ChosenModel("off")
    if by_endpoint(settings):
        return ChosenModel("endpoint", settings.model or settings.endpoint)
    if settings.model:
        return ChosenModel("folder", settings.model, configured(settings))
    if (folder := packaged()) is not None:
        return ChosenModel("package", DEFAULT_NAME, folder, PACKAGE_SHA256)
    if (folder := cached(DEFAULT_MODEL)) is not None:
        return ChosenModel("cache", DEFAULT_NAME, folder, PACKAGE_SHA256)
    return ChosenModel("none")


def promised(settings: EmbeddingSettings) -> bool:
    """Whether there is a model to load: a configured or an available one."""
    if settings.backend == "auto" and not (settings.model or settings.endpoint):
        return chosen(settings).folder is not None
    return settings.backend != "off"


def by_endpoint(settings: EmbeddingSettings) -> bool:
    """Whether a server makes the vectors."""
    unless_named = settings.backend == "auto" and not settings.model
    return settings.backend == "endpoint" or (unless_named and bool(settings.endpoint))


def load(
    settings: EmbeddingSettings,
    choose: Callable[[EmbeddingSettings], ChosenModel] = chosen,
    graph: Path | None = None,
) -> Embedder | None:
    """The model for the settings, or None. Takes seconds; never contacts the hub.

    `graph`: the folder for an exported graph of the model.

    Raises:
        ModelError: a configured model cannot be loaded.
    """
    model = choose(settings)
    if model.source == "endpoint":
        from rolememory.text.embed.endpoint import Endpoint

        return Endpoint(settings)
    if model.folder is not None:
        return in_process(model.folder, settings, graph, model.sha256)
    if settings.backend == "local":
        raise ModelError(
            'no embedding model on this machine; pip install "rolememory[offline]", or set embedding.model to a folder'
        )
    return None


def in_process(
    folder: Path, settings: EmbeddingSettings, graph: Path | None = None, sha256: str = ""
) -> InProcess:
    """The model of a folder, by its graph if valid; else by sentence-transformers, with the reason.

    Raises:
        ModelError: neither can be loaded.
    """
    passed_over = None
    try:
        if graph is not None and (model := open_graph(graph, folder, settings, sha256)) is not None:
            return model
    except ModelError as error:
        log.warning("%s", error)
        passed_over = error
    return _original(folder, settings, sha256, passed_over)


def _original(
    folder: Path, settings: EmbeddingSettings, sha256: str, passed_over: ModelError | None
) -> LocalModel:
    try:
        model = LocalModel(folder, settings, sha256=sha256)
    except ModelError as error:
        if passed_over is None or str(error) == str(passed_over):
            raise
        raise ModelError("{error}; {passed_over}", error=error, passed_over=passed_over) from error
    model.passed_over = passed_over
    return model


class Loader:
    """Loads the model on a daemon thread. `get` never blocks, `ready` waits; thread-safe."""

    def __init__(
        self,
        settings: EmbeddingSettings,
        load: Load = load,
        promised: Callable[[], bool] = lambda: True,
    ) -> None:
        self.settings, self._promised = settings, promised
        self.state: State = "absent"
        self.reason = ""  # why loading failed
        self.background: Mapping[str, Floats] = {}  # of everyday sentences, for `VectorTable`
        self._load = load
        self._embedder: Embedder | None = None
        self._lock = threading.Lock()
        self._done = threading.Event()
        self.started = False

    def start(self) -> None:
        """Start loading, once; does not wait."""
        with self._lock:
            if self.started:
                return
            self.started = True
        threading.Thread(target=self._work, name="rolememory-model", daemon=True).start()

    def get(self) -> Embedder | None:
        """The model if loaded; neither waits nor starts loading."""
        return self._embedder

    def ready(self, timeout_s: float | None = None) -> bool:
        """Wait for the model; whether it is loaded."""
        self.start()
        self._done.wait(timeout_s)
        return self._embedder is not None

    def _work(self) -> None:
        with ENDING.loading():
            self._load_it()

    def _load_it(self) -> None:
        try:
            if self._promised():
                self.state = "loading"  # only if there is a model to load
            embedder = self._load(self.settings)
            self.background = background(embedder) if embedder else {}
            self._embedder, self.state = embedder, "ready" if embedder else "absent"
        except ModelError as error:
            self._fail(str(error))
        except Exception as error:  # a library that fails to load must not stop the chat
            self._fail(f"{type(error).__name__}: {str(error)[:200]}")
        finally:
            self._done.set()

    def _fail(self, reason: str) -> None:
        self.reason, self.state = reason, "failed"
        if not ENDING.near:
            log.warning("no embedding model, words alone: %s", reason)
