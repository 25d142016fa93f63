"""Housekeeping: what goes, why, what is left alone, and what comes back."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolememory.learn.maintenance import (
    SETTLED_DAYS,
    Retirement,
    Upkeep,
    archived_because,
    due,
    retire,
    revived,
    says_the_same,
)
from rolememory.schema.evidence import Reason
from rolememory.schema.memory import Evidence, Memory
from rolememory.schema.settings import PerType
from rolememory.storage.memories import HistoryLine
from tests.builders import DAY_ZERO, memory, on_day

TODAY = on_day(100)
UNLIMITED = PerType()


def learned(memory_id: str, content: str = "", *, said: str = "v1", **fields: Any) -> Memory:
    return memory(
        memory_id,
        content,
        **{
            "source": "user_input",
            "type": "semantic",
            "evidence": (Evidence(chat="c", version=said),),
            "day": 1,
            **fields,
        },
    )


def why(gone: list[Retirement]) -> dict[str, str]:
    return {one.id: one.because.code for one in gone}


def tended(
    *known: Memory,
    now: datetime = TODAY,
    limits: PerType = UNLIMITED,
    below: float = 0.2,
    **more: Any,
) -> dict[str, str]:
    return why(retire(known, now, below_weight=below, limits=limits, **more))


@pytest.mark.parametrize(
    ("one", "wanted"),
    [
        pytest.param(learned("a", expires=on_day(99)), {"a": "expired"}, id="its time is over"),
        pytest.param(learned("a", expires=on_day(101)), {}, id="its time is not over yet"),
        pytest.param(
            learned("a", expires=on_day(99), locked=True), {}, id="locked: its time never is"
        ),
        pytest.param(learned("a", weight=0.1), {"a": "low_weight"}, id="too light"),
        pytest.param(learned("a", weight=0.1, constant=True), {}, id="too light, but constant"),
        pytest.param(
            memory("a", weight=0.1), {"a": "low_weight"}, id="an author's, made light by hand"
        ),
        pytest.param(learned("a", weight=0.1, archived=True), {}, id="archived already"),
        pytest.param(
            learned("a", weight=0.1, expires=on_day(99)),
            {"a": "expired"},
            id="two reasons: the first is told",
        ),
    ],
)
def test_one_memory(one: Memory, wanted: dict[str, str]) -> None:
    assert tended(one) == wanted


@pytest.mark.parametrize(
    ("weight", "use", "wanted"),
    [
        pytest.param(
            0.4, -0.3, {"a": "low_weight"}, id="passed over so often that it is too light now"
        ),
        pytest.param(1.0, -0.3, {}, id="passed over, and still heavy enough"),
        pytest.param(0.1, 0.5, {}, id="light by hand, but used"),
    ],
)
def test_use_counts(weight: float, use: float, wanted: dict[str, str]) -> None:
    assert tended(learned("a", weight=weight), effects={"a": use}) == wanted


OLD = learned("old", "The user lives in Rome.", said="v1", day=1)
AGAIN = learned("again", "The user lives in Rome.", said="v2", day=2, supersedes=("old",))


@pytest.mark.parametrize(
    ("known", "more", "wanted"),
    [
        pytest.param([OLD, AGAIN], {}, {"old": "merged"}, id="told again later: one is enough"),
        pytest.param(
            [OLD, AGAIN],
            {"now": on_day(2 + SETTLED_DAYS - 1)},
            {},
            id="not while the chat may still be swiped",
        ),
        pytest.param(
            [OLD, AGAIN],
            {"counts": lambda one: one.id != "again"},
            {},
            id="not while the later one does not count",
        ),
        pytest.param(
            [OLD, AGAIN.model_copy(update={"archived": True})],
            {},
            {},
            id="an archived one replaces nothing",
        ),
        pytest.param(
            [
                OLD,
                learned("moved", "The user lives in Paris.", said="v2", day=2, supersedes=("old",)),
            ],
            {},
            {},
            id="a contradiction is no repetition",
        ),
        pytest.param(
            [OLD, learned("again", "The user lives in Rome.", day=2)],
            {},
            {},
            id="nobody has compared the two",
        ),
        pytest.param([OLD.model_copy(update={"locked": True}), AGAIN], {}, {}, id="locked"),
        pytest.param([OLD.model_copy(update={"constant": True}), AGAIN], {}, {}, id="constant"),
        pytest.param(
            [memory("old", "The user lives in Rome."), AGAIN], {}, {}, id="written by an author"
        ),
        pytest.param(
            [
                learned("first", "The user lives in Oslo.", day=0),
                OLD.model_copy(update={"supersedes": ("first",)}),
                AGAIN,
            ],
            {},
            {},
            id="it still outdates what the later one does not",
        ),
        pytest.param(
            [
                learned("first", "The user lives in Oslo.", day=0),
                OLD.model_copy(update={"supersedes": ("first",)}),
                AGAIN.model_copy(update={"supersedes": ("old", "first")}),
            ],
            {},
            {"old": "merged"},
            id="the later one outdates the same",
        ),
        pytest.param(
            [
                learned("旧", "用户住在罗马。", day=1),
                learned("新", "用户住在罗马。", said="v2", day=2, supersedes=("旧",)),
            ],
            {},
            {"旧": "merged"},
            id="Chinese",
        ),
    ],
)
def test_what_was_merged_away(
    known: list[Memory], more: dict[str, Any], wanted: dict[str, str]
) -> None:
    assert tended(*known, **more) == wanted


@pytest.mark.parametrize(
    ("earlier", "later", "wanted"),
    [
        pytest.param("The user likes tea.", "The user likes tea!", True, id="word for word"),
        pytest.param("The user likes tea.", "The user dislikes tea.", False, id="the contrary"),
        pytest.param(
            "The user was born in 1987.", "The user was born in 1988.", False, id="another number"
        ),
    ],
)
def test_saying_the_same(earlier: str, later: str, wanted: bool) -> None:
    assert says_the_same(learned("a", earlier), learned("b", later, day=2)) is wanted


@pytest.mark.parametrize(
    ("one", "gone_days", "counts", "wanted"),
    [
        pytest.param(
            learned("a"),
            8,
            False,
            {"a": "unsupported"},
            id="its message has been gone for more than a week",
        ),
        pytest.param(learned("a"), 6, False, {}, id="its message may come back yet"),
        pytest.param(learned("a"), None, False, {}, id="gone, first seen today"),
        pytest.param(learned("a"), 8, True, {}, id="its message has come back"),
        pytest.param(memory("a"), 8, False, {}, id="an author's rests on no message"),
        pytest.param(learned("a", locked=True), 8, False, {}, id="locked"),
        pytest.param(learned("a", constant=True), 8, False, {}, id="constant"),
    ],
)
def test_what_has_no_support(
    one: Memory, gone_days: float | None, counts: bool, wanted: dict[str, str]
) -> None:
    gone = {} if gone_days is None else {"a": TODAY - timedelta(days=gone_days)}
    assert tended(one, gone=gone, counts=lambda _: counts) == wanted


LIGHT, PLAIN, HEAVY = learned("light", weight=0.5), learned("plain"), learned("heavy", weight=1.5)
TWO = PerType(semantic=2)


@pytest.mark.parametrize(
    ("known", "effects", "wanted"),
    [
        pytest.param([LIGHT, PLAIN, HEAVY], {}, ["light"], id="the lightest goes"),
        pytest.param(
            [LIGHT, PLAIN, HEAVY],
            {"light": 0.5, "plain": -0.3},
            ["plain"],
            id="the lightest with its use goes",
        ),
        pytest.param(
            [LIGHT.model_copy(update={"locked": True}), PLAIN, HEAVY],
            {},
            ["plain"],
            id="a locked one stays, the next goes",
        ),
        pytest.param(
            [LIGHT, PLAIN, HEAVY.model_copy(update={"supersedes": ("plain",)})],
            {},
            ["plain"],
            id="what is outdated goes before what is light",
        ),
        pytest.param([LIGHT, PLAIN], {}, [], id="two are within the limit"),
        pytest.param(
            [LIGHT, PLAIN, learned("e", type="episodic")],
            {},
            [],
            id="another type has a limit of its own",
        ),
    ],
)
def test_over_the_limit(
    known: list[Memory], effects: Mapping[str, float], wanted: list[str]
) -> None:
    assert list(tended(*known, limits=TWO, effects=effects)) == wanted


def test_what_was_outdated_goes_with_what_outdated_it() -> None:
    rome = learned("rome", "The user lives in Rome.", day=1)
    paris = learned(
        "paris", "The user lives in Paris.", said="v2", day=2, weight=0.1, supersedes=("rome",)
    )
    assert tended(rome, paris) == {"paris": "low_weight", "rome": "superseded"}
    oslo = learned(
        "oslo", "The user lives in Oslo.", said="v3", day=3, supersedes=("rome", "paris")
    )
    assert tended(rome, paris, oslo) == {"paris": "low_weight"}, "rome is outdated by oslo as well"
    assert tended(rome, paris.model_copy(update={"weight": 1.0, "expires": on_day(50)})) == {
        "paris": "expired"
    }, "its time is over: rome again"


def archived(one: Memory) -> Memory:
    return one.model_copy(update={"archived": True})


@pytest.mark.parametrize(
    ("known", "because", "standing", "wanted"),
    [
        pytest.param(
            [archived(OLD)], {"old": "unsupported"}, {"old"}, ["old"], id="its message stands again"
        ),
        pytest.param(
            [archived(OLD)], {"old": "unsupported"}, set(), [], id="its message is still gone"
        ),
        pytest.param(
            [archived(OLD), AGAIN],
            {"old": "merged"},
            {"old"},
            ["old"],
            id="what it was merged into is gone",
        ),
        pytest.param(
            [archived(OLD), AGAIN],
            {"old": "merged"},
            {"old", "again"},
            [],
            id="what it was merged into still counts",
        ),
        pytest.param(
            [archived(OLD), archived(AGAIN)],
            {"old": "superseded"},
            {"old", "again"},
            [],
            id="what outdated it counts, though put away",
        ),
        pytest.param(
            [archived(OLD)], {"old": "low_weight"}, {"old"}, [], id="too light stays put away"
        ),
        pytest.param([archived(OLD)], {}, {"old"}, [], id="a person archived it"),
        pytest.param([OLD], {"old": "unsupported"}, {"old"}, [], id="a person has brought it back"),
        pytest.param([], {"old": "unsupported"}, {"old"}, [], id="deleted since"),
    ],
)
def test_what_comes_back(
    known: list[Memory], because: dict[str, str], standing: set[str], wanted: list[str]
) -> None:
    found = revived({one.id: one for one in known}, because, lambda one: one.id in standing)
    assert [one.id for one in found] == wanted
    assert all(one.because == Reason("counts_again") for one in found)


def line(seq: int, memory_id: str, actor: str, reason: str, **fields: Any) -> HistoryLine:
    return HistoryLine(
        seq,
        str(seq),
        DAY_ZERO,
        actor,
        "set",
        memory_id,
        {name: (None, value) for name, value in fields.items()},
        reason,
    )


def test_why_something_was_archived_is_the_last_word_of_its_history() -> None:
    history = [
        line(9, "b", "author", "", archived=True),
        line(8, "c", "clean", "", archived=False),
        line(7, "b", "clean", "merged", archived=True),
        line(6, "a", "author", "weight", weight=1.0),
        line(5, "a", "clean", "unsupported", archived=True),
        line(4, "c", "clean", "merged", archived=True),
    ]
    assert archived_because(history) == {"a": "unsupported"}


def test_a_look_keeps_the_day_of_what_is_gone_and_forgets_what_came_back() -> None:
    known = [learned("a"), learned("b"), learned("c"), archived(learned("d"))]
    before = Upkeep(on_day(90), {"a": on_day(80), "b": on_day(80), "e": on_day(80)})
    after = before.looked(known, TODAY, lambda one: one.id == "b")
    assert after == Upkeep(TODAY, {"a": on_day(80), "c": TODAY})
    assert Upkeep.of(after.to_json()) == after


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"last": "never"},
        {"last": 3, "gone": [1]},
        {"last": "2025-03-01", "gone": {"a": {}}},
        {"gone": {"a": "2025-03-01"}},
    ],
)
def test_a_state_that_cannot_be_read_counts_as_never_tended(raw: dict[str, Any]) -> None:
    assert Upkeep.of(raw) == Upkeep()
    assert Upkeep().to_json() == {}


@pytest.mark.parametrize(
    ("last", "wanted"),
    [
        pytest.param(None, True, id="never done"),
        pytest.param(on_day(98), True, id="two days ago"),
        pytest.param(on_day(99), True, id="a day ago"),
        pytest.param(on_day(99.5), False, id="half a day ago"),
        pytest.param(on_day(100.5), False, id="a clock a little ahead"),
        pytest.param(on_day(400), True, id="a clock that was wrong"),
    ],
)
def test_due(last: datetime | None, wanted: bool) -> None:
    assert due(last, TODAY) is wanted


known_ones = st.lists(
    st.builds(
        lambda number, fields: learned(
            f"m{number}", "The user likes tea.", said=f"v{number}", day=number % 30, **fields
        ),
        st.integers(0, 9),
        st.fixed_dictionaries(
            {},
            optional={
                "weight": st.sampled_from([0.1, 1.0, 1.5]),
                "locked": st.booleans(),
                "constant": st.booleans(),
                "archived": st.booleans(),
                "type": st.sampled_from(["semantic", "episodic"]),
                "supersedes": st.lists(st.sampled_from(["m0", "m1", "m2"]), max_size=2).map(tuple),
            },
        ),
    ),
    max_size=8,
    unique_by=lambda one: one.id,
)


@settings(deadline=None)
@given(known_ones, st.integers(0, 3))
def test_rounds_come_to_an_end_and_what_is_locked_or_constant_stays(
    known: list[Memory], limit: int
) -> None:
    limits = PerType(semantic=limit)
    for _ in range(len(known) + 1):
        gone = tended(*known, limits=limits)
        assert not any(
            one.locked or one.constant or one.archived for one in known if one.id in gone
        )
        known = [archived(one) if one.id in gone else one for one in known]
    assert gone == {}
