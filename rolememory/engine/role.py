"""RoleMemory: the memory of one role, composed of its parts.

| part | what it does |
|---|---|
| `recall` | reads: `recall`, `search` |
| `conversation` | observes chats: `observe`, review, `forget` |
| `memories` | changes by hand: `remember`, `edit`, `undo` |
| `chapters` | chapters of the story |
| `lore` | the role's lorebooks |
| `maintenance` | clean, weights, backups, export |
"""

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from rolememory.chats import Stories
from rolememory.engine.chapters import RoleChapters
from rolememory.engine.context import RoleContext
from rolememory.engine.conversation import RoleConversation
from rolememory.engine.inputs import counted
from rolememory.engine.learning import RoleLearning
from rolememory.engine.lore import RoleLore
from rolememory.engine.maintenance import RoleMaintenance
from rolememory.engine.memories import RoleMemories
from rolememory.engine.recall import Associate, RoleRecall
from rolememory.engine.shared import HomeContext
from rolememory.schema.memory import Memory
from rolememory.schema.role import Character, Role
from rolememory.schema.settings import Settings

if TYPE_CHECKING:
    from rolememory.learn.learner import Learner

Args = ParamSpec("Args")
Given = TypeVar("Given")
Part = TypeVar("Part")


class RoleMemoryParts:
    """The parts of one role's memory, made once."""

    def __init__(self, context: RoleContext, associate: Associate) -> None:
        self.context = context
        self.learning = RoleLearning(context)
        self.recall = RoleRecall(context, self.learning, associate)
        self.memories = RoleMemories(context, self.learning)
        self.maintenance = RoleMaintenance(context, self.memories)
        self.conversation = RoleConversation(
            context, self.learning, self.memories, self.maintenance
        )
        self.chapters = RoleChapters(context, self.learning, self.memories)
        self.lore = RoleLore(context)


def _of(
    call: Callable[Concatenate[Part, Args], Given],
) -> Callable[Concatenate["RoleMemory", Args], Given]:
    """The method of a part as a method of the role: that of `RoleRecall` is called on `parts.recall`."""
    part = call.__qualname__.partition(".")[0].removeprefix("Role").lower()

    @wraps(call)
    def called(self: "RoleMemory", /, *args: Args.args, **kwargs: Args.kwargs) -> Given:
        return call(getattr(self.parts, part), *args, **kwargs)

    return called


class RoleMemory:
    """The memory of one role. Made by `Home.role`; thread-safe, one turn at a time."""

    def __init__(self, home: HomeContext, role_id: str, associate: Associate) -> None:
        context = RoleContext(home, role_id)
        self.id = role_id
        self.parts = RoleMemoryParts(context, associate)
        self.space = context.space
        self.store = context.store
        self.chats = context.chats
        self.usage = context.usage

    recall = _of(RoleRecall.recall)
    search = _of(RoleRecall.search)
    ready = _of(RoleRecall.ready)

    observe = _of(RoleConversation.observe)
    learned_from = _of(RoleConversation.learned_from)
    waiting = _of(RoleConversation.waiting)
    refused = _of(RoleConversation.refused)
    accept = _of(RoleConversation.accept)
    reject = _of(RoleConversation.reject)
    forget = _of(RoleConversation.forget)

    remember = _of(RoleMemories.remember)
    remember_all = _of(RoleMemories.remember_all)
    edit = _of(RoleMemories.edit)
    archive = _of(RoleMemories.archive)
    keep = _of(RoleMemories.keep)
    pin = _of(RoleMemories.pin)
    unpin = _of(RoleMemories.unpin)
    passage = _of(RoleMemories.passage)
    restore_passages = _of(RoleMemories.restore_passages)
    delete = _of(RoleMemories.delete)
    undo = _of(RoleMemories.undo)
    history = _of(RoleMemories.history)

    chapters = _of(RoleChapters.chapters)
    end_chapter = _of(RoleChapters.end_chapter)
    retell = _of(RoleChapters.retell)

    clean = _of(RoleMaintenance.clean)
    tend = _of(RoleMaintenance.tend)
    used = _of(RoleMaintenance.used)
    weight = _of(RoleMaintenance.weight)
    reweigh = _of(RoleMaintenance.reweigh)
    core = _of(RoleMaintenance.core)
    archived = _of(RoleMaintenance.archived)
    associate = _of(RoleMaintenance.associate)
    backup = _of(RoleMaintenance.backup)
    restore = _of(RoleMaintenance.restore)
    export = _of(RoleMaintenance.export)
    stats = _of(RoleMaintenance.stats)

    problems = _of(RoleLore.problems)
    learned = _of(RoleLearning.learned)

    @property
    def memories(self) -> Mapping[str, Memory]:
        """All current memories by id, archived ones too, after executing the commands observed so far."""
        return self.parts.memories.current()

    @property
    def stories(self) -> Stories:
        """The stories: which chats share memories."""
        return self.chats.stories

    @property
    def folder(self) -> Path:
        """The role's folder, for file operations. Raises: NoFolderError."""
        return self.parts.context.home.folder.folder(self.id)

    @property
    def role(self) -> Role:
        """The current role.json."""
        return self.parts.context.role

    @property
    def settings(self) -> Settings:
        """The current settings of the home, overridden by the role's own."""
        return self.parts.context.settings

    @property
    def learner(self) -> "Learner":
        """The learner of this role; created lazily."""
        return self.parts.learning.learner

    @property
    def turns(self) -> int:
        """The number of user turns in the timeline: the story's clock."""
        return self.parts.context.pipeline.chats.clock.turn

    @property
    def embedded(self) -> int:
        """The number of memories that have vectors."""
        return len(self.parts.context.pipeline.meanings.table or ())

    def as_character(self, user: str | None = None) -> Character:
        """The role's card as a `Character`, or its name alone."""
        return self.parts.context.pipeline.card.character(self.role, user)

    def close(self) -> None:
        """Finish learning, checkpoint the journal into memory.json and stop background work."""
        self.parts.learning.close()
        self.parts.context.close()

    def __repr__(self) -> str:
        memories = self.parts.context.stored()
        chats = self.chats.chats(archived=True)
        told = counted(len(memories), "memory", "memories"), counted(len(chats), "chat")
        return f"<RoleMemory {self.role.name}: {', '.join(told)}>"
