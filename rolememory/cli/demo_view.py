"""How a scene of the demo is shown: panels on a terminal, the same words as plain text in a pipe."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rolememory.cli.memory_rows import hit_text, strategy
from rolememory.cli.output import Output, cells, one_line, printable
from rolememory.cli.words import Tongue, say

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rolememory.recall.turn import Turn
    from rolememory.schema.evidence import Scored
    from rolememory.schema.message import Message

LEAST = 0.005  # of a contribution to be told
MOST = 96  # characters of a memory beside its reasons; the whole of it stands in the prompt


@dataclass(frozen=True, slots=True)
class DemoScene:
    """One message to one character, with what was said before."""

    role_id: str
    name: str
    chat: "tuple[Message, ...]"
    user: str | None = None
    now: datetime | None = None
    caption: str = ""


@dataclass(frozen=True, slots=True)
class DemoRow:
    """One thing that came to mind."""

    score: str
    id: str
    text: str
    why: tuple[str, ...]


def act(out: Output, scene: DemoScene, turn: "Turn", number: str) -> None:
    """Show one scene."""
    rows = list(_rows(turn))
    if out.is_terminal:
        out.console().print(*_panels(scene, turn, rows, number), sep="\n")
    else:
        out.raw("\n".join(_lines(scene, turn, rows, number)))


def _rows(turn: "Turn") -> Iterable[DemoRow]:
    from rolememory.schema.wording import word

    for one in turn.recalled:
        yield DemoRow(
            f"{one.score:.2f}",
            one.memory.id,
            _short(one.memory.content),
            (*map(hit_text, one.scored.hits), *_weighed(one.scored)),
        )
    for entry in turn.lore.awake if turn.lore else ():
        yield DemoRow(
            say("lore"),
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
        yield say(", ").join(f"{part.amount:+.2f} {strategy(part.name)}" for part in parts)


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= MOST else line[: MOST - 1] + "…"


def _title(scene: DemoScene, number: str) -> str:
    when = say(", ") + f"{scene.now:%Y-%m-%d}" if scene.now else ""
    who = say(" and {user}", user=scene.user) if scene.user else ""
    return f"{number}  {scene.name}{who}{when}"


def _speaker(scene: DemoScene, message: "Message") -> str:
    if message.role == "user":
        return message.name or scene.user or say("User")
    return message.name or (scene.name if message.role == "assistant" else message.role)


def _prompt(turn: "Turn") -> Sequence[tuple[str, str, bool]]:
    """(role, content, whether it is ours) of every message as it would be sent."""
    lore = turn.lore is not None
    return [
        (one.role, one.content, one.role == "system" and (lore or bool(turn.text)))
        for one in turn.messages
    ]


# ── plain text ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _lines(scene: DemoScene, turn: "Turn", rows: Sequence[DemoRow], number: str) -> Iterable[str]:
    yield ""
    yield f"== {_title(scene, number)} =="
    if scene.caption:
        yield f"({scene.caption})"
    for message in scene.chat:
        yield f"{_speaker(scene, message)}{say(': ')}{message.content}"
    yield ""
    yield say("What comes to mind, and why:")
    wide = max((cells(row.id) for row in rows), default=0)
    for row in rows:
        yield f"  {row.score}  {row.id}{' ' * (wide - cells(row.id))}  {say('; ').join(row.why)}"
    if not rows:
        yield say("  nothing: this message asks for none of it")
    yield ""
    yield say("What the model is sent:")
    for role, content, _ in _prompt(turn):
        yield f"  [{role}]"
        yield from (f"  {line}" for line in content.split("\n"))


# ── panels ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _panels(
    scene: DemoScene, turn: "Turn", rows: Sequence[DemoRow], number: str
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
    yield _role_memory(rows)
    yield _sent(turn)


def _role_memory(rows: Sequence[DemoRow]) -> "RenderableType":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column("", style="bold yellow", no_wrap=True)
    table.add_column(say("what comes to mind"), ratio=5)
    table.add_column(say("why", msgctxt="demo"), ratio=4, style="dim")
    for row in rows:
        what = Text.assemble((printable(row.id), "cyan"), "\n", printable(row.text))
        table.add_row(row.score, what, Text("\n".join(map(printable, row.why))))
    if not rows:
        table.add_row("", Text(say("nothing: this message asks for none of it")), "")
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
        title=say("what the model is sent"),
        title_align="left",
        border_style="green",
    )
