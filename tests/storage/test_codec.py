"""What people, frontends and older programs write, and what it means here."""

from datetime import UTC, datetime
from sys import getsizeof
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.schema.entry import SelectiveLogic
from rolememory.schema.memory import Memory, MemoryType, Source
from rolememory.schema.problem import Problem
from rolememory.storage.codec import (
    ALIASES,
    EntryError,
    decode,
    difference,
    encode,
    fields_of,
    patched,
    write_field,
)
from rolememory.text.timestamps import iso, moment

FIRST, LAST = (datetime(year, 6, 1, tzinfo=UTC).replace(tzinfo=None) for year in (1, 9999))
MAY = datetime(2024, 5, 1, 18, 0, tzinfo=UTC)


def entry(**fields: Any) -> dict[str, Any]:
    return {"content": "x", **fields}


@pytest.mark.parametrize(
    ("raw", "field", "value"),
    [
        pytest.param({"text": "hi"}, "content", "hi", id="S3.11 text is content"),
        pytest.param(entry(keywords=["a"]), "keys", ("a",), id="S1.13 keywords are keys"),
        pytest.param(entry(isConstant=True), "constant", True, id="S1.13 isConstant"),
        pytest.param(entry(relevanceWeight=1.5), "weight", 1.5, id="S1.13 relevanceWeight"),
        pytest.param(entry(emotionalWeight=0.9), "salience", 0.9, id="S1.13 emotionalWeight"),
        pytest.param(entry(timeDecayFactor=0), "decay", 0.0, id="S1.13 timeDecayFactor"),
        pytest.param(entry(relatedTopics=["sea"]), "topics", ("sea",), id="S1.13 relatedTopics"),
        pytest.param(
            entry(emotionalContext=["joy"]), "emotions", ("joy",), id="S1.13 emotionalContext"
        ),
        pytest.param(entry(timestamp=1714586400), "created", MAY, id="S1.13 timestamp in seconds"),
        pytest.param(entry(timestamp=1714586400000), "created", MAY, id="in milliseconds"),
        pytest.param(entry(timestamp=1714586400000000), "created", MAY, id="in microseconds"),
        pytest.param(entry(timestamp="1714586400000"), "created", MAY, id="as digits"),
        pytest.param(entry(timestamp=1714586400.0), "created", MAY, id="as a float"),
        pytest.param(entry(created="2024-05-01T20:00:00+02:00"), "created", MAY, id="with a zone"),
        pytest.param(entry(created="2024年5月1日 18:00"), "created", MAY, id="in Chinese"),
        pytest.param(
            entry(created="2024年05月01日 周三 18:00"),
            "created",
            MAY,
            id="with the day of the week",
        ),
        pytest.param({"content": 1887}, "content", "1887", id="a number as content"),
        pytest.param(entry(keys=["a", None]), "keys", ("a",), id="nothing among the keys"),
        pytest.param(entry(created="2024/5/1"), "created", MAY.replace(hour=0), id="with slashes"),
        pytest.param(
            entry(created="May 1, 2024"),
            "created",
            MAY.replace(hour=0),
            id="in English, month first",
        ),
        pytest.param(
            entry(created="Wednesday, 1st May 2024 at 6 pm"),
            "created",
            MAY,
            id="day first, half a day",
        ),
        pytest.param(entry(created="2024/5/1 6:00 PM"), "created", MAY, id="slashes, half a day"),
        pytest.param(
            entry(created="Sept. 30th 2024 12:00 AM"),
            "created",
            MAY.replace(month=9, day=30, hour=0),
            id="a short month, midnight",
        ),
        pytest.param(
            entry(created="2024年5月1日 下午6:00"), "created", MAY, id="Chinese half a day"
        ),
        pytest.param(
            entry(created="2024年5月1號18點0分0秒"),
            "created",
            MAY,
            id="traditional, without a blank",
        ),
        pytest.param(
            entry(created="1887"), "created", datetime(1887, 1, 1, tzinfo=UTC), id="a year as text"
        ),
        pytest.param(
            entry(triggerType="keyword"), "triggers", ("keyword",), id="S1.13 triggerType"
        ),
        pytest.param(
            entry(triggerType="temporal"), "triggers", ("dates", "recency"), id="S1.24 temporal"
        ),
        pytest.param(
            entry(triggerType=["keyword", "semantic"]),
            "triggers",
            ("keyword", "semantic"),
            id="several triggers",
        ),
        pytest.param(
            entry(tag="user_input"), "source", Source.USER_INPUT, id="S3.11 tag is the source"
        ),
        pytest.param(entry(tag="harbour"), "tags", ("harbour",), id="another tag is a tag"),
        pytest.param(entry(emotion="user"), "source", Source.USER_INPUT, id="S3.12 emotion user"),
        pytest.param(
            entry(emotion="ai", tag=""),
            "source",
            Source.AI_OUTPUT,
            id="S3.12 emotion ai, tag empty",
        ),
        pytest.param(
            entry(emotion="ai", tag="manual"), "source", Source.MANUAL, id="S3.12 the tag wins"
        ),
        pytest.param(entry(emotionLabel="joy"), "emotions", ("joy",), id="S3.11 emotionLabel"),
        pytest.param(
            entry(emotion="喜悦"), "emotions", ("喜悦",), id="one emotion that is no speaker"
        ),
        pytest.param(
            entry(type="preference"), "tags", ("preference",), id="S4.24 the kind becomes a tag"
        ),
        pytest.param(
            entry(type="project", tags=["x"]),
            "tags",
            ("x", "project"),
            id="S4.24 beside the others",
        ),
        pytest.param(entry(type="fact"), "type", MemoryType.SEMANTIC, id="S4.24 fact"),
        pytest.param(entry(type="Goal"), "type", MemoryType.GOAL, id="a type in capitals"),
        pytest.param(
            entry(type="project", tags="go,ui"),
            "tags",
            ("go", "ui", "project"),
            id="tags in a text",
        ),
        pytest.param(
            entry(type="fact", tags='["go, 1.22", "界面"]'),
            "tags",
            ("go, 1.22", "界面", "fact"),
            id="S4.3 a column of tags as JSON",
        ),
        pytest.param(entry(type="scene", tags=None), "tags", ("scene",), id="no tags but the kind"),
        pytest.param(entry(keys="[lamp]"), "keys", ("[lamp]",), id="a key in brackets is no JSON"),
        pytest.param(entry(type="goals"), "type", MemoryType.GOAL, id="S1.14 the plural"),
        pytest.param(entry(type="scene"), "tags", ("scene",), id="S1.2 scene"),
        pytest.param(
            entry(tags="海, 灯塔、风暴"), "tags", ("海", "灯塔", "风暴"), id="S4.3 tags as text"
        ),
        pytest.param(entry(archived=1), "archived", True, id="S4.3 archived as a number"),
        pytest.param(
            entry(selective_logic=3),
            "selective_logic",
            SelectiveLogic.AND_ALL,
            id="a number of SillyTavern",
        ),
        pytest.param(
            entry(selectiveLogic="NOT_ANY"),
            "selective_logic",
            SelectiveLogic.NOT_ANY,
            id="in capitals",
        ),
        pytest.param(
            entry(keywords=["a"], keys=["b"]), "keys", ("b",), id="where both stand, ours counts"
        ),
        pytest.param(entry(evidence=["she said so"]), "evidence", None, id="evidence as a text"),
        pytest.param(entry(keys="a，b"), "keys", ("a", "b"), id="keys as text"),
        pytest.param(entry(keys="/a{1,2}/"), "keys", ("/a{1,2}/",), id="a pattern as text"),
        pytest.param(entry(keys=["a", 1887]), "keys", ("a", "1887"), id="a year among the keys"),
        pytest.param(entry(priority="80"), "priority", 80, id="a number in quotes"),
        pytest.param(entry(weight="1.5"), "weight", 1.5, id="a fraction in quotes"),
        pytest.param(entry(constant="yes"), "constant", True, id="yes"),
        pytest.param(entry(archived="否"), "archived", False, id="否"),
        pytest.param(entry(locked=1), "locked", True, id="one for yes"),
        pytest.param(entry(user=12345), "user", "12345", id="a user by number"),
        pytest.param(entry(weight=None), "weight", 1.0, id="null is the default"),
        pytest.param(
            entry(roleUuid="u"),
            "model_extra",
            {"roleUuid": "u"},
            id="an unknown field is carried along",
        ),
    ],
)
def test_what_is_read(raw: dict[str, Any], field: str, value: Any) -> None:
    memory = decode(raw, None, "a")
    found = getattr(memory, field)
    assert found == value if value is not None else found[0].quote == "she said so"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        pytest.param({}, "a memory without content", id="no content"),
        pytest.param({"content": "  "}, "a memory without content", id="blank content"),
        pytest.param(
            entry(keys=["a", 1.5]),
            'keys[1]: expected a text, got 1.5; write "1.5"',
            id="a fraction among the keys",
        ),
        pytest.param(
            entry(decay="1e999"), 'decay: expected a number, got "1e999"', id="without bounds"
        ),
        pytest.param(
            entry(priority=101), "priority: 101 is out of bounds (≤ 100)", id="priority 101"
        ),
        pytest.param(
            entry(priority=True), "priority: expected a number, got true", id="true is no number"
        ),
        pytest.param(
            entry(weight="heavy"), 'weight: expected a number, got "heavy"', id="a word as weight"
        ),
        pytest.param(
            entry(created="yesterday"),
            'created: "yesterday" is not a time; write one like',
            id="no time",
        ),
        pytest.param(
            entry(created="9999-12-31T23:00:00-12:00"), "is not a time", id="beyond the calendar"
        ),
        pytest.param(entry(created=1e300), "is not a time", id="beyond any calendar"),
        pytest.param(entry(created="Mayor 1, 2024"), "is not a time", id="no month"),
        pytest.param(entry(created="Ma 1, 2024"), "is not a time", id="too short for a month"),
        pytest.param(
            entry(type="dream"),
            'type: "dream" is none of episodic, semantic, trait, goal',
            id="an unknown type",
        ),
        pytest.param(entry(type=["goal"]), 'type: ["goal"] is none of', id="a list as type"),
        pytest.param(
            entry(source="gossip"),
            'source: "gossip" is none of manual, user_input',
            id="an unknown source",
        ),
        pytest.param(
            entry(selective_logic=9), "selective_logic: 9 is none of and_any", id="an unknown logic"
        ),
        pytest.param(
            entry(evidence=[3]), "evidence[0]: expected an object, got 3", id="a number as evidence"
        ),
        pytest.param(
            entry(archived="maybe"),
            'archived: expected true or false, got "maybe"',
            id="maybe is no yes",
        ),
    ],
)
def test_what_is_refused_and_what_to_write_instead(raw: dict[str, Any], said: str) -> None:
    with pytest.raises(EntryError) as refused:
        decode(raw, None, "a")
    assert said in str(refused.value)
    assert all(problem.text("zh") for problem in refused.value.problems)


def test_only_what_differs_is_written_in_a_fixed_order() -> None:
    memory = Memory(
        id="a", content="x", weight=2, keys=("k",), created=MAY, tags=(), priority=50, odd=1
    )  # type: ignore[call-arg]
    assert list(encode(memory).items()) == [
        ("id", "a"),
        ("content", "x"),
        ("keys", ["k"]),
        ("weight", 2.0),
        ("created", "2024-05-01T18:00:00Z"),
        ("odd", 1),
    ]


def test_a_field_is_written_under_the_authors_name_for_it() -> None:
    raw = {"text": "old", "mood": 1, "relevanceWeight": 2}
    write_field(raw, "content", "new")
    write_field(raw, "weight", 1.0)
    write_field(raw, "priority", 60)
    assert raw == {"text": "new", "mood": 1, "priority": 60}


TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
WORDS = st.lists(TEXT, max_size=3).map(tuple)
MEMORIES = st.builds(
    Memory,
    id=st.sampled_from(["a", "b"]),
    content=TEXT.filter(str.strip),
    keys=WORDS,
    tags=WORDS,
    type=st.sampled_from(MemoryType),
    source=st.sampled_from(Source),
    selective_logic=st.sampled_from(SelectiveLogic),
    weight=st.floats(0, 2),
    salience=st.floats(0, 1),
    priority=st.integers(0, 100),
    created=st.none() | st.datetimes(FIRST, LAST, timezones=st.just(UTC)),
    evidence=st.just(()) | st.just(({"chat": "c", "quote": "q", "note": 3},)),
    archived=st.booleans(),
    mood=st.none() | TEXT | st.integers(),
)


@given(MEMORIES)
def test_what_is_written_is_read_again(memory: Memory) -> None:
    again = decode(encode(memory), memory.type, memory.id)
    assert fields_of(again) == {
        name: value
        for name, value in fields_of(memory).items()
        if value is not None or name == "mood"
    }


@given(MEMORIES, MEMORIES)
def test_a_difference_leads_from_one_to_the_other_and_back(one: Memory, other: Memory) -> None:
    changes = difference(one, other)
    assert not difference(patched(one, {name: pair[1] for name, pair in changes.items()}), other)
    assert not difference(patched(other, {name: pair[0] for name, pair in changes.items()}), one)


@given(st.datetimes(FIRST, LAST, timezones=st.just(UTC)))
def test_a_time_written_is_the_time_read(when: datetime) -> None:
    assert moment(iso(when)) == when


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
NAMES = (
    st.sampled_from(
        ["type", "tag", "emotion", "emotionLabel", "triggerType", *ALIASES, *Memory.model_fields]
    )
    | TEXT
)


@given(st.dictionaries(NAMES, JUNK, max_size=8) | TEXT)
def test_an_entry_is_a_memory_or_a_problem_never_a_crash(raw: Any) -> None:
    problems: tuple[Problem, ...] = ()
    try:
        memory = decode(raw, None, "a")
    except EntryError as error:
        problems = error.problems
    assert all(problem.text() and problem.text("zh") for problem in problems)
    if not problems:
        assert decode(encode(memory), memory.type, "a") == memory


def test_a_memory_that_was_read_takes_little_room_and_is_the_same_as_any() -> None:
    read = [
        decode({"content": f"Text {at}.", "created": "2024-05-01"}, None, f"m{at}")
        for at in range(300)
    ]
    made = Memory(id="m299", content="Text 299.", created=datetime(2024, 5, 1, tzinfo=UTC))
    assert read[-1] == made
    assert read[-1].model_dump() == made.model_dump()
    assert read[-1].model_copy(update={"priority": 80}).priority == 80
    assert read[-1].model_fields_set == {*made.model_fields_set, "type"}
    assert 2 * getsizeof(vars(read[-1])) < getsizeof(vars(made))


def test_what_is_unknown_stays_with_its_own_memory() -> None:
    plain, told = (decode({"content": "x", **more}, None, "a") for more in ({}, {"mood": "calm"}))
    assert (plain.model_extra, told.model_extra) == ({}, {"mood": "calm"})
    assert plain != told


USUAL = {
    **dict.fromkeys(("user", "subject"), TEXT),
    **dict.fromkeys(("keys", "topics", "triggers", "supersedes"), st.lists(TEXT, max_size=3)),
    **dict.fromkeys(("constant", "archived", "locked"), st.booleans()),
    **dict.fromkeys(("salience", "confidence"), st.floats(0, 1) | st.integers(0, 1)),
    **dict.fromkeys(("created", "expires"), st.datetimes(FIRST, LAST).map(str) | st.just("1887")),
    "weight": st.floats(-1, 3),
    "decay": st.floats(min_value=0) | st.integers(0),
    "priority": st.integers(-1, 101) | st.just(50.0),
    "source": st.sampled_from([*map(str, Source), "nobody"]),
    "selective_logic": st.sampled_from([*map(str, SelectiveLogic), "AND_ALL", 3]),
    "id": TEXT,
}


def as_read(raw: dict[str, Any]) -> Any:
    try:
        memory = decode(raw, MemoryType.GOAL, "a")
    except EntryError as error:
        return error.problems
    told = {**vars(memory), "set": memory.model_fields_set - {"mood"}}
    return {name: (type(value), value) for name, value in told.items()}


@given(st.fixed_dictionaries({"content": TEXT | JUNK}, optional=USUAL))
def test_our_own_spelling_is_read_as_any_other_is(raw: dict[str, Any]) -> None:
    assert as_read(raw) == as_read({**raw, "mood": "calm"})
