"""Roles: list, make, look at, change, carry out and bring in. Taking one away is left to whoever owns the folder."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Body, Query
from pydantic import Field

from rolememory.engine import Home, RoleMemory
from rolememory.errors import UnknownNameError
from rolememory.schema.json_types import JsonObject
from rolememory.schema.role import MAX_ALIASES, Association, Role
from rolememory.serve.rest.dependencies import (
    HomeCall,
    IfMatch,
    Paged,
    RoleCall,
    router,
    tag,
)
from rolememory.serve.rest.schemas import In, Line, Lines, Name, Out, Page, Translated
from rolememory.storage.home import called, taken_name
from rolememory.storage.settings import overridden

routes = router("roles", under="/roles")


class Associate(In, from_attributes=True):
    """Another role whose memories are recalled too."""

    role: Name
    factor: float = Field(0.5, ge=0.0, le=1.0)


class RoleOut(Out):
    """A role, and its number of memories and chats."""

    id: str
    name: str
    aliases: list[str]
    card: str | None
    worldbooks: list[str]
    """shared books that are linked"""
    associates: list[Associate]
    settings: JsonObject
    """overrides of rolememory.toml, as role.json has them"""
    memories: int
    archived: int
    chats: int
    waiting: int
    """pending review"""
    writable: bool
    """false while memory.json is broken"""
    problems: list[Translated]
    etag: str


class RoleIn(In):
    """A new role."""

    name: Name
    aliases: list[Name] = Field(default_factory=list, max_length=MAX_ALIASES)


class RolePatch(In):
    """The fields to change. Fields that are not given stay."""

    name: Name | None = None
    aliases: list[Name] | None = Field(None, max_length=MAX_ALIASES)
    worldbooks: Lines | None = None
    """names of shared books"""
    associates: list[Associate] | None = Field(None, max_length=50)
    settings: dict[Line, Any] | None = Field(None, max_length=200)
    """dotted keys and values; null removes an override"""


class StatsOut(Out):
    """Statistics of a role."""

    total: int
    archived: int
    by_type: dict[str, int]
    by_source: dict[str, int]
    by_user: dict[str, int]
    """ "" = shared by all"""
    tags: dict[str, int]
    core: int
    characters: int
    bytes_on_disk: int
    chats: int
    turns: int
    """user turns of the story so far"""
    embedded: int
    """memories that have their vectors"""
    meaning: str
    """state of the embedding model"""


class ImportedOut(Out):
    """What an import did, or would do."""

    role: str
    name: str
    made: bool
    added: list[str]
    changed: list[str]
    kept: list[str]
    unchanged: int
    files: list[str]
    files_kept: list[str]
    problems: list[Translated]
    fields: JsonObject
    """role.json of a new role"""
    left_out: dict[str, Translated]
    """fields that are not imported, and why"""
    memories: dict[str, JsonObject]
    """the fields written, by memory"""
    dry_run: bool


@routes.get("")
def list_roles(call: HomeCall, page: Paged) -> Page[RoleOut]:
    """Every role, by name."""
    return page(call.home.roles(), lambda role: call.home.of_role(role.id, partial(shown, call)))


@routes.post("", status_code=201)
def make_role(call: HomeCall, given: RoleIn) -> RoleOut:
    """Create a role."""
    _refuse_taken(call.home, given.aliases)
    role = call.home.create(given.name, aliases=tuple(given.aliases))
    call.bus.tell("role", role.id)
    return _tagged(call, role)


@routes.post("/import")
def bring_role(
    call: HomeCall,
    document: Annotated[JsonObject, Body(description="the result of `export`, or a memory.json")],
    into: Annotated[str | None, Query(max_length=300)] = None,
    prefer: Literal["theirs", "ours"] = "theirs",
    dry_run: bool = False,
) -> ImportedOut:
    """Import the result of `export`, as a new role or into an existing one."""
    done = call.home.bring(document, into=into, prefer=prefer, dry_run=dry_run)
    if not dry_run:
        call.bus.tell("memory", done.role.id)
    return ImportedOut.from_value(done, role=done.role.id, name=done.role.name, dry_run=dry_run)


@routes.get("/{role}")
def one_role(call: RoleCall) -> RoleOut:
    """One role."""
    return _tagged(call, call.role)


@routes.patch("/{role}")
def change_role(call: RoleCall, given: RolePatch, if_match: IfMatch) -> RoleOut:
    """Change names, linked books, associates or settings."""
    role = call.role.role
    folder = call.home.folder
    with call.alone(f"role {role.id}"):
        if_match.check(lambda: shown(call, call.role))
        _refuse_taken(call.home, [given.name or "", *(given.aliases or ())], role.id)
        told = dict(_changes(call.home, role, given))
        if given.name is not None:
            role = folder.rename(role.id, given.name)
        if told:
            folder.update(role.model_copy(update=told))
    call.tell("role")
    return _tagged(call, call.role)


@routes.delete("/{role}")
def delete_role(
    call: RoleCall,
    for_good: Annotated[bool, Query(description="it cannot be restored")] = False,
) -> RoleOut:
    """Delete a role with its memories, chats, own books and card; answers with what it was."""
    answer = shown(call, call.role)
    call.home.delete(answer.id, for_good=for_good)
    call.app_state.drop_turns(answer.id)
    call.tell("role", deleted=True)
    return answer


@routes.get("/{role}/stats")
def stats(call: RoleCall) -> StatsOut:
    """Statistics of the role."""
    role = call.role
    return StatsOut.from_value(
        role.stats(),
        chats=len(role.chats.chats(archived=True)),
        turns=role.turns,
        embedded=role.embedded,
        meaning=call.home.loader.state,
    )


@routes.get("/{role}/export")
def export_role(call: RoleCall) -> JsonObject:
    """The role, its memories, books and card as one document, without chats and history."""
    return call.role.export()


def shown(call: HomeCall, role_memory: RoleMemory) -> RoleOut:
    """A role as it goes out."""
    role = role_memory.role
    found = role_memory.store.snapshot()
    archived = sum(memory.archived for memory in found.memories.values())
    return RoleOut.from_value(
        role,
        memories=len(found.memories) - archived,
        archived=archived,
        chats=len(role_memory.chats.chats(archived=True)),
        waiting=len(role_memory.learner.keeper.review.waiting()),
        writable=found.writable,
        problems=found.problems,
        etag=tag(role),
    )


def _tagged(call: HomeCall, role_memory: RoleMemory) -> RoleOut:
    return call.tagged(shown(call, role_memory))


def _changes(home: Home, role: Role, given: RolePatch) -> Iterator[tuple[str, Any]]:
    """The fields of role.json that are named, as it holds them."""
    if given.aliases is not None:
        yield "aliases", tuple(given.aliases)
    if given.worldbooks is not None:
        yield "worldbooks", _linked(home, given.worldbooks)
    if given.associates is not None:
        named = [(home.folder.find(one.role).id, one.factor) for one in given.associates]
        yield "associates", tuple(Association(role=one, factor=factor) for one, factor in named)
    if given.settings is not None:
        yield "settings", overridden(home.path, role.settings, given.settings)


def _refuse_taken(home: Home, names: Iterable[str], role_id: str = "") -> None:
    """Two roles of one name could not be told apart. Raises: InvalidValueError."""
    roles = [role for role in home.roles() if role.id != role_id]
    for name in names:
        if taken := called(roles, name):
            raise taken_name(taken[0], name)


def _linked(home: Home, names: Iterable[str]) -> tuple[str, ...]:
    """Shared books, each once. Raises: UnknownNameError."""
    folder = home.path / "worldbooks"
    known = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    for name in names:
        if name not in known:
            raise UnknownNameError("worldbook", name, known)
    return tuple(dict.fromkeys(names))
