"""From what a model answers to drafts: what holds, whom it is about, what it becomes."""

from typing import Any

import pytest

from rolememory.learn.model.decide import DecideExtractor
from rolememory.learn.model.extract import Facts, drafts, fault
from rolememory.learn.model.grounding import source_of, stands
from rolememory.learn.model.people import subject_of
from rolememory.llm.fields import sure
from rolememory.schema.learning import ChatMessage, Company, Draft
from rolememory.schema.memory import MemoryType, Source
from rolememory.schema.settings import LearnSettings
from tests.builders import memory
from tests.learn.model.behaviours import CHAT, HOME, PROMISE, fact
from tests.learn.model.house import START, batch, path

LINES = CHAT[1:3]


def drafted(
    *rows: dict[str, Any], lines: tuple[str, ...] = LINES, **learn: Any
) -> tuple[Draft, ...]:
    found = Facts.model_validate({"facts": list(rows)})
    known = (
        memory("m1", "Lin lives in Rome.", subject="user"),
        memory("m2", "Lin's cat is called Mimi.", subject="user"),
        memory("m3", "Mira is patient."),
        memory("m4", "The user has a boat."),
    )
    made = drafts(found.facts, batch(*lines, known=known), LearnSettings(**learn), model="small")
    return tuple(draft for draft in made if draft.fault is None)


def test_s4_24_a_fact_becomes_a_draft_with_its_evidence() -> None:
    home, promise = drafted(HOME, PROMISE)
    assert (home.type, home.source, home.subject, home.user, home.tags) == (
        MemoryType.SEMANTIC,
        Source.SUMMARY,
        "user",
        "lin",
        ("fact", "home"),
    )
    assert [(one.chat, one.version, one.quote) for one in home.evidence] == [
        ("harbour", "v1", "I moved from Rome to Paris")
    ]
    assert (promise.subject, promise.evidence[0].version, promise.created) == (
        None,
        "v2",
        path(*LINES)[1].at,
    )
    assert (promise.because.code, promise.because.get("model")) == ("extracted", "small")


@pytest.mark.parametrize(
    ("word", "about", "kind", "tag"),
    [
        ("fact", "user", "semantic", "fact"),
        ("preference", "user", "semantic", "preference"),
        ("project", "user", "semantic", "project"),
        ("event", "user", "episodic", "event"),
        ("event", "character", "episodic", "event"),
        ("trait", "user", "semantic", "trait"),
        ("trait", "character", "trait", "trait"),
        ("goal", "Mira", "goal", "goal"),
        ("goal", "Anna", "semantic", "goal"),
        ("Promise", "character", "semantic", "promise"),
        ("关系", "user", "semantic", "relationship"),
        ("偏好", "用户", "semantic", "preference"),
        ("性格", "角色", "trait", "trait"),
        ("目標", "米拉", "goal", "goal"),
        ("nonsense", "user", "semantic", "fact"),
        ("", "user", "semantic", "fact"),
    ],
)
def test_kinds(word: str, about: str, kind: str, tag: str) -> None:
    (found,) = drafted(fact(type=word, about=about))
    assert (found.type, found.tags[0]) == (kind, tag)


@pytest.mark.parametrize(
    ("about", "speaker", "company", "subject"),
    [
        ("user", "user", Company("Mira", user="Lin"), "user"),
        ("The user", "assistant", Company("Mira"), "user"),
        ("lin", "assistant", Company("Mira", user="Lin"), "user"),
        ("用户", "user", Company("米拉"), "user"),
        ("{{user}}", "user", Company("Mira"), "user"),
        ("Mira", "user", Company("Mira"), None),
        ("Captain", "user", Company("Mira", ("captain",)), None),
        ("角色", "user", Company("米拉"), None),
        ("I", "user", Company("Mira"), "user"),
        ("", "user", Company("Mira"), "user"),
        ("", "assistant", Company("Mira"), None),
        ("我", "assistant", Company("米拉"), None),
        ("Anna", "user", Company("Mira"), "Anna"),
        ("Anna\n</chat>", "user", Company("Mira"), "Anna </chat>"),
    ],
)
def test_whom_it_is_about(about: str, speaker: Any, company: Company, subject: str | None) -> None:
    assert subject_of(about, ChatMessage("v", speaker, "x", START), company) == subject


def test_in_a_group_a_member_who_speaks_of_himself_is_named() -> None:
    said = ChatMessage("v", "assistant", "I fear storms.", START, name="Kai")
    assert subject_of("", said, Company("Mira", others=("Kai",))) == "Kai"


@pytest.mark.parametrize(
    ("learn", "count"),
    [
        ({}, 2),
        ({"max_facts": 1}, 1),
        ({"min_confidence": 0.95}, 0),
        ({"min_confidence": 0.0}, 2),
        ({"max_facts": 0}, 0),
    ],
)
def test_s4_10_limits(learn: dict[str, Any], count: int) -> None:
    assert len(drafted(HOME, PROMISE, **learn)) == count


def test_of_too_many_facts_the_surest_stay_in_the_order_of_the_answer() -> None:
    rows = [
        fact(content=text, confidence=sureness)
        for text, sureness in (
            ("A sails.", 0.8),
            ("B rows.", 0.99),
            ("C swims.", 0.7),
            ("D dives.", 0.9),
        )
    ]
    assert [draft.content for draft in drafted(*rows, max_facts=3)] == [
        "A sails.",
        "B rows.",
        "D dives.",
    ]


def test_s4_10_tags_are_given_or_not() -> None:
    rows = fact(tags=["a", "b, c", "a", "", 7, "d", "e", "f"], type="preference")
    assert drafted(rows)[0].tags == ("preference", "a", "b, c", "d", "e", "f")
    assert drafted(fact(tags="sea、boats"))[0].tags == ("fact", "sea", "boats")
    assert drafted(rows, auto_tag=False)[0].tags == ("preference",)


@pytest.mark.parametrize(
    ("value", "replaced"),
    [
        pytest.param(1, "m1", id="by its number"),
        pytest.param("[2]", "m2", id="by its number in brackets"),
        pytest.param("lin lives in rome", "m1", id="S4.24: by its words"),
        pytest.param(0, "", id="none"),
        pytest.param(None, "", id="null"),
        pytest.param(3, "", id="what the role is like stays"),
        pytest.param(4, "m4", id="S4.24: what speaks of the user, without a subject"),
        pytest.param(5, "", id="a number that was not shown"),
        pytest.param("Lin lives on the moon", "", id="words that were not shown"),
        pytest.param("a", "", id="too little to tell"),
    ],
)
def test_what_a_fact_replaces(value: Any, replaced: str) -> None:
    assert drafted(fact(replaces=value))[0].replaces == replaced


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("I moved", "Well, I moved!", "I moved"),
        ("i  MOVED", "Well, I\nmoved!", "I\nmoved"),
        ("“I moved”", "Well, I moved!", "I moved"),
        ("don't go", "Don’t go!", "Don’t go"),
        ("Cafe society", "The Café Society.", "Café Society"),
        ("Well ... home", "Well, let us go home.", "Well, let us go home"),
        ("home ... Well", "Well, let us go home.", ""),
        ("我养了一只猫", "昨天，我养了 一只猫。", "我养了 一只猫"),
        ("我养了一只狗", "昨天，我养了一只猫。", ""),
        ("ｉ ｍｏｖｅｄ", "I moved", "I moved"),
        ("go", "Let us go.", ""),
        ("go", "Go!", "Go"),
        ("猫", "猫", "猫"),
        ("", "Go!", ""),
        ("...", "...", ""),
        ("I do not like tea", "I do like tea", ""),
    ],
)
def test_quotes(quote: str, text: str, found: str) -> None:
    assert stands(quote, text) == found


def test_a_quote_that_stands_in_two_other_lines_belongs_to_neither() -> None:
    turns = batch("Lin: I like the sea", "Mira: I like the sea", "Lin: Hello there").turns
    assert source_of("I like the sea", 3, turns) is None
    found = source_of("I like the sea", 2, turns)
    assert found
    assert found[0].version == "v2"


@pytest.mark.parametrize(
    ("lines", "rows", "told"),
    [
        pytest.param(LINES, [HOME, PROMISE], "", id="all right"),
        pytest.param(LINES, [], "", id="nothing is no fault"),
        pytest.param(LINES, [fact(quote="no"), fact(quote="")], "", id="quotes are worth no second question"),
        pytest.param(LINES, [fact(content="林住在巴黎。")], "not in Chinese", id="the wrong language"),
        pytest.param(("Lin: 我从罗马搬到了巴黎。",), [fact(quote="我从罗马搬到了巴黎", content="Lin lives in Paris.")], "中文", id="the wrong language, Chinese chat"),
    ],
)  # fmt: skip
def test_what_is_asked_again(lines: tuple[str, ...], rows: list[dict[str, Any]], told: str) -> None:
    said = fault(Facts.model_validate({"facts": rows}), batch(*lines))
    assert told in said
    assert bool(said) is bool(told)


@pytest.mark.parametrize(
    "value", [*range(-3, 200, 7), 0.35, 1e308, "1,0", "%", "100 %", "-0.5", [], {}, "高", object()]
)
def test_confidences_lie_between_nothing_and_all(value: object) -> None:
    assert 0.0 <= sure(value) <= 1.0


def test_what_was_read_before_is_shown_without_a_number() -> None:
    from dataclasses import replace

    whole = batch(*LINES, before=path("Mira: Welcome."))
    half = replace(whole, fresh=frozenset({"v2"}))
    assert [(line.turn, line.name) for line in half.lines] == [(0, "Mira"), (0, "Lin"), (1, "Mira")]
    found = Facts.model_validate({"facts": [HOME, {**PROMISE, "turn": 1}]})
    made = drafts(found.facts, half, LearnSettings())
    assert [(draft.subject, draft.evidence[0].version) for draft in made] == [
        ("user", "v1"),
        (None, "v2"),
    ]


def test_extractors_know_their_names() -> None:
    assert DecideExtractor.name == "decide"
