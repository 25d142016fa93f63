"""Imports a folder into a real home, and reads there what each role was given."""

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rolememory.authoring.importer.ledger import ledger_name, ledger_of
from rolememory.authoring.importer.plan import PLAIN, ImportPlan, ImportSettings
from rolememory.authoring.importer.planning import make_plan
from rolememory.authoring.importer.run import ImportedItem, ImportRun
from rolememory.cards.tavern.layout import data_folders
from rolememory.chats.stories import Living
from rolememory.engine import Home
from rolememory.schema.learning import Observed
from rolememory.schema.message import Message


@dataclass
class Recorder:
    """What the chat logs of the roles hold after an import, by card or name of the role and chat.

    `calls`: every write to a chat log, in order. Ctrl-C comes in the middle of the one that is number `stop_at`.
    """

    stop_at: int = -1
    given: dict[tuple[str, str], list[Message]] = field(default_factory=dict)
    users: dict[tuple[str, str], str | None] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    calls: list[tuple[str, str]] = field(default_factory=list)
    _followed: set[str] = field(default_factory=set)

    def follow(self, home: Home, role_id: str) -> None:
        """Be told of every write to the chat log of a role."""
        if role_id in self._followed:
            return
        self._followed.add(role_id)
        role = home.role(role_id)

        def written(seen: Observed) -> None:
            self.calls.append((role.role.card_from or role.role.name, seen.chat))
            if len(self.calls) == self.stop_at + 1:
                signal.raise_signal(signal.SIGINT)

        role.chats.follow(written)

    def read(self, home: Home, chats: set[str]) -> None:
        """Take down what stands in these chats, in every role that has them."""
        for row in home.roles():
            role = home.role(row.id)
            for info in role.chats.chats(archived=True):
                if info.id in chats:
                    key = (row.card_from or row.name, info.id)
                    self.given[key] = [
                        Message(
                            role=one.role, content=one.raw or one.text, name=one.name, sent=one.at
                        )
                        for one in role.chats.path(info.id)
                    ]
                    self.users[key], self.titles[info.id] = info.user, info.title


def plan_of(home: Home, folder: Path, wishes: ImportSettings = PLAIN) -> ImportPlan:
    """What would be done."""
    (source,) = data_folders(folder)
    with ledger_of(home.space, source.path, write=False) as ledger:
        return make_plan(home, source, ledger, wishes)


def bring(
    home: Home, folder: Path, recorder: Recorder | None = None, wishes: ImportSettings = PLAIN
) -> list[ImportedItem]:
    """Bring everything, as the command does."""
    (source,) = data_folders(folder)
    with ledger_of(home.space, source.path) as ledger:
        plan = make_plan(home, source, ledger, wishes)
        done = []
        try:
            for item in ImportRun(home, plan, ledger, hidden=wishes.hidden).run():
                done.append(item)
                if recorder and item.role:
                    recorder.follow(home, item.role)
        finally:
            if recorder:
                recorder.read(home, {chat.id for chat in plan.due})
    return done


def with_lives(home: Home, folder: Path, stories: Mapping[str, Living]) -> list[ImportedItem]:
    """Bring everything to the roles themselves, with these answers about their stories."""
    (source,) = data_folders(folder)
    with ledger_of(home.space, source.path) as ledger:
        plan = make_plan(home, source, ledger)
        return list(ImportRun(home, plan, ledger, stories=stories).run())


def ledger_file(home: Path, source: Path) -> Path:
    """Where the ledger of a source lies in a home of files."""
    return home / f"{ledger_name(source)}.jsonl"
