"""Mistakes in the command line, worded on one line: what was wrong, what to write instead."""

import re
from typing import Any

import typer

from rolememory.cli.help_pages import metavar
from rolememory.cli.words import say
from rolememory.errors import closest

MISTAKE: type[Exception] = typer.BadParameter.__mro__[
    2
]  # typer's own ClickException, or click's in older versions

EVERYWHERE = ("--home", "--json", "--lang")  # options of every verb
_QUOTED = re.compile(r"'([^']*)'")
_EXTRA = re.compile(r"unexpected extra argument(?:s|\(s\))? \((.*)\)")


def worded(error: Any) -> str:
    """The message of a usage mistake in the person's language."""
    worder = {
        "MissingParameter": _missing,
        "NoSuchOption": _no_such_option,
        "BadParameter": _bad_value,
        "BadOptionUsage": _bad_option,
    }.get(type(error).__name__, _general)
    path = getattr(getattr(error, "ctx", None), "command_path", "rolememory")
    return worder(error) + say("; see `{path} --help`", path=path)


def _missing(error: Any) -> str:
    return say("{name} is missing", name=_name(error.param))


def _name(parameter: Any) -> str:
    """What stands for a parameter on the command line."""
    if parameter is None:
        return ""
    return metavar(parameter) if parameter.param_type_name == "argument" else parameter.opts[0]


def _no_such_option(error: Any) -> str:
    parameters = getattr(getattr(error.ctx, "command", None), "params", [])
    known = [word for one in parameters for word in (*one.opts, *one.secondary_opts)]
    near = closest(error.option_name, [*(one for one in known if one[:1] == "-"), *EVERYWHERE])
    hint = say(", did you mean {near}?", near=near) if near else ""
    return say("no option {name} here{hint}", name=error.option_name, hint=hint)


def _bad_value(error: Any) -> str:
    return say("{name}: {problem}", name=_name(error.param), problem=_plain(error))


def _bad_option(error: Any) -> str:
    return say("{problem}", msgctxt="option", problem=_plain(error), option=error.option_name)


def _plain(error: Any) -> str:
    return _lower(str(error.message).rstrip("."))


def _general(error: Any) -> str:
    message = str(error.message)
    if message.startswith("No such command"):
        return _no_such_verb(error, message)
    if message.startswith("Missing command"):
        return say("a verb is missing")
    if found := _EXTRA.search(message):
        return say("too many arguments: {extra}", extra=found[1])
    return _plain(error)


def _no_such_verb(error: Any, message: str) -> str:
    found = _QUOTED.search(message)
    name = found.group(1) if found else ""
    near = closest(name, error.ctx.command.list_commands(error.ctx))
    hint = say(", did you mean `{near}`?", near=near) if near else ""
    return say("no verb {name!r}{hint}", name=name, hint=hint)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
