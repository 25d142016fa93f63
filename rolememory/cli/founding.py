"""init: makes a home, and says what the home can do and what comes next."""

from pathlib import Path
from typing import Annotated, Any

from rolememory.cli.desk import desk
from rolememory.cli.meaning import Meaning, look
from rolememory.cli.options import argument
from rolememory.cli.verbs import BEGIN, verb
from rolememory.cli.words import Tongue, both, say


@verb(
    "init",
    BEGIN,
    both(
        "make a home for roles: a folder with settings to edit",
        "新建记忆库：一个带有设置文件的文件夹",
    ),
)
def init(
    path: Annotated[
        Path | None,
        argument(
            "[PATH]",
            "where; default: --home, else memories",
            "位置，默认取 --home，否则为 memories",
        ),
    ] = None,
) -> None:
    """Make what is not there yet; what is there stays as it is."""
    from rolememory.storage.home import init as found

    here = desk()
    home = path or here.path
    made = found(home, Tongue.language)
    meaning = look(home)
    if here.out.as_json:
        here.out.data(
            {
                "home": str(home.expanduser().resolve()),
                "made": [str(one) for one in made],
                "meaning": meaning.as_json(),
            }
        )
        return
    here.out.say(
        say(f"{home}: ready", f"{home}：已就绪")
        if made
        else say(f"{home}: is there already, nothing changed", f"{home}：早已建好，没有改动"),
        "bold",
    )
    here.out.say(meaning.text())
    for line in _next(home, meaning):
        here.out.say(line)


def _next(home: Path, meaning: Meaning) -> list[str]:
    """What to do now, one command a line."""
    place = "" if str(home) == "memories" else f" --home {home}"
    rows: list[tuple[Any, str]] = [
        ("rolememory demo", say("see what it does", "先看看效果")),
        (
            f"rolememory open {say('Mira', '米拉')} --create{place}",
            say("make a role", "新建一个角色"),
        ),
        (
            f'rolememory add {say("Mira", "米拉")} "{say("The beacon failed in the storm of 1887.", "1887 年的风暴里灯塔灭了。")}"{place}',
            say("tell it something", "告诉它一件事"),
        ),
        (
            f'rolememory recall {say("Mira", "米拉")} "{say("Why is the beacon dark?", "灯塔为什么不亮？")}"{place}',
            say("ask", "问问看"),
        ),
    ]
    wide = max(len(command) for command, _ in rows)
    return [
        "",
        say("next:", "接下来："),
        *(f"  {command:<{wide}}  # {what}" for command, what in rows),
    ]
