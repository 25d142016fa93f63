"""story chapters, story chapter, story retell: the chapters of a role's stories."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.context import CommandContext, desk
from rolememory.cli.options import RoleName, argument, option
from rolememory.cli.output import plain
from rolememory.cli.words import Tongue, say

if TYPE_CHECKING:
    from rolememory.learn.model.report import LearningReport
    from rolememory.schema.memory import Memory

Chat = Annotated[str, argument("CHAT", "its id, as `sessions` shows it")]


def chapters(
    role: RoleName,
    chat: Annotated[str | None, argument("[CHAT]", "only of this chat")] = None,
) -> None:
    """In their order. They are memories: `edit`, `delete`, `undo` work on them; `edit ROLE ID chapter=TITLE` gives another title."""
    here = desk()
    with here.role(role, reading=True) as role_memory:
        found = role_memory.chapters(chat or "")
    if here.out.as_json:
        here.out.data([chapter_json(one) for one in found])
        return
    if not found:
        here.out.say(say("no chapters yet; a model writes them: see `settings learn.endpoint`"))
    for number, one in enumerate(found, 1):
        here.out.say(f"{number}. {heading(one)}", "bold")
        here.out.raw(one.content)
        here.out.say(f"   {one.id}", "dim")


def chapter(
    role: RoleName,
    chat: Chat,
    title: Annotated[str, option("--title TEXT", "the title of the chapter")] = "",
) -> None:
    """Behind the newest message. A model that cannot be reached writes it later."""
    here = desk()
    with here.role(role) as role_memory:
        before = {one.id for one in role_memory.chapters(chat)}
        reports = [role_memory.end_chapter(chat, title)]
        _told(here, reports, [one for one in role_memory.chapters(chat) if one.id not in before])


def retell(
    role: RoleName,
    chapter_ids: Annotated[
        list[str],
        argument("ID...", "ids, as `story chapters` shows them"),
    ],
    through: Annotated[str, option("--through ID", "and all behind it up to this one")] = "",
) -> None:
    """The new ones take the place of the old, which are archived."""
    here = desk()
    with here.role(role) as role_memory:
        before = {one.id for one in role_memory.chapters()}
        reports = role_memory.retell(*dict.fromkeys(chapter_ids), through=through)
        _told(here, reports, [one for one in role_memory.chapters() if one.id not in before])


def heading(one: "Memory") -> str:
    """Title, time and place in the story, days and people of a chapter."""
    told = one.chapter
    if told is None:
        return ""
    days = [f"{at.astimezone():%Y-%m-%d}" for at in (one.created, told.until) if at]
    parts = [
        told.title or say("(no title)"),
        told.time,
        told.place,
        " – ".join(dict.fromkeys(days)),
        say(", ", msgctxt="list").join(told.people),
    ]
    return say("; ").join(part for part in parts if part)


def chapter_json(one: "Memory") -> dict[str, Any]:
    """A chapter with all that it tells."""
    told = one.chapter.model_dump(mode="json") if one.chapter else {}
    proof = one.evidence[0]
    where = {"chat": proof.chat, "messages": len(one.stretch), "created": one.created}
    found: dict[str, Any] = plain({"id": one.id, "content": one.content, **told, **where})
    return found


def _told(
    here: CommandContext, reports: "Sequence[LearningReport]", found: "Sequence[Memory]"
) -> None:
    if here.out.as_json:
        here.out.data([chapter_json(one) for one in found])
    for one in found if not here.out.as_json else ():
        here.out.say(heading(one), "bold")
        here.out.raw(one.content)
    notes = dict.fromkeys(note.text(Tongue.language) for one in reports for note in one.notes)
    for note in notes:
        here.out.warn(note)
    if not (found or notes or here.out.as_json):
        here.out.say(say("nothing to tell yet"))
