"""Mistakes in the command line, worded on one line: what was wrong, what to write instead."""

import re
from typing import Any

import typer

from rolememory.cli.manual import metavar, verbs_of
from rolememory.cli.words import say
from rolememory.errors import closest

MISTAKE: type[Exception] = typer.BadParameter.__mro__[
    2
]  # typer's own ClickException, or click's in older versions

_QUOTED = re.compile(r"'([^']*)'")


def worded(error: Any) -> str:
    """The message of a usage mistake in the person's language."""
    kind = type(error).__name__
    worder = {
        "MissingParameter": _missing,
        "NoSuchOption": _no_such_option,
        "BadParameter": _bad_value,
        "BadOptionUsage": _bad_option,
        "BadArgumentUsage": _plain,
    }.get(kind, _general)
    return f"{worder(error)}{_see(error)}"


def _see(error: Any) -> str:
    path = getattr(getattr(error, "ctx", None), "command_path", "rolememory")
    return say(f"; see `{path} --help`", f"；用法见 `{path} --help`")


def _missing(error: Any) -> str:
    parameter = error.param
    name = metavar(parameter) if parameter.param_type_name == "argument" else parameter.opts[0]
    return say(f"{name} is missing", f"缺少 {name}")


def _no_such_option(error: Any) -> str:
    name = error.option_name
    known = [*_options(error), "--home", "--json", "--lang"]
    near = closest(name, known)
    hint = say(f", did you mean {near}?", f"；是不是 {near}？") if near else ""
    return say(f"no option {name} here{hint}", f"没有选项 {name}{hint}")


def _options(error: Any) -> list[str]:
    command = getattr(error.ctx, "command", None)
    return [
        name
        for parameter in getattr(command, "params", [])
        for name in [*parameter.opts, *parameter.secondary_opts]
        if name.startswith("-")
    ]


def _bad_value(error: Any) -> str:
    parameter, message = error.param, error.message.rstrip(".")
    name = (
        ""
        if parameter is None
        else metavar(parameter)
        if parameter.param_type_name == "argument"
        else parameter.opts[0]
    )
    if not message.isascii():
        return f"{name}：{message}"
    found = _QUOTED.search(message)
    return say(
        f"{name}: {_lower(message)}",
        f"{name}：“{found.group(1)}”不是可用的值（{message}）" if found else f"{name}：{message}",
    )


def _bad_option(error: Any) -> str:
    return say(
        _lower(error.message.rstrip(".")),
        f"选项 {error.option_name} 的写法不对（{error.message.rstrip('.')}）",
    )


def _plain(error: Any) -> str:
    return _lower(str(error.message).rstrip("."))


def _general(error: Any) -> str:
    message = str(error.message)
    if message.startswith("No such command"):
        return _no_such_verb(error, message)
    if message.startswith("Missing command"):
        return say("a verb is missing", "缺少命令")
    if "unexpected extra argument" in message:
        return say(
            _lower(message.rstrip(".")),
            f"多余的参数：{message[message.find('(') + 1 : message.rfind(')')] if message.endswith(')') else message}",
        )
    return _plain(error)


def _no_such_verb(error: Any, message: str) -> str:
    found = _QUOTED.search(message)
    name = found.group(1) if found else ""
    near = closest(name, verbs_of(error.ctx.command, error.ctx))
    hint = say(f", did you mean `{near}`?", f"；是不是 `{near}`？") if near else ""
    return say(f"no verb {name!r}{hint}", f"没有命令“{name}”{hint}")


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
