"""Which model answers which step, by the settings."""

import json
import threading
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, get_args

from rolememory.llm.client import ChatModel, ModelAddress, ModelBudget
from rolememory.llm.errors import NOT_SET, model_error
from rolememory.llm.servers import ModelServers
from rolememory.schema.settings import LearnSettings, Settings, StepSettings
from rolememory.shipped import shipped
from rolememory.upstream import translated

Step = Literal["decision", "summary", "extraction", "inference", "summarize"]
STEPS: tuple[Step, ...] = get_args(Step)
TEMPLATES: Mapping[Step, str] = {"summarize": "rolling_summary"}
"""The templates that are not called as their step."""


UPSTREAM = "upstream"
"""In the place of a base URL: the model behind the proxy."""


class Resolved(LearnSettings):
    """The settings of learning with the proxy's server in the place of "upstream"."""

    shared: frozenset[str] = frozenset()  # base URLs whose model chats use too


def is_offered(settings: Settings) -> bool:
    """Whether a model behind the proxy could distil, and nobody has said yes or no: no other is set, and learning is not switched off.

    >>> from rolememory.schema.settings import ServeSettings
    >>> is_offered(Settings()), is_offered(Settings(serve=ServeSettings(upstream="http://127.0.0.1:5001/v1")))
    (False, True)
    """
    learn = settings.learn
    wanted = learn.enabled and learn.extractor != "rules" and not model_learns(learn)
    return bool(settings.serve.upstream) and wanted and not learn.endpoint


def resolved(settings: Settings, last_model: str = "") -> LearnSettings:
    """The settings of learning with the model behind the proxy where they ask for it; `last_model` is what a chat used last.

    >>> from rolememory.schema.settings import ServeSettings
    >>> wanted = Settings(learn=LearnSettings(endpoint="upstream"), serve=ServeSettings(upstream="http://127.0.0.1:5001/v1"))
    >>> found = resolved(wanted, "mistral")
    >>> where(found, "extraction")
    ModelAddress(base='http://127.0.0.1:5001/v1', model='mistral', key_env='ROLEMEMORY_UPSTREAM_KEY', shared=True)
    """
    learn, serve = settings.learn, settings.serve
    steps = {step: own(learn, step) for step in STEPS}
    if UPSTREAM not in (learn.endpoint, *(one.endpoint for one in steps.values())):
        return learn
    base, _ = translated(serve.upstream, "")
    proxy = {"endpoint": base, "api_key_env": serve.upstream_key_env}
    changed: dict[str, object] = {"shared": frozenset({base})}
    if learn.endpoint == UPSTREAM:
        changed |= {**proxy, "model": learn.model or last_model}
    for step, mine in steps.items():
        if mine.endpoint == UPSTREAM:
            changed[step] = mine.model_copy(update={**proxy, "model": mine.model or last_model})
    return Resolved.model_construct(**{**dict(learn), **changed})


def own(settings: LearnSettings, step: Step) -> StepSettings:
    """The settings of one step."""
    found: StepSettings = getattr(settings, step)
    return found


def where(settings: LearnSettings, step: Step) -> ModelAddress | None:
    """The model that answers this step; None while its endpoint or its name is not set."""
    mine, other = own(settings, step), settings.summary if step == "summarize" else StepSettings()
    base, model = translated(
        mine.endpoint or other.endpoint or settings.endpoint,
        mine.model or other.model or settings.model,
    )
    key = mine.api_key_env or other.api_key_env or settings.api_key_env
    shared = isinstance(settings, Resolved) and base in settings.shared
    return ModelAddress(base, model, key, shared) if base and model else None


def needs(settings: LearnSettings) -> tuple[Step, ...]:
    """The steps without which nothing is learned by a model."""
    return ("extraction",) if settings.flow == "extract" else ("decision", "summary")


def model_learns(settings: LearnSettings) -> bool:
    """Whether a model reads the chats: wanted, and set.

    >>> model_learns(LearnSettings()), model_learns(LearnSettings(endpoint="http://127.0.0.1:11434/v1", model="qwen3:8b"))
    (False, True)
    """
    return (
        settings.enabled
        and settings.extractor != "rules"
        and all(where(settings, step) for step in needs(settings))
    )


@cache
def schema_of(step: str) -> Any:
    """The JSON schema that ships with a step's prompt, `templates/learn/STEP.schema.json`; None where there is none."""
    file = shipped("templates", "learn", f"{step}.schema.json")
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


class Models:
    """The models that one role asks; servers may be shared with other roles. Thread-safe."""

    def __init__(self, upstreams: ModelServers) -> None:
        self.upstreams = upstreams
        self._budget = ModelBudget(upstreams.traffic, upstreams.spending)
        self._known: dict[tuple[ModelAddress, float], ChatModel] = {}
        self._lock = threading.Lock()
        self._closed = False

    def of(self, settings: LearnSettings, step: Step) -> ChatModel:
        """The model of this step; the same object while its settings stay.

        Raises:
            ModelError: endpoint or model is not set.
        """
        at = where(settings, step)
        if at is None:
            raise model_error(f"learn.{step}", NOT_SET)
        self._budget.idle_s, self._budget.daily_tokens = settings.idle_s, settings.daily_tokens
        with self._lock:
            key = (at, settings.timeout_s)
            if key not in self._known:
                self._known[key] = ChatModel(
                    at, self.upstreams.at(at.base), settings.timeout_s, schema_of, self._budget
                )
                if self._closed:
                    self._known[key].cut()
            return self._known[key]

    @property
    def spent(self) -> bool:
        """Whether what a day may cost is spent."""
        return self._budget.spent

    @property
    def requests(self) -> int:
        """How many went out."""
        with self._lock:
            return sum(model.requests for model in self._known.values())

    def cut(self) -> None:
        """Give up what is being asked, and ask nothing more."""
        with self._lock:
            self._closed = True
            known = tuple(self._known.values())
        for model in known:
            model.cut()
