"""What the same person said later about what is asked comes along with what was said before; nothing is hidden for it."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from rolememory import Home, Message, RoleMemory
from rolememory.recall.turn import Turn
from rolememory.schema.wording import word
from rolememory.triggers import updates
from tests.bench.updates import KINDS, figures, live, pairs

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
OFF = {"embedding.backend": "off", "learn.enabled": False}
LIVED = {
    "en": ("I live in Rome.", "I moved to Paris last week.", "Where do I live?"),
    "zh": ("我住在罗马。", "上周我搬到巴黎了。", "我住在哪儿？"),
}
OWNED = {
    "en": ("I drive a green Fiat.", "I sold the Fiat for good.", "What do I drive?"),
    "zh": ("我开一辆绿色的面包车。", "面包车卖给邻居了。", "我开什么车？"),
}
MARK = {"en": 'Later, Lin said: "', "zh": "后来，Lin说过：“"}
ONCE = {"en": "Where did I live?", "zh": "我以前住在哪儿？"}
LANGUAGES = ["en", "zh"]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with Home.open(tmp_path, OFF) as opened:
        yield opened


def told(home: Home, lines: Sequence[str], speakers: Sequence[str] = ("Lin",)) -> RoleMemory:
    """A role that heard each line in a chat of its own, a day after the one before."""
    role = home.create("Mira")
    for number, line in enumerate(lines):
        who = speakers[number % len(speakers)]
        said, now = Message.user(line, user=who, name=who), BEGAN + timedelta(days=number)
        role.observe([said], "*nods*", chat=f"c{number}", user=who, now=now, present=["Lin", "Ann"])
    return role


def asked(role: RoleMemory, question: str, **more: object) -> Turn:
    return role.recall(question, chat="new", user="Lin", now=BEGAN + timedelta(days=90), **more)  # type: ignore[arg-type]


def said(turn: Turn) -> list[str]:
    return [one.memory.content for one in turn.recalled]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lines", [LIVED, OWNED], ids=["a word of change", "words in common"])
def test_the_later_one_comes_along_and_is_marked(home, language, lines):
    before, after, question = lines[language]
    turn = asked(told(home, [before, after]), question)
    assert set(said(turn)) == {before, after}
    assert f"{MARK[language]}{after}" in turn.text
    assert MARK[language] + before not in turn.text
    assert turn.text.index(before) < turn.text.index(after)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_reason_names_what_it_is_later_than(home, language):
    before, after, question = LIVED[language]
    alone = {"triggers.semantic.bridge": 0.0}
    turn = asked(told(home, [before, after]), question, settings=alone)
    first, second = (
        next(one for one in turn.recalled if one.memory.content == text) for text in (before, after)
    )
    (hit,) = second.scored.hits
    assert hit.because.get("older_id") == first.memory.id
    assert before in word(hit.because, language)
    assert second.scored.relevance < first.scored.relevance


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "turned",
    [
        pytest.param("off", id="it is switched off"),
        pytest.param("once", id="the question is about how it was"),
        pytest.param("order", id="it was said before"),
        pytest.param("other", id="somebody else said it"),
        pytest.param("again", id="it says the same again"),
    ],
)
def test_it_stays_away_where(home, language, turned):
    before, after, question = LIVED[language]
    lines = [after, before] if turned == "order" else [before, after]
    if turned == "again":
        lines[1] = after = {"en": "Yes, I live in Rome!", "zh": "是的，我住在罗马！"}[language]
    speakers = ("Lin", "Ann") if turned == "other" else ("Lin",)
    settings = {"triggers.semantic.later": 0.0} if turned == "off" else {}
    settings["triggers.semantic.bridge"] = 0.0
    role = told(home, lines, speakers)
    turn = asked(role, ONCE[language] if turned == "once" else question, settings=settings)
    assert before in turn.text
    assert MARK[language] not in turn.text
    assert turned == "again" or after not in turn.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_at_most_two_come_along_in_a_fifth_of_the_block(home, language):
    before, _, question = LIVED[language]
    moved = {"en": "I moved to {} on a day in {}.", "zh": "我搬到{}了，那是{}。"}[language]
    towns = ["Oslo", "Bergen", "Tromso", "Turku", "Tampere"]
    months = ["January", "March", "May", "July", "October"]
    moves = [moved.format(*one) for one in zip(towns, months, strict=True)]
    role, none = told(home, [before, *moves]), {"triggers.semantic.bridge": 0.0}
    turn = asked(role, question, settings=none)
    assert before in said(turn)
    assert len(said(turn)) == 3
    assert said(turn)[1:] == moves[:2:-1]  # the latest
    short = asked(role, question, settings={**none, "budget.max_total_length": len(turn.text) - 1})
    assert before in said(short)
    assert len(said(short)) < 3
    (left,) = [one for one in short.left_out() if one.gate == "along"]
    assert left.because.get("most") == 2


def test_without_the_older_one_in_the_block_nothing_is_said_to_be_later(home):
    before, after, question = LIVED["en"]
    role = told(home, [before, after])
    window = [Message.user(before, user="Lin", name="Lin"), Message.assistant("*nods*")]
    turn = role.recall([*window, Message.user(question)], chat="c0", user="Lin")
    assert before not in said(turn)
    assert "Later" not in turn.text


def test_nearness_to_the_question_and_the_older_one_counts():
    """The second of two later lines is near to both; the third row lies far from either."""
    rows = np.zeros((60, 60), dtype=np.float32)
    rows[np.arange(60), np.arange(60)] = 1.0
    question, older = rows[0] + 0.4 * rows[1], rows[1] + 0.4 * rows[0]
    rows[1], rows[2] = older, 0.8 * question + 0.8 * older
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    question /= np.linalg.norm(question)
    every, since = np.ones(60, dtype=np.bool_), np.arange(60.0)
    evidence = np.zeros(60, dtype=np.float32)
    evidence[1] = 6.0
    near = updates.TurnVectors(question, rows @ question, every, None, rows.__getitem__)
    found = updates.later_passages(
        evidence, every, np.zeros(60, dtype=np.int64), since, "line {}".format, None, near
    )
    assert found is not None
    assert list(map(found.older, (1, 2, 3))) == [None, 1, None]
    assert found.gained == {2}
    assert 0.0 < found.evidence[2] <= updates.CAP * 6.0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_handful_of_the_bench(tmp_path: Path, language: str) -> None:
    """Words alone: most later lines are found, and none of the innocent lines falls silent."""
    every = [[one for one in pairs(language) if one.kind == kind] for kind in KINDS]
    some = [one for of_kind in every for one in of_kind[::10]]
    with Home.open(tmp_path, OFF) as home:
        found = figures(list(live(home.create("Mira"), language, some)))
    assert found["silent"] == 0.0
    assert found["newer"] >= 0.6
    assert found["later"] == 1.0
