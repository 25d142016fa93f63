"""mcp: memories as tools for agents and editors, over standard input and output."""

import sys
from typing import Annotated

from rolememory.cli.desk import desk
from rolememory.cli.options import option
from rolememory.cli.verbs import DOORS, verb
from rolememory.cli.words import Tongue, both, say
from rolememory.errors import InvalidValueError

OnBehalf = Annotated[
    str | None,
    option(
        "--user NAME",
        "on whose behalf: their own memories and the shared ones, whatever the model asks for",
        "替谁：只看本人的和共享的记忆，模型不能换成别人",
    ),
]


@verb(
    "mcp",
    DOORS,
    both(
        "give agents and editors the memories as tools (MCP over stdio)",
        "让智能体和编辑器把记忆当作工具使用（MCP，标准输入输出）",
    ),
)
def mcp(user: OnBehalf = None) -> None:
    """Runs until the other side hangs up. Put `rolememory --home FOLDER mcp` into the client's list of servers."""
    here = desk()
    _check_installed()
    from rolememory.serve.mcp.server import serve_stdio

    if sys.stdin.isatty():
        here.out.warn(
            say(
                "waiting for an MCP client on standard input; Ctrl-C ends",
                "正在标准输入上等待 MCP 客户端；按 Ctrl-C 结束",
            )
        )
    with here.home(meaning=True) as home:
        home.preload()
        serve_stdio(home, Tongue.language, user)


def _check_installed() -> None:
    try:
        import mcp as installed  # noqa: F401
    except ImportError as error:
        raise InvalidValueError(
            f'this needs {error.name}; install it with: pip install "rolememory[serve]"',
            zh=f'需要 {error.name}；请安装：pip install "rolememory[serve]"',
        ) from error
