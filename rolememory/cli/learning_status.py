"""Which learning a home's settings enable, and its model servers. Read-only."""

from collections.abc import Iterator

import httpx

from rolememory.cli.language import ProcessLanguage
from rolememory.learn.model.models import STEPS, UPSTREAM, model_learns, own, resolved
from rolememory.llm.errors import StatusError, trouble
from rolememory.locales import translatable
from rolememory.schema.settings import Settings
from rolememory.upstream import bearer, client

PROBE_S = 5.0  # timeout for checking a server

translatable(("off", "commands", "commands and model"), "learning")


def learns_by(settings: Settings) -> str:
    """What extracts memories, by the settings."""
    if not settings.learn.enabled:
        return "off"
    learn = resolved(settings, last_model=UPSTREAM)  # the server decides
    return "commands and model" if model_learns(learn) else "commands"


def servers(settings: Settings) -> Iterator[tuple[str, str, str]]:
    """(learning or replies, URL, environment variable of the key) of each server, without duplicates."""
    learn = resolved(settings)
    known = dict[str, tuple[str, str]]()
    for base, key in ((own(learn, step).endpoint, own(learn, step).api_key_env) for step in STEPS):
        known.setdefault(base or learn.endpoint, ("learning", key or learn.api_key_env))
    known.setdefault(settings.serve.upstream, ("replies", settings.serve.upstream_key_env))
    yield from ((what, base, key_env) for base, (what, key_env) in known.items() if base)


def trouble_with(url: str, key_env: str) -> str:
    """Why a server does not respond; "" if it does."""
    try:
        with client(url) as line:
            answer = line.get(f"{url}/models", headers=bearer(key_env), timeout=PROBE_S)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return trouble(error).text(ProcessLanguage.language)
    if answer.status_code in (401, 403) or answer.status_code >= 500:
        return trouble(StatusError(answer.status_code, {}, key_env)).text(ProcessLanguage.language)
    return ""  # a server without a list of models may still work
