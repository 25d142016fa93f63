"""Resolves which model handles which step."""

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
    """The settings of learning with "upstream" replaced by the proxy's server."""

    shared: frozenset[str] = frozenset()  # base URLs that chats also use


def is_offered(settings: Settings) -> bool:
    """Whether to offer learning with the proxy's model: no other is set, and learning is not switched off.

    >>> from rolememory.schema.settings import ServeSettings
    >>> is_offered(Settings()), is_offered(Settings(serve=ServeSettings(upstream="http://127.0.0.1:5001/v1")))
    (False, True)
    """
    learn = settings.learn
    wanted = learn.enabled and learn.extractor != "rules" and not model_learns(learn)
    return bool(settings.serve.upstream) and wanted and not learn.endpoint


def resolved(settings: Settings, last_model: str = "") -> LearnSettings:
    """The settings of learning with the proxy's model where requested; `last_model`: last used by a chat.

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
    """The model for this step; None without endpoint or name."""
    mine, other = own(settings, step), settings.summary if step == "summarize" else StepSettings()
    base, model = translated(
        mine.endpoint or other.endpoint or settings.endpoint,
        mine.model or other.model or settings.model,
    )
    key = mine.api_key_env or other.api_key_env or settings.api_key_env
    shared = isinstance(settings, Resolved) and base in settings.shared
    return ModelAddress(base, model, key, shared) if base and model else None


def needs(settings: LearnSettings) -> tuple[Step, ...]:
    """The steps required for learning by a model."""
    return ("extraction",) if settings.flow == "extract" else ("decision", "summary")


def model_learns(settings: LearnSettings) -> bool:
    """Whether a model learns from chats: enabled and configured.

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
    """The JSON schema of a step's prompt, `templates/learn/STEP.schema.json`; None without one."""
    file = shipped("templates", "learn", f"{step}.schema.json")
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


class Models:
    """The models of one role; servers may be shared with other roles. Thread-safe."""

    def __init__(self, upstreams: ModelServers) -> None:
        self.upstreams = upstreams
        self._budget = ModelBudget(upstreams.traffic, upstreams.spending)
        self._known: dict[tuple[ModelAddress, float], ChatModel] = {}
        self._lock = threading.Lock()
        self._closed = False

    def of(self, settings: LearnSettings, step: Step) -> ChatModel:
        """The model of this step; the same object while its settings are unchanged.

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
        """Whether the daily budget is used up."""
        return self._budget.spent

    @property
    def requests(self) -> int:
        """The number of requests sent."""
        with self._lock:
            return sum(model.requests for model in self._known.values())

    def cut(self) -> None:
        """Cancel running requests and send no more."""
        with self._lock:
            self._closed = True
            known = tuple(self._known.values())
        for model in known:
            model.cut()
