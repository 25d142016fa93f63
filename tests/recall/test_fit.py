"""Who stands in the prompt: thresholds, limits, budget, echoes, repetitions, stillness."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from rolememory.recall.fit import Fitted, fit
from rolememory.recall.query import RecallQuery
from rolememory.recall.visible import Visible, likeness
from rolememory.schema.evidence import Hit, Reason, Scored
from rolememory.schema.memory import Evidence, Memory
from rolememory.schema.passage import Passage, passage
from rolememory.schema.settings import BudgetSettings, RecallSettings, Settings
from rolememory.text.words import tokens
from tests.builders import question, scene

NOW = datetime(2026, 5, 1, tzinfo=UTC)
ASKS, TELLS = "Where is it?", "I sit down."


class Plain:
    """One line a memory and a frame of ten characters."""

    def block(self, memories: Sequence[Memory]) -> int:
        return 10 + self.share(memories) if memories else 0

    def growing(self, *, whole: bool) -> "Grown":
        return Grown(self, whole)

    def share(self, memories: Sequence[Memory]) -> int:
        return sum(len(memory.content) + 1 for memory in memories)


class Grown:
    """Adds lines up, or asks the measure each time."""

    def __init__(self, measure: Plain, whole: bool) -> None:
        self.measure, self.whole = measure, whole
        self.share, self.memories, self.length = measure.share, list[Memory](), 0

    def least(self, memory: Memory) -> int:
        return len(memory.content)

    def tried(self, memory: Memory) -> int:
        if self.whole:
            return self.measure.block([*self.memories, memory])
        return Plain().block([*self.memories, memory])

    def take(self, memory: Memory) -> None:
        self.length = self.tried(memory)
        self.memories.append(memory)


def scored(id: str, relevance: float, content: str | None = None, **fields: Any) -> Scored:  # noqa: A002
    memory = Memory(
        id=id, content=content if content is not None else f"the story of {id}", **fields
    )
    return Scored(memory, relevance, relevance, ())


def fitting(
    query: str = "",
    texts: Sequence[str] = (),
    kept: Sequence[str] = (),
    room: int | None = None,
    budget: Any = None,
    measure: Any = None,
    message: str = ASKS,
    **rules: Any,
) -> RecallQuery:
    return question(
        scene=replace(scene(message), now=NOW),
        settings=Settings(recall=RecallSettings(**rules), budget=BudgetSettings(**(budget or {}))),
        measure=measure or Plain(),
        visible=Visible.of(query, texts),
        kept=kept,
        room=room,
    )


def chosen(fitted: Fitted) -> list[str]:
    return [one.memory.id for one in fitted.chosen]


def codes(fitted: Fitted) -> dict[str, str]:
    return {one: reason.code for one, reason in fitted.refused.items()}


def test_what_is_below_the_threshold_stays_out() -> None:
    fitted = fit([scored("a", 0.30), scored("b", 0.29)], fitting())
    assert chosen(fitted) == ["a"]
    assert codes(fitted) == {"b": "below_threshold"}


def test_hybrid_offers_the_middle_to_the_model() -> None:
    rules = fitting(mode="hybrid", high_relevance_threshold=0.8)
    fitted = fit([scored("a", 0.8), scored("b", 0.79), scored("c", 0.1)], rules)
    assert chosen(fitted) == ["a"]
    assert [one.memory.id for one in fitted.near] == ["b"]
    assert codes(fitted) == {"b": "low_relevance", "c": "below_threshold"}


class Wordy(Plain):
    """Says much more of a memory than its text tells, and counts how often it is asked."""

    def __init__(self, around: int, always: bool = False) -> None:
        self.around, self.always, self.measured = around, always, 0

    def block(self, memories: Sequence[Memory]) -> int:
        self.measured += 1
        return super().block(memories) + self.around * len(memories)

    def growing(self, *, whole: bool) -> Grown:
        return Grown(self, whole or self.always)


@pytest.mark.parametrize(
    ("around", "most"),
    [
        pytest.param(0, 1, id="lines as they are: measured once"),
        pytest.param(20, 99, id="lines that add up to less than the block: every one is measured"),
    ],
)
def test_what_is_added_up_never_changes_the_choice(around: int, most: int) -> None:
    some = [scored(f"m{number}", 0.9 - number / 100) for number in range(40)]
    adding, exact = Wordy(around), Wordy(around, True)
    rules = [fitting(near_duplicate=1.0, measure=measure) for measure in (adding, exact)]
    found, wanted = (fit(some, one) for one in rules)
    assert chosen(found) == chosen(wanted)
    assert found.refused == wanted.refused
    assert found.length == wanted.length <= rules[0].limit
    assert adding.measured <= most


def test_a_lower_one_fills_what_a_higher_one_did_not_fit_into() -> None:
    fitted = fit(
        [scored("a", 0.9, "a" * 20), scored("b", 0.8, "b" * 60), scored("c", 0.7, "c" * 20)],
        fitting(budget={"max_total_length": 60}),
    )
    assert chosen(fitted) == ["a", "c"]
    assert int(fitted.refused["b"].get("needed")) > 60


def test_lore_first_memories_the_rest() -> None:
    assert chosen(fit([scored("a", 0.9, "a" * 20)], fitting(room=30))) == []
    assert chosen(fit([scored("a", 0.9, "a" * 20)], fitting(room=31))) == ["a"]


def test_limits_per_type_and_in_all() -> None:
    given = [
        scored("t1", 0.9, type="trait"),
        scored("t2", 0.8, type="trait"),
        scored("goal", 0.7, type="goal"),
        scored("event", 0.6),
    ]
    assert codes(fit(given, fitting(max_per_type={"traits": 1}))) == {"t2": "type_limit"}
    assert codes(fit(given, fitting(max_items=2))) == {
        "goal": "max_items",
        "event": "max_items",
    }
    assert codes(fit(given, fitting(budget={"per_type": {"traits": 20}}))) == {"t2": "type_budget"}


def test_memories_end_where_enough_is_said_and_those_of_chats_later_for_who_asks() -> None:
    given = [scored(f"m{number}", 0.9 - number / 100, source="summary") for number in range(12)]
    talk, asking = (fitting(enough=2.6, message=message) for message in (TELLS, ASKS))
    assert len(chosen(fit(given, talk))) == 3
    assert len(chosen(fit(given, asking))) == 3
    said = {"source": "summary", "evidence": (Evidence(chat="walk"),)}
    of_chats = [scored(f"m{number}", 0.9 - number / 100, **said) for number in range(12)]
    assert len(chosen(fit(of_chats, talk))) == 3
    assert len(chosen(fit(of_chats, asking))) == 6, "each tells less"
    assert set(codes(fit(given, talk)).values()) == {"enough"}
    assert len(chosen(fit(given, fitting(enough=None)))) == 12


def test_what_is_faint_beside_the_best_comes_only_to_who_asks() -> None:
    learned = {"source": "summary"}
    rows = [scored("best", 0.9, **learned), scored("faint", 0.45, "Bees.", **learned)]
    rows.append(scored("written", 0.4, "Snow."))
    talk, asking = (fitting(message=message) for message in (TELLS, ASKS))
    assert set(chosen(fit(rows, talk))) == {"best", "written"}
    assert codes(fit(rows, talk)) == {"faint": "below_threshold"}
    assert set(chosen(fit(rows, asking))) == {"best", "faint", "written"}
    assert "faint" in chosen(fit(rows[1:], talk)), "nothing better is there"


def test_what_an_author_wrote_may_come_after_enough() -> None:
    rows = [scored(f"m{number}", 0.9, source="summary") for number in range(3)]
    written = [scored("z1", 0.5, "Bees."), scored("z2", 0.5, "Snow.")]
    assert {"z1", "z2"} <= set(chosen(fit([*rows, *written], fitting(enough=1.0))))


@pytest.mark.parametrize(
    ("content", "said", "gate"),
    [
        pytest.param(
            "The beacon failed in the storm.",
            "the beacon FAILED in the storm.",
            "echo",
            id="the sentence just typed is not a memory",
        ),
        pytest.param("灯塔昨夜熄灭了", "灯塔昨夜熄灭了", "echo", id="刚说的话不是回忆"),
        pytest.param(
            "The beacon failed.",
            "Did I tell you? The beacon failed. Then the rain came.",
            "visible",
            id="what a message says is not said again",
        ),
        pytest.param(
            "The beacon failed.",
            "The beacon held.",
            None,
            id="another sentence is another sentence",
        ),
        pytest.param("shy", "She spoke shyly.", None, id="a short text inside a word says nothing"),
    ],
)
def test_what_is_visible_is_not_repeated(content: str, said: str, gate: str | None) -> None:
    fitted = fit([scored("a", 0.9, content)], fitting(said, [said]))
    assert codes(fitted).get("a") == gate


def test_an_old_memory_equal_to_the_message_may_come_when_repetitions_are_allowed() -> None:
    old = scored("a", 0.9, "the beacon failed", created=NOW - timedelta(days=3))
    fresh = scored("b", 0.9, "the beacon failed", created=NOW - timedelta(seconds=2))
    allowed = fitting("The beacon failed", ["The beacon failed"], skip_visible=False)
    assert codes(fit([old], allowed)) == {}
    assert codes(fit([fresh], allowed)) == {"b": "echo"}


def test_of_two_alike_the_better_scored_stays() -> None:
    fitted = fit(
        [
            scored("a", 0.5, "The beacon failed in the storm"),
            scored("b", 0.9, "the beacon failed in the storm."),
        ],
        fitting(),
    )
    assert chosen(fitted) == ["b"]
    assert fitted.refused["a"].get("of") == "b"


repeating = st.lists(st.sampled_from(["beacon", "storm", "is", "灯"]), max_size=9).map(" ".join)
numbered = st.lists(st.sampled_from(["beacon", "7", "is", "灯"]), max_size=9).map(" ".join)


@given(repeating, repeating, st.floats(0.0, 1.0))
def test_how_long_texts_are_decides_nothing_else_than_their_letters_do(
    one: str, other: str, least: float
) -> None:
    words, others = set(tokens(one)), set(tokens(other))
    every = words | others
    alike = len(words & others) / len(every) if every else float(one == other)
    near = fuzz.ratio(one, other) >= least * 50 and alike >= least
    assert likeness(one, other, least) == (round(alike, 3) if near else 0.0)


@given(numbered, st.lists(numbered, max_size=24), st.floats(0.0, 1.0))
def test_what_stands_in_view_is_compared_with_all_that_may_be_alike(
    one: str, texts: list[str], least: float
) -> None:
    alike = any(likeness(one, text, least) for text in texts)
    assert bool(Visible.of("", texts).compared.like(one, least)) is alike


def test_two_dates_are_two_memories() -> None:
    alike = [
        scored("a", 0.9, "The beacon failed in the storm of 1887"),
        scored("b", 0.8, "The beacon failed in the storm of 1897"),
    ]
    assert chosen(fit(alike, fitting())) == ["a", "b"]


def test_what_was_there_gives_way_only_to_something_clearly_better() -> None:
    pair = [scored("new", 0.62), scored("old", 0.60)]
    assert chosen(fit(pair, fitting(max_items=1))) == ["new"]
    assert chosen(fit(pair, fitting(max_items=1, kept=["old"]))) == ["old"]
    assert chosen(
        fit([scored("new", 0.66), scored("old", 0.60)], fitting(max_items=1, kept=["old"]))
    ) == ["new"]


@given(
    st.lists(st.integers(30, 99), min_size=1, max_size=30),
    st.sets(st.integers(0, 29)),
    st.integers(1, 30),
)
def test_only_what_was_there_moves_up(hundredths: list[int], there: set[int], most: int) -> None:
    rows = [scored(f"m{at:02}", each / 100) for at, each in enumerate(hundredths)]
    kept = [f"m{at:02}" for at in there]
    best = sorted(
        rows, key=lambda one: (-one.score - 0.05 * (one.memory.id in kept), one.memory.id)
    )
    fitted = fit(rows, fitting(max_items=most, kept=kept))
    assert set(chosen(fitted)) == {one.memory.id for one in best[:most]}


def test_what_was_there_stays_a_little_below_the_threshold() -> None:
    assert chosen(fit([scored("old", 0.27)], fitting(kept=["old"]))) == ["old"]
    assert chosen(fit([scored("old", 0.24)], fitting(kept=["old"]))) == []


candidates = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 80)), max_size=25).map(
    lambda drawn: [
        scored(f"m{number}", round(relevance, 3), chr(0x4E00 + number) * length)
        for number, (relevance, length) in enumerate(drawn)
    ]
)


@given(candidates, st.integers(0, 600))
def test_the_budget_is_never_exceeded_and_a_higher_score_is_dropped_only_if_it_did_not_fit(
    given_: list[Scored], limit: int
) -> None:
    fitted = fit(given_, fitting(budget={"max_total_length": limit}))
    assert Plain().block([one.memory for one in fitted.chosen]) <= limit
    assert set(chosen(fitted)) | set(fitted.refused) == {one.memory.id for one in given_}
    for one in given_:
        if fitted.refused.get(one.memory.id) and fitted.refused[one.memory.id].code == "budget":
            before = [other.memory for other in fitted.chosen if other.score >= one.score]
            assert Plain().block([*before, one.memory]) > limit


def told_by(
    user: str,
    role: Literal["user", "assistant"] = "user",
    version: str = "v",
    text: str = "The candle burns low.",
) -> Passage:
    return passage(
        chat="c",
        version=version,
        role=role,
        text=text,
        span=(0, len(text)),
        speaker="",
        owner=user,
        created=NOW,
    )


def test_why_a_faint_passage_is_out_is_told_by_what_stood_there_before_it() -> None:
    rules = fitting(near_duplicate=1.0, budget={"max_total_length": 60}, message=TELLS)
    rules = replace(rules, scene=replace(rules.scene, user="lin"))
    rows = [told_by("ann", version=str(number)) for number in range(3)]
    rows[1] = rows[1].model_copy(update={"content": "It burns low."})
    before, loud, after = (
        Scored(one, relevance, score, ())
        for one, relevance, score in zip(rows, (0.4, 0.99, 0.5), (0.9, 0.8, 0.7), strict=True)
    )
    fitted = fit([before, loud, after], rules)
    assert chosen(fitted) == [loud.memory.id]
    assert codes(fitted) == {before.memory.id: "uninvited", after.memory.id: "speaker_share"}


@pytest.mark.parametrize(
    ("shown", "length"),
    [
        pytest.param({("c", "v")}, 600, id="it stands in view"),
        pytest.param(set(), 5, id="there is no room"),
        pytest.param(set(), 600, id="nothing else keeps it out"),
    ],
)
def test_words_that_would_be_recited_are_out_for_that(
    shown: set[tuple[str, str]], length: int
) -> None:
    own = told_by("", "assistant", text="Six words in a row burn low.")
    rules = replace(
        fitting(budget={"max_total_length": length}),
        scene=scene("Well: six words in a row burn low!", TELLS),
        visible=Visible.of("", ["Something else."], frozenset(shown)),
    )
    assert codes(fit([Scored(own, 0.99, 0.99, ())], rules)) == {own.id: "recited"}


@pytest.mark.parametrize(
    ("role", "values", "told"),
    [
        pytest.param(
            "assistant", (("own", 0.0),), False, id="its neighbours alone are to the point"
        ),
        pytest.param(
            "assistant", (("own", 0.0), ("via", "tower")), True, id="another hit led there"
        ),
        pytest.param("assistant", (), True, id="its own words are to the point"),
        pytest.param("user", (("own", 0.0),), True, id="the user said it"),
    ],
)
def test_own_words_come_for_what_they_say_themselves(
    role: Literal["user", "assistant"], values: tuple[tuple[str, str | float], ...], told: bool
) -> None:
    one = told_by("", role)
    why = (Hit(one.id, "semantic", 0.9, Reason("meaning", values)),)
    found = fit([Scored(one, 0.9, 0.9, why)], fitting())
    assert bool(found.chosen) is told
