"""Usage errors, worded on one line: what is wrong, and what to write instead."""

import re
from typing import Any

import typer

from rolememory.cli.help_pages import metavar
from rolememory.cli.output import say
from rolememory.errors import closest

MISTAKE: type[Exception] = typer.BadParameter.__mro__[
    2
]  # typer's own ClickException, or click's in older versions

EVERYWHERE = ("--home", "--json", "--lang")  # options of every verb
OTHER_WORDS = {
    "remember": "add",
    "remove": "delete",
    "rm": "delete",
    "ls": "list",
    "find": "search",
    "show": "open",
    "new": "open",
    "create": "open",
    "why": "explain",
    "learn": "observe",
    "chats": "sessions",
    "log": "history",
    "set": "settings",
    "config": "settings",
    "start": "serve",
    "run": "serve",
    "help": "--help",
    "version": "--version",
}  # what people type -> the verb
_QUOTED = re.compile(r"'([^']*)'")
_EXTRA = re.compile(r"unexpected extra argument(?:s|\(s\))? \((.*)\)")


def worded(error: Any) -> str:
    """The message of a usage mistake in the person's language, with one remedy: what was probably meant, else the help."""
    told, near = _told(error)
    if near:
        return told + say("; did you mean `{near}`?", near=near)
    path = getattr(getattr(error, "ctx", None), "command_path", "rolememory")
    return told + say("; see `{path} --help`", path=path)


def _told(error: Any) -> tuple[str, str | None]:
    """What is wrong, and the name that was probably meant."""
    message = str(error.message)
    plain = message[:1].lower() + message[1:].rstrip(".")
    match type(error).__name__:
        case "NoSuchOption":
            return _no_such_option(error)
        case "MissingParameter":
            told = say("{name} is missing", name=_name(error.param))
        case "BadParameter":
            told = say("{name}: {problem}", name=_name(error.param), problem=plain)
        case "BadOptionUsage":
            told = say("{problem}", msgctxt="option", problem=plain, option=error.option_name)
        case _:
            return _general(error, message, plain)
    return told, None


def _general(error: Any, message: str, plain: str) -> tuple[str, str | None]:
    if message.startswith("No such command"):
        return _no_such_verb(error, message)
    if message.startswith("Missing command"):
        return say("a verb is missing"), None
    if found := _EXTRA.search(message):
        return say("too many arguments: {extra}", extra=found[1]), None
    return plain, None


def _name(parameter: Any) -> str:
    """The name of a parameter on the command line."""
    if parameter is None:
        return ""
    return metavar(parameter) if parameter.param_type_name == "argument" else parameter.opts[0]


def _no_such_option(error: Any) -> tuple[str, str | None]:
    parameters = getattr(getattr(error.ctx, "command", None), "params", [])
    known = [word for one in parameters for word in (*one.opts, *one.secondary_opts)]
    near = closest(error.option_name, [*(one for one in known if one[:1] == "-"), *EVERYWHERE])
    return say("no option {name} here", name=error.option_name), near


def _no_such_verb(error: Any, message: str) -> tuple[str, str | None]:
    found = _QUOTED.search(message)
    name = found[1] if found else ""
    return say("no verb {name!r}", name=name), _verb_near(name, error.ctx)


def _verb_near(name: str, ctx: Any) -> str | None:
    """The verb that was most likely meant; of a group only one that is spelled alike."""
    verbs = {one: one for one in ctx.command.list_commands(ctx)}
    known = verbs if ctx.parent else {**OTHER_WORDS, **verbs}
    near = name if name in known else closest(name, known)
    return known[near] if near else None
