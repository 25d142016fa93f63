"""Memories: list, write, look at, change, archive, delete; many at once; what became of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Query, Request, Response
from pydantic import Field

from rolememory.engine import RoleMemory
from rolememory.errors import UnknownMemoryError
from rolememory.recall.active_set import ActiveSet, standing
from rolememory.schema.memory import Memory
from rolememory.schema.passage import PREFIX
from rolememory.serve.app_state import AppState
from rolememory.serve.rest.decay import Ageing, FadingOut, fading
from rolememory.serve.rest.dependencies import (
    Alone,
    AppStateDep,
    IfMatch,
    IfNoneMatch,
    LanguageDep,
    Paged,
    RoleDep,
    fresh,
    page,
    router,
    seen,
)
from rolememory.serve.rest.filters import Filtered, filtered
from rolememory.serve.rest.memory_schemas import (
    MemoryFieldsIn,
    MemoryIn,
    MemoryOut,
    memory_out,
    memory_tag,
)
from rolememory.serve.rest.reasons import item_of
from rolememory.serve.rest.schemas import Done, Line, Out, Page, Why

memories = router("memories", under="/roles/{role}/memories")
MOST_USES = 100


class EvidenceShown(Out):
    """A support of a memory, with the message it stands in."""

    chat: str
    title: str
    version: str
    quote: str
    answers: str
    text: str = Field(description="the whole message, where the chat is here")
    at: datetime | None
    speaker: str
    stands: bool = Field(description="false: swiped away, edited or deleted")


class MemoryRef(Out):
    """Another memory, in short."""

    id: str
    content: str
    created: datetime | None
    archived: bool


class UseOut(Out):
    """A turn that had the memory in its prompt."""

    at: datetime
    chat: str
    referenced: bool = Field(description="whether the reply used it")
    age: float = Field(description="of the memory then, in the unit of its fading")


class Injection(Out):
    """A turn through this server that had the memory in its prompt, and why."""

    at: datetime
    chat: str
    kind: str
    score: float
    why: list[Why]


class MemoryDetail(Out):
    """All there is to say about one memory."""

    memory: MemoryOut
    evidence: list[EvidenceShown]
    replaced: list[MemoryRef] = Field(description="what it replaced or was merged from")
    replaced_by: list[MemoryRef]
    injections: list[Injection] = Field(description="newest first, since the server was started")
    uses: list[UseOut] = Field(description="newest first")
    fading: FadingOut


@dataclass(frozen=True, slots=True)
class MemoriesView:
    """A role's memories at one moment, and how they stand seen from no chat in particular."""

    memories: Mapping[str, Memory]
    standing: ActiveSet
    effects: Mapping[str, float]

    @classmethod
    def of(cls, role_memory: RoleMemory) -> "MemoriesView":
        """Taken now."""
        found, visibility = role_memory.memories, role_memory.chats.visible_from(None)
        return cls(
            found,
            standing(found, visibility),
            role_memory.parts.maintenance.effects(visibility, found),
        )

    def one(self, memory_id: str) -> Memory:
        """The memory of that id. Raises: UnknownMemoryError."""
        if memory_id not in self.memories:
            raise UnknownMemoryError(memory_id, self.memories)
        return self.memories[memory_id]

    def shown(self, memory: Memory) -> MemoryOut:
        """A memory as it goes out."""
        return memory_out(memory, self.standing, self.effects)


@memories.get("")
def list_memories(
    request: Request,
    response: Response,
    app_state: AppStateDep,
    role_memory: RoleDep,
    wanted: Filtered,
    paging: Paged,
) -> Page[MemoryOut]:
    """The memories that fit every condition."""
    view = MemoriesView.of(role_memory)
    same = app_state.home.people.follow().same
    found = filtered(view.memories.values(), wanted, view.standing, same)
    return page(request, response, paging, found, view.shown)


@memories.post("", status_code=201)
def remember(
    response: Response,
    app_state: AppStateDep,
    role_memory: RoleDep,
    given: MemoryIn,
    reason: Annotated[str, Query(max_length=500)] = "",
) -> MemoryOut:
    """Write one memory; it is durable when this answers."""
    made = role_memory.remember_all([given.raw()], reason=reason)[0]
    return _changed(response, app_state, role_memory, made.id)


@memories.get("/{memory:path}", response_model=MemoryDetail)
def one_memory(
    request: Request,
    response: Response,
    app_state: AppStateDep,
    role_memory: RoleDep,
    memory: str,
    language: LanguageDep,
    if_none_match: IfNoneMatch = None,
) -> MemoryDetail | Response:
    """All there is to say about one memory."""
    view = MemoriesView.of(role_memory)
    found = _one(role_memory, view, memory)
    detail = MemoryDetail(
        memory=view.shown(found),
        evidence=list(_evidence(role_memory, found)),
        replaced=[_other(view.memories[one]) for one in found.supersedes if one in view.memories],
        replaced_by=[
            _other(one)
            for one in view.memories.values()
            if found.id in one.supersedes and one.id not in view.standing.withdrawn
        ],
        injections=list(_injections(app_state, role_memory, found, language)),
        uses=_uses(role_memory, found),
        fading=fading(role_memory, found),
    )
    response.headers["etag"] = detail.memory.etag
    return fresh(if_none_match, detail.memory.etag) or detail


@memories.patch("/{memory:path}")
def change_memory(
    response: Response,
    app_state: AppStateDep,
    role_memory: RoleDep,
    alone: Alone,
    memory: str,
    given: MemoryFieldsIn,
    reason: Annotated[Line, Query()] = "",
    if_match: IfMatch = None,
) -> MemoryOut:
    """Change fields of one memory; `archived: true` takes it out of recall."""
    with alone.through(f"memory {role_memory.id}"):
        _unchanged(role_memory, memory, if_match)
        if told := given.told():
            memory = role_memory.edit(memory, reason=reason, **told).id
    return _changed(response, app_state, role_memory, memory)


@memories.delete("/{memory:path}")
def delete_memory(
    app_state: AppStateDep,
    role_memory: RoleDep,
    alone: Alone,
    memory: str,
    reason: Annotated[Line, Query()] = "",
    if_match: IfMatch = None,
) -> Done:
    """Remove one memory; `undo` brings it back."""
    with alone.through(f"memory {role_memory.id}"):
        _unchanged(role_memory, memory, if_match)
        role_memory.delete(memory, reason=reason)
        txn = newest_txn(role_memory, memory)
    told(app_state, role_memory)
    return Done(changed=1, txn=txn)


def _one(role_memory: RoleMemory, view: MemoriesView, memory_id: str) -> Memory:
    """A memory, or something that was said. Raises: UnknownMemoryError."""
    said = memory_id.startswith(PREFIX) and memory_id not in view.memories
    return role_memory.passage(memory_id) if said else view.one(memory_id)


def _unchanged(role_memory: RoleMemory, memory_id: str, if_match: str | None) -> None:
    """Refuse when it is another one than the caller saw. Raises: Stale, UnknownMemoryError."""
    view = MemoriesView.of(role_memory)
    found = _one(role_memory, view, memory_id)
    seen(if_match, memory_tag(found), lambda: view.shown(found).model_dump(mode="json"))


def _changed(
    response: Response, app_state: AppState, role_memory: RoleMemory, memory_id: str
) -> MemoryOut:
    """The memory as it stands after the change."""
    view = MemoriesView.of(role_memory)
    shown = view.shown(_one(role_memory, view, memory_id))
    response.headers["etag"] = shown.etag
    told(app_state, role_memory)
    return shown


def told(app_state: AppState, role_memory: RoleMemory) -> None:
    """Let listeners know that memories of this role changed."""
    app_state.bus.tell("memory", role_memory.id)


def newest_txn(role_memory: RoleMemory, memory_id: str | None = None) -> str | None:
    """The transaction that changed it last."""
    return next((line.txn for line in role_memory.history(memory_id, 1)), None)


def _uses(role_memory: RoleMemory, memory: Memory) -> list[UseOut]:
    ageing, uses = Ageing.of(role_memory), role_memory.parts.maintenance.uses(memory.id)[:MOST_USES]
    return [
        UseOut(
            at=one.at,
            chat=one.chat,
            referenced=one.referenced,
            age=ageing.age(memory.created, one.at),
        )
        for one in uses
    ]


def _other(memory: Memory) -> MemoryRef:
    return MemoryRef(
        id=memory.id, content=memory.content, created=memory.created, archived=memory.archived
    )


def _evidence(role_memory: RoleMemory, memory: Memory) -> "list[EvidenceShown]":
    return [
        shown
        for support in memory.evidence
        for shown in _support(
            role_memory, support.chat, support.version, support.quote, support.answers
        )
    ]


def _support(
    role_memory: RoleMemory, chat: str, version: str, quote: str, answers: str
) -> "list[EvidenceShown]":
    """One row for each message that a support joins."""
    known = {info.id: info for info in role_memory.chats.chats(archived=True)}
    info = known.get(chat)
    said = role_memory.chats.versions(chat) if info else {}
    standing_now = {one.version for one in role_memory.chats.path(chat)} if info else set()
    return [
        EvidenceShown(
            chat=chat,
            title=info.title if info else "",
            version=one,
            quote=quote,
            answers=answers,
            text=said[one].text if one in said else "",
            at=said[one].at if one in said else None,
            speaker=(said[one].name or said[one].role) if one in said else "",
            stands=one in standing_now if info else True,
        )
        for one in version.split("+")
    ]


def _injections(
    app_state: AppState, role_memory: RoleMemory, memory: Memory, language: LanguageDep
) -> "list[Injection]":
    found = []
    for note in app_state.turns(role_memory.id):
        chosen = (
            next((one for one in note.turn.recalled if one.memory.id == memory.id), None)
            if note.turn
            else None
        )
        if chosen:
            found.append(
                Injection(
                    at=note.at,
                    chat=note.chat,
                    kind=note.kind,
                    score=chosen.score,
                    why=item_of(chosen.scored, language).why,
                )
            )
    return found
