"""The users of a home: each with their names, and what each role has of them."""

from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from rolememory.schema.value_class import value_class
from rolememory.storage.people import Same
from rolememory.storage.review import Review

if TYPE_CHECKING:
    from rolememory.engine.home import Home
    from rolememory.engine.role import RoleMemory


@value_class
class UserInRole:
    """What one role has of a person."""

    role: str  # id
    name: str
    memories: int
    archived: int
    chats: int
    waiting: int


@value_class
class User:
    """A person, and the roles that know them."""

    name: str  # the displayed one
    names: tuple[str, ...]  # all, `name` first
    roles: tuple[UserInRole, ...]

    @property
    def memories(self) -> int:
        """Number of memories in all roles, archived ones too."""
        return sum(one.memories + one.archived for one in self.roles)

    @property
    def chats(self) -> int:
        """Number of chats in all roles."""
        return sum(one.chats for one in self.roles)


def users_of(home: "Home") -> list[User]:
    """All users known to some role, by number of memories, descending. Data without an owner is not counted."""
    people = home.people.follow()
    found: dict[str, list[UserInRole]] = {}
    for role in home.roles():
        known = home.of_role(role.id, partial(_rows, same=people.same)) or {}
        for user, row in known.items():
            found.setdefault(user, []).append(row)
    linked = {group[0]: tuple(group) for group in people.linked}
    users = [User(user, linked.get(user, (user,)), tuple(rows)) for user, rows in found.items()]
    return sorted(users, key=lambda one: (-sum(row.memories for row in one.roles), one.name))


def _rows(role: "RoleMemory", same: Same) -> dict[str, UserInRole]:
    """What a role has of each user; data without an owner is left out."""
    memories = role.store.snapshot().memories.values()
    infos = role.chats.chats(archived=True)
    found: Iterable[Iterable[str | None]] = (
        (one.user for one in memories if not one.archived),
        (one.user for one in memories if one.archived),
        (user for info in infos for user in set(map(same, info.users))),
        (one.draft.user for one in Review(role.space).waiting()),
    )
    counts = [Counter(same(user) for user in users if user) for users in found]
    return {
        user: UserInRole(role.id, role.role.name, *(one[user] for one in counts))
        for user in sorted(set().union(*counts))
    }
