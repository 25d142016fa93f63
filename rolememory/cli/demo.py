"""demo: the shipped home in use, as a copy, so that the original stays unchanged."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import TYPE_CHECKING, Annotated

from rolememory.cli.embedding_status import ready
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.options import Text, argument, option
from rolememory.cli.output import out, say, shown
from rolememory.cli.turns import turn_json
from rolememory.errors import UnknownNameError
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.role import Role
from rolememory.shipped import shipped

if TYPE_CHECKING:
    from rolememory.engine import Home
    from rolememory.recall.turn import Turn

SCRIPT = "demo.json"


Scene = tuple["Role", JsonMapping]
"""A character, and the row of the script that says what is said to them."""


def demo(
    role: Annotated[Text, argument("[ROLE]", "only this character")] = None,
    words: Annotated[
        bool, option("--words", "by keys and words only, without waiting for the embedding model")
    ] = False,
    at_once: Annotated[bool, option("--no-pause", "do not pause between scenes")] = False,
) -> None:
    """Play every scene."""
    with _stage(words) as home:
        scenes = list(_scenes(home, role))
        if not out.as_json:
            _greet(home)
        if not words:
            all(ready(home.role(role_id)) for role_id in {of.id for of, _ in scenes})
        told = []
        for number, (of, row) in enumerate(scenes, 1):
            turn = home.role(of.id).recall(
                row["chat"], user=row.get("user"), now=row.get("now"), dry_run=True
            )
            if out.as_json:
                told.append({"role": of.name, "say": _caption(row), **turn_json(turn)})
                continue
            _show(of, row, turn, f"{number}/{len(scenes)}")
            if number < len(scenes) and not at_once and not _go_on():
                break
    farewell = say("Your own characters: `rolememory init`, then `rolememory open NAME --create`.")
    out.result(told, "", farewell)


@contextmanager
def _stage(words: bool) -> "Iterator[Home]":
    """A copy of the shipped home."""
    from rolememory.engine import Home

    settings = {"embedding.model": "", "embedding.backend": "off" if words else "auto"}
    with TemporaryDirectory(prefix="rolememory-demo-") as folder:
        copy = Path(folder) / "home"
        made_by_use = shutil.ignore_patterns(".cache", "state", "journal", "backups")
        shutil.copytree(shipped("examples", "home"), copy, ignore=made_by_use)
        with Home.open(copy, settings) as home:
            yield home


def _scenes(home: "Home", role: str | None) -> list[Scene]:
    """The script; characters in the person's language first."""
    import orjson

    from rolememory.text.language import language_of

    rows = orjson.loads((home.path / SCRIPT).read_bytes())
    every = [(home.folder.find(row["role"]), row) for row in rows]
    wanted = home.folder.find(role).id if role else None
    found = [one for one in every if wanted in (None, one[0].id)]
    if not found:
        raise UnknownNameError("role", str(role), {of.name for of, _ in every})
    spoken = ProcessLanguage.language
    return sorted(found, key=lambda one: language_of(one[1]["chat"][-1]["content"]) != spoken)


def _caption(row: JsonMapping) -> str:
    return str(row.get("say", {}).get(ProcessLanguage.language, ""))


def _greet(home: "Home") -> None:
    roles = home.roles()
    count = sum(len(home.role(role.id).memories) for role in roles)
    names = shown([role.name for role in roles])
    out.say("rolememory: characters that remember, and can say why", style="bold magenta")
    out.say(
        "{names}: {count} memories in plain files. For each message: what comes to mind, for which reason, and what the model would be sent.",
        names=names,
        count=count,
    )


def _go_on() -> bool:
    """Whether to continue; always true in a pipe."""
    if not (out.is_terminal and sys.stdin.isatty()):
        return True
    out.say("Enter: next scene; q: enough", style="dim")
    return sys.stdin.readline().strip().casefold() not in ("q", "quit", "exit")


def _show(of: Role, row: JsonMapping, turn: "Turn", number: str) -> None:
    user = row.get("user")
    now = row.get("now", "")[:10]
    when = say(", ") + now if now else ""
    who = say(" and {user}", user=user) if user else ""
    out.line(f"\n== {number}  {of.name}{who}{when} ==", "bold magenta")
    if caption := _caption(row):
        out.line(f"({caption})", "italic")
    names = {"user": user or say("User"), "assistant": of.name}
    for message in row["chat"]:
        out.line(f"{names[message['role']]}{say(': ')}{message['content']}")
    out.line("\n" + say("What comes to mind, and why:"), "bold")
    out.line(_indented(str(turn.explain(language=ProcessLanguage.language))))
    out.line("\n" + say("What the model is sent:"), "bold")
    for one in turn.messages:
        out.line(f"  [{one.role}]", "cyan")
        out.line(_indented(one.content))


def _indented(text: str) -> str:
    return indent(text, "  ", lambda line: True)
