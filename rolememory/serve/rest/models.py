"""The models: whether meaning works and why not, which servers rest, what learning waits for; fetching a model, and drawing it as a graph."""

import re
import subprocess
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from rolememory.circuit_breaker import CircuitBreaker
from rolememory.errors import ModelError, UnknownNameError
from rolememory.learn.model.models import is_offered
from rolememory.locales import translated
from rolememory.schema.settings import EmbeddingSettings
from rolememory.serve.rest.dependencies import HomeCall, RoleCall, kept, router
from rolememory.serve.rest.model_command import ModelCommand
from rolememory.serve.rest.schemas import In, Name, Out, Said
from rolememory.text.embed.catalogue import MODELS, RecommendedModel, known_by
from rolememory.text.embed.loader import at_hand, by_endpoint, configured
from rolememory.text.embed.local import DEFAULT_MODEL

routes = router("models")
_STEP = re.compile(r"(\d+)/(\d+) (.+)")  # of an export, as it says it
_KEPT = 2000  # characters of what it said last
LOOK_S = 1.0  # between two looks at how much of a model has arrived


class BreakerOut(Out):
    """A server, and whether it is asked."""

    name: str
    state: str
    """uninitialised, ready, failed, half_open"""
    reason: Said
    for_: str = Field(alias="for")
    """learning or embedding"""


class MeaningOut(Out):
    """The embedding model."""

    state: str
    """absent, loading, ready, failed"""
    reason: Said
    backend: str
    model: Said
    """as the settings name it"""
    key: Said
    """of the one that is loaded"""
    dims: int
    runtime: str
    """what computes the vectors: sentence-transformers, onnx float32, onnx int8; empty elsewhere"""
    note: Said
    """why the exported graph of the model is not used, if there is one"""
    languages: list[str]
    last_failure: Said
    """why the last question had no vector"""
    breakers: list[BreakerOut]


class LearningOut(Out):
    """How learning by a model stands for a role."""

    on: bool
    busy: bool
    queue: dict[str, int]
    """exchanges that wait, by chat"""
    requests: int
    breakers: list[BreakerOut]
    last_error: Said
    notes: list[Said]
    exchanges_since_conclusions: int
    shared: bool
    """the model behind the proxy distils, while nobody speaks to it"""
    offered: bool
    """it could: nobody has said yes or no"""
    calls_today: int
    """requests of learning today, all roles together"""
    tokens_today: int
    daily_tokens: int
    """tokens that a day may cost; 0 = no limit"""


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
    state: str
    """none, fetching, done, failed"""
    bytes: int
    expected: int
    text: str
    """failed: why; done: what to do now"""


class ExportIn(In):
    """How."""

    int8: bool = False
    """weights in 8 bits: a quarter of the size, a little less exact"""


class ExportOut(Out):
    """How an export stands; every step is an event `graph` as well."""

    state: str
    """none, exporting, done, failed"""
    step: int
    steps: int
    """0 = not known yet"""
    text: str
    """exporting: what is done now; failed: why; done: what to do now"""


class Fetches(ModelCommand[FetchOut]):
    """Fetching a model from the hub."""

    event = "model"

    def __init__(self) -> None:
        super().__init__(FetchOut(name="", state="none", bytes=0, expected=0, text=""))
        self.folders: dict[str, Path] = {}  # where the hub's library puts a model

    def watch(self, call: HomeCall, running: "subprocess.Popen[str]") -> str:
        """Tell how much has arrived."""
        while True:
            try:
                return running.communicate(timeout=LOOK_S)[1]
            except subprocess.TimeoutExpired:
                arrived = min(_size(self.folders[self.state.name]), self.state.expected)
                self.tell(call, self.state.model_copy(update={"bytes": arrived}))

    def ended(self, good: bool) -> dict[str, Any]:
        """All of it has arrived, or none counts."""
        return {**super().ended(good), "bytes": self.state.expected if good else 0}


TheFetches = Annotated[Fetches, kept(Fetches)]


class Exports(ModelCommand[ExportOut]):
    """Drawing one graph."""

    event = "graph"

    def __init__(self) -> None:
        super().__init__(ExportOut(state="none", step=0, steps=0, text=""))

    def watch(self, call: HomeCall, running: "subprocess.Popen[str]") -> str:
        """Tell each step."""
        said = ""
        for line in running.stderr or ():
            if step := _STEP.fullmatch(line.strip()):
                done, steps, text = step.groups()
                self.tell(
                    call, ExportOut(state="exporting", step=int(done), steps=int(steps), text=text)
                )
            said = (said + line)[-_KEPT:]
        return said


TheExports = Annotated[Exports, kept(Exports)]


@routes.get("/meaning")
def meaning(call: HomeCall) -> MeaningOut:
    """Whether meaning works here, and why not."""
    loader = call.home.loader
    embedder = loader.get()
    breaker: CircuitBreaker | None = getattr(embedder, "breaker", None)
    passed_over: ModelError | None = getattr(embedder, "passed_over", None)
    return call.shown(
        MeaningOut,
        loader,
        backend=loader.settings.backend,
        model=loader.settings.model,
        key=embedder.key if embedder else "",
        dims=embedder.dim if embedder else 0,
        runtime=getattr(embedder, "runtime", ""),
        note=passed_over or "",
        languages=sorted(loader.background),
        last_failure=call.home.queries.failure,
        breakers=[
            *([_breaker_out(call, breaker, "embedding")] if breaker else ()),
            *_learning_breakers(call),
        ],
    )


@routes.get("/roles/{role}/learning")
def learning(call: RoleCall) -> LearningOut:
    """What a model still has to read, and what keeps it."""
    status = call.role.learner.behind.status(call.language)
    more = {
        "breakers": _learning_breakers(call),
        "offered": is_offered(call.role.settings),
        "calls_today": status["today"]["calls"],
        "tokens_today": status["today"]["tokens"],
    }
    return LearningOut.model_validate({**status, **more}, context=call)


@routes.get("/models")
def known(call: HomeCall) -> ModelsOut:
    """The models we recommend, and which of them is in use."""
    using = _used_by(call.home.settings.embedding)
    return ModelsOut(
        items=[
            KnownModel.from_value(
                model, about=translated(model.about, call.language), in_use=model is using
            )
            for model in MODELS
        ]
    )


@routes.get("/models/fetch")
def fetched(fetches: TheFetches) -> FetchOut:
    """How the last fetch stands."""
    return fetches.state


@routes.post("/models/fetch", status_code=202)
def fetch(call: HomeCall, fetches: TheFetches, given: FetchIn) -> FetchOut:
    """Fetch a model from the hub, check that it loads, and write it into the settings; the server uses it when it is started again."""
    known = {model.name: model for model in MODELS}
    if given.name not in known:
        raise UnknownNameError("model", given.name, known)
    model = known[given.name]
    fetches.folders[model.name] = _cache() / f"models--{model.repository.replace('/', '--')}"
    expected = model.megabytes * 10**6
    begun = FetchOut(name=model.name, state="fetching", bytes=0, expected=expected, text="")
    return fetches.begin(call, ["fetch", model.name], begun)


@routes.get("/models/export")
def exported(exports: TheExports) -> ExportOut:
    """How the last export stands."""
    return exports.state


@routes.post("/models/export", status_code=202)
def export(call: HomeCall, exports: TheExports, given: ExportIn) -> ExportOut:
    """Draw the home's model as a graph, compare it with the original, and put it in place; used when the server is started again."""
    begun = ExportOut(state="exporting", step=0, steps=0, text="")
    return exports.begin(call, ["export", *(["--int8"] if given.int8 else [])], begun)


def _used_by(settings: EmbeddingSettings) -> RecommendedModel | None:
    """The one that a home works by under these settings, in this process."""
    if settings.backend == "off" or by_endpoint(settings):
        return None
    try:
        there = configured(settings) if settings.model else at_hand()
    except ModelError:
        return None
    return known_by(settings.model or DEFAULT_MODEL) if there else None


def _learning_breakers(call: HomeCall) -> list[BreakerOut]:
    servers = sorted(call.home.upstreams.all().items())
    return [_breaker_out(call, one.breaker, "learning") for _, one in servers]


def _breaker_out(call: HomeCall, breaker: CircuitBreaker, what: str) -> BreakerOut:
    return call.shown(BreakerOut, breaker, state=breaker.state.value, for_=what)


def _cache() -> Path:
    """Where the hub's library keeps what it fetches."""
    try:
        from huggingface_hub.constants import HF_HUB_CACHE
    except ImportError:
        return Path()
    return Path(HF_HUB_CACHE)


def _size(folder: Path) -> int:
    try:
        return sum(path.stat().st_size for path in (folder / "blobs").iterdir())
    except OSError:
        return 0
