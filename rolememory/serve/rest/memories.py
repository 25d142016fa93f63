"""Memories: list, write, read, change, archive and delete; several at once in one transaction; their evidence and uses."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from rolememory.engine import RoleMemory
from rolememory.engine.ageing import Ageing
from rolememory.errors import InvalidValueError, UnknownMemoryError
from rolememory.recall.active_set import ActiveSet, standing
from rolememory.schema.memory import Evidence, MemoriesById, Memory
from rolememory.schema.passage import PREFIX
from rolememory.schema.value_class import value_class
from rolememory.serve.rest.decay import FadingOut, fading
from rolememory.serve.rest.dependencies import IfMatch, Paged, RoleCall, router
from rolememory.serve.rest.filters import Filtered, filtered
from rolememory.serve.rest.memory_schemas import MemoryFieldsIn, MemoryIn, MemoryOut, memory_out
from rolememory.serve.rest.reasons import item_of
from rolememory.serve.rest.schemas import Done, Id, In, Line, Out, Page, Why
from rolememory.storage.memories import Edit

routes = router("memories", under="/roles/{role}/memories")
MOST_USES = 100


class EvidenceShown(Out):
    """An evidence of a memory, with its message."""

    chat: str
    title: str
    version: str
    quote: str
    answers: str
    text: str
    """the whole message, if the chat is stored here"""
    at: datetime | None
    speaker: str
    stands: bool
    """false = swiped away, edited or deleted"""


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
    referenced: bool
    """whether the reply used it"""
    age: float
    """age of the memory then, in the unit of its decay"""


class Injection(Out):
    """A turn of this server that had the memory in its prompt, with the reasons."""

    at: datetime
    chat: str
    kind: str
    score: float
    why: list[Why]


class MemoryDetail(Out):
    """A memory with its evidence, relations and uses."""

    memory: MemoryOut
    evidence: list[EvidenceShown]
    replaced: list[MemoryRef]
    """what it replaced or was merged from"""
    replaced_by: list[MemoryRef]
    injections: list[Injection]
    """newest first, since the server was started"""
    uses: list[UseOut]
    """newest first"""
    fading: FadingOut


@value_class
class MemoriesView:
    """A role's memories at one moment, and how they stand seen from no chat in particular."""

    role: RoleMemory
    memories: MemoriesById
    standing: ActiveSet
    effects: Mapping[str, float]

    @classmethod
    def of(cls, role_memory: RoleMemory) -> "MemoriesView":
        """Taken now."""
        found = role_memory.memories
        visibility = role_memory.chats.visible_from(None)
        return cls(
            role_memory,
            found,
            standing(found, visibility),
            role_memory.usage.effects(visibility, found),
        )

    def one(self, memory_id: str) -> Memory:
        """A memory, or something that was said. Raises: UnknownMemoryError."""
        if memory_id.startswith(PREFIX) and memory_id not in self.memories:
            return self.role.passage(memory_id)
        if memory_id not in self.memories:
            raise UnknownMemoryError(memory_id, self.memories)
        return self.memories[memory_id]

    def shown(self, memory: Memory) -> MemoryOut:
        """A memory as it goes out."""
        return memory_out(memory, self.standing, self.effects)


@routes.get("")
def list_memories(call: RoleCall, wanted: Filtered, page: Paged) -> Page[MemoryOut]:
    """The memories that meet all conditions."""
    view = MemoriesView.of(call.role)
    same = call.home.people.follow().same
    return page(filtered(view.memories.values(), wanted, view.standing, same), view.shown)


@routes.post("", status_code=201)
def remember(call: RoleCall, given: MemoryIn, reason: Line = "") -> MemoryOut:
    """Write one memory. It is durable when the response arrives."""
    made = call.role.remember_all([given.raw()], reason=reason)[0]
    call.tell("memory")
    return _tagged(call, made.id)


@routes.get("/{memory:path}")
def one_memory(call: RoleCall, memory: str) -> MemoryDetail:
    """A memory with its evidence, relations and uses."""
    role = call.role
    view = MemoriesView.of(call.role)
    found = view.one(memory)
    replaced_by = [
        one
        for one in view.memories.values()
        if found.id in one.supersedes and one.id not in view.standing.withdrawn
    ]
    return MemoryDetail.from_value(
        found,
        memory=_tagged(call, memory),
        evidence=[row for one in found.evidence for row in _support(role, one)],
        replaced=[view.memories[one] for one in found.supersedes if one in view.memories],
        replaced_by=replaced_by,
        injections=list(_injections(call, found)),
        uses=_uses(role, found),
        fading=fading(role, found),
    )


@routes.patch("/{memory:path}")
def change_memory(
    call: RoleCall, memory: str, given: MemoryFieldsIn, if_match: IfMatch, reason: Line = ""
) -> MemoryOut:
    """Change fields of one memory; `archived: true` takes it out of recall."""
    with call.changing():
        if_match.check(lambda: _shown(call, memory))
        if told := given.named():
            memory = call.role.edit(memory, reason=reason, **told).id
    return _tagged(call, memory)


@routes.delete("/{memory:path}")
def delete_memory(call: RoleCall, memory: str, if_match: IfMatch, reason: Line = "") -> Done:
    """Remove one memory; `undo` brings it back."""
    with call.changing():
        if_match.check(lambda: _shown(call, memory))
        call.role.delete(memory, reason=reason)
        return Done(changed=1, txn=call.newest_txn({memory}))


def _shown(call: RoleCall, memory_id: str) -> MemoryOut:
    view = MemoriesView.of(call.role)
    return view.shown(view.one(memory_id))


def _tagged(call: RoleCall, memory_id: str) -> MemoryOut:
    """The memory as it stands now."""
    return call.tagged(_shown(call, memory_id))


def _uses(role: RoleMemory, memory: Memory) -> list[UseOut]:
    ageing = Ageing.of(role)
    uses = role.usage.uses.of(memory.id)[:MOST_USES]
    return [UseOut.from_value(one, age=ageing.age(memory.created, one.at)) for one in uses]


def _support(role: RoleMemory, support: Evidence) -> Iterator[EvidenceShown]:
    """One row for each message that a support joins."""
    chat = next((one for one in role.chats.chats(archived=True) if one.id == support.chat), None)
    said = role.chats.versions(chat.id) if chat else {}
    path = {one.version for one in role.chats.path(chat.id)} if chat else set()
    for version in support.versions:
        message = said.get(version)
        stands = chat is None or version in path
        more = {"title": chat.title if chat else "", "version": version, "stands": stands}
        if message is None:
            yield EvidenceShown.from_value(support, text="", at=None, speaker="", **more)
        else:
            speaker = message.name or message.role
            row = {"text": message.text, "at": message.at, "speaker": speaker, **more}
            yield EvidenceShown.from_value(support, **row)


def _injections(call: RoleCall, memory: Memory) -> Iterator[Injection]:
    for note in call.app_state.turns(call.role.id):
        for one in note.turn.recalled if note.turn else ():
            if one.memory.id == memory.id:
                why = item_of(one.scored).why
                yield Injection.from_value(note, score=one.score, why=why)


Op = Literal["add", "edit", "archive", "restore", "delete", "pin", "unpin", "lock", "unlock"]
_SETS: Mapping[Op, Mapping[str, Any]] = {
    "archive": {"archived": True},
    "restore": {"archived": False},
    "pin": {"constant": True},
    "unpin": {"constant": False},
    "lock": {"locked": True},
    "unlock": {"locked": False},
}


class Bulk(In):
    """An operation on several memories."""

    op: Op
    """pin: always in the prompt; lock: never replaced by what is learned"""
    ids: list[Id] = Field(default_factory=list, max_length=5000)
    fields: MemoryFieldsIn | None = None
    """op edit: the new values"""
    memories: list[MemoryIn] = Field([], max_length=1000)
    """op add"""
    reason: Line = ""


class BulkDone(Done):
    """The changed memories."""

    ids: list[str]


@routes.post("/bulk")
def change_many(call: RoleCall, given: Bulk) -> BulkDone:
    """Change several memories in one transaction: all or none."""
    role = call.role
    with call.changing():
        ids = _added(role, given) if given.op == "add" else _changed(role, given)
        return BulkDone(changed=len(ids), txn=call.newest_txn(set(ids)), ids=ids)


def _added(role: RoleMemory, given: Bulk) -> list[str]:
    made = [one.raw() for one in given.memories]
    return [memory.id for memory in role.remember_all(made, reason=given.reason)] if made else []


def _changed(role: RoleMemory, given: Bulk) -> list[str]:
    ids = list(dict.fromkeys(given.ids))
    if given.op not in ("pin", "unpin"):
        return _set(role, given, ids)
    said = [one for one in ids if one.startswith(PREFIX) and one not in role.memories]
    done = _set(role, given, [one for one in ids if one not in said])
    (role.pin if given.op == "pin" else role.unpin)(*said)
    return [*said, *done]


def _set(role: RoleMemory, given: Bulk, ids: list[str]) -> list[str]:
    known = role.memories
    if unknown := next((one for one in ids if one not in known), None):
        raise UnknownMemoryError(unknown, known)
    if not ids:
        return []
    if given.op == "delete":
        role.delete(*ids, reason=given.reason)
        return ids
    fields = _SETS.get(given.op) or (given.fields.named() if given.fields else {})
    if not fields:
        raise InvalidValueError("op edit: no fields; name what is to change")
    edits = [Edit("set", one, dict(fields), reason=given.reason) for one in ids]
    role.parts.context.commit(edits, "author")
    return ids
