"""What was used when: a swipe replaces its turn, old turns become sums, rows die with their memory, the log stays small."""

from collections.abc import Collection
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolememory.schema.usage import UsageTally
from rolememory.storage.files.space import FileSpace
from rolememory.storage.state import StateLog
from rolememory.storage.usage_log import BLOCK, FRESH, MOST_BLOCKS, UsageLog, everywhere
from tests.builders import DAY_ZERO
from tests.recall.test_cost import Steps

Told = dict[str, tuple[float, float]]


def at(turn: int) -> datetime:
    return DAY_ZERO + timedelta(minutes=turn)


def told(uses: UsageLog, hidden: Collection[str] = ()) -> Told:
    """(turns that used it, turns that had it in vain) by memory, with these versions out of sight."""
    return {
        one: (tally.referenced, tally.vain)
        for one, tally in uses.tallies(lambda _, version: version not in hidden).items()
    }


@pytest.mark.parametrize(
    ("notes", "wanted"),
    [
        pytest.param(
            [("v1", "ab", "a")], {"a": (1, 0), "b": (0, 1)}, id="the reply used one of two"
        ),
        pytest.param(
            [("v1", "ab", "a"), ("v2", "ab", "b")],
            {"a": (1, 1), "b": (1, 1)},
            id="two turns add up",
        ),
        pytest.param(
            [("v1", "ab", "a"), ("v1", "ab", "b")],
            {"a": (0, 1), "b": (1, 0)},
            id="a swipe of the same turn replaces its row",
        ),
        pytest.param(
            [("v1", "ab", "a")] * 3,
            {"a": (1, 0), "b": (0, 1)},
            id="the same told three times is told once",
        ),
        pytest.param(
            [("v1", "ab", "a"), ("v1", "c", "")],
            {"c": (0, 1)},
            id="a swipe with other memories in the prompt replaces all",
        ),
        pytest.param(
            [("v1", "ab", "a"), ("v1", "", "")],
            {},
            id="a swipe with an empty prompt takes the row away",
        ),
        pytest.param([("v1", "", "")], {}, id="nothing injected, nothing noted"),
        pytest.param(
            [("v1", "a", "az")],
            {"a": (1, 0)},
            id="what did not stand in the prompt cannot have been used",
        ),
        pytest.param(
            [("v1", "aab", "b")], {"a": (0, 1), "b": (1, 0)}, id="a memory counts once a turn"
        ),
    ],
)
def test_tallies(notes: list[tuple[str, str, str]], wanted: Told, tmp_path: Path) -> None:
    uses = UsageLog(FileSpace(tmp_path))
    for turn, (version, injected, referenced) in enumerate(notes):
        uses.note("harbour", version, injected, referenced, at(turn))
    assert told(uses) == wanted
    uses.close()
    assert told(UsageLog(FileSpace(tmp_path))) == wanted


def test_a_turn_that_no_longer_stands_counts_for_nothing_and_comes_back_with_its_message(
    tmp_path: Path,
) -> None:
    uses = UsageLog(FileSpace(tmp_path))
    uses.note("harbour", "v1", "a", "a", at(1))
    uses.note("harbour", "v2", "a", "", at(2))
    assert told(uses, hidden={"v1"}) == {"a": (0, 1)}
    assert told(uses, hidden={"v2"}) == {"a": (1, 0)}
    assert told(uses) == {"a": (1, 1)}


def test_chats_add_up_and_each_is_asked_by_its_own_name(tmp_path: Path) -> None:
    uses = UsageLog(FileSpace(tmp_path))
    uses.note("harbour", "v1", "a", "a", at(1))
    uses.note("tavern", "v1", "a", "a", at(2))
    assert uses.tallies()["a"] == UsageTally(2.0, 0.0)
    assert uses.tallies(lambda chat, _: chat == "tavern")["a"] == UsageTally(1.0, 0.0)


def test_the_turns_of_a_memory_newest_first_and_what_was_used_with_it(tmp_path: Path) -> None:
    uses = UsageLog(FileSpace(tmp_path))
    uses.note("harbour", "v1", "abc", "ab", at(1))
    uses.note("tavern", "v9", "abc", "abc", at(3))
    uses.note("harbour", "v2", "ac", "c", at(2))
    assert [(use.chat, use.version, use.referenced, use.at) for use in uses.of("a")] == [
        ("tavern", "v9", True, at(3)),
        ("harbour", "v2", False, at(2)),
        ("harbour", "v1", True, at(1)),
    ]
    assert uses.pairs() == [("a", "b")]
    assert uses.pairs(least=1) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert uses.of("nobody") == []


def test_a_use_told_by_hand_stands_whatever_becomes_of_the_chat(tmp_path: Path) -> None:
    uses = UsageLog(FileSpace(tmp_path))
    uses.record("a", "harbour", "Why is the beacon dark?", True, at(1))
    uses.record("b", "harbour", "Why is the beacon dark?", False, at(1))
    assert uses.tallies(lambda *_: False) == {"a": UsageTally(1.0, 0.0), "b": UsageTally(0.0, 1.0)}
    uses.record("a", "harbour", "Why is the beacon dark?", False, at(2))
    assert uses.tallies()["a"] == UsageTally(0.0, 1.0)


def test_words_of_the_chat_are_not_kept(tmp_path: Path) -> None:
    uses = UsageLog(FileSpace(tmp_path))
    uses.record("a", "harbour", "my secret is 灯塔", True, at(1))
    uses.close()
    text = (tmp_path / "state" / "uses.jsonl").read_text(encoding="utf-8")
    assert "secret" not in text
    assert "灯塔" not in text


def test_rows_die_with_their_memory(tmp_path: Path) -> None:
    uses = UsageLog(FileSpace(tmp_path))
    for turn in range(FRESH + BLOCK):
        uses.note("harbour", f"v{turn}", "ab", "a", at(turn))
    uses.note("tavern", "v1", "b", "b", at(999))
    uses.prune({"a"})
    assert told(uses) == {"a": (FRESH + BLOCK, 0)}
    uses.close()
    assert b"tavern" not in (tmp_path / "state" / "uses.jsonl").read_bytes()


def test_a_forgotten_chat_leaves_nothing(tmp_path: Path) -> None:
    uses = UsageLog(FileSpace(tmp_path))
    uses.note("harbour", "v1", "a", "a", at(1))
    uses.note("tavern", "v1", "a", "", at(2))
    uses.forget({"harbour", "never seen"})
    assert told(uses) == {"a": (0, 1)}
    uses.forget({"tavern"})
    assert told(uses) == {}


def test_old_turns_become_sums_that_count_by_the_share_of_them_that_stands(tmp_path: Path) -> None:
    uses = UsageLog(FileSpace(tmp_path))
    for turn in range(FRESH + BLOCK):
        uses.note("harbour", f"v{turn}", "a", "a", at(turn))
    assert len(uses.of("a")) == FRESH
    assert told(uses) == {"a": (FRESH + BLOCK, 0)}
    assert told(uses, hidden={f"v{turn}" for turn in range(BLOCK // 2)}) == {
        "a": (FRESH + BLOCK / 2, 0)
    }
    assert not uses.note("harbour", "v0", "b", "b", at(0)), (
        "a turn that became part of a sum is not told again"
    )


def test_sums_of_an_earlier_version_count(tmp_path: Path) -> None:
    state = StateLog(FileSpace(tmp_path), "uses")
    sums = [{"versions": ["v1", "v2"], "used": {"a": 2}, "vain": {"b": 1}}]
    state.put("harbour", {"#old": sums, "v3": ["2026-05-01T00:00:00+00:00", ["a"], []]})
    state.flush()
    assert told(UsageLog(FileSpace(tmp_path))) == {"a": (3, 0), "b": (0, 1)}
    assert told(UsageLog(FileSpace(tmp_path)), hidden=["v1"]) == {"a": (2, 0), "b": (0, 0.5)}


def test_a_thousand_turns_stay_a_small_file_and_lose_no_count(tmp_path: Path) -> None:
    uses, turns = UsageLog(FileSpace(tmp_path)), 1000
    held = [f"memory-{number}" for number in range(15)]
    for turn in range(turns):
        uses.note("harbour", f"{turn:016x}", held, held[:2], at(turn))
    uses.close()
    assert told(UsageLog(FileSpace(tmp_path)))["memory-0"] == (turns, 0)
    assert told(UsageLog(FileSpace(tmp_path)))["memory-9"] == (0, turns)
    assert (tmp_path / "state" / "uses.jsonl").stat().st_size < 120_000
    kept = StateLog(FileSpace(tmp_path), "uses").load()["harbour"]
    sums = [one for name, one in kept.items() if name.startswith("#")]
    assert 0 < len(sums) <= MOST_BLOCKS
    assert all(len(versions) <= BLOCK for versions, _, _ in sums)


def test_beyond_its_bound_the_log_sums_up_and_then_leaves_out_what_rested_longest(
    tmp_path: Path,
) -> None:
    uses = UsageLog(FileSpace(tmp_path), most_rows=60)
    for number in range(10):
        for turn in range(8):
            uses.note(f"chat-{number}", f"v{turn}", "abc", "a", at(10 * number + turn))
    uses.close()
    chats = StateLog(FileSpace(tmp_path), "uses").load()
    turns = [one for kept in chats.values() for one in kept.values() if isinstance(one[0], str)]
    assert sum(len(used) + len(vain) for _, used, vain in turns) <= 60
    assert len(chats["chat-9"]) == 8, "the chat at hand keeps its turns"
    assert told(uses)["a"] == (80, 0), "sums lose no count"
    smaller = UsageLog(FileSpace(tmp_path), most_rows=30)
    smaller.note("chat-9", "v8", "abc", "a", at(200))
    assert told(smaller)["a"][0] < 80
    assert len(smaller.of("a")) == 9


def test_a_turn_noted_in_a_full_log_looks_at_few_of_its_chats(tmp_path: Path) -> None:
    each = list[float]()
    for chats in (100, 1_000):
        uses = UsageLog(FileSpace(tmp_path / str(chats)), most_rows=3 * chats)
        for number in range(chats):
            uses.note(f"chat-{number}", "v0", "abc", "a", at(number))
        turns = [(f"chat-{number}", f"v{number}") for number in range(1, chats // 10)]
        steps = Steps().count(lambda: [uses.note(*one, "abcd", "a", at(9)) for one in turns])  # noqa: B023
        each.append(sum(steps.values()) / len(turns))
        uses.close()
    assert each[1] < 2 * each[0]


@pytest.mark.parametrize(
    "raw",
    [
        {"harbour": 3},
        {"harbour": [1, 2]},
        {"harbour": {"v0": 3}},
        {"harbour": {"v0": ["never", ["b"], []]}},
        {"harbour": {"#v": [["v"], {"a": [1]}, {}]}},
        {"harbour": {"#v": [["v"], {"a": 1}]}},
        {"harbour": {"#v": [3, {"a": 1}, {}]}},
    ],
)
def test_what_cannot_be_read_costs_its_chat_and_no_more(
    raw: dict[str, object], tmp_path: Path
) -> None:
    FileSpace(tmp_path).log("state/uses").append(orjson.dumps(raw))
    uses = UsageLog(FileSpace(tmp_path))
    assert told(uses) == {}
    uses.note("harbour", "v1", "a", "a", at(1))
    assert told(uses) == {"a": (1, 0)}


def test_a_note_costs_the_same_however_much_was_noted(tmp_path: Path) -> None:
    uses, log, grown = UsageLog(FileSpace(tmp_path)), tmp_path / "state" / "uses.jsonl", list[int]()
    for turn in range(300):
        uses.note(f"chat {turn}", "v", "ab", "a", at(turn))
        if turn in (40, 299):
            uses._state._written()
            before = log.stat().st_size
            uses.note("one more", f"v{turn}", "ab", "a", at(turn))
            uses._state._written()
            grown.append(log.stat().st_size - before)
    assert 0 < grown[1] <= grown[0] + 8


def test_another_process_is_heard(tmp_path: Path) -> None:
    here, there = UsageLog(FileSpace(tmp_path)), UsageLog(FileSpace(tmp_path))
    here.note("harbour", "v1", "a", "a", at(1))
    here.close()
    there.note("harbour", "v2", "a", "", at(2))
    there.close()
    assert told(here) == told(there) == {"a": (1, 1)}


def test_a_token_keeps_the_answer_until_something_is_noted(tmp_path: Path) -> None:
    uses, asked = UsageLog(FileSpace(tmp_path)), []

    def visible(chat: str, version: str) -> bool:
        asked.append(version)
        return True

    uses.note("harbour", "v1", "a", "a", at(1))
    assert uses.tallies(visible, "here") is uses.tallies(visible, "here")
    assert asked == ["v1"]
    uses.note("harbour", "v2", "a", "a", at(2))
    assert uses.tallies(visible, "here")["a"] == UsageTally(2.0, 0.0)


def test_asking_again_costs_what_was_noted_since(tmp_path: Path) -> None:
    uses, asked, costs = UsageLog(FileSpace(tmp_path)), list[str](), list[int]()

    def visible(chat: str, version: str) -> bool:
        asked.append(version)
        return True

    for turn in range(400):
        uses.note(f"chat {turn % 3}", f"v{turn}", "ab", "a", at(turn))
        asked.clear()
        assert uses.tallies(visible, "here")["a"] == UsageTally(turn + 1.0, 0.0)
        costs.append(len(asked))
    assert max(costs) <= BLOCK + 1
    assert sum(costs[20:40]) == 20
    assert sum(costs) < 2 * len(costs)


def test_of_many_who_take_turns_nobody_has_all_counted_anew(tmp_path: Path) -> None:
    uses, asked = UsageLog(FileSpace(tmp_path)), list[str]()
    for turn in range(40):
        uses.note(f"chat {turn}", "v", "ab", "a", at(turn))

    def told() -> list[UsageTally]:
        return [uses.tallies(partial(own, f"chat {turn}"), turn)["a"] for turn in range(40)]

    def own(mine: str, chat: str, version: str) -> bool:
        asked.append(version)
        return chat == mine

    assert (told(), len(asked)) == (40 * [UsageTally(1.0, 0.0)], 40 * 40)
    assert (told(), len(asked)) == (40 * [UsageTally(1.0, 0.0)], 40 * 40)


def test_what_was_noted_behind_the_back_of_who_asked_counts_the_next_time(tmp_path: Path) -> None:
    uses = UsageLog(FileSpace(tmp_path))
    uses.note("harbour", "v1", "a", "a", at(1))
    uses.note("harbour", "v2", "a", "a", at(2))
    assert uses.tallies(lambda _, version: version == "v1", "here") == {"a": UsageTally(1.0, 0.0)}
    uses.note("harbour", "v3", "a", "a", at(3))
    assert uses.tallies(everywhere, "here") == {"a": UsageTally(3.0, 0.0)}


def odd(chat: str, version: str) -> bool:
    return int(version[1:]) % 2 == 1


def only_x(chat: str, version: str) -> bool:
    return chat == "x"


steps = st.lists(
    st.tuples(
        st.sampled_from("xy"),
        st.integers(0, 30),
        st.sets(st.sampled_from("abcd")),
        st.sets(st.sampled_from("abcd")),
    )
)


@settings(deadline=None, max_examples=60)
@given(steps)
def test_whatever_is_told_the_last_word_on_each_turn_counts(
    told_: list[tuple[str, int, set[str], set[str]]],
) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        uses = UsageLog(FileSpace(Path(folder)))
        last: dict[tuple[str, int], tuple[set[str], set[str]]] = {}
        for chat, turn, injected, referenced in told_:
            uses.note(chat, f"v{turn}", injected, referenced, at(turn))
            for token, seen in (("all", everywhere), ("odd", odd), ("x", only_x)):
                assert uses.tallies(seen, token) == uses.tallies(seen)
            last[chat, turn] = injected, referenced
        wanted = {
            one: (
                sum(one in i and one in r for i, r in last.values()),
                sum(one in i and one not in r for i, r in last.values()),
            )
            for one in "abcd"
        }
        assert told(uses) == {one: counts for one, counts in wanted.items() if counts != (0, 0)}
        uses.close()
