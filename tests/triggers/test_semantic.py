"""Nearness in meaning and in words: who is woken, how strongly, and why."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolememory.schema.evidence import Hit
from rolememory.schema.memory import Evidence, Memory
from rolememory.schema.scene import Scene
from rolememory.schema.settings import RecallSettings, TriggerSettings
from rolememory.text.terms import TermIndex
from rolememory.text.vectors import VectorTable, pieces
from rolememory.triggers.base import Parts
from rolememory.triggers.semantic import SemanticTrigger, reads
from tests.builders import memory, on_day, scene
from tests.hashing import HashingEmbedder

EMBEDDER = HashingEmbedder(256)
HARBOUR = [
    memory("storm", "The beacon failed in the storm of 1887."),
    memory("cat", "A grey cat sleeps in the coal bucket."),
    memory("tea", "Tea is served at five.", subject="Lin"),
    memory("deng", "灯塔在风暴之夜熄灭了。"),
    memory("cha", "林舟喝茶不放糖。", subject="林舟"),
]


def built(
    entries: list[Memory], vectors: bool = False, candidates: int = 200, **semantic: Any
) -> SemanticTrigger:
    terms, table = TermIndex(), VectorTable(EMBEDDER.dim) if vectors else None
    for entry in entries:
        terms.add(entry.id, reads(entry))
        if table is not None:
            table.set(entry.id, EMBEDDER.embed(pieces(reads(entry))))
    how = TriggerSettings.model_validate({"semantic": semantic})
    return SemanticTrigger(
        entries, Parts(settings=how, terms=terms, vectors=table, candidates=candidates)
    )


def asked(text: str, vectors: bool = False, **fields: Any) -> Scene:
    return scene(text, vector=EMBEDDER.embed_query(text) if vectors else None, **fields)


def fired(entries: list[Memory], turn: Scene, **how: Any) -> list[Hit]:
    among = how.pop("among", None) or frozenset(entry.id for entry in entries)
    return sorted(
        built(entries, **how).fire(turn, among), key=lambda hit: (-hit.strength, hit.entry_id)
    )


@pytest.mark.parametrize("vectors", [False, True])
@pytest.mark.parametrize(
    ("query", "best"),
    [
        pytest.param("Why did the beacon fail?", "storm", id="words of the question"),
        pytest.param("where is the cat?", "cat", id="one word"),
        pytest.param("灯塔为什么灭了？", "deng", id="Chinese"),
        pytest.param("给我泡杯茶", "cha", id="one Chinese character"),
    ],
)
def test_what_is_asked_about_comes_first(query: str, best: str, vectors: bool) -> None:
    assert fired(HARBOUR, asked(query, vectors), vectors=vectors)[0].entry_id == best


def test_nothing_shared_wakes_nothing() -> None:
    assert fired(HARBOUR, asked("quantum entanglement")) == []
    assert fired(HARBOUR, scene()) == []
    assert fired([], asked("storm")) == []


def test_only_the_eligible_are_woken_and_only_they_lend() -> None:
    entries = [
        memory("q", "Who lit the beacon?", evidence=(Evidence(chat="a"),)),
        memory("a", "Nora did.", evidence=(Evidence(chat="a"),)),
    ]
    hits = fired(entries, asked("the beacon"), among=frozenset({"a"}))
    assert hits == []


def test_the_reason_says_what_was_shared() -> None:
    because = fired(HARBOUR, asked("storms and beacons", vectors=True), vectors=True)[0].because
    assert because.code == "meaning"
    assert set(str(because.get("terms")).split()) == {"storms", "beacons"}
    assert 0.0 < float(because.get("cosine")) <= 1.0
    assert 0.5 < float(because.get("words")) < 1.5


@pytest.mark.parametrize(
    ("words", "vectors"), [(True, False), (False, True), (True, True), (False, False)]
)
def test_each_leg_can_be_switched_off(words: bool, vectors: bool) -> None:
    table = built(HARBOUR, vectors=True, words=words)
    turn = asked("The beacon failed in the storm of 1887.", vectors=vectors)
    hits = list(table.fire(turn, frozenset(entry.id for entry in HARBOUR)))
    assert bool(hits) is (words or vectors)


def test_a_memory_without_a_vector_is_judged_by_its_words_alone() -> None:
    entries = [memory("en", "The beacon failed."), memory("zh", "灯塔灭了。")]
    terms, table = TermIndex(), VectorTable(EMBEDDER.dim)
    for entry in entries:
        terms.add(entry.id, reads(entry))
    table.set("en", EMBEDDER.embed(["The beacon failed."]))
    trigger = SemanticTrigger(entries, Parts(terms=terms, vectors=table))
    hits = {
        hit.entry_id: hit
        for hit in trigger.fire(asked("灯塔", vectors=True), frozenset({"en", "zh"}))
    }
    assert hits["zh"].strength > 0.3
    assert hits["zh"].because.get("cosine") == 0.0


def test_at_most_so_many_candidates_the_strongest() -> None:
    entries = [
        memory(f"m{at}", "beacon " * (at % 7 + 1) + "and other words " * at) for at in range(50)
    ]
    every, few = fired(entries, asked("beacon")), fired(entries, asked("beacon"), candidates=5)
    assert len(few) == 5
    assert [hit.strength for hit in few] == [hit.strength for hit in every[:5]]


def test_new_vectors_and_changed_texts_are_seen_without_a_new_trigger() -> None:
    trigger = built(HARBOUR, vectors=True)
    among = frozenset(entry.id for entry in HARBOUR)
    turn = asked("grey cat in the coal bucket", vectors=True)
    before = {hit.entry_id: hit.strength for hit in trigger.fire(turn, among)}
    assert trigger._vectors is not None
    trigger._vectors.remove("cat")  # type: ignore[attr-defined]
    after = {hit.entry_id: hit.strength for hit in trigger.fire(turn, among)}
    assert 0.0 < after["cat"] < before["cat"]


SAID_BEFORE = (
    "I met Nora at the harbour.",
    "She asked about the beacon in the storm.",
    "And what did she say?",
)


def test_a_short_follow_up_is_read_with_what_was_said_before() -> None:
    assert fired(HARBOUR, scene(*SAID_BEFORE))[0].entry_id == "storm"
    assert fired(HARBOUR, scene(*SAID_BEFORE), context=0.0) == []


def test_a_full_question_is_not_clouded_by_what_was_said_before() -> None:
    alone = fired(HARBOUR, scene("Where does the grey cat sleep in winter?"))
    after = fired(HARBOUR, scene(*SAID_BEFORE[:2], "Where does the grey cat sleep in winter?"))
    assert alone == after


def line(name: str, text: str, minute: float = 0, chat: str = "evening", **fields: Any) -> Memory:
    return memory(
        name,
        text,
        created=on_day(0) + timedelta(minutes=minute),
        evidence=(Evidence(chat=chat),),
        **fields,
    )


TALK = [
    line("q", "Who lit the beacon in the storm?", 1),
    line("a", "Nora did, with her bare hands.", 2),
    line("far", "Pass the salt, please.", 40),
    line("next-day", "Good morning.", 60 * 30),
    line("elsewhere", "We could go home now.", 1, chat="other"),
]


def test_an_answer_gains_from_the_question_before_it() -> None:
    hits = {hit.entry_id: hit.strength for hit in fired(TALK, asked("the beacon in the storm"))}
    assert hits["a"] > hits["q"] > 0.0, "who only asks the same tells nothing"
    assert hits["a"] > hits["far"] > 0.0
    assert "next-day" not in hits, "another sitting"
    assert "elsewhere" not in hits, "another chat"
    assert [
        hit.entry_id for hit in fired(TALK, asked("the beacon in the storm"), neighbours=0.0)
    ] == ["q"]


def test_what_follows_a_question_gains_more_than_what_follows_a_statement() -> None:
    turn = asked("the beacon in the storm")
    stated = [line("q", "Who lit the beacon in the storm.", 1), *TALK[1:]]
    after = [
        {hit.entry_id: hit.strength for hit in fired(talk, turn)}["a"] for talk in (TALK, stated)
    ]
    assert after[0] > after[1] > 0.0


@pytest.mark.parametrize(
    ("told", "only_asks"),
    [
        pytest.param("The beacon failed.", "Has the beacon failed?", id="English"),
        pytest.param("灯塔熄灭了。", "灯塔熄灭了？", id="Chinese"),
    ],
)
def test_a_line_that_tells_stands_before_one_that_only_asks(told: str, only_asks: str) -> None:
    lines = [memory("asks", only_asks), memory("tells", told)]
    assert [hit.entry_id for hit in fired(lines, asked(told))] == ["tells", "asks"]


@pytest.mark.parametrize(
    "asks", ["Has the beacon failed in the storm?", "灯塔的 beacon 在 storm 里 failed？"]
)
def test_a_line_that_now_asks_counts_as_one_that_always_did(asks: str) -> None:
    trigger, turn, now = built(HARBOUR), asked("the beacon in the storm"), memory("storm", asks)
    among = frozenset(entry.id for entry in HARBOUR)
    assert list(trigger.fire(turn, among))
    assert trigger._terms is not None
    trigger._terms.add("storm", reads(now))
    trigger.table.change([now])
    after = {hit.entry_id: hit.strength for hit in trigger.fire(turn, among)}
    always = {hit.entry_id: hit.strength for hit in fired([now, *HARBOUR[1:]], turn)}
    assert after == always


@pytest.mark.parametrize(
    ("tells_and_asks", "only_asks", "query"),
    [
        pytest.param(
            "The beacon failed on May 3, what shall we do about it?",
            "What shall we do if the beacon failed on May 3?",
            "the beacon that failed on May 3",
            id="English",
        ),
        pytest.param(
            "灯塔五月三日熄灭了，我们该怎么办才好？",
            "要是灯塔五月三日熄灭了我们该怎么办才好？",
            "五月三日熄灭的灯塔",
            id="Chinese",
        ),
        pytest.param(
            "The beacon failed on May 3, Nora.",
            "The beacon failed on May 3, right?",
            "the beacon that failed on May 3",
            id="a tag asks for what is said before it",
        ),
    ],
)
def test_a_clause_that_tells_counts_though_its_sentence_ends_in_asking(
    tells_and_asks: str, only_asks: str, query: str
) -> None:
    lines = [memory("asks", only_asks), memory("tells", tells_and_asks)]
    found = {hit.entry_id: hit.strength for hit in fired(lines, asked(query))}
    assert found["tells"] > 1.2 * found["asks"]


@pytest.mark.parametrize(
    ("query", "dated", "plain"),
    [
        pytest.param(
            "When did the beacon fail?",
            "The beacon failed in the spring of 1887.",
            "The beacon failed in the worst of storms.",
            id="English",
        ),
        pytest.param(
            "灯塔是哪年熄灭的？", "灯塔在1887年熄灭了。", "灯塔在风暴中熄灭了。", id="Chinese"
        ),
    ],
)
def test_who_asks_when_hears_of_a_time(query: str, dated: str, plain: str) -> None:
    def strengths(question: str) -> dict[str, float]:
        lines = [memory("plain", plain), memory("dated", dated)]
        return {hit.entry_id: hit.strength for hit in fired(lines, asked(question))}

    when, otherwise = strengths(query), strengths(query.replace("When", "Why").replace("哪年", ""))
    assert when["dated"] / when["plain"] > 1.05 * otherwise["dated"] / otherwise["plain"]


def told_by(who: str, name: str, text: str) -> Memory:
    return memory(name, text, subject=who)


ENGLISH = [
    told_by("Lin", "bring", "You have my word on the green sea glass."),
    told_by("Mira", "teach", "On my word, the lamp before the first frost."),
    told_by("Lin", "glass", "Green suits the old window."),
]
CHINESE = [
    told_by("Lin", "wine", "一言为定，一坛梅子酒。"),
    told_by("Mira", "tune", "说好了，老梅开的那天弹琴。"),
    told_by("Lin", "trade", "我入职第一天，改了三篇稿子。"),
    told_by("Lin", "called", "以后就叫你井先生。"),
]


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        pytest.param("What did I promise you?", "bring", id="the user's promise"),
        pytest.param("What did you promise me?", "teach", id="the character's promise"),
        pytest.param("我答应过你什么？", "wine", id="用户的承诺"),
        pytest.param("你答应过我什么？", "tune", id="角色的承诺"),
        pytest.param("我是做什么工作的？", "trade", id="问工作，答的是入职"),
        pytest.param("我给你起的外号是什么？", "called", id="给你起的：是我起的"),
    ],
)
def test_a_line_that_does_what_a_question_names_needs_none_of_its_words(
    query: str, answer: str
) -> None:
    lines = ENGLISH if query.isascii() else CHINESE
    found = fired(lines, asked(query, user="Lin", names={"char": "Mira"}))
    assert found[0].entry_id == answer
    assert found[0].strength >= RecallSettings().relevance_threshold
    assert str(found[0].because.get("topics")) in query


def test_who_promises_asks_for_no_promise() -> None:
    assert fired(ENGLISH, asked("I promise.", user="Lin", names={"char": "Mira"})) == []


def test_in_talk_that_goes_on_less_likeness_is_enough() -> None:
    told = "The cat sleeps by the fire"
    turns = [
        scene(*before, told, vector=EMBEDDER.embed_query(told)) for before in ((), ("Hm.", "Well."))
    ]
    first, going_on = (
        {hit.entry_id: hit.strength for hit in fired(HARBOUR, turn, vectors=True, words=False)}
        for turn in turns
    )
    assert going_on["cat"] > first["cat"] > 0.0


def test_order_of_entries_does_not_matter() -> None:
    turn = asked("the beacon in the storm")
    assert fired(TALK, turn) == fired(TALK[::-1], turn)


@pytest.mark.parametrize(
    ("query", "named"),
    [
        pytest.param("What does Lin like to drink?", "lin", id="a Latin name as a word"),
        pytest.param("what does lin like to drink", "lin", id="whatever its case"),
        pytest.param("林小雨喜欢喝什么", "yu", id="a Chinese name inside a sentence"),
        pytest.param(
            "What do linnets like to drink?", None, id="a name is not found inside another word"
        ),
        pytest.param("What do I like to drink?", "me", id="the user speaking of himself"),
        pytest.param("我喜欢喝什么", "me", id="in Chinese too"),
    ],
)
def test_memories_about_whoever_is_named_gain(query: str, named: str | None) -> None:
    text = "likes to drink tea, 喜欢喝茶"
    entries = [
        memory("lin", text, subject="Lin"),
        memory("yu", text, subject="林小雨"),
        memory("me", text, subject="kai"),
        memory("role", text),
    ]
    plain = [memory(entry.id, text) for entry in entries]
    with_people = {hit.entry_id: hit.strength for hit in fired(entries, asked(query, user="kai"))}
    best = max(with_people, key=lambda name: with_people[name])
    without = {hit.strength for hit in fired(plain, asked(query, user="kai"))}
    assert len(without) == 1
    assert named is None or best == named


@pytest.mark.parametrize(
    ("text", "embedded"),
    [
        pytest.param("What does Lin drink at sea?", "What does drink at sea?", id="a Latin name"),
        pytest.param("What's Lin's tea like?", "What's tea like?", id="and what is theirs"),
        pytest.param("林小雨喜欢喝什么？", "喜欢喝什么？", id="a Chinese name inside a sentence"),
        pytest.param("Lin drinks at sea.", "Lin drinks at sea.", id="who tells keeps the names"),
        pytest.param("What does Kai drink?", "What does Kai drink?", id="nobody may hear of him"),
        pytest.param("Who is Lin?", "Who is Lin?", id="a name is all that it says"),
        pytest.param("Do linnets drink tea?", "Do linnets drink tea?", id="part of another word"),
    ],
)
def test_the_vector_of_a_message_is_that_of_what_it_says_beside_names(
    text: str, embedded: str
) -> None:
    entries = [
        memory(subject, "likes to drink tea, 喜欢喝茶", subject=subject)
        for subject in ("Lin", "林小雨", "Kai")
    ]
    heard = np.array([True, True, False])
    assert built(entries).embedded(text, heard) == embedded
    assert built(entries, measure="similarity").embedded(text, heard) == text


@pytest.mark.parametrize(
    ("said", "user"),
    [
        pytest.param("A walk by the harbour again.", "Lin", id="the user who talks"),
        pytest.param("Did I ever find a boot?", "Lin", id="who asks about themselves"),
        pytest.param("我今天在码头走了走。", "林小雨", id="a Chinese name"),
    ],
)
def test_memories_that_name_who_speaks_of_themselves_gain(said: str, user: str) -> None:
    own, other = ("林小雨", "陈大山") if user == "林小雨" else ("Lin", "Tom")
    entries = [
        memory(who, f"{who} found a boot, {who}在码头捡到一只靴子 by the harbour.")
        for who in (other, own)
    ]
    best, second = fired(entries, scene(said, user=user))
    assert best.entry_id == own
    assert best.strength > 1.1 * second.strength


def strengths(entries: list[Memory], turn: Scene) -> set[float]:
    return {hit.strength for hit in fired(entries, turn)}


def test_who_speaks_changes_nothing_for_a_question_nor_where_all_memories_name_them() -> None:
    entries = [memory(who, f"{who} found a boot by the harbour.") for who in ("Tom", "Lin")]
    question, talk = "What was found by the harbour?", "A walk by the harbour."
    assert len(strengths(entries, scene(question, user="Lin"))) == 1
    all_name = [memory("a", "Lin found a boot by the harbour with Tom."), memory("b", "Lin rests.")]
    assert strengths(all_name, scene(talk, user="Lin")) == strengths(all_name, scene(talk))


def test_the_name_before_a_message_wakes_nothing_by_itself() -> None:
    entries = [*HARBOUR, memory("lin", "Lin lost a boot."), memory("yu", "林小雨怕狗。")]
    for said, user in (("Lin: Good evening.", "Lin"), ("林小雨：晚上好。", "林小雨")):
        assert max(strengths(entries, scene(said, user=user)), default=0.0) < 0.3
    (soup,) = fired([memory("soup", "Soup is red.")], scene("Soup: what is that?", user="Lin"))
    assert soup.strength > 0.3


def test_a_name_alone_wakes_nobody_without_other_evidence() -> None:
    entries = [memory("lin", "Prefers tea.", subject="Lin"), memory("cat", "A grey cat.")]
    hits = {hit.entry_id: hit.strength for hit in fired(entries, asked("Where is the cat, Nora?"))}
    assert set(hits) == {"cat"}


@pytest.mark.parametrize(
    ("entry", "read"),
    [
        pytest.param(
            memory("a", "Loves tea.", subject="Lin"), "Lin: Loves tea.", id="whom it is about"
        ),
        pytest.param(
            memory("a", "Lin loves tea.", subject="Lin"), "Lin loves tea.", id="not twice"
        ),
        pytest.param(
            memory("a", "Loves tea.", topics=("drinks", "habits")),
            "Loves tea. (drinks, habits)",
            id="its topics",
        ),
    ],
)
def test_what_the_indexes_hold(entry: Memory, read: str) -> None:
    assert reads(entry) == read


WORDS = st.lists(
    st.sampled_from("beacon storm cat tea 灯塔 风暴 harbour Nora the and".split()), max_size=8
).map(" ".join)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(WORDS, st.sampled_from(["", "a", "b"])), max_size=12), WORDS, st.booleans()
)
def test_strengths_are_finite_shares_and_nobody_comes_twice(
    texts: list[tuple[str, str]], query: str, vectors: bool
) -> None:
    entries = [
        line(f"m{at}", text, at, chat=chat) if chat else memory(f"m{at}", text)
        for at, (text, chat) in enumerate(texts)
    ]
    turn = asked(query, vectors)
    hits = fired(entries, turn, vectors=vectors)
    assert all(0.0 < hit.strength <= 1.0 and np.isfinite(hit.strength) for hit in hits)
    assert len({hit.entry_id for hit in hits}) == len(hits)
    assert hits == fired(entries[::-1], turn, vectors=vectors)


@pytest.mark.parametrize(
    ("quiet", "telling", "query"),
    [
        (
            "Good morning, good morning to you!",
            "Every good morning I give the hens their corn.",
            "What happens on a good morning?",
        ),
        ("晚安，好梦！", "昨晚的好梦里，我在河面上飞，飞过了磨坊和老桥。", "有什么好梦？"),
    ],
    ids=["en", "zh"],
)
def test_what_says_nothing_comes_after_what_does_and_is_not_left_out(
    quiet: str, telling: str, query: str
) -> None:
    lines = [memory("quiet", quiet), memory("telling", telling)]
    found = {hit.entry_id: hit.strength for hit in fired(lines, asked(query))}
    alone = fired([memory("quiet", quiet)], asked(query))
    assert found["telling"] > found["quiet"] >= RecallSettings().relevance_threshold
    assert alone[0].strength >= RecallSettings().relevance_threshold
