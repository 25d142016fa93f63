"""What a turn touches does not grow with all that was ever said: counted in steps of the interpreter and in bytes."""

import gc
import json
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from traceback import walk_stack
from types import FrameType
from typing import Any

import pytest

from rolememory import Home, Message, RoleMemory, Turn

SIZES = (200, 3_000)  # messages
MORE = SIZES[1] - SIZES[0]
WINDOW = 60
A_ROW = 80  # bytes: ten columns of numbers
QUIET = {"embedding.backend": "off", "learn.enabled": False, "recall.passages.recall": "all"}
HIDDEN = "The obsidian crown lies beneath Greywater mill."
ASKED = "Does the obsidian crown still lie beneath Greywater mill?"


class Steps:
    """Counts the steps of each function while something is done."""

    def __init__(self) -> None:
        self.of = Counter[tuple[str, str]]()

    def count(self, act: Callable[[], object]) -> "Counter[tuple[str, str]]":
        """The steps of an act, by file and function."""
        sys.settrace(self._enter)
        try:
            act()
        finally:
            sys.settrace(None)
        return self.of

    def _enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        key = Path(frame.f_code.co_filename).name, frame.f_code.co_name

        def step(frame: FrameType, event: str, arg: Any) -> Any:
            self.of[key] += event == "opcode"
            return step

        return step


class Talk:
    """A long chat and its frontend."""

    def __init__(self, mind: RoleMemory, messages: int) -> None:
        self.mind, self.said = mind, 0
        self.history = [Message.user(HIDDEN)]
        while len(self.history) < messages:
            self.history += self.exchange()
        self.observe(len(self.history))
        for act in ACTS * 2:  # what a process does once is done
            act(self)

    def exchange(self) -> list[Message]:
        """What is said day by day."""
        self.said += 1
        told = f"Day {self.said}: rain fell {'again ' * (self.said % 3)}on our roof."
        return [Message.user(told), Message.assistant(f"We mended nets, basket {self.said}.")]

    def observe(self, window: int = WINDOW) -> None:
        """The frontend shows its newest messages."""
        self.mind.observe(self.history[-window:], chat="c", user="lin")

    def recall(self) -> None:
        """It asks before a reply."""
        turn = self.mind.recall(self.history[-WINDOW:], chat="c", user="lin")
        assert HIDDEN in turn.text

    def go_on(self) -> None:
        """A message and its reply."""
        self.history.append(Message.user(ASKED))
        self.recall()
        self.reply()

    def reply(self) -> None:
        """Another reply."""
        self.history += self.exchange()[1:]
        self.observe()

    def swipe(self) -> None:
        """The last reply is another one."""
        self.history.pop()
        self.recall()
        self.reply()

    def edit(self) -> None:
        """Other words stand in the window."""
        self.history[-9] = self.exchange()[0]
        self.observe()
        self.recall()


ACTS = [Talk.go_on, Talk.swipe, Talk.edit]


@contextmanager
def talking(folder: Path) -> Iterator[list[Talk]]:
    """Talks of both sizes."""
    homes = [Home.open(folder / f"of-{size}", QUIET) for size in SIZES]
    yield [Talk(home.create("Mira"), size) for home, size in zip(homes, SIZES, strict=True)]
    for home in homes:
        home.close()


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Talk]]:
    with talking(tmp_path_factory.mktemp("talks")) as both:
        yield both


@pytest.mark.parametrize("act", ACTS)
def test_no_step_is_taken_for_each_message_of_the_past(
    talks: list[Talk], act: Callable[[Talk], None]
) -> None:
    small, large = (Steps().count(partial(act, talk)) for talk in talks)
    assert not {name: count for name, count in (large - small).items() if count > MORE}


TEA = "Tea number {} was drunk at the quay."
WRITES: dict[str, Callable[[RoleMemory, str], object]] = {
    "a memory": lambda mind, text: mind.remember(text),
    "one that stands already": lambda mind, text: mind.remember(
        "Tea number 7 was drunk at the quay."
    ),
    "other words": lambda mind, text: mind.edit("tea", content=text),
    "out of recall": lambda mind, text: mind.archive("tea"),
    "into recall": lambda mind, text: mind.edit("tea", archived=False),
    "away": lambda mind, text: mind.delete("tea"),
    "back": lambda mind, text: mind.remember(text, id="tea"),
    "an undone one": lambda mind, text: (mind.remember(f"No: {text}"), mind.undo()),
}


@pytest.mark.parametrize(
    ("asked", "limited"),
    [
        pytest.param(True, False, id="of a role in talk"),
        pytest.param(False, False, id="of a role at rest"),
        pytest.param(False, True, id="of a role at its limit"),
    ],
)
def test_no_step_is_taken_for_each_memory_when_one_is_written(
    tmp_path: Path, asked: bool, limited: bool
) -> None:
    of_size = dict[int, dict[str, Counter[tuple[str, str]]]]()
    for size in SIZES:
        limit = {"storage.max_memories.episodic": size} if limited else {}
        quiet = QUIET | {"storage.fold_idle_s": 900} | limit
        with Home.open(tmp_path / f"of-{size}", quiet) as home:
            mind = home.create("Mira")
            drunk = [{"id": f"m{one}", "content": TEA.format(one)} for one in range(size)]
            told = json.dumps({"episodic": [*drunk, {"id": "tea", "content": "Tea is hot."}]})
            (mind.folder / "memory.json").write_text(told, encoding="utf-8")
            for write in WRITES.values():  # the first reads them all
                write(mind, "A cup broke.")
                if asked:
                    mind.recall("Who broke the cup?", dry_run=True)
            of_size[size] = {
                name: Steps().count(partial(write, mind, f"A cup broke: {name}."))
                for name, write in WRITES.items()
            }
            assert any(one.archived for one in mind.memories.values()) is limited
    for name in WRITES:
        small, large = (of_size[size][name] for size in SIZES)
        assert not {one: count for one, count in (large - small).items() if count > MORE}, name


def test_what_was_written_or_said_between_turns_is_taken_in_before_the_next(
    tmp_path: Path,
) -> None:
    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        mira.remember("The storm broke the mast.")
        mira.recall("Who broke the mast?")
        mira.remember("The lamp went out.")
        mira.observe([Message.user(HIDDEN)], chat="c", user="lin")
        turns: list[Turn] = []
        steps = Steps().count(lambda: turns.append(mira.recall(ASKED, user="lin")))
        assert HIDDEN in turns[0].text
        assert not steps[("index.py", "changed")]


def test_what_a_turn_made_goes_with_it_and_waits_for_no_collector(tmp_path: Path) -> None:
    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        mira.remember_all(TEA.format(one) for one in range(9))
        mira.observe([Message.user(HIDDEN)], chat="c", user="lin")
        for _ in range(2):
            mira.recall(ASKED, user="lin", dry_run=True)
        gc.collect()
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            mira.recall(ASKED, user="lin", dry_run=True)
            gc.collect()
            left = [one for one in gc.garbage if type(one).__module__.startswith("rolememory.")]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()
        assert not left


def test_nothing_is_collected_in_the_first_turn(tmp_path: Path) -> None:
    collected = []

    def told(phase: str, info: dict[str, int]) -> None:
        frames = (frame.f_code.co_name for frame, _ in walk_stack(None))
        collected.append((phase, "_prepared" in frames))

    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        mira.remember("The lamp went out.")
    with Home.open(tmp_path, QUIET) as home:
        gc.callbacks.append(told)
        before, threshold = gc.get_threshold(), (10, 10, 10)
        gc.set_threshold(*threshold)
        try:
            home.role("Mira").recall("Who put the lamp out?")
        finally:
            gc.set_threshold(*before)
            gc.callbacks.remove(told)
    assert collected  # before it and behind it
    assert not [one for one in collected if one[1]]


def test_little_memory_is_taken_for_each_message_of_the_past(tmp_path: Path) -> None:
    code = f"from tests.recall.test_cost import *; print_peaks(Path({str(tmp_path)!r}))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for small, large in json.loads(told.stdout):
        assert large - small < A_ROW * MORE


def print_peaks(folder: Path) -> None:
    """How many bytes each act holds at most besides what was held before; in a process where nobody else is at work."""
    with talking(folder) as talks:
        peaks = [[peak_of(partial(act, talk)) for talk in talks] for act in ACTS]
    print(json.dumps(peaks))


def peak_of(act: Callable[[], object]) -> int:
    """Of one act."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
