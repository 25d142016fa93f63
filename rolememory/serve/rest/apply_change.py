"""Making the change that a refusal told of: of a memory, of a lorebook entry, or of a setting."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError

from rolememory.authoring.entries import changed, placed
from rolememory.cards.book_files import load_book
from rolememory.engine import RoleMemory
from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.schema.lorebook import lore_id
from rolememory.schema.memory import Memory
from rolememory.serve.app_state import AppState
from rolememory.serve.rest.book_folders import BookFolder, editable, shelf_named
from rolememory.serve.rest.book_schemas import EntryFields
from rolememory.serve.rest.dependencies import Alone, AppStateDep, RoleDep, router
from rolememory.serve.rest.memories import newest_txn, told
from rolememory.serve.rest.nesting import shallow
from rolememory.serve.rest.roles import with_overrides
from rolememory.serve.rest.schemas import In, Line, Lines, Out, Scalar
from rolememory.storage.settings_text import set_value

applying = router("turn", under="/roles/{role}")


class ApplyIn(In):
    """A change as a refusal told it."""

    target: Literal["memory", "entry", "settings"]
    field: Line
    value: Scalar | Lines
    id: str = Field("", max_length=300, description="target memory or entry: which")
    text: str = Field(
        "", max_length=2000, description="not read: a refusal's change may be sent back as it is"
    )
    scope: Literal["role", "home"] = Field(
        "role", description="target settings: role.json or rolememory.toml"
    )


class ApplyOut(Out):
    """What was changed."""

    target: str
    field: str
    before: Any
    after: Any
    txn: str | None = Field(None, description="target memory: what `undo` takes back")


@applying.post("/apply")
def apply(app_state: AppStateDep, role_memory: RoleDep, alone: Alone, given: ApplyIn) -> ApplyOut:
    """Make the change that a refusal told of; post the turn to `explain` again to see what came of it."""
    shallow(given.value)
    if given.target == "settings":
        return _to_setting(app_state, role_memory, alone, given)
    return (
        _to_memory(app_state, role_memory, alone, given)
        if given.target == "memory"
        else _to_entry(app_state, role_memory, alone, given)
    )


def _to_memory(
    app_state: AppState, role_memory: RoleMemory, alone: Alone, given: ApplyIn
) -> ApplyOut:
    with alone.through(f"memory {role_memory.id}"):
        if given.field not in Memory.model_fields or given.field in ("id", "type"):
            raise UnknownNameError("field", given.field, Memory.model_fields)
        before = role_memory.memories.get(given.id)
        changes: dict[str, Any] = {given.field: given.value}
        role_memory.edit(given.id, reason="explain", **changes)
        after = role_memory.memories[given.id]
    told(app_state, role_memory)
    values = [one.model_dump(mode="json")[given.field] if one else None for one in (before, after)]
    return ApplyOut(
        target="memory",
        field=given.field,
        before=values[0],
        after=values[1],
        txn=newest_txn(role_memory, given.id),
    )


def _to_entry(
    app_state: AppState, role_memory: RoleMemory, alone: Alone, given: ApplyIn
) -> ApplyOut:
    """One field of an entry, in the book where it stands. Raises: UnknownNameError."""
    if given.field not in EntryFields.model_fields:
        raise UnknownNameError("field", given.field, EntryFields.model_fields)
    fields = _fields(given)
    for shelf, path in _books_of(app_state, role_memory):
        with alone.through(f"book {path}"):
            found = {
                lore_id(path.stem, one.uid): one
                for one in placed(load_book(path.read_bytes(), path.name))
            }
            if one := found.get(given.id):
                before = one.entry.model_dump(mode="json")[given.field] if one.entry else None
                shelf.write(path, changed(editable(path), one.uid, fields).write())
                return ApplyOut(target="entry", field=given.field, before=before, after=given.value)
    raise UnknownNameError("lorebook entry", given.id, [])


def _fields(given: ApplyIn) -> dict[str, Any]:
    """The field with its value. Raises: RequestValidationError; the value does not fit."""
    try:
        return EntryFields.model_validate({given.field: given.value}).told()
    except ValidationError as error:
        raise RequestValidationError(
            [{**one, "loc": ("body", "value")} for one in error.errors()]
        ) from error


def _books_of(app_state: AppState, role_memory: RoleMemory) -> Iterator[tuple[BookFolder, Path]]:
    """The books that the role hears, its own first."""
    own, shared = shelf_named(app_state, role_memory.id), shelf_named(app_state, "shared")
    yield from ((own, path) for path in own.files())
    yield from (
        (shared, path) for path in shared.files() if path.name in role_memory.role.worldbooks
    )


def _to_setting(
    app_state: AppState, role_memory: RoleMemory, alone: Alone, given: ApplyIn
) -> ApplyOut:
    before = _setting(role_memory, given.field)
    if given.scope == "home":
        with alone.through("settings"):
            set_value(app_state.home.path, given.field, given.value)
        app_state.bus.tell("settings")
    else:
        with alone.through(f"role {role_memory.id}"):
            role = role_memory.role
            tree = with_overrides(app_state.home, role, {given.field: given.value})
            app_state.home.folder.update(role.model_copy(update={"settings": tree}))
        app_state.bus.tell("role", role_memory.id)
    return ApplyOut(
        target="settings",
        field=given.field,
        before=before,
        after=_setting(role_memory, given.field),
    )


def _setting(role_memory: RoleMemory, key: str) -> Any:
    """The value of a dotted key as it holds for the role. Raises: InvalidValueError."""
    value: Any = role_memory.settings.model_dump(mode="json")
    for part in key.split("."):
        if not isinstance(value, dict) or part not in value:
            raise InvalidValueError("no setting {key!r}; see /api/settings", key=key[:80])
        value = value[part]
    return value
