"""The plan of an import: what there is, and what would be done with it."""

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
from rolememory.cards.tavern.worlds import World, count
from rolememory.errors import FileError
from rolememory.schema.value_class import value_class

Kind = Literal["world", "role", "persona", "chat"]
State = Literal["new", "changed", "same", "kept"]
"""Not here yet; here but older; here already; left alone because it was edited or removed here."""


class Problems(list[FileError]):
    """What cannot be read of the source; the rest goes on."""

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note what goes wrong meanwhile."""
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

    role: str = ""  # id of the role that a folder of chats without a card belongs to
    hidden: bool = False  # messages that were hidden from the model come too
    again: bool = False  # chats that did not change are read again


PLAIN = ImportSettings()


@value_class
class RolePlan:
    """A character."""

    avatar: str  # file of its card; where it has none the name of its folder of chats
    name: str
    state: State
    role: str | None = None  # id of the role that it is, where there is one
    card: Card | None = None  # read where it differs from what is here
    stamp: FileStamp | None = None
    greets: bool = False  # it has a greeting
    world: str = ""  # lorebook the card names
    mark: str = ""  # fingerprint of its texts


@value_class
class WorldPlan:
    """A lorebook."""

    world: World
    file: str  # what it is called in worldbooks/
    data: bytes = field(repr=False)  # what would stand there
    state: State

    @property
    def name(self) -> str:
        """What cards and chats call it."""
        return self.world.name

    @property
    def entries(self) -> int:
        """How many it has."""
        return count(self.world.book)


@value_class
class PersonaPlan:
    """A persona of the user."""

    persona: Persona
    state: State


@value_class
class ChatPlan:
    """A chat file."""

    key: str  # where it lies in the data folder, with forward slashes
    path: Path
    stamp: FileStamp
    head: TavernChatHead
    id: str  # what the chat is called here
    folder: str  # of the character, or the group's name
    listeners: tuple[str, ...]  # avatars of the roles that may have heard it
    members: tuple[str, ...] = ()  # of the group now
    group: bool = False
    state: State = "new"

    @property
    def name(self) -> str:
        """What SillyTavern calls it."""
        return self.path.stem


@value_class
class ImportPlan:
    """Everything in the source, and what would be done with it."""

    source: DataFolder
    settings: TavernSettings
    roles: Mapping[str, RolePlan]  # by avatar
    worlds: Mapping[str, WorldPlan]  # by name
    personas: tuple[PersonaPlan, ...]
    chats: tuple[ChatPlan, ...]  # in the order of their beginnings
    problems: tuple[FileError, ...]  # what cannot be brought, and why
    many: Mapping[str, int] = field(
        default_factory=dict
    )  # how many chats roles have whose stories nobody was asked about yet, by avatar

    @property
    def due(self) -> tuple[ChatPlan, ...]:
        """The chats that have something new."""
        return tuple(chat for chat in self.chats if chat.state != "same")

    @property
    def is_empty(self) -> bool:
        """Whether everything is here already."""
        things: list[RolePlan | WorldPlan | PersonaPlan] = [
            *self.roles.values(),
            *self.worlds.values(),
            *self.personas,
        ]
        return not self.due and {one.state for one in things} <= {"same", "kept"}

    @property
    def states(self) -> Mapping[str, Sequence[State]]:
        """How everything stands, by what it is called where it is listed."""
        return {
            "characters": [one.state for one in self.roles.values()],
            "lorebooks": [one.state for one in self.worlds.values()],
            "personas": [one.state for one in self.personas],
            "chats": [one.state for one in self.chats],
        }
