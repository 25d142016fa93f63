"""What is forgotten or pinned stays so, whoever else forgets or pins at that moment."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier, Thread

import pytest

from rolememory.chats.forgotten import Forgotten
from rolememory.chats.pinned import Pinned, pin_of
from rolememory.schema.passage import Passage, passage
from rolememory.storage.files.space import FileSpace
from rolememory.storage.port import Space
from rolememory.text.sentences import SentenceSpan

MANY = 12


def said(number: int) -> Passage:
    return passage(
        chat="harbour",
        version=f"v{number}",
        role="user",
        text="The beacon is dark.",
        span=(0, 19),
        speaker="lin",
        owner="lin",
        created=datetime(2026, 5, 1, tzinfo=UTC),
        slot=number,
    )


def hidden(space: Space, ones: range) -> set[object]:
    forgotten = Forgotten(space)
    for one in map(said, ones):
        forgotten.add([one])
    return set(forgotten.passages())


def parted(space: Space, ones: range) -> set[object]:
    forgotten = Forgotten(space)
    for one in ones:
        forgotten.add_parts([(f"v{one}", SentenceSpan(0, 3))])
    return set(forgotten.parts())


def pinned(space: Space, ones: range) -> set[object]:
    pins = Pinned(space)
    for one in map(said, ones):
        pins.add([one])
    return set(pins.pins())


@pytest.mark.parametrize(
    ("mark", "name"),
    [
        pytest.param(hidden, lambda one: one.evidence[0].version, id="passages"),
        pytest.param(parted, lambda one: one.evidence[0].version, id="parts of messages"),
        pytest.param(pinned, pin_of, id="pins"),
    ],
)
def test_what_several_mark_at_once_is_marked(
    tmp_path: Path,
    mark: Callable[[Space, range], set[object]],
    name: Callable[[Passage], object],
) -> None:
    together = Barrier(3)

    def work(first: int) -> None:
        together.wait()
        mark(FileSpace(tmp_path), range(first, first + MANY))

    threads = [Thread(target=work, args=(MANY * number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert mark(FileSpace(tmp_path), range(0)) == {name(said(one)) for one in range(3 * MANY)}
