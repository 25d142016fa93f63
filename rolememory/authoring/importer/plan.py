"""The plan of an import: the items of the source, and what to do with each."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import Literal

from rolememory.cards.card import Card
from rolememory.cards.tavern import files
from rolememory.cards.tavern.chat import TavernChatHead
from rolememory.cards.tavern.files import FileStamp
from rolememory.cards.tavern.layout import DataFolder
from rolememory.cards.tavern.settings import Persona, TavernSettings
from rolememory.errors import FileError
from rolememory.schema.value_class import value_class

Kind = Literal["world", "role", "persona", "chat"]
State = Literal["new", "changed", "same", "kept"]
"""Not here yet; here but older; here already; left alone because it was edited or removed here."""


class Problems(list[FileError]):
    """Errors in the source; the rest is imported."""

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Record errors raised inside."""
        try:
            yield
        except FileError as error:
            self.append(error)

    def listed(self, folder: Path, ending: str) -> list[Path]:
        """The files of a folder with that ending."""
        with self.noted():
            return files.listed(folder, ending)
        return []


@value_class
class ImportSettings:
    """The options of an import."""

    role: str = ""  # id of the role for a folder of chats without a card
    hidden: bool = False  # include messages hidden from the model
    again: bool = False  # read unchanged chats again


PLAIN = ImportSettings()


@value_class
class RolePlan:
    """A character."""

    avatar: str  # its card's file; without one the name of its chat folder
    name: str
    state: State
    role: str | None = None  # id of its role, if it exists
    card: Card | None = None  # its card, if different from the role's
    stamp: FileStamp | None = None
    greets: bool = False  # whether it has a greeting
    world: str = ""  # the card's lorebook
    mark: str = ""  # fingerprint of its texts


@value_class
class WorldPlan:
    """A lorebook."""

    path: Path
    entries: int
    file: str  # its name in worldbooks/
    data: bytes = field(repr=False)  # its content there
    state: State

    @property
    def name(self) -> str:
        """The name in cards and chats."""
        return self.path.stem


@value_class
class PersonaPlan:
    """A persona of the user."""

    persona: Persona
    state: State


@value_class
class ChatPlan:
    """A chat file."""

    key: str  # its path in the data folder, with forward slashes
    path: Path
    stamp: FileStamp
    head: TavernChatHead
    id: str  # the chat's id here
    folder: str  # name of the character or group
    listeners: tuple[str, ...]  # avatars of roles that may have been present
    members: tuple[str, ...] = ()  # current group members
    group: bool = False
    state: State = "new"

    @property
    def name(self) -> str:
        """SillyTavern's name of it."""
        return self.path.stem


@value_class
class ImportPlan:
    """All items of the source, and what to do with them."""

    source: DataFolder
    settings: TavernSettings
    roles: Mapping[str, RolePlan]  # by avatar
    worlds: Mapping[str, WorldPlan]  # by name
    personas: tuple[PersonaPlan, ...]
    chats: tuple[ChatPlan, ...]  # by begin
    problems: tuple[FileError, ...]  # errors, per item
    many: Mapping[str, int] = field(
        default_factory=dict
    )  # number of chats by avatar, for roles whose story setting was not asked yet

    @property
    def due(self) -> tuple[ChatPlan, ...]:
        """The new or changed chats."""
        return tuple(chat for chat in self.chats if chat.state != "same")

    @property
    def size_due(self) -> int:
        """Bytes of these chats."""
        return sum(chat.stamp.size for chat in self.due)

    @property
    def is_empty(self) -> bool:
        """Whether everything was imported already."""
        things: list[RolePlan | WorldPlan | PersonaPlan] = [
            *self.roles.values(),
            *self.worlds.values(),
            *self.personas,
        ]
        return not self.due and {one.state for one in things} <= {"same", "kept"}

    @property
    def states(self) -> Mapping[str, Sequence[State]]:
        """The states of all items, by category."""
        return {
            "characters": [one.state for one in self.roles.values()],
            "lorebooks": [one.state for one in self.worlds.values()],
            "personas": [one.state for one in self.personas],
            "chats": [one.state for one in self.chats],
        }
