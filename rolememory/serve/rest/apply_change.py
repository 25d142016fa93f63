"""Applying a suggested change of an explanation: to a memory, a lorebook entry, or a setting."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError

from rolememory.authoring.entries import changed, placed
from rolememory.cards.book_files import load_book
from rolememory.cards.limits import read_bytes
from rolememory.engine import RoleMemory
from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.schema.lorebook import lore_id
from rolememory.schema.memory import Memory
from rolememory.serve.rest.book_folders import BookFolder, checked_editable, shelf_named
from rolememory.serve.rest.book_schemas import EntryFields
from rolememory.serve.rest.dependencies import RoleCall, router
from rolememory.serve.rest.schemas import In, Line, Lines, Out, Scalar
from rolememory.storage.settings import overridden
from rolememory.storage.settings_text import set_value
from rolememory.storage.settings_tree import leaves, value_at

routes = router("turn", under="/roles/{role}")


class ApplyIn(In):
    """A suggested change of an explanation."""

    target: Literal["memory", "entry", "settings"]
    field: Line
    value: Scalar | Lines
    id: str = Field("", max_length=300)
    """target memory or entry: which"""
    text: str = Field("", max_length=2000)
    """ignored: a suggested change may be sent unchanged"""
    scope: Literal["role", "home"] = "role"
    """target settings: role.json or rolememory.toml"""


class ApplyOut(Out):
    """The applied change."""

    target: str
    field: str
    before: Any
    after: Any
    txn: str | None = None
    """target memory: for `undo`"""


@routes.post("/apply")
def apply(call: RoleCall, given: ApplyIn) -> ApplyOut:
    """Apply a suggested change; post the turn to `explain` again to see its effect."""
    make = {"memory": _to_memory, "entry": _to_entry, "settings": _to_setting}[given.target]
    before, after, txn = make(call, given)
    return ApplyOut(target=given.target, field=given.field, before=before, after=after, txn=txn)


def _to_memory(call: RoleCall, given: ApplyIn) -> tuple[Any, Any, str | None]:
    """The old and new value of a memory's field, and the transaction. Raises: UnknownNameError."""
    if given.field not in Memory.model_fields or given.field in ("id", "type"):
        raise UnknownNameError("field", given.field, Memory.model_fields)

    def value() -> Any:
        memory = call.role.memories.get(given.id)
        return memory and memory.model_dump(mode="json")[given.field]

    with call.changing():
        before = value()
        changes = {given.field: given.value}
        call.role.edit(given.id, reason="explain", **changes)  # type: ignore[arg-type]  # it says what does not fit
        return before, value(), call.newest_txn({given.id})


def _to_entry(call: RoleCall, given: ApplyIn) -> tuple[Any, Any, None]:
    """Change a field of an entry in its book. Raises: UnknownNameError."""
    if given.field not in EntryFields.model_fields:
        raise UnknownNameError("field", given.field, EntryFields.model_fields)
    fields = _fields(given)
    for shelf, path in _books_of(call):
        if not given.id.startswith(lore_id(path.stem, "")):
            continue
        with call.alone(f"book {path}"):
            data = read_bytes(path)
            book = load_book(data, path.name)
            for one in placed(book):
                if lore_id(path.stem, one.uid) == given.id:
                    before = one.entry and one.entry.model_dump(mode="json")[given.field]
                    after = changed(checked_editable(book, data, path.name), one, fields)
                    shelf.write(path, after.write())
                    return before, given.value, None
    raise UnknownNameError("lorebook entry", given.id, [])


def _fields(given: ApplyIn) -> dict[str, Any]:
    """The field with its value. Raises: RequestValidationError: an invalid value."""
    try:
        return EntryFields.model_validate({given.field: given.value}).named()
    except ValidationError as error:
        raise RequestValidationError(
            [{**one, "loc": ("body", "value")} for one in error.errors()]
        ) from error


def _books_of(call: RoleCall) -> Iterator[tuple[BookFolder, Path]]:
    """The role's books, its own first."""
    own = shelf_named(call.app_state, call.role.id)
    shared = shelf_named(call.app_state, "shared")
    yield from ((own, path) for path in own.files())
    linked = call.role.role.worldbooks
    yield from ((shared, path) for path in shared.files() if path.name in linked)


def _to_setting(call: RoleCall, given: ApplyIn) -> tuple[Any, Any, None]:
    before = _setting(call.role, given.field)
    if given.scope == "home":
        with call.alone("settings"):
            set_value(call.home.path, given.field, given.value)
        call.bus.tell("settings")
    else:
        with call.alone(f"role {call.role.id}"):
            role = call.role.role
            tree = overridden(call.home.path, role.settings, {given.field: given.value})
            call.home.folder.update(role.model_copy(update={"settings": tree}))
        call.tell("role")
    return before, _setting(call.role, given.field), None


def _setting(role_memory: RoleMemory, key: str) -> Any:
    """The current value of a dotted key for the role. Raises: InvalidValueError."""
    if key not in leaves():
        raise InvalidValueError("no setting {key!r}; see /api/settings", key=key[:80])
    return value_at(role_memory.settings.model_dump(mode="json"), key)
