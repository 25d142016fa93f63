"""Many memories at once: one transaction, all or none, one `undo`."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from rolememory.engine import RoleMemory
from rolememory.errors import InvalidValueError, UnknownMemoryError
from rolememory.schema.passage import PREFIX
from rolememory.serve.rest.dependencies import RoleCall, router
from rolememory.serve.rest.memory_schemas import MemoryFieldsIn, MemoryIn
from rolememory.serve.rest.schemas import Done, Id, In, Line
from rolememory.storage.memories import Edit

routes = router("memories", under="/roles/{role}/memories")
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
    """What is to be done with which memories."""

    op: Op
    """pin: always in the prompt; lock: nothing that is learned replaces it"""
    ids: Annotated[list[Id], Field(max_length=5000)] = Field(default_factory=list)
    fields: MemoryFieldsIn | None = None
    """op edit: what all of them get"""
    memories: Annotated[list[MemoryIn], Field(max_length=1000)] = Field([])
    """op add"""
    reason: Line = ""


class BulkDone(Done):
    """What was done, to which."""

    ids: list[str]


@routes.post("/bulk")
def many(call: RoleCall, given: Bulk) -> BulkDone:
    """All of it or none."""
    role = call.role
    with call.changing():
        ids = _added(role, given) if given.op == "add" else _changed(role, given)
        return BulkDone(changed=len(ids), txn=call.newest_txn() if ids else None, ids=ids)


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
    fields = _SETS.get(given.op) or (given.fields.told() if given.fields else {})
    if not fields:
        raise InvalidValueError("op edit: no fields; name what is to change")
    role.parts.memories.commit([Edit("set", one, dict(fields), reason=given.reason) for one in ids])
    return ids
