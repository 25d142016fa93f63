"""Roles: list, make, look at, change, carry out and bring in. Taking one away is left to whoever owns the folder."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from fastapi import Body, Query, Request, Response
from pydantic import Field

from rolememory.engine import Home, RoleMemory
from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.schema.role import Association, Role
from rolememory.schema.scene import Language
from rolememory.serve.app_state import AppState
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
    tag,
)
from rolememory.serve.rest.error_responses import clean, private
from rolememory.serve.rest.nesting import shallow
from rolememory.serve.rest.schemas import In, Line, Lines, Name, Out, Page
from rolememory.storage.settings import load_settings, undotted
from rolememory.text.fold import fold_name

roles = router("roles", under="/roles")


class Associate(In):
    """Another role that is heard here."""

    role: Name
    factor: float = Field(0.5, ge=0.0, le=1.0)


class RoleOut(Out):
    """A role, and how much there is of it."""

    id: str
    name: str
    aliases: list[str]
    card: str | None
    worldbooks: list[str] = Field(description="shared books that are linked")
    associates: list[Associate]
    settings: dict[str, Any] = Field(
        description="overrides of rolememory.toml, as role.json has them"
    )
    memories: int
    archived: int
    chats: int
    waiting: int = Field(description="in the review queue")
    writable: bool = Field(description="false while memory.json is broken")
    problems: list[str]
    etag: str


class RoleIn(In):
    """A new role."""

    name: Name
    aliases: Annotated[list[Name], Field(max_length=50)] = Field(default_factory=list)


class RolePatch(In):
    """What is to change; what is not named stays."""

    name: Name | None = None
    aliases: Annotated[list[Name], Field(max_length=50)] | None = None
    worldbooks: Lines | None = Field(None, description="names of shared books")
    associates: Annotated[list[Associate], Field(max_length=50)] | None = None
    settings: Annotated[dict[Line, Any], Field(max_length=200)] | None = Field(
        None, description="dotted keys and values; null takes an override away"
    )


class StatsOut(Out):
    """A role in figures."""

    total: int
    archived: int
    by_type: dict[str, int]
    by_source: dict[str, int]
    by_user: dict[str, int] = Field(description='"" = shared by all')
    tags: dict[str, int]
    core: int
    characters: int
    bytes_on_disk: int
    chats: int
    turns: int = Field(description="user turns of the story so far")
    embedded: int = Field(description="memories that have their vectors")
    meaning: str = Field(description="state of the embedding model")


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
    problems: list[str]
    fields: dict[str, Any] = Field(description="role.json of a new role")
    left_out: dict[str, str] = Field(description="fields that do not come, and why")
    memories: dict[str, dict[str, Any]] = Field(description="what is written into which memory")
    dry_run: bool


@roles.get("")
def list_roles(
    request: Request,
    response: Response,
    app_state: AppStateDep,
    paging: Paged,
    language: LanguageDep,
) -> Page[RoleOut]:
    """Every role, by name."""
    return page(
        request,
        response,
        paging,
        app_state.home.roles(),
        lambda role: shown(app_state, app_state.home.role(role.id), language),
    )


@roles.post("", status_code=201)
def make_role(
    response: Response, app_state: AppStateDep, language: LanguageDep, given: RoleIn
) -> RoleOut:
    """A new role with a folder of its own."""
    _refuse_taken(app_state.home, given.aliases, "")
    role_memory = app_state.home.create(given.name, aliases=tuple(given.aliases))
    app_state.bus.tell("role", role_memory.id)
    return _tagged(response, shown(app_state, role_memory, language))


@roles.post("/import")
def bring_role(
    app_state: AppStateDep,
    language: LanguageDep,
    document: Annotated[dict[str, Any], Body(description="what `export` gave, or a memory.json")],
    into: Annotated[str | None, Query(max_length=300)] = None,
    prefer: Literal["theirs", "ours"] = "theirs",
    dry_run: bool = False,
) -> ImportedOut:
    """Bring in what `export` gave, as a new role or into one that is there."""
    shallow(document)
    done = app_state.home.bring(document, into=into, prefer=prefer, dry_run=dry_run)
    if not dry_run:
        app_state.bus.tell("memory", done.role.id)
    return ImportedOut(
        role=done.role.id,
        name=done.role.name,
        made=done.made,
        added=list(done.added),
        changed=list(done.changed),
        kept=list(done.kept),
        unchanged=done.unchanged,
        files=list(done.files),
        files_kept=list(done.files_kept),
        problems=[private(problem.text(language), app_state) for problem in done.problems],
        fields=dict(done.fields),
        left_out={name: why.text(language) for name, why in done.left_out.items()},
        memories={one: dict(fields) for one, fields in done.memories.items()},
        dry_run=dry_run,
    )


@roles.get("/{role}", response_model=RoleOut)
def one_role(
    response: Response,
    app_state: AppStateDep,
    role_memory: RoleDep,
    language: LanguageDep,
    if_none_match: IfNoneMatch = None,
) -> RoleOut | Response:
    """One role."""
    found = shown(app_state, role_memory, language)
    return fresh(if_none_match, found.etag) or _tagged(response, found)


@roles.patch("/{role}")
def change_role(
    response: Response,
    app_state: AppStateDep,
    role_memory: RoleDep,
    language: LanguageDep,
    alone: Alone,
    given: RolePatch,
    if_match: IfMatch = None,
) -> RoleOut:
    """Change names, linked books, associates or settings."""
    with alone.through(f"role {role_memory.id}"):
        now = shown(app_state, role_memory, language)
        seen(if_match, now.etag, lambda: now.model_dump(mode="json"))
        home, role = app_state.home, role_memory.role
        _refuse_taken(
            home, [*([given.name] if given.name else ()), *(given.aliases or ())], role.id
        )
        changes: dict[str, Any] = {
            "aliases": given.aliases and tuple(given.aliases),
            "worldbooks": given.worldbooks and tuple(_linked(home, given.worldbooks)),
            "associates": None if given.associates is None else _associates(home, given.associates),
            "settings": None
            if given.settings is None
            else with_overrides(home, role, given.settings),
        }
        told = {name: value for name, value in changes.items() if value is not None}
        told |= {name: () for name in ("aliases", "worldbooks") if getattr(given, name) == []}
        if told:
            home.folder.update(role.model_copy(update=told))
        if given.name is not None:
            home.folder.rename(role.id, given.name)
    app_state.bus.tell("role", role_memory.id)
    return _tagged(response, shown(app_state, role_memory, language))


@roles.get("/{role}/stats")
def stats(app_state: AppStateDep, role_memory: RoleDep) -> StatsOut:
    """The role in figures."""
    found = role_memory.stats()
    return StatsOut(
        total=found.total,
        archived=found.archived,
        by_type=dict(found.by_type),
        by_source=dict(found.by_source),
        by_user=dict(found.by_user),
        tags=dict(found.tags),
        core=found.core,
        characters=found.characters,
        bytes_on_disk=found.bytes_on_disk,
        chats=len(role_memory.chats.chats(archived=True)),
        turns=role_memory.turns,
        embedded=role_memory.embedded,
        meaning=app_state.home.loader.state,
    )


@roles.get("/{role}/export")
def export_role(role_memory: RoleDep) -> dict[str, Any]:
    """The role, its memories, books and card as one document; chats and history stay here."""
    return role_memory.export()


def shown(app_state: AppState, role_memory: RoleMemory, language: Language) -> RoleOut:
    """A role as it goes out."""
    role, found = role_memory.role, role_memory.store.snapshot()
    archived = sum(memory.archived for memory in found.memories.values())
    return RoleOut(
        id=role.id,
        name=clean(role.name),
        aliases=[clean(one) for one in role.aliases],
        card=role.card,
        worldbooks=list(role.worldbooks),
        associates=[Associate(role=one.role, factor=one.factor) for one in role.associates],
        settings=dict(role.settings),
        memories=len(found.memories) - archived,
        archived=archived,
        chats=len(role_memory.chats.chats(archived=True)),
        waiting=len(role_memory.learner.keeper.review.waiting()),
        writable=found.writable,
        problems=[private(problem.text(language), app_state) for problem in found.problems],
        etag=tag(role),
    )


def _tagged(response: Response, role: RoleOut) -> RoleOut:
    response.headers["etag"] = role.etag
    return role


def _refuse_taken(home: Home, names: Iterable[str], role_id: str) -> None:
    """Two roles of one name could not be told apart."""
    wanted = {fold_name(name): name for name in names}
    for other in home.roles():
        taken = {fold_name(name) for name in (other.name, *other.aliases)} & wanted.keys()
        if other.id != role_id and taken:
            name = wanted[taken.pop()]
            raise InvalidValueError(
                "role {id} already answers to {name!r}; choose another name", id=other.id, name=name
            )


def _linked(home: Home, names: Iterable[str]) -> list[str]:
    folder = home.path / "worldbooks"
    known = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    for name in names:
        if name not in known:
            raise UnknownNameError("worldbook", name, known)
    return list(dict.fromkeys(names))


def _associates(home: Home, wanted: Iterable[Associate]) -> tuple[Association, ...]:
    return tuple(
        Association(role=home.folder.find(one.role).id, factor=one.factor) for one in wanted
    )


def with_overrides(home: Home, role: Role, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The role's overrides with these keys set, or with null taken away.

    Raises:
        SettingsError: a key nobody knows, one that only the home may set, or a value that does not fit.
    """
    shallow(wanted)
    tree = undotted(role.settings)
    for key, value in wanted.items():
        tree = _set(tree, key.split("."), value)
    load_settings(home.path, None, tree, role_file="role.json")
    return tree


def _set(tree: Mapping[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    name, rest = path[0], path[1:]
    inner = tree.get(name)
    if rest:
        value = _set(inner if isinstance(inner, Mapping) else {}, rest, value) or None
    kept = {key: one for key, one in tree.items() if key != name}
    return kept if value is None else {**kept, name: value}
