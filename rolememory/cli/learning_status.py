"""Who learns by the settings of a home, and the model servers that they name. Looks only."""

from collections.abc import Iterator

import httpx

from rolememory.cli.words import ProcessLanguage
from rolememory.learn.model.models import STEPS, UPSTREAM, model_learns, own, resolved
from rolememory.llm.errors import StatusError, trouble
from rolememory.locales import translatable
from rolememory.schema.settings import Settings
from rolememory.upstream import bearer, client

PROBE_S = 5.0  # a server that is asked whether it is there has so long

translatable(("off", "commands", "commands and model"), "learning")


def learns_by(settings: Settings) -> str:
    """Who reads what is said, by the settings."""
    if not settings.learn.enabled:
        return "off"
    learn = resolved(settings, last_model=UPSTREAM)  # the server knows which
    return "commands and model" if model_learns(learn) else "commands"


def servers(settings: Settings) -> Iterator[tuple[str, str, str]]:
    """(learning or replies, URL, the variable with its key) of each server, each once."""
    learn, known = resolved(settings), dict[str, tuple[str, str]]()
    for base, key in ((own(learn, step).endpoint, own(learn, step).api_key_env) for step in STEPS):
        known.setdefault(base or learn.endpoint, ("learning", key or learn.api_key_env))
    known.setdefault(settings.serve.upstream, ("replies", settings.serve.upstream_key_env))
    yield from ((what, base, key_env) for base, (what, key_env) in known.items() if base)


def trouble_with(url: str, key_env: str) -> str:
    """Why a server cannot be asked; "" when it answers."""
    try:
        with client(url) as line:
            answer = line.get(f"{url}/models", headers=bearer(key_env), timeout=PROBE_S)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return trouble(error).text(ProcessLanguage.language)
    if answer.status_code in (401, 403) or answer.status_code >= 500:
        return trouble(StatusError(answer.status_code, {}, key_env)).text(ProcessLanguage.language)
    return ""  # a server without a list of models may still reply
