"""Commits, an author's editor (also one that never reloads), folds, other processes and kills in any order, against a naive three-way merge."""

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rolememory.storage.files.disk import Disk
from rolememory.storage.memories import RoleStore
from tests.storage.roles import FailingDisk, add, put, save, store_at, take

Entries = dict[str, dict[str, Any]]
FIELDS = ("content", "mood")


class Killed(BaseException):
    """The process ends here."""


class KillingDisk(FailingDisk):
    """From the call with number `at` on the process is dead: nothing it asks for happens any more."""

    def _or_fail(self, call: Callable[[], Any]) -> Any:
        if self._fails():
            raise Killed
        return call()

    def write(self, descriptor: int, data: memoryview) -> int:
        """Dying in the middle of a write leaves half of it."""
        if self._fails():
            if self.count == self.at:
                Disk.write(self, descriptor, data[: len(data) // 2])
            raise Killed
        return Disk.write(self, descriptor, data)

    def unlink(self, path: Path) -> None:
        """Nothing more is removed."""
        self._or_fail(lambda: Disk.unlink(self, path))

    def rmtree(self, path: Path) -> None:
        """A folder goes file by file."""
        for file in sorted(path.iterdir()):
            self.unlink(file)
        self._or_fail(path.rmdir)


def merged(base: Entries, theirs: Entries, ours: Entries, buried: Entries) -> Entries:
    """What should stand when `theirs`, made from `base`, is saved over `ours`: the author's changes win, ours stay elsewhere."""
    result: Entries = {}
    for name in [*theirs, *ours]:
        before, saved, here = base.get(name), theirs.get(name), ours.get(name)
        if saved is None:
            if before is None and here is not None:
                result[name] = here
        elif before is None:
            result[name] = dict(saved)
        elif here is not None or saved != before:
            now = here if here is not None else buried[name]
            result[name] = {
                field: saved.get(field) if saved.get(field) != before.get(field) else now.get(field)
                for field in FIELDS
            }
    return result


class House(RuleBasedStateMachine):
    """One role, two processes, one editor."""

    @initialize(exchanges=st.booleans())
    def open(self, exchanges: bool) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.exchanges = exchanges
        self.opened: list[RoleStore] = []
        self.committed: Entries = {}
        self.buried: Entries = {}
        self.buffer: tuple[int, Entries] | None = None  # what the editor shows
        self.base: Entries = {}  # what it showed when it last opened or saved
        self.number = 0
        self.stores = [self._store(), self._store()]
        self.stores[0].checkpoint(force=True)

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            for store in self.opened:
                store.abandon()
            shutil.rmtree(self.folder)

    def _store(self, at: int = 0) -> RoleStore:
        self.opened.append(
            store_at(self.folder, disk=KillingDisk(at, lasting=True, exchanges=self.exchanges))
        )
        return self.opened[-1]

    def _new(self) -> int:
        self.number += 1
        return self.number

    @rule(who=st.integers(0, 1), data=st.data(), kill=st.none() | st.integers(1, 20))
    def commit(self, who: int, data: st.DataObject, kill: int | None) -> None:
        name = data.draw(st.sampled_from([*self.committed, "new"]))
        ops = ["add"] if name == "new" else ["content", "mood", "remove"]
        op, value = data.draw(st.sampled_from(ops)), self._new()
        after = {key: dict(entry) for key, entry in self.committed.items()}
        if op == "add":
            edit, after[f"m{value}"] = (
                add(f"m{value}", f"c{value}"),
                {"content": f"c{value}", "mood": None},
            )
        elif op == "remove":
            edit = take(name)
            self.buried[name] = after.pop(name)
        else:
            edit = put(name, **{op: f"c{value}" if op == "content" else value})
            after[name][op] = f"c{value}" if op == "content" else value
        self._do(who, kill, lambda store: store.commit([edit]), after)

    @rule(who=st.integers(0, 1), kill=st.none() | st.integers(1, 30))
    def checkpoint(self, who: int, kill: int | None) -> None:
        self._do(who, kill, lambda store: store.checkpoint(), self.committed)

    def _do(
        self, who: int, kill: int | None, act: Callable[[RoleStore], object], after: Entries
    ) -> None:
        """Act; a process that is killed did it or did not, and another one takes its place."""
        if kill is None:
            act(self.stores[who])
            self.committed = after
            return
        try:
            act(self._store(kill))
            self.committed = after
        except Killed:
            found = self._seen(self._store())
            assert found in (self.committed, after)
            self.committed = found

    @precondition(lambda self: (self.folder / "memory.json").exists())
    @rule()
    def open_in_editor(self) -> None:
        document = json.loads((self.folder / "memory.json").read_text("utf-8"))
        entries = {
            entry["id"]: {field: entry.get(field) for field in FIELDS}
            for entry in document["episodic"]
        }
        self.buffer, self.base = (
            (document["through"], entries),
            {name: dict(entry) for name, entry in entries.items()},
        )

    @precondition(lambda self: self.buffer is not None)
    @rule(data=st.data(), op=st.sampled_from(["add", "content", "mood", "remove"]))
    def type_in_editor(self, data: st.DataObject, op: str) -> None:
        assert self.buffer is not None
        entries, value = self.buffer[1], self._new()
        if op == "add" or not entries:
            entries[f"m{value}"] = {"content": f"c{value}", "mood": None}
            return
        name = data.draw(st.sampled_from(list(entries)))
        if op == "remove":
            del entries[name]
        else:
            entries[name][op] = f"c{value}" if op == "content" else value

    @precondition(lambda self: self.buffer is not None)
    @rule(noticed=st.booleans())
    def save_in_editor(self, noticed: bool) -> None:
        assert self.buffer is not None
        through, entries = self.buffer
        shown = [
            {"id": name, **{k: v for k, v in entry.items() if v is not None}}
            for name, entry in entries.items()
        ]
        save(self.folder, {"version": 1, "through": through, "episodic": shown})
        self.committed = merged(self.base, entries, self.committed, self.buried)
        self.base = {name: dict(entry) for name, entry in entries.items()}
        if noticed:
            self.stores[0].checkpoint()

    @precondition(lambda self: (self.folder / "memory.json").exists())
    @rule()
    def break_and_mend(self) -> None:
        path = self.folder / "memory.json"
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2])
        assert self._seen(self.stores[0]).keys() <= {*self.committed, *self.buried} | self._ever()
        assert not self.stores[0].checkpoint()
        path.write_bytes(data)

    def _ever(self) -> set[str]:
        return {f"m{number}" for number in range(self.number + 1)}

    @staticmethod
    def _seen(store: RoleStore) -> Entries:
        memories = store.snapshot().memories
        return {
            name: {"content": memory.content, "mood": (memory.model_extra or {}).get("mood")}
            for name, memory in memories.items()
        }

    @invariant()
    def everyone_sees_the_truth(self) -> None:
        if hasattr(self, "folder"):
            for store in (self.stores[0], self._store()):
                assert self._seen(store) == self.committed
            assert not list(self.folder.glob("memory.conflict-*"))


House.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
test_any_order_of_events = House.TestCase
