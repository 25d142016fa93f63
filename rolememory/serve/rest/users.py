"""Whose memories these are: who has some, under which names, what there is of one person, and forgetting them everywhere."""

from pydantic import Field

from rolememory.engine.users import User, UserInRole
from rolememory.errors import UnknownNameError
from rolememory.serve.rest.dependencies import HomeCall, Paged, router
from rolememory.serve.rest.schemas import In, Line, Out, Page

routes = router("users")


class UserOut(Out):
    """A person, and the roles that know them."""

    user: str
    names: list[str]
    """all names that were linked, `user` first"""
    memories: int
    chats: int
    roles: list[UserInRole]


class UnaskedOut(Out):
    """A new name in a home that knew one person."""

    name: str
    person: str
    """who it may be: link both, or unlink the name to say no"""


class UsersOut(Page[UserOut]):
    """Everybody whom some role knows."""

    unasked: list[UnaskedOut]
    """names that nobody was asked about"""


class LinksOut(Out):
    """Which names mean one person."""

    linked: list[list[str]]
    """the names of each person that has several"""
    apart: list[str]
    """names that are persons of their own, and not asked about"""
    unasked: list[UnaskedOut]


class LinkIn(In):
    """Names that mean one person."""

    names: list[Line] = Field(min_length=2, max_length=50)


class ForgottenRole(Out):
    """What was removed from one role."""

    role: str
    memories: int
    lines: int
    """of the history"""
    backups: int
    chats: list[str]
    """that were theirs alone"""
    messages: int
    """of chats with others, replies to them among these"""
    waiting: int
    left: list[str]
    """files that could not be read, or that an author wrote"""


class ForgottenOut(Out):
    """What was removed."""

    user: str
    roles: list[ForgottenRole]


@routes.get("/users")
def list_users(call: HomeCall, page: Paged) -> UsersOut:
    """Everybody whom some role knows, who has the most first. What belongs to nobody in particular is not listed."""
    return UsersOut(**dict(page(call.home.users(), _user_out)), unasked=_unasked(call))


@routes.get("/users/{user:path}")
def one_user(call: HomeCall, user: str) -> UserOut:
    """What there is of one person: what `DELETE` would remove."""
    return _user_out(_known(call, user))


@routes.delete("/users/{user:path}")
def forget(call: HomeCall, user: str) -> ForgottenOut:
    """Remove everything of one person for good, under all names that were linked, from every role.

    Memories, chats, history, backups, what waits, uses, vectors; and their name from what others said.
    """
    names = _known(call, user).names
    done = call.home.forget(user)
    call.app_state.forget_turns(names)
    call.bus.tell("memory")
    return ForgottenOut(
        user=user, roles=[ForgottenRole.from_value(one, role=role) for role, one in done.items()]
    )


@routes.get("/links")
def links(call: HomeCall) -> LinksOut:
    """Which names mean one person, and which new ones may."""
    return LinksOut.from_value(call.home.people.follow(), unasked=_unasked(call))


@routes.post("/links")
def link(call: HomeCall, given: LinkIn) -> LinksOut:
    """From now on these names are one person, with all that each was linked with before. It counts at once, and can be undone."""
    call.home.people.link(*given.names)
    call.bus.tell("memory")
    return links(call)


@routes.delete("/links/{name:path}")
def unlink(call: HomeCall, name: str) -> LinksOut:
    """From now on this name is a person of its own, and is not asked about."""
    call.home.people.unlink(name)
    call.bus.tell("memory")
    return links(call)


def _known(call: HomeCall, name: str) -> User:
    """The person of that name. Raises: UnknownNameError."""
    known: dict[str, User] = {one: user for user in call.home.users() for one in user.names}
    if name not in known:
        raise UnknownNameError("user", name, known)
    return known[name]


def _unasked(call: HomeCall) -> list[UnaskedOut]:
    return [UnaskedOut(name=name, person=person) for name, person in call.home.strangers()]


def _user_out(one: User) -> UserOut:
    return UserOut.from_value(one, user=one.name)
