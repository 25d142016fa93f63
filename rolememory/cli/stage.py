"""How a scene of the demo is shown: panels on a terminal, the same words as plain text in a pipe."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rolememory.cli.out import Out, cells, one_line, printable
from rolememory.cli.sheets import hit_text, strategy
from rolememory.cli.words import Tongue, say

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rolememory.recall.turn import Turn
    from rolememory.schema.evidence import Scored
    from rolememory.schema.message import Message

LEAST = 0.005  # of a contribution to be told
MOST = 96  # characters of a memory beside its reasons; the whole of it stands in the prompt


@dataclass(frozen=True, slots=True)
class Scene:
    """One message to one character, with what was said before."""

    role_id: str
    name: str
    chat: "tuple[Message, ...]"
    user: str | None = None
    now: datetime | None = None
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that came to mind."""

    score: str
    id: str
    text: str
    why: tuple[str, ...]


def act(out: Out, scene: Scene, turn: "Turn", number: str) -> None:
    """Show one scene."""
    rows = list(_rows(turn))
    if out.is_terminal:
        out.console().print(*_panels(scene, turn, rows, number), sep="\n")
    else:
        out.raw("\n".join(_lines(scene, turn, rows, number)))


def _rows(turn: "Turn") -> Iterable[Row]:
    from rolememory.schema.wording import word

    for one in turn.recalled:
        yield Row(
            f"{one.score:.2f}",
            one.memory.id,
            _short(one.memory.content),
            (*map(hit_text, one.scored.hits), *_weighed(one.scored)),
        )
    for entry in turn.lore.awake if turn.lore else ():
        yield Row(
            say("lore", "设定"),
            entry.entry.comment or entry.id,
            _short(entry.entry.content),
            (word(entry.why, Tongue.language),),
        )


def _weighed(scored: "Scored") -> Iterable[str]:
    """What made it more or less: `+0.07 emotional, +0.03 salience`; what hardly did is left out."""
    parts = sorted(
        (part for part in scored.contributions if abs(part.amount) >= LEAST),
        key=lambda part: -abs(part.amount),
    )
    if parts:
        yield say(", ", "，").join(f"{part.amount:+.2f} {strategy(part.name)}" for part in parts)


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= MOST else line[: MOST - 1] + "…"


def _title(scene: Scene, number: str) -> str:
    when = say(", ", "，") + f"{scene.now:%Y-%m-%d}" if scene.now else ""
    who = say(f" and {scene.user}", f" 与 {scene.user}") if scene.user else ""
    return f"{number}  {scene.name}{who}{when}"


def _speaker(scene: Scene, message: "Message") -> str:
    if message.role == "user":
        return message.name or scene.user or say("User", "用户")
    return message.name or (scene.name if message.role == "assistant" else message.role)


def _prompt(turn: "Turn") -> Sequence[tuple[str, str, bool]]:
    """(role, content, whether it is ours) of every message as it would be sent."""
    lore = turn.lore is not None
    return [
        (one.role, one.content, one.role == "system" and (lore or bool(turn.text)))
        for one in turn.messages
    ]


# ── plain text ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _lines(scene: Scene, turn: "Turn", rows: Sequence[Row], number: str) -> Iterable[str]:
    yield ""
    yield f"== {_title(scene, number)} =="
    if scene.caption:
        yield f"({scene.caption})"
    for message in scene.chat:
        yield f"{_speaker(scene, message)}{say(': ', '：')}{message.content}"
    yield ""
    yield say("What comes to mind, and why:", "想起了什么，为什么：")
    wide = max((cells(row.id) for row in rows), default=0)
    for row in rows:
        yield f"  {row.score}  {row.id}{' ' * (wide - cells(row.id))}  {say('; ', '；').join(row.why)}"
    if not rows:
        yield say("  nothing: this message asks for none of it", "  没有：这句话用不着回忆")
    yield ""
    yield say("What the model is sent:", "发给模型的内容：")
    for role, content, _ in _prompt(turn):
        yield f"  [{role}]"
        yield from (f"  {line}" for line in content.split("\n"))


# ── panels ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _panels(
    scene: Scene, turn: "Turn", rows: Sequence[Row], number: str
) -> "Iterable[RenderableType]":
    from rich.rule import Rule
    from rich.text import Text

    yield ""
    yield Rule(Text(printable(_title(scene, number)), style="bold magenta"), style="magenta")
    if scene.caption:
        yield Text(scene.caption, style="italic")
    yield ""
    for message in scene.chat:
        mine = message.role == "user"
        yield Text.assemble(
            (f"{_speaker(scene, message)}  ", "bold green" if mine else "bold cyan"),
            printable(message.content),
        )
    yield ""
    yield _mind(rows)
    yield _sent(turn)


def _mind(rows: Sequence[Row]) -> "RenderableType":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column("", style="bold yellow", no_wrap=True)
    table.add_column(say("what comes to mind", "想起了什么"), ratio=5)
    table.add_column(say("why", "为什么"), ratio=4, style="dim")
    for row in rows:
        what = Text.assemble((printable(row.id), "cyan"), "\n", printable(row.text))
        table.add_row(row.score, what, Text("\n".join(map(printable, row.why))))
    if not rows:
        table.add_row(
            "", Text(say("nothing: this message asks for none of it", "没有：这句话用不着回忆")), ""
        )
    return table


def _sent(turn: "Turn") -> "RenderableType":
    from rich.panel import Panel
    from rich.text import Text

    parts: list[Any] = []
    for role, content, ours in _prompt(turn):
        parts += [
            (f"{role}\n", "bold green" if ours else "bold dim"),
            (printable(content) + "\n\n", "" if ours else "dim"),
        ]
    return Panel(
        Text.assemble(*parts[:-1], (parts[-1][0].rstrip("\n"), parts[-1][1])),
        title=say("what the model is sent", "发给模型的内容"),
        title_align="left",
        border_style="green",
    )
