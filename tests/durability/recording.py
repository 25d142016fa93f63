"""A disk that remembers every change, and the states in which a power cut may leave it.

Model (after ALICE): bytes that were not fsynced since may be missing, be zeros, or be there in part, each write on its
own; names that were not fsynced in their folder may be as before, up to some point of their order or in any selection.
"""

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rolememory.storage.files.disk import Disk, NoExchangeError

Names = dict[str, int]  # path below the root -> inode
Change = Callable[[Names], None]


@dataclass(slots=True)
class Step:
    """One call: a change of bytes, of names, a sync of either, or a word of the workload."""

    kind: str  # bytes, names, fsync, fsync_folder, told
    inode: int = 0
    offset: int = 0
    data: bytes | None = None  # None: cut at `offset`
    folder: str = ""
    change: Change | None = None
    told: Any = None


@dataclass(slots=True)
class _Open:
    inode: int
    offset: int


@dataclass
class RecordingDisk(Disk):
    """Does everything on the real disk too, so that the workload goes on as usual."""

    root: Path
    exchanges: bool = True
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._names: Names = {}
        self._next = 0
        self._open: dict[int, _Open] = {}

    def tell(self, word: Any) -> None:
        """The workload was told something; from here on it must be true."""
        self.steps.append(Step("told", told=word))

    def open(self, path: Path, flags: int) -> int:
        """Recorded."""
        descriptor = super().open(path, flags)
        name = self._name(path)
        if name not in self._names:
            self._next += 1
            self._rename(path, _put(name, self._next))
        inode = self._names[name]
        if flags & os.O_TRUNC:
            self.steps.append(Step("bytes", inode, 0))
        end = os.fstat(descriptor).st_size if flags & os.O_APPEND else 0
        self._open[descriptor] = _Open(inode, end)
        return descriptor

    def write(self, descriptor: int, data: memoryview) -> int:
        """Recorded."""
        written, here = super().write(descriptor, data), self._open[descriptor]
        self.steps.append(Step("bytes", here.inode, here.offset, bytes(data[:written])))
        here.offset += written
        return written

    def truncate(self, descriptor: int, size: int) -> None:
        """Recorded."""
        super().truncate(descriptor, size)
        self.steps.append(Step("bytes", self._open[descriptor].inode, size))

    def fsync(self, descriptor: int) -> None:
        """Recorded, and not done: nothing here has to survive but the record."""
        self.steps.append(Step("fsync", self._open[descriptor].inode))

    def replace(self, source: Path, target: Path) -> None:
        """Recorded."""
        super().replace(source, target)
        self._rename(target, _move(self._name(source), self._name(target)))

    def exchange(self, one: Path, other: Path) -> None:
        """Recorded, where it is to be had."""
        if not self.exchanges:
            raise NoExchangeError
        super().exchange(one, other)
        self._rename(one, _swap(self._name(one), self._name(other)))

    def create(self, source: Path, target: Path) -> None:
        """Recorded."""
        super().create(source, target)
        self._rename(target, _move(self._name(source), self._name(target)))

    def unlink(self, path: Path) -> None:
        """Recorded."""
        super().unlink(path)
        self._rename(path, _drop(self._name(path)))

    def fsync_folder(self, path: Path) -> None:
        """Recorded, and not done."""
        self.steps.append(Step("fsync_folder", folder=self._name(path)))

    def _name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _rename(self, path: Path, change: Change) -> None:
        change(self._names)
        self.steps.append(Step("names", folder=self._name(path.parent), change=change))


def _put(name: str, inode: int) -> Change:
    return lambda names: names.update({name: inode})


def _drop(name: str) -> Change:
    return lambda names: (names.pop(name, None), None)[1]


def _move(source: str, target: str) -> Change:
    def change(names: Names) -> None:
        if source in names:
            names[target] = names.pop(source)

    return change


def _swap(one: str, other: str) -> Change:
    def change(names: Names) -> None:
        if one in names and other in names:
            names[one], names[other] = names[other], names[one]

    return change


def told(steps: list[Step]) -> list[Any]:
    """What the workload had been told by then."""
    return [step.told for step in steps if step.kind == "told"]


def image(steps: list[Step], chance: random.Random) -> dict[str, bytes]:
    """One state in which a power cut right after these steps may leave the disk: path -> bytes."""
    contents = _contents(steps, chance)
    return {name: contents.get(inode, b"") for name, inode in _names(steps, chance).items()}


def _names(steps: list[Step], chance: random.Random) -> Names:
    synced: dict[str, int] = {
        step.folder: at for at, step in enumerate(steps) if step.kind == "fsync_folder"
    }
    style, until = (
        chance.choice(["all", "none", "ordered", "any"]),
        chance.randrange(len(steps) + 1),
    )
    kept = {
        "all": lambda at: True,
        "none": lambda at: False,
        "ordered": lambda at: at < until,
        "any": lambda at: chance.random() < 0.5,
    }[style]
    names: Names = {}
    for at, step in enumerate(steps):
        if (
            step.kind == "names"
            and step.change is not None
            and (at < synced.get(step.folder, -1) or kept(at))
        ):
            step.change(names)
    return names


def _contents(steps: list[Step], chance: random.Random) -> dict[int, bytes]:
    synced = {step.inode: at for at, step in enumerate(steps) if step.kind == "fsync"}
    style = chance.choice(["all", "none", "any", "any"])
    contents: dict[int, bytes] = {}
    for at, step in enumerate(steps):
        if step.kind == "bytes":
            before = contents.get(step.inode, b"")
            whole = at < synced.get(step.inode, -1) or style == "all"
            contents[step.inode] = _changed(
                before,
                step,
                "whole" if whole else "lost" if style == "none" else _fate(chance),
                chance,
            )
    return contents


def _fate(chance: random.Random) -> str:
    return chance.choice(["whole", "lost", "part", "zeros", "hole"])


def _changed(before: bytes, step: Step, fate: str, chance: random.Random) -> bytes:
    if fate == "lost":
        return before
    if step.data is None:
        return before[: step.offset]
    cut = chance.randrange(len(step.data) + 1)
    kinds = {
        "whole": step.data,
        "part": step.data[:cut],
        "zeros": bytes(len(step.data)),
        "hole": bytes(cut) + step.data[cut:],
    }
    data = kinds[fate]
    return (
        before[: step.offset].ljust(step.offset, b"\0") + data + before[step.offset + len(data) :]
    )
