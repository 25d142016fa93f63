"""story: which chats share memories, and the chapters of stories."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated

from rolememory.cli.context import open_role
from rolememory.cli.options import RoleName, Text, UserName, argument, option, time_given
from rolememory.cli.output import Row, out, picked, plain, say, worded
from rolememory.schema.memory import Memory

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory
    from rolememory.learn.model.report import LearningReport


def stories(role: RoleName) -> None:
    """The life that chats share first."""
    with open_role(role) as role_memory:
        found = role_memory.stories.list()
    rows = [picked(one, "name of at merged") for one in found]
    shared = say("(shared)")
    shown = [
        {
            "name": one.name or shared,
            "of": shared if one.of == "" else one.of,
            "at": one.at and one.at.astimezone(),
            "merged": ", ".join(name or shared for name in one.merged),
        }
        for one in found
    ]
    out.listing(rows, "name of at merged", "", shown, name=say("story"), at=say("at"))


def begin(
    role: RoleName,
    name: Annotated[str, argument("NAME", "what to call it")],
    of: Annotated[
        Text, option("--of NAME", 'it knows what was said there; "" = the shared story')
    ] = None,
    at: Annotated[Text, option("--at TIME", "... until then, e.g. 2024-05-01; none = now")] = None,
    chat: Annotated[Text, option("--chat NAME", "put this chat into it")] = None,
) -> None:
    """Chats are put into it with --chat, or `sessions CHAT --story NAME`."""
    with open_role(role) as role_memory:
        made = role_memory.stories.begin(name, of, time_given("--at", at))
        if chat:
            role_memory.stories.assign(chat, made.name)
    out.told("{name}: a story of its own from here on", name=made.name)


def merge(
    role: RoleName,
    name: Annotated[str, argument("NAME", "the story to read from")],
    into: Annotated[
        str, option("--into NAME", "the story that learns it; none = the shared story")
    ] = "",
) -> None:
    """Nothing is copied: it is heard there from now on."""
    with open_role(role) as role_memory:
        role_memory.stories.merge(name, into)
    story = into or say("the shared story")
    told = say("{name}: known in {story} from now on", name=name, story=story)
    out.result({"name": name, "into": into}, told)


def living(
    role: RoleName,
    stories: Annotated[Text, argument("[STORIES]", "one, each, or default")] = None,
    user: UserName = None,
) -> None:
    """For chats of this user that nobody put into a story. For all users: `settings chats.stories each`."""
    with open_role(role) as role_memory:
        if stories is not None:
            role_memory.stories.choose(None if stories == "default" else stories, user)  # type: ignore[arg-type]  # checked there
        found = role_memory.stories.default(user)
    each = say("each: every chat is a story of its own")
    told = say("one: chats share one life") if found == "one" else each
    out.result({"user": user, "stories": found}, told)


Chat = Annotated[str, argument("CHAT", "its id, as `sessions` shows it")]


def chapters(
    role: RoleName, chat: Annotated[Text, argument("[CHAT]", "only of this chat")] = None
) -> None:
    """In their order. They are memories: `edit`, `delete`, `undo` work on them; `edit ROLE ID chapter=TITLE` gives another title."""
    with open_role(role, reading=True) as role_memory:
        found = role_memory.chapters(chat or "")
    if out.json(list(map(chapter_json, found))):
        return
    if not found:
        out.say("no chapters yet; a model writes them: see `settings learn.endpoint`")
    for number, one in enumerate(found, 1):
        out.line(f"{number}. {heading(one)}", "bold")
        out.raw(one.content)
        out.line(f"   {one.id}", "dim")


def chapter(
    role: RoleName,
    chat: Chat,
    title: Annotated[str, option("--title TEXT", "the title of the chapter")] = "",
) -> None:
    """After the newest message. A model that cannot be reached writes it later."""
    with open_role(role) as role_memory:
        end_chapter(role_memory, chat, title)


def retell(
    role: RoleName,
    chapter_ids: Annotated[list[str], argument("ID...", "ids, as `story chapters` shows them")],
    through: Annotated[str, option("--through ID", "and all later ones up to this one")] = "",
) -> None:
    """The new ones take the place of the old, which are archived."""
    with open_role(role) as role_memory:
        ids = dict.fromkeys(chapter_ids)
        _told(role_memory, lambda: role_memory.retell(*ids, through=through))


def heading(one: Memory) -> str:
    """Title, story time and place, days and people of a chapter."""
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


def chapter_json(one: Memory) -> Row:
    """A chapter with all its fields."""
    told = one.chapter.model_dump(mode="json") if one.chapter else {}
    where = {"chat": one.evidence[0].chat, "messages": len(one.stretch), "created": one.created}
    found: Row = plain({"id": one.id, "content": one.content, **told, **where})
    return found


def end_chapter(role_memory: "RoleMemory", chat: str, title: str) -> None:
    """End a chapter, and show what the model wrote."""
    _told(role_memory, lambda: [role_memory.end_chapter(chat, title)], chat)


def _told(
    role_memory: "RoleMemory", ask: Callable[[], "Iterable[LearningReport]"], chat: str = ""
) -> None:
    """Print the chapters of a chat or all resulting ones, heading and text of each, and errors."""
    before = {one.id for one in role_memory.chapters()}
    notes = dict.fromkeys(worded(note) for one in ask() for note in one.notes)
    found = [one for one in role_memory.chapters(chat) if one.id not in before]
    if not out.json(list(map(chapter_json, found))):
        for one in found:
            out.line(heading(one), "bold")
            out.raw(one.content)
        if not (found or notes):
            out.say("nothing to tell yet")
    out.warn(*notes)
