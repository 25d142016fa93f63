"""Whatever a frontend shows, in whatever order: the answers are those of plain lists that are gone through from end to end."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from rolememory.chats.align import align
from rolememory.chats.normalize import base, normalize_messages
from rolememory.chats.rows import ChatLogRow, decoded
from rolememory.chats.transcript import Transcript
from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import Evidence
from tests.chats import oracle
from tests.chats.talk import START, chats_at, said

OFTEN = [
    "u: ok",
    "u: 好",
    "a: *nods*",
    "u: Tell me more about it.",
    "a: The lamp burns until four.",
]
Lines = list[str]


class Frontend:
    """A few chats that are shown to both."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.chats, self.tales = folder, chats_at(folder), oracle.Tales()
        self.lines: dict[str, Lines] = {"one": []}
        self.shown = dict.fromkeys(self.lines, 400)  # so many lines fit in
        self.before: dict[str, str] = {}  # what stood in the place of a line
        self.number, self.now = 0, START

    def line(self, voice: str, pick: int) -> str:
        """Something new, or what is said all the time."""
        self.number += 1
        often = [line for line in OFTEN if line[0] == voice]
        if pick % 5 == 0:
            return often[pick // 5 % len(often)]
        return f"{voice}: {self.number} {'words that follow one another ' * (pick % 3)}{'灯塔' * (pick % 2)}."

    def step(self, name: str, act: str, pick: int, other: int) -> None:
        """Change what a chat holds, then show it."""
        lines = self.lines[name]
        place = pick % len(lines) if lines else 0
        changed = ACTS[act](self, lines, place, pick, other)
        if isinstance(changed, str):
            name = changed
        self.show(name, other)

    def show(self, name: str, other: int) -> None:
        """What both make of it."""
        shown = self.lines[name][-self.shown[name] :]
        self.now += timedelta(minutes=1)
        messages = [
            one.model_copy(update=self._sent(other, at)) for at, one in enumerate(said(*shown))
        ]
        preview = self.chats.preview(messages, chat=name, user="lin", at=self.now)
        observed = self.chats.observe(messages, chat=name, user="lin", at=self.now)
        expected = self.tales.observe(messages, name, self.now)
        assert observed == expected
        if not observed.chat:
            return
        tale = self.tales.tales[name]
        assert list(self.chats.path(name)) == tale.path
        assert [one.version for one in preview.path] == [one.version for one in tale.path]
        assert [one.at for one in preview.path] == [one.at for one in self.tales.path]
        assert preview.unseen == self.tales.begin
        self._seen(name, tale, other)

    def _sent(self, other: int, at: int) -> dict[str, object]:
        return (
            {"sent": START + timedelta(seconds=at * (other % 7) - other)} if other % 4 == 1 else {}
        )

    def _seen(self, name: str, tale: oracle.Tale, other: int) -> None:
        """What counts, and what stands side by side."""
        visibility = self.chats.visible_from(name)
        for version in tale.said:
            assert visibility.sees(Evidence(chat=name, version=version)) == (
                version in tale.standing
            )
        for here in (None, *self.tales.tales):
            from_there = self.chats.visible_from(here)
            for chat, each in self.tales.tales.items():
                for version in list(each.said)[other % 4 :: 4]:
                    seen = from_there.sees(Evidence(chat=chat, version=version))
                    assert seen == self.tales.counts(here, chat, version)
        some = list(tale.said)[other % 3 :: 3]
        for one, then in [*pairwise(some), *list(tale.neighbours)[:20]]:
            support = Evidence(chat=name, version=f"{one}+{then}", adjoining=True)
            assert visibility.sees(support) == ((one, then) in tale.neighbours)


def append(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    lines += [front.line("u", pick), front.line("a", other)]


def ask(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    lines.append(front.line("u", pick))


def _say(front: Frontend, lines: Lines, place: int, pick: int) -> None:
    if lines:
        old = lines[place]
        lines[place] = front.before.get(old, "") if pick % 3 == 0 else ""
        lines[place] = lines[place] or front.line(old[0], pick)
        front.before[lines[place]] = old


def edit(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    _say(front, lines, place, other)


def swipe(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    _say(front, lines, -1, pick)


def delete(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    del lines[place : place + 1 + other % 4]


def delete_last(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    del lines[len(lines) - 1 - pick % 4 :]


def insert(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    lines[place:place] = [front.line("ua"[pick % 2], other)]


def crowd(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    """So much is put into one place that there is no time between two messages any more."""
    name = next(name for name, each in front.lines.items() if each is lines)
    for number in range(11 if lines else 0):
        lines[place + 1 : place + 1] = [front.line("u", 5 * number + 1)]
        front.show(name, 4)


def cut(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    name = next(name for name, each in front.lines.items() if each is lines)
    front.shown[name] = (1, 2, 4, 9, 20, 400)[pick % 6]
    append(front, lines, place, pick, other)


def join(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    if place + 1 < len(lines) and lines[place][0] == lines[place + 1][0]:
        lines[place : place + 2] = [lines[place] + "\n\n" + lines[place + 1][3:]]


def go_on(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    if lines:
        lines[-1] += f" And {pick}."


def name_all(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    """A group: the frontend puts names in front."""
    lines[:] = [line if pick % 2 else f"{line[:3]}Asha: {line[3:].upper()}" for line in lines]


def begin(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    lines[:] = [front.line("a", other), front.line("u", pick)]


def double(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    lines += lines[place : place + 3]


def nothing(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    pass


def restart(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> None:
    front.chats = chats_at(front.folder)


def branch(front: Frontend, lines: Lines, place: int, pick: int, other: int) -> str:
    name = f"branch {len(front.lines)}"
    front.lines[name] = [*lines[: place + 1], front.line("u", pick), front.line("a", other)]
    front.shown[name] = 400
    return name


Act = Callable[[Frontend, Lines, int, int, int], str | None]
ACTS: dict[str, Act] = {
    act.__name__: act
    for act in (
        append, ask, edit, swipe, delete, delete_last, insert, crowd, cut, join, go_on, name_all, begin, double, nothing,
        restart, branch,
    )
}  # fmt: skip
NUMBERS = st.integers(0, 10_000)
STEPS = st.lists(
    st.tuples(NUMBERS, st.sampled_from([*["append"] * 6, *["swipe"] * 2, *ACTS]), NUMBERS, NUMBERS),
    min_size=3,
    max_size=30,
)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 12), STEPS)
def test_whatever_happens_to_chats_the_answers_are_those_of_plain_lists(
    exchanges: int, steps: list[tuple[int, str, int, int]]
) -> None:
    with tempfile.TemporaryDirectory(prefix="oracle-") as folder:
        front = Frontend(Path(folder))
        front.lines["one"] += [front.line("ua"[at % 2], at) for at in range(2 * exchanges)]
        front.show("one", 0)
        for chat, act, pick, other in steps:
            names = list(front.lines)
            front.step(names[chat % len(names)], act, pick, other)


LINE = st.one_of(
    st.sampled_from(OFTEN),
    st.builds(
        "{}: {}{}".format,
        st.sampled_from("ua"),
        st.sampled_from(
            ["", "Asha: ", "LONG ENOUGH TO BE AN ANCHOR ", "long enough to be an anchor "]
        ),
        st.integers(0, 30),
    ),
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(LINE, max_size=40),
    st.lists(LINE, max_size=16),
    st.integers(0, 40),
    st.booleans(),
    NUMBERS,
)
def test_any_messages_are_laid_along_any_path_as_plain_lists_lay_them(
    olds: Lines, news: Lines, first: int, ample: bool, pick: int
) -> None:
    start = pick % (len(olds) + 1)
    shown = said(*olds[start : start + pick % 20], *news, *olds[-(pick % 3) :])
    script = Transcript(Path("none"))
    plan = oracle.planned(
        oracle.Tale(),
        oracle.lay(oracle.Tale(), normalize_messages(said(*olds), None, {})).changes,
        START,
    )
    script.follow(ChatLogRow(START, said=tuple(plan.entered), splices=tuple(plan.splices)))
    heard = normalize_messages(shown, None, {})
    first = min(first, len(olds))
    assert align(script, heard, first, ample, script.knows) == oracle.align(
        tuple(script.path), heard, first, ample, script.knows
    )


def without(said: ChatMessage, erased: set[int]) -> ChatMessage:
    """A message whose words went, where that is its slot."""
    return replace(said, text="", raw="", name="") if said.slot in erased else said


@settings(max_examples=150, deadline=None)
@given(
    STEPS,
    st.sets(st.integers(1, 40), max_size=4),
    st.sets(st.integers(0, 60), max_size=6),
    st.booleans(),
)
@example(
    [(0, "append", 5, 5), (0, "delete_last", 1, 0), (0, "append", 5, 5)], set(), set(), True
)  # what was deleted comes back at the end
@example(
    [(0, "append", 5, 5), (0, "delete_last", 1, 0), (0, "append", 5, 5)], {1}, set(), True
)  # so does what nobody knows any more
def test_a_log_that_lost_lines_is_followed_as_plain_lists_follow_it(
    steps: list[tuple[int, str, int, int]], lost: set[int], erased: set[int], together: bool
) -> None:
    with tempfile.TemporaryDirectory(prefix="oracle-") as folder:
        front = Frontend(Path(folder))
        for chat, act, pick, other in [(0, "append", 1, 2), *steps]:
            names = list(front.lines)
            front.step(names[chat % len(names)], act, pick, other)
        for info in front.chats.chats():
            rows = [row for line in info.file.read_bytes().splitlines() if (row := decoded(line))]
            script, tale = Transcript(info.file), oracle.Tale()
            left = [
                replace(row, said=tuple(without(one, erased) for one in row.said))
                for number, row in enumerate(rows)
                if number not in lost
            ]
            for row in left:
                tale.follow(row)
            if together:
                script.follow_all(left)
            else:
                for row in left:
                    script.follow(row)
            assert list(script.path) == tale.path
            assert (script.said, script.order) == (tale.said, tale.order)
            assert script.moved or not tale.disturbed
            for digest in {base(version) for version in tale.said}:
                assert set(script.resting(digest)) == {
                    one for one in tale.resting(digest) if not one.erased
                }
                for slot in range(tale.slots):
                    assert script.version_in(slot, digest) == tale.version_in(slot, digest)
            for version in tale.said:
                assert (script.path.standing(version) is not None) == (version in tale.standing)
            chat = script.chat
            assert chat is not None
            assert chat.worded == [one for one in tale.path if not one.erased]
            assert chat.told == {
                version: one for version, one in tale.said.items() if not one.erased
            }
            assert chat.speakers == {(one.role, one.name) for one in tale.path if not one.erased}
            for one in (script.once, script.loosely):
                assert one._found == type(one)(one._key, tale.path)._found
