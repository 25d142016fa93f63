"""Users: who is known, under which names, their data, and erasing it."""

from pydantic import Field

from rolememory.engine.users import User, UserInRole
from rolememory.errors import UnknownNameError
from rolememory.serve.rest.dependencies import HomeCall, Paged, router
from rolememory.serve.rest.schemas import In, Line, Out, Page

routes = router("users")


class UserOut(Out):
    """A user, and the roles that know them."""

    user: str
    names: list[str]
    """all names that were linked, `user` first"""
    memories: int
    chats: int
    roles: list[UserInRole]


class UnaskedOut(Out):
    """A new name that may belong to a known user."""

    name: str
    person: str
    """the known user: link both names, or unlink the new one to decline"""


class UsersOut(Page[UserOut]):
    """All known users."""

    unasked: list[UnaskedOut]
    """new names that were not linked or unlinked yet"""


class LinksOut(Out):
    """Which names belong to one user."""

    linked: list[list[str]]
    """the names of each user with several"""
    apart: list[str]
    """names that were unlinked: separate users"""
    unasked: list[UnaskedOut]


class LinkIn(In):
    """Names of one user."""

    names: list[Line] = Field(min_length=2, max_length=50)


class ForgottenRole(Out):
    """What was removed from one role."""

    role: str
    memories: int
    lines: int
    """records of the history"""
    backups: int
    chats: list[str]
    """ids of their own chats"""
    messages: int
    """in chats with others, including the replies to them"""
    waiting: int
    left: list[str]
    """files that could not be read or were written by an author, and still name them"""


class ForgottenOut(Out):
    """What was removed."""

    user: str
    roles: list[ForgottenRole]


@routes.get("/users")
def list_users(call: HomeCall, page: Paged) -> UsersOut:
    """All known users, by number of memories. Data without an owner is not counted."""
    return UsersOut(**dict(page(call.home.users(), _user_out)), unasked=_unasked(call))


@routes.get("/users/{user:path}")
def one_user(call: HomeCall, user: str) -> UserOut:
    """The data of one user: what `DELETE` would remove."""
    return _user_out(_known(call, user))


@routes.delete("/users/{user:path}")
def forget_user(call: HomeCall, user: str) -> ForgottenOut:
    """Remove everything of one user for good, under all linked names, from every role.

    Memories, chats, history, backups, drafts, uses and vectors; and their name in messages of others.
    """
    names = _known(call, user).names
    done = call.home.forget(user)
    call.app_state.forget_turns(names)
    call.bus.tell("memory")
    return ForgottenOut(
        user=user, roles=[ForgottenRole.from_value(one, role=role) for role, one in done.items()]
    )


@routes.get("/links")
def list_links(call: HomeCall) -> LinksOut:
    """Which names belong to one user, and which new ones may."""
    return LinksOut.from_value(call.home.people.follow(), unasked=_unasked(call))


@routes.post("/links")
def link(call: HomeCall, given: LinkIn) -> LinksOut:
    """Link names of one user, with all names that each was linked to before. Takes effect at once."""
    call.home.people.link(*given.names)
    call.bus.tell("memory")
    return list_links(call)


@routes.delete("/links/{name:path}")
def unlink(call: HomeCall, name: str) -> LinksOut:
    """Make a name a separate user again."""
    call.home.people.unlink(name)
    call.bus.tell("memory")
    return list_links(call)


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
