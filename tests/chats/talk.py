"""Chats to try things with: a message is a line, `u: ...` said by the user, `a: ...` by the character."""

import itertools
import random
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from rolememory.chats import Chats
from rolememory.chats.erasing import cleared
from rolememory.schema.learning import ChatMessage
from rolememory.schema.message import Message, Speaker
from rolememory.storage.erase import Clear, Ids
from rolememory.storage.files.disk import Disk
from rolememory.storage.files.space import FileSpace
from rolememory.storage.port import Revision
from rolememory.text.names import PersonNames

SPEAKERS: dict[str, Speaker] = {"u": "user", "a": "assistant", "s": "system", "t": "tool"}
START = datetime(2024, 5, 1, 12, tzinfo=UTC)


def said(*lines: str) -> list[Message]:
    """The messages of these lines."""
    return [Message(role=SPEAKERS[line[0]], content=line[3:]) for line in lines]


def shown(path: Iterable[ChatMessage]) -> list[str]:
    """The lines of a path."""
    return [f"{one.role[0]}: {one.text}" for one in path]


class QuickDisk(Disk):
    """Syncs nothing: what is only to be looked at need not survive a power cut."""

    def fsync(self, descriptor: int) -> None:
        """Nothing."""

    def fsync_folder(self, path: Path) -> None:
        """Nothing."""


class WatchedDisk(QuickDisk):
    """Knows how much was read and written, how many files were looked at, and which were put in the place of others."""

    def __init__(self) -> None:
        self.read_bytes = self.written_bytes = self.replaced = self.marks = 0

    def mark(self, path: Path) -> Revision | None:
        self.marks += 1
        return super().mark(path)

    def read(self, path: Path, offset: int = 0) -> bytes:
        data = super().read(path, offset)
        self.read_bytes += len(data)
        return data

    def write(self, descriptor: int, data: memoryview) -> int:
        self.written_bytes += len(data)
        return super().write(descriptor, data)

    def replace(self, source: Path, target: Path) -> None:
        self.replaced += 1
        super().replace(source, target)


class Clock:
    """A minute goes by at every look."""

    def __init__(self) -> None:
        self._minutes = itertools.count()

    def __call__(self) -> datetime:
        """A minute later."""
        return START + timedelta(minutes=next(self._minutes))


def chats_at(folder: Path, disk: Disk | None = None, clock: Clock | None = None) -> Chats:
    """The chats of a role, as a process that has just started finds them."""
    return Chats(FileSpace(folder, disk=disk or QuickDisk()), clock=clock or Clock())


def without(*names: str, taken: Iterable[str] = ()) -> Clear:
    """What takes the person of these names out of a chat."""
    known = PersonNames(names)
    return partial(cleared, names=known, ids=Ids(known, taken))


WORDS = """
amber anchor barley basalt candle canyon copper cradle dagger delta ember ferry flint garden goblet harbour hazel island
jasper kettle lantern ladder marble meadow mirror nettle oyster parchment pepper quarry raven ribbon saddle saffron
temple thistle timber velvet violin willow window winter 灯塔 风暴 海鸥 船长 石阶 铁锚 雾笛 港湾
""".split()


def story(count: int, begin: int = 0) -> list[str]:
    """Lines of so many exchanges, none like another."""
    return [
        f"{voice}: {_words(f'{voice} {number}', 4 if voice == 'u' else 9)}."
        for number in range(begin, begin + count)
        for voice in "ua"
    ]


def _words(seed: str, count: int) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=count)).capitalize()


STOCK = {
    "en": ["Okay.", "Sure.", "Mm.", "Let's go then.", "No problem.", "Haha"],
    "zh": ["好。", "嗯。", "嗯", "走吧。", "没问题。", "哈哈"],
}


def group(language: str, seed: int, size: int) -> list[str]:
    """Lines of several people, half of them said again and again; now and then the character speaks."""
    chance, told = random.Random(f"{language} {seed}"), iter(story(size, 1000 * seed))
    lines = [
        f"{chance.choice('uua')}: {chance.choice(STOCK[language])}"
        if chance.random() < 0.5
        else next(told)
        for _ in range(size)
    ]
    return lines if language == "en" else [line.replace(". ", "。") for line in lines]
