"""Stored chats: messages, their versions, and what was learned from them. Stories: which chats share memories."""

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query

from rolememory.chats.stories import Living, Story
from rolememory.chats.values import ChatInfo
from rolememory.engine import RoleMemory
from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import MemoriesById, Memory
from rolememory.serve.rest.dependencies import IfMatch, Paged, RoleCall, router, tag
from rolememory.serve.rest.filters import Either
from rolememory.serve.rest.schemas import Done, In, Line, Name, Out, Page

routes = router("chats", under="/roles/{role}")
Mode = Literal["on", "here", "read_only", "off"]


class ChatOut(Out):
    """A chat."""

    id: str
    title: str
    user: str | None
    story: str
    """its story: "" = the shared story, "own" = a story of its own"""
    chosen: bool
    """assigned by a person, not by default"""
    mode: Mode
    """here: its messages are recalled in no other chat; read_only: nothing is learned; off: nothing is learned or recalled"""
    created: datetime
    updated: datetime
    latest: datetime
    """when the newest visible message was said"""
    messages: int
    archived: bool
    branch_of: str
    unnamed: bool
    """the frontend gave no id"""
    etag: str


class VersionOut(Out):
    """An earlier version of a message."""

    version: str
    text: str


class LearnedOut(Out):
    """A memory learned from a message."""

    id: str
    content: str
    archived: bool


class MessageShown(Out):
    """A visible message of a chat."""

    version: str
    slot: int
    role: str
    name: str
    text: str
    """without markup and text that is not part of the story"""
    raw: str
    """the original text, if different"""
    at: datetime
    others: list[VersionOut]
    """swiped away or edited"""
    learned: list[LearnedOut]


class ChatDetail(Page[MessageShown]):
    """A chat and some of its messages."""

    chat: ChatOut


class ChatPatch(In):
    """The fields to change. A blank title restores the default one."""

    title: Line | None = None
    archived: bool | None = None
    story: Line | None = None
    """ "" = the shared story, "own" = a story of its own, "default" = by the settings, or a name"""
    mode: Mode | None = None


class StoryIn(In):
    """A new story."""

    name: Name
    of: Line | None = None
    """where it forks from; "" = the shared story, null = it starts empty"""
    at: datetime | None = None


class StoryMergeIn(In):
    """The story to read from, and the one that may recall it."""

    name: Line
    into: Line = ""


class DefaultStoryOut(Out):
    """Whether new chats of a user share one story."""

    user: str
    stories: Living


class DefaultStoryIn(In):
    """Whether new chats of a user share one story."""

    user: Line = ""
    """ "" = users without a name"""
    stories: Living | None
    """null = as the settings say"""


@routes.get("/chats")
def list_chats(
    call: RoleCall, page: Paged, user: Line | None = None, archived: Either = "no"
) -> Page[ChatOut]:
    """The chats of a role, the one that changed last first."""
    people = call.home.people.follow()
    rows = [
        one
        for one in call.role.chats.chats(archived=archived != "no")
        if (user is None or people.are_one(one.user or "", user))
        and (archived != "yes" or one.archived)
    ]
    return page(rows, chat_out)


@routes.get("/stories")
def list_stories(call: RoleCall, page: Paged) -> Page[Story]:
    """All stories, the shared one first."""
    return page(call.role.stories.list())


@routes.post("/stories", status_code=201)
def create_story(call: RoleCall, given: StoryIn) -> Story:
    """Create a story, empty or forked from another at a time."""
    made = call.role.stories.begin(given.name, given.of, given.at)
    call.tell("chat")
    return made


@routes.post("/stories/merge")
def merge_stories(call: RoleCall, given: StoryMergeIn) -> Story:
    """Let one story recall everything of another."""
    into = call.role.stories.merge(given.name, given.into)
    call.tell("chat")
    return into


@routes.get("/stories/default")
def default_story(call: RoleCall, user: Line = "") -> DefaultStoryOut:
    """Whether chats of this user that were not assigned to a story share one, or each is a story of its own."""
    return DefaultStoryOut(user=user, stories=call.role.stories.default(user))


@routes.put("/stories/default")
def set_default_story(call: RoleCall, given: DefaultStoryIn) -> DefaultStoryOut:
    """Set it for a user."""
    call.role.stories.choose(given.stories, given.user)
    call.tell("chat")
    return default_story(call, given.user)


@routes.get("/chats/{chat:path}")
def one_chat(
    call: RoleCall,
    chat: str,
    page: Paged,
    newest: Annotated[bool, Query(description="the newest first")] = False,
) -> ChatDetail:
    """The visible messages of a chat, each with its other versions and the memories learned from it."""
    info = call.tagged(chat_out(call.role.chats.info(chat)))
    path = call.role.chats.path(chat)
    found = page(path[::-1] if newest else path, _shown_in(call.role, chat))
    return ChatDetail(chat=info, **dict(found))


@routes.patch("/chats/{chat:path}")
def change_chat(call: RoleCall, chat: str, given: ChatPatch, if_match: IfMatch) -> ChatOut:
    """Rename or archive a chat, or change its story or mode."""
    with call.alone(f"chats {call.role.id}"):
        if_match.check(lambda: chat_out(call.role.chats.info(chat)))
        info = call.role.chats.update(chat, **dict(given))
    call.tell("chat", chat=info.id)
    return call.tagged(chat_out(info))


@routes.delete("/chats/{chat:path}")
def remove_chat(
    call: RoleCall,
    chat: str,
    memories: Annotated[
        Literal["keep", "delete"], Query(description="memories learned from this chat alone")
    ] = "keep",
) -> Done:
    """Delete a chat. Kept memories then no longer depend on its messages."""
    with call.alone(f"memory {call.role.id}"), call.alone(f"chats {call.role.id}"):
        chat = call.role.chats.info(chat).id
        gone = call.role.parts.conversation.forget_chat(chat, memories=memories == "delete")
    call.tell("chat", chat=chat)
    return Done(changed=gone)


def chat_out(info: ChatInfo) -> ChatOut:
    """The response of a chat; its ETag covers the editable fields."""
    shown = ChatOut.from_value(info, chosen=info.chosen is not None, etag="")
    names = {"id", "title", "user", "story", "chosen", "mode", "archived"}
    return shown.model_copy(update={"etag": tag(shown.model_dump(include=names))})


def _shown_in(role: RoleMemory, chat: str) -> Callable[[ChatMessage], MessageShown]:
    """The converter of this chat's messages to responses, with other versions and what was learned."""
    learned = _learned(role.memories, chat)
    slots = defaultdict(list)
    for said in role.chats.versions(chat).values():
        slots[said.slot].append(said)

    def shown(one: ChatMessage) -> MessageShown:
        others = [said for said in slots[one.slot] if said.version != one.version]
        return MessageShown.from_value(one, others=others, learned=learned[one.version])

    return shown


def _learned(memories: MemoriesById, chat: str) -> "defaultdict[str, list[Memory]]":
    """The memories from each version in this chat."""
    found: defaultdict[str, list[Memory]] = defaultdict(list)
    for memory in memories.values():
        if memory.chapter:
            continue  # chapters have many messages, and their own list
        proofs = (one for one in memory.evidence if one.chat == chat)
        for version in {version for one in proofs for version in one.versions}:
            found[version].append(memory)
    return found
