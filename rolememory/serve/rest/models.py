"""Models: the state of embeddings, the circuit breakers of servers, and what learning still has to read."""

from pydantic import Field

from rolememory.circuit_breaker import CircuitBreaker
from rolememory.errors import ModelError
from rolememory.learn.model.models import is_offered
from rolememory.locales import translated
from rolememory.schema.settings import EmbeddingSettings
from rolememory.serve.rest.dependencies import HomeCall, RoleCall, router
from rolememory.serve.rest.schemas import Out, Translated
from rolememory.text.embed.catalogue import MODELS, RecommendedModel, known_by
from rolememory.text.embed.loader import ChosenModel, chosen

routes = router("models")


class BreakerOut(Out):
    """The circuit breaker of a server."""

    name: str
    state: str
    """uninitialised, ready, failed, half_open"""
    reason: Translated
    for_: str = Field(alias="for")
    """learning or embedding"""


class MeaningOut(Out):
    """The embedding model."""

    state: str
    """absent, loading, ready, failed"""
    reason: Translated
    backend: str
    model: Translated
    """the name of the model in use, or the one in the settings"""
    key: Translated
    """identifies the loaded model"""
    dims: int
    runtime: str
    """what computes the vectors: sentence-transformers, onnx float32, onnx int8; empty elsewhere"""
    note: Translated
    """why the model's ONNX export is not used, if there is one"""
    languages: list[str]
    last_failure: Translated
    """why the last query had no vector"""
    breakers: list[BreakerOut]


class LearningOut(Out):
    """The state of learning by a model."""

    on: bool
    busy: bool
    queue: dict[str, int]
    """exchanges waiting to be read, by chat"""
    requests: int
    breakers: list[BreakerOut]
    last_error: Translated
    notes: list[Translated]
    exchanges_since_conclusions: int
    shared: bool
    """learning uses the model behind the proxy while no chat does"""
    offered: bool
    """it could do so, but the setting was not made"""
    calls_today: int
    """requests for learning today, of all roles"""
    tokens_today: int
    daily_tokens: int
    """limit of tokens per day; 0 = none"""


class KnownModel(Out):
    """A model for `rolememory model fetch`."""

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
    """The recommended models."""

    items: list[KnownModel]


@routes.get("/meaning")
def embedding_state(call: HomeCall) -> MeaningOut:
    """The state of the embedding model."""
    loader = call.home.loader
    embedder = loader.get()
    breaker: CircuitBreaker | None = getattr(embedder, "breaker", None)
    passed_over: ModelError | None = getattr(embedder, "passed_over", None)
    return MeaningOut.from_value(
        loader,
        backend=loader.settings.backend,
        model=_chosen(loader.settings).name,
        key=embedder.key if embedder else "",
        dims=embedder.dim if embedder else 0,
        runtime=getattr(embedder, "runtime", ""),
        note=passed_over or "",
        languages=sorted(loader.background),
        last_failure=call.home.context.resources.queries.failure,
        breakers=[
            *([_breaker_out(breaker, "embedding")] if breaker else ()),
            *_learning_breakers(call),
        ],
    )


@routes.get("/roles/{role}/learning")
def learning(call: RoleCall) -> LearningOut:
    """What the model still has to read, and errors."""
    status = call.role.learner.worker.status(call.language)
    more = {
        "breakers": _learning_breakers(call),
        "offered": is_offered(call.role.settings),
        "calls_today": status["today"]["calls"],
        "tokens_today": status["today"]["tokens"],
    }
    return LearningOut.model_validate({**status, **more})


@routes.get("/models")
def list_models(call: HomeCall) -> ModelsOut:
    """The recommended embedding models, and the one in use."""
    using = _used_by(call.home.settings.embedding)
    return ModelsOut(
        items=[
            KnownModel.from_value(
                model, about=translated(model.about, call.language), in_use=model is using
            )
            for model in MODELS
        ]
    )


def _used_by(settings: EmbeddingSettings) -> RecommendedModel | None:
    """The one that a home works by under these settings, in this process."""
    model = _chosen(settings)
    return known_by(model.name) if model.folder else None


def _chosen(settings: EmbeddingSettings) -> ChosenModel:
    """What these settings lead to; for a model that is not here, its name alone."""
    try:
        return chosen(settings)
    except ModelError:
        return ChosenModel("none", settings.model)


def _learning_breakers(call: HomeCall) -> list[BreakerOut]:
    servers = sorted(call.home.upstreams.all().items())
    return [_breaker_out(one.breaker, "learning") for _, one in servers]


def _breaker_out(breaker: CircuitBreaker, what: str) -> BreakerOut:
    return BreakerOut.from_value(breaker, state=breaker.state.value, for_=what)
