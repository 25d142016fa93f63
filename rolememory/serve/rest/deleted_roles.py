"""Deleted roles: list, restore, remove for good."""

from rolememory.schema.role import Role
from rolememory.serve.rest.dependencies import HomeCall, Paged, router
from rolememory.serve.rest.roles import RoleOut, shown
from rolememory.serve.rest.schemas import Out, Page

routes = router("roles", under="/deleted-roles")


class DeletedRole(Out):
    """A role that can be restored."""

    id: str
    name: str
    aliases: list[str]


@routes.get("")
def list_deleted_roles(call: HomeCall, page: Paged) -> Page[DeletedRole]:
    """Every deleted role that can be restored, by name."""
    return page(call.home.deleted())


@routes.post("/{role}/restore")
def restore_role(call: HomeCall, role: str) -> RoleOut:
    """Bring a role back as it was."""
    restored = call.home.restore(role)
    call.bus.tell("role", restored.id)
    return shown(call, restored)


@routes.delete("/{role}")
def purge_role(call: HomeCall, role: str) -> DeletedRole:
    """Remove a deleted role for good."""
    found: Role = call.home.folder.find_deleted(role)
    call.home.folder.purge(found.id)
    return DeletedRole.from_value(found)
