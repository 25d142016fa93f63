"""serve: the proxy, REST, MCP and the page, in one process."""

import logging
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.desk import Desk, desk
from rolememory.cli.meaning import look_at
from rolememory.cli.options import option
from rolememory.cli.verbs import DOORS, verb
from rolememory.cli.words import Tongue, both, say
from rolememory.errors import InvalidValueError

if TYPE_CHECKING:
    from rolememory.serve.house import House


@verb(
    "serve",
    DOORS,
    both(
        "stand between frontend and model: the character remembers",
        "架在前端与模型之间：角色从此有记忆",
    ),
)
def serve(
    upstream: Annotated[
        str | None,
        option(
            "--upstream URL",
            "the model's OpenAI-compatible server, e.g. http://127.0.0.1:5001/v1",
            "模型服务（兼容 OpenAI）的地址",
        ),
    ] = None,
    port: Annotated[
        int | None, option("--port N", "port to listen on (8787)", "监听端口（8787）", parser=int)
    ] = None,
    host: Annotated[
        str | None,
        option("--host ADDRESS", "address to listen on (127.0.0.1)", "监听地址（127.0.0.1）"),
    ] = None,
    api_key: Annotated[
        str | None,
        option(
            "--api-key KEY",
            "the upstream's key; without it the frontend's key is passed on",
            "上游的密钥；不写则转交前端的密钥",
        ),
    ] = None,
    role: Annotated[
        str | None,
        option("--role NAME", "the role of every turn that names none", "没有指明角色的对话归谁"),
    ] = None,
    service: Annotated[
        bool,
        option(
            "--service",
            "serve many users by keys: `keys add` makes them",
            "以密钥服务多个用户：用 `keys add` 生成",
        ),
    ] = False,
) -> None:
    """Runs until Ctrl-C."""
    here = desk()
    _check_installed()
    _check_upstream(upstream)
    from rolememory.serve.run import address, listening
    from rolememory.serve.run import serve as run

    given = {"serve.upstream": upstream, "serve.port": port, "serve.host": host, "serve.role": role}
    given["serve.service"] = service or None
    house = _house(
        here, {name: value for name, value in given.items() if value is not None}, api_key
    )
    listener = listening(house.settings.host, house.settings.port)
    _log_to_console(here)
    run(house, listener, lambda: greet(here, house, address(listener)))


def greet(here: Desk, house: "House", url: str) -> None:
    """What to paste where, and what works."""
    rows = {
        "url": f"{url}/v1",
        "page": f"{url}/",
        "home": str(house.home.path),
        "upstream": house.settings.upstream,
        "meaning": house.home.loader.state,
    }
    if here.out.as_json:
        here.out.data(rows)
        return
    here.out.say(say("rolememory is ready", "rolememory 已就绪"), "bold green")
    told = (
        (say("paste into the frontend as API URL", "填进前端的 API 地址"), rows["url"]),
        (say("page", "网页"), rows["page"]),
        (say("home", "主目录"), rows["home"]),
        (
            say("model behind", "后面的模型"),
            rows["upstream"] or say("none yet: --upstream URL", "还没有：--upstream URL"),
        ),
        (say("meaning", "语义"), meaning(house)),
    )
    for name, value in told:
        here.out.say(f"  {name}: {value}")
    if offered(house):
        here.out.say(
            say(
                "  the model behind may also note facts while nobody chats: rolememory settings learn.endpoint upstream",
                "  后面的模型也可以趁没人聊天时记下事实：rolememory settings learn.endpoint upstream",
            )
        )
    if house.fresh_token:
        here.out.say(
            say(
                f"  token for pages and other machines, shown once: {house.token}",
                f"  供网页和其他设备使用的令牌，只显示这一次：{house.token}",
            )
        )
    here.out.say(say("  Ctrl-C ends", "  按 Ctrl-C 结束"))


def offered(house: "House") -> bool:
    """Whether the model behind the proxy could distil and nobody has said yes or no."""
    from rolememory.learn.model.models import is_offered

    return is_offered(house.home.settings)


def meaning(house: "House") -> str:
    """Whether meaning works, and for which languages, in a few words."""
    found = look_at(house.home.settings.embedding, house.home.path)
    told = found.text().partition(say(": ", "："))[2]
    return told + say("; it loads in the background", "；正在后台加载") if found.works else told


def _house(here: Desk, overrides: Mapping[str, Any], api_key: str | None) -> "House":
    from rolememory.engine import Home
    from rolememory.serve.house import House

    home = Home.open(here.path, overrides)
    if api_key:
        os.environ[home.settings.serve.upstream_key_env] = api_key
    return House(home, Tongue.language)


def _check_installed() -> None:
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise InvalidValueError(
            f'the server needs {error.name}; install it with: pip install "rolememory[serve]"',
            zh=f'服务需要 {error.name}；请安装：pip install "rolememory[serve]"',
        ) from error


def _check_upstream(url: str | None) -> None:
    from rolememory.serve.proxy.faults import place

    if url and not place(url)[0]:
        raise InvalidValueError(
            f"--upstream: expected http://HOST:PORT/v1, got {url!r}; write the scheme too",
            zh=f"--upstream：应为 http://主机:端口/v1，却是“{url}”；请把 http:// 也写上",
        )


def _log_to_console(here: Desk) -> None:
    """One line per turn on standard error; never memory text, never keys."""
    shown = logging.StreamHandler()
    shown.setFormatter(logging.Formatter("%(asctime)s  %(message)s", "%H:%M:%S"))
    log = logging.getLogger("rolememory")
    log.handlers[:] = [shown]
    log.setLevel(logging.INFO)
    log.propagate = False
