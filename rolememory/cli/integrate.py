"""integrate: installs our extension in a frontend, prints what to paste, and uninstalls it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from rolememory.cli import sillytavern
from rolememory.cli.context import check_home, home_path
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.options import Text, argument, option
from rolememory.cli.output import out, say
from rolememory.errors import InvalidValueError

ORIGINS = "serve.allowed_origins"


def integrate_sillytavern(
    path: Annotated[Path, argument("PATH", "the folder of SillyTavern")],
    user: Annotated[
        Text, option("--user NAME", "for this user of SillyTavern (default-user)")
    ] = None,
    all_users: Annotated[bool, option("--all-users", "for all users")] = False,
    address: Annotated[
        list[str] | None,
        option("--address URL", "the address its page is opened at, if not the one in config.yaml"),
    ] = None,
    remove: Annotated[bool, option("--remove", "remove it again")] = False,
) -> None:
    """Copies the extension, and lets SillyTavern's page ask the server."""
    tavern = path.expanduser().resolve()
    target = sillytavern.place(tavern, user, everybody=all_users)
    origins = [_origin(one) for one in address] if address else list(sillytavern.addresses(tavern))
    if remove:
        _removed(target, sillytavern.take_out(target), _allowed(without=origins))
        return
    _make_home()
    sillytavern.put(target)
    _allowed(also=origins)
    _told(target, origins)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidValueError("--address: expected http://HOST:PORT, got {url!r}", url=url)
    return f"{parts.scheme}://{parts.netloc}"


def _make_home() -> None:
    from rolememory.storage.home import init

    try:
        check_home()
    except InvalidValueError:
        init(home_path(), ProcessLanguage.language)


def _allowed(also: Iterable[str] = (), without: Iterable[str] = ()) -> bool:
    """Change the allowed origins; false if nothing changed."""
    from rolememory.storage.settings import load_settings
    from rolememory.storage.settings_text import set_value

    if not home_path().expanduser().is_dir():
        return False
    home = home_path().expanduser()
    gone = set(without)
    now = list(load_settings(home).settings.serve.allowed_origins)
    wanted = list(dict.fromkeys(one for one in (*now, *also) if one not in gone))
    if wanted == now:
        return False
    set_value(home, ORIGINS, wanted or None)
    return True


def _removed(target: Path, was_there: bool, was_allowed: bool) -> None:
    if out.json({"extension": str(target), "removed": was_there, "origins_changed": was_allowed}):
        return
    if was_there or was_allowed:
        out.say("{target}: removed", style="bold", target=target)
        out.say(
            "reload SillyTavern; if the proxy's URL still stands there, put your model's own URL back"
        )
    else:
        out.say("{target}: nothing of ours is there", target=target)


def _told(target: Path, origins: Iterable[str]) -> None:
    from rolememory.storage.settings import load_settings

    settings = load_settings(home_path().expanduser()).settings.serve
    url = f"http://127.0.0.1:{settings.port}"
    if out.as_json:
        rows = {
            "extension": str(target),
            "origins": list(origins),
            "url": f"{url}/v1",
            "server": url,
            "parameters": sillytavern.hint(),
        }
        out.data(rows)
        return
    out.say("{target}: installed", style="bold", target=target)
    for line in _steps(url, str(home_path())):
        out.line(line)
    out.line()
    out.say(
        "Without the extension, paste this into Additional Parameters, Include Body Parameters:"
    )
    out.raw(sillytavern.hint())


def _steps(url: str, home: str) -> tuple[str, ...]:
    place = "" if home == "memories" else f" --home {home}"
    return (
        say("1. start the server:")
        + f"  rolememory serve{place} --upstream http://127.0.0.1:5001/v1",
        say("2. reload SillyTavern; API: Chat Completion, Custom (OpenAI-compatible); URL:")
        + f"  {url}/v1",
        say(
            "3. for the panel, and for models that cannot go through the proxy: Extensions, rolememory; paste the token from"
        )
        + f"  {Path(home) / '.token'}",
    )
