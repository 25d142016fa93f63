"""story chapters, story chapter, story retell: the chapters of a role's stories."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.desk import Desk, desk
from rolememory.cli.options import RoleName, argument, option
from rolememory.cli.out import plain
from rolememory.cli.verbs import LEARN, verb
from rolememory.cli.words import Tongue, both, say

if TYPE_CHECKING:
    from rolememory.learn.model.report import Report
    from rolememory.schema.memory import Memory

Chat = Annotated[
    str, argument("CHAT", "its id, as `sessions` shows it", "会话的 id，见 `sessions`")
]


@verb("story chapters", LEARN, both("the chapters of a role's stories", "角色故事的章节"))
def chapters(
    role: RoleName,
    chat: Annotated[str | None, argument("[CHAT]", "only of this chat", "只看这个会话的")] = None,
) -> None:
    """In their order. They are memories: `edit`, `delete`, `undo` work on them; `edit ROLE ID chapter=TITLE` gives another title."""
    here = desk()
    with here.role(role, reading=True) as mind:
        found = mind.chapters(chat or "")
    if here.out.as_json:
        here.out.data([chapter_json(one) for one in found])
        return
    if not found:
        here.out.say(
            say(
                "no chapters yet; a model writes them: see `settings learn.endpoint`",
                "还没有章节；由模型来写：见 `settings learn.endpoint`",
            )
        )
    for number, one in enumerate(found, 1):
        here.out.say(f"{number}. {heading(one)}", "bold")
        here.out.raw(one.content)
        here.out.say(f"   {one.id}", "dim")


@verb(
    "story chapter",
    LEARN,
    both("end a chapter of a chat here and write it", "在这里结束一章并写下来"),
)
def chapter(
    role: RoleName,
    chat: Chat,
    title: Annotated[str, option("--title TEXT", "what to call it", "这一章的标题")] = "",
) -> None:
    """Behind the newest message. A model that cannot be reached writes it later."""
    here = desk()
    with here.role(role) as mind:
        before = {one.id for one in mind.chapters(chat)}
        reports = [mind.end_chapter(chat, title)]
        _told(here, reports, [one for one in mind.chapters(chat) if one.id not in before])


@verb("story retell", LEARN, both("let the model tell chapters anew", "让模型重写章节"))
def retell(
    role: RoleName,
    chapter_ids: Annotated[
        list[str],
        argument("ID...", "ids, as `story chapters` shows them", "章节的 id，见 `story chapters`"),
    ],
    through: Annotated[
        str, option("--through ID", "and all behind it up to this one", "以及其后直到这一章的各章")
    ] = "",
) -> None:
    """The new ones take the place of the old, which are archived."""
    here = desk()
    with here.role(role) as mind:
        before = {one.id for one in mind.chapters()}
        reports = mind.retell(*dict.fromkeys(chapter_ids), through=through)
        _told(here, reports, [one for one in mind.chapters() if one.id not in before])


def heading(one: "Memory") -> str:
    """Title, time and place in the story, days and people of a chapter."""
    told = one.chapter
    if told is None:
        return ""
    days = [f"{at.astimezone():%Y-%m-%d}" for at in (one.created, told.until) if at]
    parts = [
        told.title or say("(no title)", "（无题）"),
        told.time,
        told.place,
        " – ".join(dict.fromkeys(days)),
        say(", ", "、").join(told.people),
    ]
    return say("; ", "；").join(part for part in parts if part)


def chapter_json(one: "Memory") -> dict[str, Any]:
    """A chapter with all that it tells."""
    told = one.chapter.model_dump(mode="json") if one.chapter else {}
    proof = one.evidence[0]
    where = {"chat": proof.chat, "messages": len(one.stretch), "created": one.created}
    found: dict[str, Any] = plain({"id": one.id, "content": one.content, **told, **where})
    return found


def _told(here: Desk, reports: "Sequence[Report]", found: "Sequence[Memory]") -> None:
    if here.out.as_json:
        here.out.data([chapter_json(one) for one in found])
    for one in found if not here.out.as_json else ():
        here.out.say(heading(one), "bold")
        here.out.raw(one.content)
    notes = dict.fromkeys(note.text(Tongue.language) for one in reports for note in one.notes)
    for note in notes:
        here.out.warn(note)
    if not (found or notes or here.out.as_json):
        here.out.say(say("nothing to tell yet", "还没有可写的内容"))
