"""demo: the shipped home at work, from a copy, so that nothing shipped changes."""

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.desk import Desk, desk
from rolememory.cli.options import argument, option
from rolememory.cli.stage import Scene, act
from rolememory.cli.turns import turn_json
from rolememory.cli.verbs import BEGIN, verb
from rolememory.cli.waiting import ready
from rolememory.cli.words import Tongue, both, say
from rolememory.errors import FileError, UnknownNameError
from rolememory.shipped import shipped

if TYPE_CHECKING:
    from rolememory.engine import Home

SCRIPT = "demo.json"


@verb(
    "demo",
    BEGIN,
    both(
        "see it at work: three characters, what they recall and why",
        "看看效果：三个角色，各自想起了什么、为什么",
    ),
)
def demo(
    role: Annotated[str | None, argument("[ROLE]", "only this character", "只看这个角色")] = None,
    words: Annotated[
        bool,
        option(
            "--words",
            "by keys and words alone, without waiting for the embedding model",
            "只靠关键词和字词，不等语义模型",
        ),
    ] = False,
    at_once: Annotated[
        bool, option("--no-pause", "all scenes at once", "一口气放完，不停顿")
    ] = False,
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


def _scenes(home: "Home", role: str | None) -> Iterator[Scene]:
    """The script; characters who speak the person's language first."""
    import json

    from rolememory.schema.message import Message
    from rolememory.storage.moments import moment
    from rolememory.text.language import language_of

    file = home.path / SCRIPT
    try:
        rows: list[Mapping[str, Any]] = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise FileError(
            file,
            f"the demo's script cannot be read: {error}",
            remedy="install rolememory again",
            zh=("演示脚本读不出来", "请重新安装 rolememory"),
        ) from error
    ids = {str(row["role"]): home.folder.find(str(row["role"])).id for row in rows}
    names = {role_id: home.folder.find(role_id).name for role_id in ids.values()}
    wanted = home.folder.find(role).id if role else None
    if wanted and wanted not in names:
        raise UnknownNameError("role", str(role), names.values())
    scenes = [
        Scene(
            ids[str(row["role"])], names[ids[str(row["role"])]], tuple(map(Message.of, row["chat"])), row.get("user"),
            moment(row["now"]) if row.get("now") else None, str(row.get("say", {}).get(Tongue.language, "")),
        )
        for row in rows
        if wanted in (None, ids[str(row["role"])])
    ]  # fmt: skip
    yield from sorted(
        scenes, key=lambda scene: language_of(scene.chat[-1].content) != Tongue.language
    )


def _prepare(here: Desk, home: "Home", scenes: list[Scene]) -> None:
    """Wait for the model, once; without one, say so and go on."""
    for role_id in dict.fromkeys(scene.role_id for scene in scenes):
        if not ready(here, home.role(role_id)):
            return


def _greet(here: Desk, home: "Home") -> None:
    count = sum(len(home.role(role.id).memories) for role in home.roles())
    names = say(", ", "、").join(role.name for role in home.roles())
    here.out.say(
        say(
            "rolememory: characters that remember, and can say why",
            "rolememory：角色会记得，也说得出为什么",
        ),
        "bold magenta",
    )
    here.out.say(
        say(
            f"{names}: {count} memories in plain files. For each message: what comes to mind, for which reason, and what the model would be sent.",
            f"{names}：{count} 条记忆，都写在普通文件里。每来一句话：想起了什么、凭什么想起、会发给模型什么。",
        )
    )


def _go_on(here: Desk) -> bool:
    """Whether the next scene is wanted; in a pipe it always is."""
    if not (here.out.is_terminal and sys.stdin.isatty()):
        return True
    here.out.say(say("Enter: next scene; q: enough", "回车看下一幕，q 结束"), "dim")
    return sys.stdin.readline().strip().casefold() not in ("q", "quit", "exit")


def _farewell(here: Desk) -> None:
    here.out.say()
    here.out.say(
        say(
            "Your own characters: `rolememory init`, then `rolememory open NAME --create`.",
            "轮到你的角色：先 `rolememory init`，再 `rolememory open 名字 --create`。",
        ),
        "bold",
    )
