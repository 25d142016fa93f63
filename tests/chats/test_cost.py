"""What a look touches does not grow with the chat: counted in messages of the log, in memory and in bytes of the disk."""

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rolememory.chats import persistent_vector
from rolememory.chats.presence import Audience
from rolememory.chats.values import ObservePreview
from rolememory.schema.memory import Evidence
from rolememory.schema.message import Message
from tests.bench.look import WINDOW, history_of
from tests.bench.observe import anew, exchange
from tests.chats.talk import WatchedDisk, chats_at

MOST = 300  # messages of the log that a message, a swipe or an edit may touch
SIZES = (1_000, 10_000)


class Counted:
    """Counts the messages that are read from a path or put into one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        read, walked, leaves = (
            persistent_vector.PersistentVector.__getitem__,
            persistent_vector.PersistentVector.__iter__,
            persistent_vector._leaves_of,
        )

        def reads(one: persistent_vector.PersistentVector[object], place: int | slice) -> object:
            found = read(one, place)
            self.count += len(found) if isinstance(place, slice) else 1  # type: ignore[arg-type]
            return found

        def walks(one: persistent_vector.PersistentVector[object]) -> Iterator[object]:
            for item in walked(one):
                self.count += 1
                yield item

        def makes(items: tuple[object, ...]) -> object:
            self.count += len(items)
            return leaves(items)

        monkeypatch.setattr(persistent_vector.PersistentVector, "__getitem__", reads)
        monkeypatch.setattr(persistent_vector.PersistentVector, "__iter__", walks)
        monkeypatch.setattr(persistent_vector, "_leaves_of", makes)

    def of(self, act: Callable[[], object]) -> int:
        """How many an act touches."""
        self.count = 0
        act()
        return self.count


def calls_of(act: Callable[[], object]) -> int:
    """How many functions an act calls."""
    count = 0

    def counts(frame: object, event: str, what: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(counts)
    act()
    sys.setprofile(None)
    return count


class Frontend:
    """Shows the newest messages of a long chat."""

    def __init__(self, folder: Path, messages: int) -> None:
        self.folder, self.chats, self.history = folder, chats_at(folder), history_of(messages)
        self.chats.observe(self.history, chat="c")
        for number in range(3):
            self.history += exchange(10**6 + number)
            self.observe()
        early = self.chats.path("c")[10:12]
        version = "+".join(one.version for one in early)
        self.support = Evidence(chat="c", version=version, adjoining=True)

    def observe(self) -> None:
        """Everything that fits in, parsed again."""
        self.chats.observe(anew(self.history[-WINDOW:]), chat="c")

    def look(self) -> None:
        """What comes before a prompt."""
        preview = self.chats.preview(anew(self.history[-WINDOW:]), chat="c")
        assert self.chats.visible_from("c", preview).sees(self.support)


def appended(history: list[Message]) -> None:
    history += exchange(10**7)


def swiped(history: list[Message]) -> None:
    history[-1] = Message.assistant("Other words altogether, for once.")


def edited(history: list[Message]) -> None:
    history[-4] = Message.user("Edited not far from the end.")


def edited_above(history: list[Message]) -> None:
    history[2 - WINDOW] = Message.user("Edited where the window begins.")


def deleted(history: list[Message]) -> None:
    del history[-2:]


def inserted(history: list[Message]) -> None:
    history.insert(-10, Message.user("Put in between."))


def repeated(history: list[Message]) -> None:
    history += [Message.user("*nods* Go on."), Message.assistant("And so on.")]


def nothing(history: list[Message]) -> None:
    pass


CHANGES = [appended, swiped, edited, edited_above, deleted, inserted, repeated, nothing]


@pytest.fixture(scope="module")
def frontends(tmp_path_factory: pytest.TempPathFactory) -> list[Frontend]:
    return [Frontend(tmp_path_factory.mktemp(f"of-{size}"), size) for size in SIZES]


@pytest.mark.parametrize("change", CHANGES)
def test_a_look_touches_few_messages_however_long_the_chat_is(
    frontends: list[Frontend],
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[list[Message]], None],
) -> None:
    counted = Counted(monkeypatch)
    found = []
    for frontend in frontends:
        change(frontend.history)
        found.append((counted.of(frontend.look), counted.of(frontend.observe)))
    assert max(max(each) for each in found) <= MOST
    assert all(
        large <= small + 2 * persistent_vector.WIDTH for small, large in zip(*found, strict=True)
    )


def test_a_window_that_moves_on_is_heard_from_where_it_goes_on(tmp_path: Path) -> None:
    """A frontend whose context is full shows two old messages less with every exchange."""
    chats, history = chats_at(tmp_path), history_of(4 * WINDOW)

    def look(first: int) -> ObservePreview:
        return chats.preview(anew(history[first:]), chat="c")

    chats.observe(history[-WINDOW:], chat="c")
    history += exchange(10**8)
    calls = [calls_of(lambda first=first: look(first)) for first in (-WINDOW - 2, -WINDOW)]  # type: ignore[misc]
    assert calls[1] < 1.3 * calls[0], "as much as one that only grows"
    grown, moved = look(-WINDOW - 2), look(-WINDOW)
    versions = [[one.version for one in look.path] for look in (grown, moved)]
    assert versions[0] == versions[1]
    assert moved.unseen == grown.unseen + 2


@pytest.mark.parametrize("change", CHANGES)
def test_a_look_copies_nothing_that_grows_with_the_chat(
    frontends: list[Frontend], change: Callable[[list[Message]], None]
) -> None:
    peaks = []
    for frontend in frontends:
        change(frontend.history)
        tracemalloc.start()
        frontend.look()
        frontend.observe()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0] + 8_000


@pytest.mark.parametrize("change", CHANGES)
def test_a_look_writes_one_line_and_another_process_reads_that_alone(
    tmp_path: Path, change: Callable[[list[Message]], None]
) -> None:
    frontend, mine, others = Frontend(tmp_path, SIZES[0]), WatchedDisk(), WatchedDisk()
    frontend.chats, other = chats_at(tmp_path, mine), chats_at(tmp_path, others)
    assert other.path("c") == frontend.chats.path("c")
    change(frontend.history)
    log = frontend.chats.info("c").file
    before, mine.read_bytes, others.read_bytes = log.read_bytes(), 0, 0
    frontend.observe()
    line = len(log.read_bytes()) - len(before)
    assert log.read_bytes()[: len(before)] == before
    assert line <= mine.written_bytes <= line + 1  # and a byte that says so
    assert mine.replaced == 0
    assert mine.read_bytes <= 1_000
    assert other.path("c") == frontend.chats.path("c")
    assert others.read_bytes <= line + 1_000


def test_what_another_process_wrote_is_found_without_a_look_at_every_chat(tmp_path: Path) -> None:
    mine, others = chats_at(tmp_path), WatchedDisk()
    told = {f"c{number}": exchange(number) for number in range(200)}
    for chat, messages in told.items():
        mine.observe(messages, chat=chat)
    other = chats_at(tmp_path, others)
    assert other.chats() == mine.chats()
    for number, chat in enumerate(("c7", "c150", "c7")):
        told[chat] += exchange(10**6 + number)
        mine.observe(told[chat], chat=chat)
        others.marks = 0
        assert other.chats() == mine.chats()
        assert others.marks <= 10


def test_a_log_is_read_without_a_change_of_the_path_for_each_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats, history = chats_at(tmp_path), list[Message]()
    for number in range(300):
        history += exchange(number)
        chats.observe(history[-WINDOW:], chat="c")
    counted = Counted(monkeypatch)
    assert counted.of(lambda: chats_at(tmp_path).path("c")) <= 3 * len(history)
    assert chats_at(tmp_path).path("c") == chats.path("c")


def test_chats_that_were_only_asked_for_are_not_looked_through(tmp_path: Path) -> None:
    """A preview of a new chat in every turn makes none of them dearer than the first ones."""
    chats = chats_at(tmp_path)
    chats.observe([Message.user("Hello."), Message.assistant("Welcome.")], chat="c")

    def calls(number: int) -> int:
        return calls_of(lambda: chats.preview([Message.user(f"What is in barrel {number}?")]))

    every = [calls(number) for number in range(60)]
    assert every[-1] <= every[3] + 5


def test_what_was_said_in_chats_of_other_users_costs_one_look_each(tmp_path: Path) -> None:
    """Of a message in a chat where the reader never was, nobody asks who was there for it."""
    chats = chats_at(tmp_path)
    for user in ("ann", "bob"):
        chats.observe(history_of(100), chat=user, user=user)
    told = [Evidence(chat="bob", version=one.version) for one in chats.path("bob")]
    seen = {user: chats.visible_from("ann", readers=Audience.of([user])) for user in ("ann", "bob")}
    calls = {user: calls_of(lambda user=user: [*map(seen[user].sees, told)]) for user in seen}
    assert any(map(seen["bob"].sees, told))
    assert calls["ann"] < calls["bob"] / 3, calls
