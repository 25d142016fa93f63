"""Which model answers which step, by the settings."""

import json
import threading
from functools import cache
from typing import Any, Literal, get_args

from rolememory.learn.model.client import Model, Where
from rolememory.learn.model.troubles import NOT_SET, model_error
from rolememory.learn.model.upstreams import Upstreams
from rolememory.schema.settings import LearnSettings, StepSettings
from rolememory.shipped import shipped
from rolememory.upstream import translated

Step = Literal["decision", "summary", "extraction", "inference"]
STEPS: tuple[Step, ...] = get_args(Step)


def own(settings: LearnSettings, step: Step) -> StepSettings:
    """The settings of one step."""
    found: StepSettings = getattr(settings, step)
    return found


def where(settings: LearnSettings, step: Step) -> Where | None:
    """The model that answers this step; None while its endpoint or its name is not set."""
    mine = own(settings, step)
    base, model = translated(mine.endpoint or settings.endpoint, mine.model or settings.model)
    return Where(base, model, mine.api_key_env or settings.api_key_env) if base and model else None


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

    def __init__(self, upstreams: Upstreams) -> None:
        self.upstreams = upstreams
        self._known: dict[tuple[Where, float], Model] = {}
        self._lock = threading.Lock()
        self._closed = False

    def of(self, settings: LearnSettings, step: Step) -> Model:
        """The model of this step; the same object while its settings stay.

        Raises:
            ModelError: endpoint or model is not set.
        """
        at = where(settings, step)
        if at is None:
            raise model_error(f"learn.{step}", NOT_SET)
        with self._lock:
            key = (at, settings.timeout_s)
            if key not in self._known:
                self._known[key] = Model(
                    at, self.upstreams.at(at.base), settings.timeout_s, schema_of
                )
                if self._closed:
                    self._known[key].cut()
            return self._known[key]

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
