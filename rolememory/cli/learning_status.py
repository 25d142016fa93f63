"""What goes on behind the chats of a role, as its files tell it: who learns, what waits, what is damaged. Looks only."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from rolememory.chats import Chats
from rolememory.cli.words import ProcessLanguage
from rolememory.inject.environment import Templates
from rolememory.learn.cursor import Cursors
from rolememory.learn.model.known_memories import KnownMemories
from rolememory.learn.model.models import STEPS, UPSTREAM, model_learns, own, resolved
from rolememory.learn.model.run import ExtractionContext
from rolememory.learn.model.worker import ExtractionWorker
from rolememory.llm.errors import StatusError, trouble
from rolememory.llm.servers import ModelServers
from rolememory.locales import translatable
from rolememory.schema.learning import Company
from rolememory.schema.settings import Settings
from rolememory.storage.port import Space
from rolememory.storage.review import Review
from rolememory.upstream import bearer, client, shown, translated

PROBE_S = 5.0  # a server that is asked whether it is there has so long


@dataclass(frozen=True, slots=True)
class LearningStatus:
    """How learning stands in one role."""

    unread: int  # chats with something the rules have not read yet
    queued: int  # exchanges that wait for the model, of all chats
    waiting: int  # drafts that wait for a person
    notes: tuple[str, ...]  # what keeps the model from reading
    problems: tuple[str, ...]  # of chats


translatable(("off", "commands", "commands and model"), "learning")


def standing(space: Space, settings: Settings) -> LearningStatus:
    """How learning stands in this role. Reads its chats; writes nothing, asks nobody."""
    kept, cursors = Chats(space), Cursors(space)
    state = _model_state(space, settings, kept)
    return LearningStatus(
        unread=sum(
            cursors.of(info.id) < kept.chat(info.id).mark for info in kept.chats(archived=True)
        ),
        queued=sum(state["queue"].values()),
        waiting=len(Review(space).waiting()),
        notes=tuple(one for one in (state["last_error"], *state["notes"]) if one),
        problems=tuple(problem.text(ProcessLanguage.language) for problem in kept.problems),
    )


def learns_by(settings: Settings) -> str:
    """Who reads what is said, by the settings."""
    if not settings.learn.enabled:
        return "off"
    learn = resolved(settings, last_model=UPSTREAM)  # the server knows which
    return "commands and model" if model_learns(learn) else "commands"


def _model_state(space: Space, settings: Settings, chats: Chats) -> Mapping[str, Any]:
    """What waits for a model: the background of the role, made to be asked and never to be begun."""
    context = ExtractionContext(
        chats,
        lambda: settings,
        lambda drafts, actor: None,
        dict,
        lambda chat: Company(),
        lambda chat, user: KnownMemories({}, lambda _: False),
        lambda texts, ids: {},
        ModelServers(),
    )
    behind = ExtractionWorker(space, context, Templates())
    return behind.status(ProcessLanguage.language)


@dataclass(frozen=True, slots=True)
class ConfiguredServer:
    """A model server that the settings name. `state` is a breaker's: uninitialised = nobody asked yet."""

    what: str  # learning, replies
    url: str  # without user and password
    key_env: str
    state: str = "uninitialised"
    reason: str = ""

    @property
    def has_key(self) -> bool:
        """Whether a key for it stands in the environment."""
        return bool(os.environ.get(self.key_env, "").strip())


def servers(settings: Settings, *, ask: bool) -> Iterator[ConfiguredServer]:
    """The servers that learn and that reply, each once. `ask`: see whether they are there, at most some seconds each."""
    learn, known = resolved(settings), dict[str, tuple[str, str]]()
    for base, key in ((own(learn, step).endpoint, own(learn, step).api_key_env) for step in STEPS):
        known.setdefault(base or learn.endpoint, ("learning", key or learn.api_key_env))
    known.setdefault(settings.serve.upstream, ("replies", settings.serve.upstream_key_env))
    for base, (what, key_env) in known.items():
        if base:
            yield _server(what, base, key_env, ask=ask)


def _server(what: str, base: str, key_env: str, *, ask: bool) -> ConfiguredServer:
    url, _ = translated(base, "")
    if not ask:
        return ConfiguredServer(what, shown(url), key_env)
    reason = _reason(url, key_env)
    return ConfiguredServer(what, shown(url), key_env, "failed" if reason else "ready", reason)


def _reason(url: str, key_env: str) -> str:
    """Why a server cannot be asked; "" when it answers."""
    try:
        with client(url) as line:
            answer = line.get(f"{url}/models", headers=bearer(key_env), timeout=PROBE_S)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return trouble(error).text(ProcessLanguage.language)
    if answer.status_code in (401, 403) or answer.status_code >= 500:
        return trouble(StatusError(answer.status_code, {}, key_env)).text(ProcessLanguage.language)
    return ""  # a server without a list of models may still reply
