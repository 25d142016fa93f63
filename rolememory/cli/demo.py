"""demo: the shipped home at work, from a copy, so that nothing shipped changes."""

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.context import CommandContext, desk
from rolememory.cli.demo_view import DemoScene, act
from rolememory.cli.options import argument, option
from rolememory.cli.turns import turn_json
from rolememory.cli.wait_for_model import ready
from rolememory.cli.words import Tongue, say
from rolememory.errors import FileError, UnknownNameError
from rolememory.shipped import shipped

if TYPE_CHECKING:
    from rolememory.engine import Home

SCRIPT = "demo.json"


def demo(
    role: Annotated[str | None, argument("[ROLE]", "only this character")] = None,
    words: Annotated[
        bool,
        option("--words", "by keys and words alone, without waiting for the embedding model"),
    ] = False,
    at_once: Annotated[bool, option("--no-pause", "all scenes at once")] = False,
) -> None:
    """Play every scene."""
    here = desk()
    with _stage(words) as home:
        scenes = list(_scenes(home, role))
        told = []
        if not here.out.as_json:
            _greet(here, home)
        if not words:
            _prepare(here, home, scenes)
        for number, scene in enumerate(scenes, 1):
            turn = home.role(scene.role_id).recall(
                scene.chat, user=scene.user, now=scene.now, dry_run=True
            )
            if here.out.as_json:
                told.append({"role": scene.name, "say": scene.caption, **turn_json(turn)})
                continue
            act(here.out, scene, turn, f"{number}/{len(scenes)}")
            if number < len(scenes) and not at_once and not _go_on(here):
                break
    if here.out.as_json:
        here.out.data(told)
    else:
        _farewell(here)


@contextmanager
def _stage(words: bool) -> "Iterator[Home]":
    """The shipped home, copied."""
    from rolememory.engine import Home

    with TemporaryDirectory(prefix="rolememory-demo-") as folder:
        copy = Path(folder) / "home"
        shutil.copytree(
            shipped("examples", "home"),
            copy,
            ignore=shutil.ignore_patterns(".cache", "state", "journal", "backups"),
        )
        with Home.open(
            copy,
            {"embedding.backend": "off"}
            if words
            else {"embedding.model": "", "embedding.backend": "auto"},
        ) as home:
            yield home


def _scenes(home: "Home", role: str | None) -> Iterator[DemoScene]:
    """The script; characters who speak the person's language first."""
    import json

    from rolememory.schema.message import Message
    from rolememory.storage.timestamps import moment
    from rolememory.text.language import language_of

    file = home.path / SCRIPT
    try:
        rows: list[Mapping[str, Any]] = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise FileError(
            file,
            "the demo's script cannot be read: {error}",
            remedy="install rolememory again",
            error=error,
        ) from error
    ids = {str(row["role"]): home.folder.find(str(row["role"])).id for row in rows}
    names = {role_id: home.folder.find(role_id).name for role_id in ids.values()}
    wanted = home.folder.find(role).id if role else None
    if wanted and wanted not in names:
        raise UnknownNameError("role", str(role), names.values())
    scenes = [
        DemoScene(
            ids[str(row["role"])], names[ids[str(row["role"])]], tuple(map(Message.of, row["chat"])), row.get("user"),
            moment(row["now"]) if row.get("now") else None, str(row.get("say", {}).get(Tongue.language, "")),
        )
        for row in rows
        if wanted in (None, ids[str(row["role"])])
    ]  # fmt: skip
    yield from sorted(
        scenes, key=lambda scene: language_of(scene.chat[-1].content) != Tongue.language
    )


def _prepare(here: CommandContext, home: "Home", scenes: list[DemoScene]) -> None:
    """Wait for the model, once; without one, say so and go on."""
    for role_id in dict.fromkeys(scene.role_id for scene in scenes):
        if not ready(here, home.role(role_id)):
            return


def _greet(here: CommandContext, home: "Home") -> None:
    count = sum(len(home.role(role.id).memories) for role in home.roles())
    names = say(", ", msgctxt="list").join(role.name for role in home.roles())
    here.out.say(
        say("rolememory: characters that remember, and can say why"),
        "bold magenta",
    )
    here.out.say(
        say(
            "{names}: {count} memories in plain files. For each message: what comes to mind, for which reason, and what the model would be sent.",
            names=names,
            count=count,
        )
    )


def _go_on(here: CommandContext) -> bool:
    """Whether the next scene is wanted; in a pipe it always is."""
    if not (here.out.is_terminal and sys.stdin.isatty()):
        return True
    here.out.say(say("Enter: next scene; q: enough"), "dim")
    return sys.stdin.readline().strip().casefold() not in ("q", "quit", "exit")


def _farewell(here: CommandContext) -> None:
    here.out.say()
    here.out.say(
        say("Your own characters: `rolememory init`, then `rolememory open NAME --create`."),
        "bold",
    )
