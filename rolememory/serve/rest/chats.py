"""Chats as they are kept: what was said, in which versions, and what was learned from it. Stories: which chats know of one another."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query, Request, Response
from pydantic import AliasChoices, Field

from rolememory.chats.stories import Living, Story
from rolememory.chats.values import ChatInfo
from rolememory.engine import RoleMemory
from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import Memory
from rolememory.serve.rest.dependencies import (
    Alone,
    AppStateDep,
    IfMatch,
    Paged,
    Paging,
    RoleDep,
    linked,
    page,
    router,
    seen,
    tag,
)
from rolememory.serve.rest.error_responses import clean
from rolememory.serve.rest.filters import Either
from rolememory.serve.rest.schemas import Done, In, Line, Name, Out, Page
from rolememory.storage.memories import Edit

chats = router("chats", under="/roles/{role}")
Mode = Literal["on", "here", "read_only", "off"]
AnyMode = Literal["on", "here", "read_only", "off", "shared", "own"]


class ChatOut(Out):
    """A chat."""

    id: str
    title: str
    user: str | None
    story: str = Field(
        description='the one it belongs to: "" = the life that chats share, "own" = to itself'
    )
    chosen: bool = Field(description="somebody put it there; else it is there by default")
    mode: Mode = Field(
        description="here: what is said is recalled nowhere else; read_only: learns nothing; off: recalls nothing either"
    )
    created: datetime
    updated: datetime
    messages: int
    archived: bool
    branch_of: str
    unnamed: bool = Field(description="the frontend gave no id")
    etag: str


class VersionOut(Out):
    """Other words that once stood in the place of a message."""

    version: str
    text: str


class LearnedOut(Out):
    """A memory that rests on a message."""

    id: str
    content: str
    archived: bool


class MessageShown(Out):
    """A message that stands in a chat."""

    version: str
    slot: int
    role: str
    name: str
    text: str = Field(description="without tags and what is not story")
    raw: str = Field(description="as it came, where that differs")
    at: datetime
    others: list[VersionOut] = Field(description="swiped away or edited")
    learned: list[LearnedOut]


class ChatDetail(Page[MessageShown]):
    """A chat and some of its messages."""

    chat: ChatOut


class ChatPatch(In):
    """What is to change; a blank title gives a chat back its own."""

    title: Line | None = None
    archived: bool | None = None
    story: Line | None = Field(
        None,
        validation_alias=AliasChoices("story", "timeline"),
        description='"" = the life that chats share, "own" = to itself, "default" = where it is by default, or a named one',
    )
    mode: AnyMode | None = Field(
        None, description="shared, own: as earlier versions told a story of its own"
    )


class StoryOut(Out):
    """What chats may have in common."""

    name: str
    of: str | None
    at: datetime | None = Field(description="what was told in `of` until then is known here")
    merged: list[str]


class StoryIn(In):
    """A new story."""

    name: Name
    of: Line | None = Field(
        None, description='where it forks from; "" = the shared story, null = it starts empty'
    )
    at: datetime | None = None


class StoryMergeIn(In):
    """Which story becomes known in which."""

    name: Line
    into: Line = ""


class LivingOut(Out):
    """How chats of a user begin."""

    user: str
    stories: Living


class LivingIn(In):
    """How chats of a user begin from now on."""

    user: Line = Field("", description='"" = who has no name')
    stories: Living | None = Field(description="null = as the settings say")


@chats.get("/chats")
def list_chats(
    request: Request,
    response: Response,
    app_state: AppStateDep,
    role_memory: RoleDep,
    paging: Paged,
    user: Annotated[str | None, Query(max_length=500)] = None,
    archived: Either = "no",
) -> Page[ChatOut]:
    """The chats of a role, the one that changed last first."""
    found, people = (
        role_memory.chats.chats(archived=archived != "no"),
        app_state.home.people.follow(),
    )
    rows = [
        one
        for one in found
        if (user is None or people.are_one(one.user or "", user))
        and (archived != "yes" or one.archived)
    ]
    return page(request, response, paging, rows, chat_out)


@chats.get("/stories")
def list_stories(
    request: Request, response: Response, role_memory: RoleDep, paging: Paged
) -> Page[StoryOut]:
    """Every named story, the life that chats share first."""
    return page(request, response, paging, role_memory.stories.list(), _story_out)


@chats.post("/stories", status_code=201)
def begin(app_state: AppStateDep, role_memory: RoleDep, given: StoryIn) -> StoryOut:
    """A new story: empty, or one that knows what was told in another until then."""
    made = role_memory.stories.begin(given.name, given.of, given.at)
    app_state.bus.tell("chat", role_memory.id)
    return _story_out(made)


@chats.post("/stories/merge")
def merge(app_state: AppStateDep, role_memory: RoleDep, given: StoryMergeIn) -> StoryOut:
    """Let everything told in one story be known in another as well."""
    into = role_memory.stories.merge(given.name, given.into)
    app_state.bus.tell("chat", role_memory.id)
    return _story_out(into)


@chats.get("/stories/default")
def living(role_memory: RoleDep, user: Annotated[str, Query(max_length=500)] = "") -> LivingOut:
    """Whether chats of this user share one life, or each is a story of its own, where nobody put them anywhere."""
    return LivingOut(user=user, stories=role_memory.stories.default(user))


@chats.put("/stories/default")
def choose(app_state: AppStateDep, role_memory: RoleDep, given: LivingIn) -> LivingOut:
    """Choose it for a user."""
    role_memory.stories.choose(given.stories, given.user)
    app_state.bus.tell("chat", role_memory.id)
    return living(role_memory, given.user)


@chats.get("/chats/{chat:path}")
def one_chat(
    request: Request,
    response: Response,
    role_memory: RoleDep,
    chat: str,
    paging: Paged,
    newest: Annotated[bool, Query(description="the newest first")] = False,
) -> ChatDetail:
    """What stands in a chat, other versions of it, and what was learned from each message."""
    shown = chat_out(role_memory.chats.info(chat))
    path = role_memory.chats.path(chat)
    rows = path[::-1] if newest else path
    part = rows[paging.offset : paging.offset + paging.limit]
    linked(request, response, paging, len(rows))
    response.headers["etag"] = shown.etag
    return ChatDetail(
        chat=shown,
        items=list(_messages(role_memory, chat, part)),
        total=len(rows),
        **_bounds(paging),
    )


@chats.patch("/chats/{chat:path}")
def change_chat(
    response: Response,
    app_state: AppStateDep,
    role_memory: RoleDep,
    alone: Alone,
    chat: str,
    given: ChatPatch,
    if_match: IfMatch = None,
) -> ChatOut:
    """Name a chat, put it away, change which others it knows of."""
    with alone.through(f"chats {role_memory.id}"):
        now = chat_out(role_memory.chats.info(chat))
        seen(if_match, now.etag, lambda: now.model_dump(mode="json"))
        info = role_memory.chats.update(
            chat,
            title=given.title,
            archived=given.archived,
            story=given.story,
            mode=given.mode,
        )
    app_state.bus.tell("chat", role_memory.id, chat=info.id)
    shown = chat_out(info)
    response.headers["etag"] = shown.etag
    return shown


@chats.delete("/chats/{chat:path}")
def remove_chat(
    app_state: AppStateDep,
    role_memory: RoleDep,
    alone: Alone,
    chat: str,
    memories: Annotated[
        Literal["keep", "delete"], Query(description="what was learned from this chat alone")
    ] = "keep",
) -> Done:
    """Remove a chat from the disk. Memories that are kept then stand by themselves: no swipe takes them back."""
    with alone.through(f"memory {role_memory.id}"), alone.through(f"chats {role_memory.id}"):
        chat = role_memory.chats.info(chat).id
        only = [
            one.id
            for one in role_memory.memories.values()
            if one.evidence and all(support.chat == chat for support in one.evidence)
        ]
        role_memory.parts.conversation.forget_chat(chat)
        if memories == "delete" and only:
            role_memory.parts.memories.commit(
                [Edit("remove", one, {}, reason="chat removed") for one in only]
            )
    app_state.bus.tell("chat", role_memory.id, chat=chat)
    return Done(changed=len(only) if memories == "delete" else 0)


def chat_out(info: ChatInfo) -> ChatOut:
    """A chat as it goes out."""
    told = {
        "id": clean(info.id),
        "title": clean(info.title),
        "user": info.user,
        "story": info.story,
        "chosen": info.chosen is not None,
        "mode": info.mode,
        "archived": info.archived,
    }
    return ChatOut.model_validate(
        {
            **told,
            "created": info.created,
            "updated": info.updated,
            "messages": info.messages,
            "branch_of": clean(info.branch_of),
            "unnamed": info.unnamed,
            "etag": tag(told),
        }
    )


def _bounds(paging: Paging) -> dict[str, int]:
    return {"limit": paging.limit, "offset": paging.offset}


def _messages(
    role_memory: RoleMemory, chat: str, part: Sequence[ChatMessage]
) -> "list[MessageShown]":
    learned, slots = _learned(role_memory.memories, chat), defaultdict(list)
    for said in role_memory.chats.versions(chat).values():
        slots[said.slot].append(said)
    return [
        MessageShown(
            version=one.version,
            slot=one.slot,
            role=one.role,
            name=clean(one.name),
            text=clean(one.text),
            raw=clean(one.raw),
            at=one.at,
            others=[
                VersionOut(version=other.version, text=clean(other.text))
                for other in slots[one.slot]
                if other.version != one.version
            ],
            learned=[
                LearnedOut(id=memory.id, content=clean(memory.content), archived=memory.archived)
                for memory in learned[one.version]
            ],
        )
        for one in part
    ]


def _learned(memories: Mapping[str, Memory], chat: str) -> "defaultdict[str, list[Memory]]":
    """The memories that rest on each version of this chat."""
    found: defaultdict[str, list[Memory]] = defaultdict(list)
    for memory in memories.values():
        if memory.chapter:
            continue  # it rests on many, and has a list of its own
        for version in dict.fromkeys(
            version
            for one in memory.evidence
            if one.chat == chat
            for version in one.version.split("+")
        ):
            found[version].append(memory)
    return found


def _story_out(story: Story) -> StoryOut:
    return StoryOut(name=story.name, of=story.of, at=story.at, merged=list(story.merged))
