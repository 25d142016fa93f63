"""Somebody who takes chats in and keeps them to be looked at, the way the real write path is called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rolememory.authoring.importer.ledger import ledger_name, ledger_of
from rolememory.authoring.importer.plan import PLAIN, ImportPlan, ImportSettings
from rolememory.authoring.importer.planning import make_plan
from rolememory.authoring.importer.run import ImportedItem, ImportRun
from rolememory.authoring.importer.sink import KeepChat, KeptChat, keep_chat
from rolememory.cards.tavern.layout import data_folders
from rolememory.chats.stories import Living
from rolememory.engine import Home, RoleMemory
from rolememory.schema.message import Message


@dataclass
class Recorder:
    """Remembers what each role was given, by role name and chat; stops like Ctrl-C before the chat `stop_at`."""

    stop_at: int = -1
    given: dict[tuple[str, str], list[Message]] = field(default_factory=dict)
    users: dict[tuple[str, str], str | None] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    calls: list[tuple[str, str]] = field(default_factory=list)

    def keep(
        self,
        mind: RoleMemory,
        messages: Sequence[Message],
        chat: str,
        user: str | None,
        title: str,
        own: bool,
    ) -> KeptChat:
        if len(self.calls) == self.stop_at:
            raise KeyboardInterrupt
        key = (mind.role.card_from or mind.role.name, chat)
        self.calls.append(key)
        self.given[key] = list(messages)
        self.users[key] = user
        self.titles[chat] = title
        return KeptChat(chat, tuple(f"v{at}" for at in range(len(messages))))


def plan_of(home: Home, folder: Path, wishes: ImportSettings = PLAIN) -> ImportPlan:
    """What would be done."""
    (source,) = data_folders(folder)
    with ledger_of(home.space, source.path, write=False) as ledger:
        return make_plan(home, source, ledger, wishes)


def look(home: Home, folder: Path) -> list[ImportedItem]:
    """What would come of each chat; nothing is written."""
    (source,) = data_folders(folder)
    with ledger_of(home.space, source.path, write=False) as ledger:
        return list(ImportRun(home, make_plan(home, source, ledger), ledger).look())


def bring(
    home: Home, folder: Path, recorder: Recorder | None = None, wishes: ImportSettings = PLAIN
) -> list[ImportedItem]:
    """Bring everything, as the command does, to the recorder."""
    return bring_by(home, folder, wishes, (recorder or Recorder()).keep)


def bring_by(
    home: Home, folder: Path, wishes: ImportSettings = PLAIN, keep: KeepChat = keep_chat
) -> list[ImportedItem]:
    """Bring everything; `keep` takes the chats."""
    (source,) = data_folders(folder)
    with ledger_of(home.space, source.path) as ledger:
        plan = make_plan(home, source, ledger, wishes)
        return list(ImportRun(home, plan, ledger, hidden=wishes.hidden, keep=keep).run())


def with_lives(home: Home, folder: Path, stories: Mapping[str, Living]) -> list[ImportedItem]:
    """Bring everything to the roles themselves, with these answers about their stories."""
    (source,) = data_folders(folder)
    with ledger_of(home.space, source.path) as ledger:
        plan = make_plan(home, source, ledger)
        return list(ImportRun(home, plan, ledger, stories=stories).run())


def ledger_file(home: Path, source: Path) -> Path:
    """Where the ledger of a source lies in a home of files."""
    return home / f"{ledger_name(source)}.jsonl"
