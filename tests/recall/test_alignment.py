"""Messages that a frontend cut off are counted all the same."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory import Home, Message
from rolememory.recall.alignment import KEPT, ChatDigests


@pytest.mark.parametrize(
    ("before", "visible", "unseen"),
    [
        pytest.param([], ["a"], 0, id="a new chat has nothing before it"),
        pytest.param(["a", "b"], ["a", "b", "c"], 0, id="a whole chat is whole"),
        pytest.param(["a", "b", "c", "d"], ["c", "d", "e"], 2, id="two are gone"),
        pytest.param(["a", "b", "c", "d"], ["c", "X", "e"], 2, id="one of them was edited"),
        pytest.param(["a", "b", "c", "d"], ["x", "y"], 0, id="another chat under the same name"),
        pytest.param(
            ["a", "a", "a", "b", "c"],
            ["a", "b", "c"],
            2,
            id="the same greeting twice: where most agree",
        ),
    ],
)
def test_unseen(before: list[str], visible: list[str], unseen: int) -> None:
    assert ChatDigests(said=tuple(before)).unseen(visible) == unseen


@given(st.integers(1, 900), st.integers(1, 60))
def test_a_sliding_window_is_always_counted_whole(length: int, window: int) -> None:
    log = ChatDigests()
    for newest in range(1, length + 1, 7):
        visible = [str(number) for number in range(max(newest - window, 0), newest)]
        if newest > 1 and window >= 14:
            assert log.unseen(visible) == max(newest - window, 0)
        log = log.with_visible(visible)
    assert len(log.said) <= KEPT


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8), st.integers(1, 12))
def test_what_is_kept_of_a_turn_is_what_changed_by_it(newest: list[int], window: int) -> None:
    kept, log = dict[str, str](), ChatDigests()
    for end in newest:
        before, log = log, log.with_visible([f"{at}" for at in range(max(end - window, 0), end)])
        changes = log.since(before)
        assert all(kept.get(name) != digest for name, digest in changes.items())
        kept = {name: one for name, one in {**kept, **changes}.items() if one is not None}
        assert ChatDigests.of(kept).said == log.said
        assert not log.said or ChatDigests.of(kept) == log


def test_a_delay_ends_though_the_frontend_shows_four_messages_only(tmp_path: Path) -> None:
    entries = {"0": {"key": ["beacon"], "content": "Late lore.", "delay": 8}}
    chat = [
        Message.user(f"The beacon, part {n}") if n % 2 == 0 else Message.assistant(f"Reply {n}")
        for n in range(11)
    ]
    awake = []
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        role = home.create("Mira")
        (role.folder / "worldbooks").mkdir()
        (role.folder / "worldbooks" / "b.json").write_text(
            json.dumps({"entries": entries}), encoding="utf-8"
        )
        for newest in range(1, 12, 2):
            turn = role.recall(chat[max(newest - 4, 0) : newest], chat="harbour")
            assert turn.lore is not None
            awake.append(bool(turn.lore.awake))
    assert awake == [False, False, False, False, True, True]


def test_what_sticks_does_so_in_its_chat_and_across_a_restart(tmp_path: Path) -> None:
    entries = {"0": {"key": ["beacon"], "content": "Oil.", "sticky": 4, "scanDepth": 1}}
    chat = [Message.user("The beacon!")]

    def awake(name: str, *said: Message) -> bool:
        with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
            turn = home.role("Mira").recall(said, chat=name)
            return bool(turn.lore and turn.lore.awake)

    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        role = home.create("Mira")
        (role.folder / "worldbooks").mkdir()
        (role.folder / "worldbooks" / "b.json").write_text(
            json.dumps({"entries": entries}), encoding="utf-8"
        )
    found = [awake("harbour", *chat)]
    for number in range(4):
        chat += [Message.assistant(f"Reply {number}."), Message.user(f"Line {number}.")]
        found.append(awake("harbour", *chat))
    assert found == [True, True, False, False, False]
    assert not awake("elsewhere", *chat[:3])
