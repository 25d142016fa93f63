"""Stories: groups of chats with common memories. What is learned in a chat counts in its story only.

A chat is in the story it was assigned to; else a branch is in its parent's; else the choice for its user
decides, else the setting `chats.stories`: one story for all of them, or each chat its own. A small JSON file in the role's state
holds the named stories and the choices; assignments are stored in the chats' logs.
"""

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from datetime import UTC, datetime
from typing import Final, Literal, get_args

from rolememory.chats.branches import BranchForest
from rolememory.chats.values import OWN
from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.locales import Listed
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.memory import in_utc
from rolememory.schema.problem import Problem
from rolememory.schema.value_class import value_class
from rolememory.storage.look import Watched, this_look
from rolememory.storage.people import Same, alone
from rolememory.storage.port import Space
from rolememory.storage.state import StateFile
from rolememory.text.timestamps import iso, moment

NAME = "stories"
OLD_NAME = "timelines"  # former name in the file; read and left alone
BY_DEFAULT: Final = "default"
"""Takes a chat back to where nobody put it anywhere."""
Living = Literal["one", "each"]
"""Whether chats share one life, or each is a story of its own."""
LIVINGS: Final[tuple[Living, ...]] = get_args(Living)
Reach = Mapping[str, datetime | None]  # known stories -> up to when; None = all of it


def own_story(chat: str) -> str:
    """The private story of a chat; no other can have this name."""
    return f"\0{chat}"


def shown(story: str) -> str:
    """The display name of a story.

    >>> shown(own_story("harbour")), shown("what if"), shown("")
    ('own', 'what if', '')
    """
    return OWN if story.startswith("\0") else story


@value_class
class Story:
    """Memories that chats share; "" is the default story."""

    name: str
    of: str | None = None  # the one it was forked from; None = empty
    at: datetime | None = None  # what was said there until then is known here
    merged: tuple[str, ...] = ()  # other stories known here too


class Stories:
    """The stories of a role. Thread-safe; any number of processes may share the file."""

    def __init__(
        self,
        space: Space,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        same: Same = alone,
        living: Callable[[], Living] = lambda: "one",
        assign: Callable[[str, str], object] = lambda chat, story: None,
    ) -> None:
        """`living` is the default for users without a choice, `assign` writes to a chat's log."""
        self._file, self._older = StateFile(space, NAME), StateFile(space, OLD_NAME)
        self._clock, self._same = clock, same
        self._living, self._assign = living, assign
        self._known: tuple[Hashable, Living, StoryChoices] | None = None
        self._look: object = None

    def list(self) -> Sequence[Story]:
        """All named stories, the shared one first."""
        return [self._story(name) for name in self._names()]

    def assign(self, chat: str, story: str) -> None:
        """Assign a chat to a story: "" the shared one, `OWN`, `BY_DEFAULT`, or a named one.

        Raises: UnknownChatError, UnknownNameError (no such story), NotWrittenError.
        """
        self._assign(chat, story)

    def default(self, user: str | None = None) -> Living:
        """The default for new chats of this user: as chosen for them, else by the settings."""
        return self.choices().default(user)

    def choices(self) -> "StoryChoices":
        """The current choices."""
        look, known = this_look().files, self._known
        if known is None or look is not self._look:
            mark, living = self._file.mark, self._living()
            if known is None or known[:2] != (mark, living):
                known = mark, living, StoryChoices(self._value(), living, self._same, mark)
            self._known, self._look = known, look
        return known[2]

    def choose(self, living: Living | None, user: str | None = None) -> None:
        """Set the default for this user's unassigned chats, new and old; None: as the settings say.

        Raises: InvalidValueError, NotWrittenError.
        """
        if living is not None and living not in LIVINGS:
            raise InvalidValueError(
                "expected one of {livings}, got {living!r}", livings=Listed(LIVINGS), living=living
            )
        person = self._same(user or "")

        with self._changing() as value:
            users = {one: how for one, how in value["users"].items() if self._same(one) != person}
            value["users"] = {**users, user or "": living} if living else users

    def begin(self, name: str, of: str | None = None, at: datetime | None = None) -> Story:
        """Create a story; with `of` it knows that one up to `at` (None: now), else it is empty.

        Raises: InvalidValueError (the name is taken or blank), UnknownNameError (no story `of`), NotWrittenError.
        """
        name = name.strip()
        if not name or len(name) > 200:
            raise InvalidValueError(
                "expected a name of 1 to 200 characters, got {name!r}", name=name[:80]
            )
        until = None if of is None else iso(in_utc(at or self._clock()))

        if of is not None:
            self.known(of)
        with self._changing() as value:
            if name in value["stories"] or name in (OWN, BY_DEFAULT):
                raise InvalidValueError(
                    "there is a story {name!r} already; choose another name", name=name
                )
            value["stories"][name] = {"of": of, "at": until}
        return self._story(name)

    def merge(self, name: str, into: str = "") -> Story:
        """Make everything in `name`, past and future, known in `into` as well; returns `into`.

        Raises: InvalidValueError (both are one), UnknownNameError, NotWrittenError.
        """
        if self.known(name) == self.known(into):
            raise InvalidValueError("story {name!r} cannot be merged into itself", name=name)

        with self._changing() as value:
            value["merged"][into] = [*dict.fromkeys((*value["merged"].get(into, ()), name))]
        return self._story(into)

    def known(self, name: str) -> str:
        """The name, if the story exists.

        Raises: UnknownNameError.
        """
        if name not in self._names():
            raise UnknownNameError("story", name, filter(None, self._names()))
        return name

    def forget(self, ids: Callable[[str], str], users: Collection[str] = ()) -> None:
        """Rename every story by `ids`, and delete the choices of these users. Raises: NotWrittenError."""
        with self._changing() as value:
            value["stories"] = {
                ids(name): one | ({"of": ids(one["of"])} if one.get("of") else {})
                for name, one in value["stories"].items()
            }
            value["merged"] = {
                ids(name): [ids(other) for other in others]
                for name, others in value["merged"].items()
            }
            value["users"] = {one: how for one, how in value["users"].items() if one not in users}

    @property
    def watched(self) -> Watched:
        """The file."""
        return self._file.watched

    @property
    def problems(self) -> Sequence[Problem]:
        """Why the file could not be read, if so."""
        self._file.load()
        return (
            [Problem.of("unreadable", f"state/{NAME}.json", reason=self._file.note)]
            if self._file.note
            else []
        )

    def _names(self) -> Sequence[str]:
        return ["", *self._value()["stories"]]

    def _story(self, name: str) -> Story:
        value = self._value()
        fork = value["stories"].get(name, {})
        at = fork.get("at")
        merged = tuple(value["merged"].get(name, ()))
        return Story(name, fork.get("of"), moment(at) if at else None, merged)

    def _value(self) -> JsonObject:
        raw = self._file.load() or self._older.load()
        stories = _table(raw, "stories") or _table(raw, "timelines")
        merged = _table(raw, "merged")
        return {
            "stories": {name: dict(one) for name, one in stories.items() if isinstance(one, dict)},
            "merged": {name: [*some] for name, some in merged.items() if isinstance(some, list)},
            "users": dict(_table(raw, "users")),
        }

    @contextmanager
    def _changing(self) -> Iterator[JsonObject]:
        """The choices, to be changed inside; saved if they differ."""
        with self._file.changing() as state:
            value = self._value()
            yield value
            state.clear()
            state.update(value)


class StoryChoices:
    """The choices about a role's stories at one moment."""

    def __init__(self, value: JsonMapping, living: Living, same: Same, mark: Hashable) -> None:
        self._value, self._living, self._same = value, living, same
        self.token: Hashable = (mark, self.default())  # equal while the choices are

    def default(self, user: str | None = None) -> Living:
        """The default for this user's chats."""
        person = self._same(user or "")
        chosen = (how for one, how in self._value["users"].items() if self._same(one) == person)
        return next((how for how in chosen if how in LIVINGS), self._living)

    def reach(self, name: str) -> Reach:
        """The stories known in that one, each with its end time."""
        value = self._value
        found: dict[str, datetime | None] = {}
        waiting: deque[tuple[str, datetime | None]] = deque([(name, None)])
        while waiting:
            here, until = waiting.pop()
            if here in found and not _later(until, found[here]):
                continue
            found[here] = until
            waiting.extend((other, until) for other in value["merged"].get(here, ()))
            fork = value["stories"].get(here, {})
            if fork.get("of") is not None:
                at = moment(fork["at"])
                waiting.append((fork["of"], min(at, until or at)))
        return found


@value_class
class Belonging:
    """The story of each chat, at one moment."""

    _choices: StoryChoices
    _forest: BranchForest
    _begun: dict[str | None, Living] = field(default_factory=dict)  # default for each user's chats

    def of(self, chat: str, user: str | None = None, branch_of: str = "") -> str:
        """The story of a chat; `user`, `branch_of`: of a new one."""
        seen = set[str]()
        while chat not in seen:
            seen.add(chat)
            found = self._forest.chats.get(chat)
            info = found.info if found else None
            if info is not None and info.chosen is not None:
                return own_story(chat) if info.chosen == OWN else info.chosen
            user, parent = (info.user, info.branch_of) if info else (user, branch_of)
            if not parent:
                break
            chat, branch_of = parent, ""
        if user not in self._begun:
            self._begun[user] = self._choices.default(user)
        return own_story(chat) if self._begun[user] == "each" else ""


def _table(raw: JsonMapping, name: str) -> JsonMapping:
    found = raw.get(name)
    return found if isinstance(found, dict) else {}


def _later(one: datetime | None, other: datetime | None) -> bool:
    return other is not None and (one is None or one > other)
