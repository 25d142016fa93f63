"""serve: the proxy, REST, MCP and the page, in one process or several."""

import gc
import logging
import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

from rolememory.cli.context import home_path
from rolememory.cli.embedding_status import look_at
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.options import Text, option, server_url, whole
from rolememory.cli.output import out, say
from rolememory.errors import InvalidValueError
from rolememory.schema.json_types import JsonMapping

if TYPE_CHECKING:
    from rolememory.serve.app_state import AppState


def serve(
    upstream: Annotated[
        Text,
        option(
            "--upstream URL",
            "the model's OpenAI-compatible server, e.g. http://127.0.0.1:5001/v1",
            server_url,
        ),
    ] = None,
    port: Annotated[
        int | None, option("--port N", "port to listen on (8787)", whole(0, 65535))
    ] = None,
    host: Annotated[Text, option("--host ADDRESS", "address to listen on (127.0.0.1)")] = None,
    api_key: Annotated[
        Text,
        option("--api-key KEY", "the upstream's key; without it the frontend's key is passed on"),
    ] = None,
    role: Annotated[Text, option("--role NAME", "the role of turns that name none")] = None,
    service: Annotated[
        bool, option("--service", "serve many users by keys: `keys add` makes them")
    ] = False,
    workers: Annotated[
        int, option("--workers N", "number of processes that answer on one port (1)", whole(1))
    ] = 1,
) -> None:
    """Runs until Ctrl-C."""
    gc.disable()  # until it listens: loaded objects stay, and scanning them is useless
    _check_installed()
    from rolememory.serve.run import address, listening

    given = {"serve.upstream": upstream, "serve.port": port, "serve.host": host, "serve.role": role}
    given["serve.service"] = service or None
    given = {name: value for name, value in given.items() if value is not None}
    app_state = _app_state(given, api_key)
    if upstream:
        from rolememory.storage.settings_text import refuse_own_address

        refuse_own_address(app_state.settings)
    listener = listening(app_state.settings.host, app_state.settings.port)
    log_to_console()

    def ready() -> None:
        greet(app_state, address(listener))

    if workers > 1:
        from rolememory.serve.workers import serve_together

        serve_together(app_state, listener, ready, given, workers, log_to_console)
        return
    from rolememory.serve.run import serve as run

    run(app_state, listener, ready)


def greet(app_state: "AppState", url: str) -> None:
    """Print the addresses to paste, and the status."""
    from rolememory.learn.model.models import is_offered

    rows = {
        "url": f"{url}/v1",
        "page": f"{url}/",
        "home": str(app_state.home.path),
        "upstream": app_state.settings.upstream,
        "meaning": app_state.home.loader.state,
    }
    if out.json(rows):
        return
    out.say("rolememory is ready", style="bold green")
    told = (
        (say("paste into the frontend as API URL"), rows["url"]),
        (say("page"), rows["page"]),
        (say("home"), rows["home"]),
        (say("model server"), rows["upstream"] or say("none yet: --upstream URL")),
        (say("meaning"), _meaning(app_state)),
    )
    for name, value in told:
        out.line(f"  {name}: {value}")
    if is_offered(app_state.home.settings):
        out.say(
            "  the model behind the proxy can also extract facts while nobody chats: rolememory settings learn.endpoint upstream"
        )
    if app_state.settings.service:
        out.say(
            "  API key of each caller: one of {count} that `rolememory keys add NAME` made",
            count=len(app_state.keys.all()),
        )
    elif app_state.fresh_token:
        out.say("  token for pages and other machines, shown once: {token}", token=app_state.token)
    out.say("  Ctrl-C ends")


def _meaning(app_state: "AppState") -> str:
    """The status of semantic search and its languages, in a few words."""
    found = look_at(app_state.home.settings.embedding, app_state.home.path)
    told = found.text().partition(say(": "))[2]
    return told + say("; it loads in the background") if found.works else told


def _app_state(overrides: JsonMapping, api_key: str | None) -> "AppState":
    from rolememory.engine import Home
    from rolememory.serve.app_state import AppState

    home = Home.open(home_path(), overrides)
    if api_key:
        os.environ[home.settings.serve.upstream_key_env] = api_key
    return AppState(home, ProcessLanguage.language)


_SAME_S = 600.0  # interval in which a repeated warning is suppressed
_MOST_WARNINGS = 500  # maximum of remembered warnings


def _check_installed() -> None:
    """Check without importing them: the framework is loaded on first use of REST or MCP."""
    if name := next((one for one in ("fastapi", "uvicorn") if find_spec(one) is None), None):
        raise InvalidValueError(
            'the server needs {name}; install it with: pip install "rolememory[serve]"', name=name
        )


class _SameWarning(logging.Filter):
    """Suppresses repeated warnings, so that persistent errors do not fill the log."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[str, str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether it is shown."""
        if record.levelno < logging.WARNING:
            return True
        reason = str(record.args[-1]) if isinstance(record.args, tuple) and record.args else ""
        key = record.name, str(record.msg), reason
        if len(self._last) >= _MOST_WARNINGS:
            self._last.clear()
        again = record.created - self._last.get(key, float("-inf")) < _SAME_S
        if not again:
            self._last[key] = record.created
        return not again


def log_to_console() -> None:
    """One line per turn on standard error; never memory text, never keys."""
    shown = logging.StreamHandler()
    shown.addFilter(_SameWarning())
    shown.setFormatter(logging.Formatter("%(asctime)s  %(message)s", "%H:%M:%S"))
    log = logging.getLogger("rolememory")
    log.handlers[:] = [shown]
    log.setLevel(logging.INFO)
    log.propagate = False
