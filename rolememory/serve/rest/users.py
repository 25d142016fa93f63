"""Whose memories these are: who has some, what there is of one person, and forgetting him everywhere."""

from collections import Counter

from fastapi import Request, Response
from pydantic import Field

from rolememory.errors import UnknownNameError
from rolememory.serve.house import House
from rolememory.serve.rest import inside
from rolememory.serve.rest.asking import Paged, TheHouse, page, router
from rolememory.serve.rest.shapes import Out, Page

users = router("users", under="/users")


class UserInRole(Out):
    """What one role has of a person."""

    role: str
    name: str
    memories: int
    archived: int
    chats: int
    waiting: int


class UserOut(Out):
    """A person, and the roles that know him."""

    user: str
    memories: int
    chats: int
    roles: list[UserInRole]


class ForgottenRole(Out):
    """What was removed from one role."""

    role: str
    memories: int
    lines: int = Field(description="of the history")
    backups: int
    chats: list[str]
    waiting: int
    left: list[str] = Field(description="files that could not be read and were left")


class ForgottenOut(Out):
    """What was removed."""

    user: str
    roles: list[ForgottenRole]


@users.get("")
def list_users(request: Request, response: Response, house: TheHouse, paging: Paged) -> Page[UserOut]:
    """Everybody whom some role knows, who has the most first. What belongs to nobody in particular is not listed."""
    known = _known(house)
    names = sorted(known, key=lambda user: (-sum(one.memories for one in known[user]), user))
    return page(request, response, paging, names, lambda user: _user_out(user, known[user]))


@users.get("/{user:path}")
def one_user(house: TheHouse, user: str) -> UserOut:
    """What there is of one person: what `DELETE` would remove."""
    known = _known(house)
    if user not in known:
        raise UnknownNameError("user", user, known)
    return _user_out(user, known[user])


@users.delete("/{user:path}")
def forget(house: TheHouse, user: str) -> ForgottenOut:
    """Remove everything of one person for good, from every role: memories, chats, history, backups, what waits, uses, vectors."""
    known = _known(house)
    if user not in known:
        raise UnknownNameError("user", user, known)
    done = house.home.forget(user)
    inside.forget_turns(house, user)
    house.bus.tell("memory")
    return ForgottenOut(
        user=user,
        roles=[
            ForgottenRole(
                role=role,
                memories=one.memories,
                lines=one.lines,
                backups=one.backups,
                chats=list(one.chats),
                waiting=one.waiting,
                left=list(one.left),
            )
            for role, one in done.items()
        ],
    )


def _known(house: House) -> dict[str, list[UserInRole]]:
    """Every person with what each role has of him."""
    found: dict[str, list[UserInRole]] = {}
    for role in house.home.roles():
        mind = house.home.role(role.id)
        memories = mind.store.snapshot().memories.values()
        live = Counter(one.user for one in memories if one.user and not one.archived)
        away = Counter(one.user for one in memories if one.user and one.archived)
        chats = Counter(info.user for info in mind.chats.chats(archived=True) if info.user)
        waiting = Counter(one.draft.user for one in mind.learner.keeper.review.waiting() if one.draft.user)
        for user in sorted(live.keys() | away.keys() | chats.keys() | waiting.keys()):
            row = UserInRole(
                role=role.id, name=role.name, memories=live[user], archived=away[user], chats=chats[user], waiting=waiting[user]
            )
            found.setdefault(user, []).append(row)
    return found


def _user_out(user: str, rows: list[UserInRole]) -> UserOut:
    return UserOut(user=user, memories=sum(one.memories + one.archived for one in rows), chats=sum(one.chats for one in rows), roles=rows)
