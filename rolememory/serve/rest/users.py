"""Whose memories these are: who has some, under which names, what there is of one person, and forgetting them everywhere."""

from dataclasses import asdict

from fastapi import Request, Response
from pydantic import Field

from rolememory.engine.users import User
from rolememory.errors import UnknownNameError
from rolememory.serve.app_state import AppState
from rolememory.serve.rest.dependencies import AppStateDep, Paged, page, router
from rolememory.serve.rest.schemas import In, Line, Out, Page

users = router("users", under="/users")
name_links = router("users", under="/links")  # beside /users, where every path is a name


class RoleUserOut(Out):
    """What one role has of a person."""

    role: str
    name: str
    memories: int
    archived: int
    chats: int
    waiting: int


class UserOut(Out):
    """A person, and the roles that know them."""

    user: str
    names: list[str] = Field(description="all names that were linked, `user` first")
    memories: int
    chats: int
    roles: list[RoleUserOut]


class UnaskedOut(Out):
    """A new name in a home that knew one person."""

    name: str
    person: str = Field(description="who it may be: link both, or unlink the name to say no")


class UsersOut(Page[UserOut]):
    """Everybody whom some role knows."""

    unasked: list[UnaskedOut] = Field(description="names that nobody was asked about")


class LinksOut(Out):
    """Which names mean one person."""

    linked: list[list[str]] = Field(description="the names of each person that has several")
    apart: list[str] = Field(description="names that are persons of their own, and not asked about")
    unasked: list[UnaskedOut]


class LinkIn(In):
    """Names that mean one person."""

    names: list[Line] = Field(min_length=2, max_length=50)


class ForgottenRole(Out):
    """What was removed from one role."""

    role: str
    memories: int
    lines: int = Field(description="of the history")
    backups: int
    chats: list[str] = Field(description="that were theirs alone")
    messages: int = Field(description="of chats with others, replies to them among these")
    waiting: int
    left: list[str] = Field(description="files that could not be read, or that an author wrote")


class ForgottenOut(Out):
    """What was removed."""

    user: str
    roles: list[ForgottenRole]


@users.get("")
def list_users(
    request: Request, response: Response, app_state: AppStateDep, paging: Paged
) -> UsersOut:
    """Everybody whom some role knows, who has the most first. What belongs to nobody in particular is not listed."""
    found = page(request, response, paging, app_state.home.users(), _user_out)
    return UsersOut(**dict(found), unasked=_unasked(app_state))


@users.get("/{user:path}")
def one_user(app_state: AppStateDep, user: str) -> UserOut:
    """What there is of one person: what `DELETE` would remove."""
    return _user_out(_known(app_state, user))


@users.delete("/{user:path}")
def forget(app_state: AppStateDep, user: str) -> ForgottenOut:
    """Remove everything of one person for good, under all names that were linked, from every role.

    Memories, chats, history, backups, what waits, uses, vectors; and their name from what others said.
    """
    names = _known(app_state, user).names
    done = app_state.home.forget(user)
    app_state.forget_turns(names)
    app_state.bus.tell("memory")
    return ForgottenOut(
        user=user,
        roles=[
            ForgottenRole(
                role=role,
                memories=one.memories,
                lines=one.lines,
                backups=one.backups,
                chats=list(one.chats),
                messages=one.messages,
                waiting=one.waiting,
                left=list(one.left),
            )
            for role, one in done.items()
        ],
    )


@name_links.get("")
def links(app_state: AppStateDep) -> LinksOut:
    """Which names mean one person, and which new ones may."""
    people = app_state.home.people.follow()
    linked = [list(names) for names in people.linked]
    return LinksOut(linked=linked, apart=list(people.apart), unasked=_unasked(app_state))


@name_links.post("")
def link(app_state: AppStateDep, given: LinkIn) -> LinksOut:
    """From now on these names are one person, with all that each was linked with before. It counts at once, and can be undone."""
    app_state.home.people.link(*given.names)
    app_state.bus.tell("memory")
    return links(app_state)


@name_links.delete("/{name:path}")
def unlink(app_state: AppStateDep, name: str) -> LinksOut:
    """From now on this name is a person of its own, and is not asked about."""
    app_state.home.people.unlink(name)
    app_state.bus.tell("memory")
    return links(app_state)


def _known(app_state: AppState, name: str) -> User:
    """The person of that name. Raises: UnknownNameError."""
    known = app_state.home.users()
    found = next((one for one in known if name in one.names), None)
    if found is None:
        raise UnknownNameError("user", name, [one for user in known for one in user.names])
    return found


def _unasked(app_state: AppState) -> list[UnaskedOut]:
    return [UnaskedOut(name=name, person=person) for name, person in app_state.home.strangers()]


def _user_out(one: User) -> UserOut:
    return UserOut(
        user=one.name,
        names=list(one.names),
        memories=one.memories,
        chats=one.chats,
        roles=[RoleUserOut(**asdict(row)) for row in one.roles],
    )
