"""mcp: memories as tools for agents and editors, over standard input and output."""

import sys
from typing import Annotated

from rolememory.cli.context import open_home
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.options import Text, option
from rolememory.cli.output import out, say
from rolememory.errors import InvalidValueError


def mcp(
    user: Annotated[
        Text,
        option(
            "--user NAME",
            "the user of the tools: their own memories and the shared ones, whatever the model asks for",
        ),
    ] = None,
) -> None:
    """Runs until the other side hangs up. Put `rolememory --home FOLDER mcp` into the client's list of servers."""
    if user is not None and not user.strip():  # an unset variable: a model would choose the user
        raise InvalidValueError("--user: expected a name, got {user!r}", user=user)
    try:
        import mcp as installed  # noqa: F401
    except ImportError as error:
        raise InvalidValueError(
            'this needs {name}; install it with: pip install "rolememory[serve]"', name=error.name
        ) from error
    from rolememory.serve.mcp.server import serve_stdio

    if sys.stdin.isatty():
        out.warn(say("waiting for an MCP client on standard input; Ctrl-C ends"))
    with open_home(meaning=True) as home:
        home.preload()
        serve_stdio(home, ProcessLanguage.language, user)
