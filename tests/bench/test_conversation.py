"""The conversation bench: measures worked out by hand, and a tiny talk through the real parts."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rolememory import Home, Memory
from tests.bench.conversation import (
    WORDS_ALONE,
    Heard,
    Talk,
    asked,
    exchanges,
    first_places,
    letters,
    run,
    sample,
    share,
)
from tests.bench.kept import KeptVectors
from tests.hashing import HashingEmbedder

SAID = {
    "en": (
        "My brother Karl lives in Graz. He repairs clocks.",
        "Then he must have steady hands.",
        "I am allergic to walnuts.",
    ),
    "zh": ("我哥哥住在苏州。他会修钟表。", "那他的手一定很稳。", "我对核桃过敏。"),
}
ASKED = {"en": "Where does my brother Karl live?", "zh": "我哥哥住在哪里？"}


def a_set(language: str = "en") -> dict[str, Any]:
    """Three turns of two people in two sessions, one question that counts and two that do not."""
    speakers, sessions = ("Lin", "Mira", "Lin"), (1, 1, 2)
    memories = [
        {
            "id": f"D{at}",
            "text": text,
            "speaker": speakers[at],
            "session": sessions[at],
            "timestamp": f"2025-03-0{at + 1}T10:00:00",
        }
        for at, text in enumerate(SAID[language])
    ]
    queries = [
        {"id": "q1", "text": ASKED[language], "gold": ["D0"], "category": "one", "lang": language},
        {"id": "q2", "text": "Who knows?", "gold": ["D0"], "category": "adversarial"},
        {"id": "q3", "text": "Who knows?", "gold": []},
    ]
    return {"roles": [{"role": "tiny", "memories": memories, "queries": queries}]}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("long", [False, True], ids=["as it was said", "in long replies"])
def test_a_tiny_talk_is_heard_and_asked(tmp_path: Path, language: str, long: bool) -> None:
    file = tmp_path / "tiny.json"
    file.write_text(json.dumps(a_set(language)), encoding="utf-8")
    report = run(file, long=long)
    assert (report["file"], report["queries"]) == ("tiny.json", 1)
    assert report["settings"]["turns"] == 3
    assert report["settings"]["model"] == "absent"
    assert set(report["categories"]) == {"one"}
    if not long:  # how well long replies are remembered is measured, not promised here
        assert report["recall@10"] == report["injected"] == 1.0, "what was told is found"
        assert (report["empty"], report["precision"]) == (0.0, 1.0)
        assert report["characters"]["median"] > len(SAID[language][0])


def test_with_vectors_kept_between_runs(tmp_path: Path) -> None:
    file, model = tmp_path / "tiny.json", HashingEmbedder()
    file.write_text(json.dumps(a_set()), encoding="utf-8")
    first = KeptVectors(model, tmp_path)
    assert run(file, embedder=first)["settings"]["model"] == "ready"
    first.save()
    embedded = model.asked
    again = KeptVectors(model, tmp_path)
    run(file, embedder=again)
    assert 0 < embedded == model.asked, "a second run embeds nothing"
    assert np.array_equal(again.embed_query("a"), first.embed_query("a"))


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_who_speaks_first_is_the_user_and_each_session_is_a_chat() -> None:
    talk = Talk.of(a_set()["roles"][0])
    assert (talk.user, talk.character) == ("Lin", "Mira")
    assert [line.by_user for line in talk.lines.values()] == [True, False, True]
    chats = talk.chats()
    assert {chat: [line.id for line in lines] for chat, lines in chats.items()} == {
        "session-1": ["D0", "D1"],
        "session-2": ["D2"],
    }
    parts = [[line.id for line in part] for lines in chats.values() for part in exchanges(lines)]
    assert parts == [["D0", "D1"], ["D2"]]


def test_long_lines_are_long_and_keep_their_words() -> None:
    talk = Talk.of(a_set()["roles"][0], long=True)
    for line in talk.lines.values():
        assert line.text in line.said
        assert 1900 <= len(line.said) <= 2200


KARL, HANDS, WALNUTS = ("D0",), ("D1",), ("D2",)


@pytest.mark.parametrize(
    ("memory", "plain", "long"),
    [
        pytest.param(
            {"content": "Karl repairs clocks.", "evidence": [{"chat": "c", "version": "1"}]},
            KARL,
            (),
            id="by its evidence; among long replies only if it holds words of the line",
        ),
        pytest.param(
            {"content": "He repairs clocks.", "evidence": [{"chat": "c", "version": "1"}]},
            KARL,
            KARL,
            id="a sentence of the line stands for it",
        ),
        pytest.param(
            {
                "content": "Lin has a brother.",
                "evidence": [{"chat": "c", "version": "1", "quote": "brother Karl lives in Graz"}],
            },
            KARL,
            KARL,
            id="words that it quotes stand for it",
        ),
        pytest.param(
            {"content": "*She rubs both palms.*", "evidence": [{"chat": "c", "version": "1"}]},
            KARL,
            (),
            id="prose around the line is not the line",
        ),
        pytest.param(
            {
                "content": SAID["en"][1] + SAID["en"][2],
                "evidence": [{"chat": "c", "version": "2+3"}],
            },
            HANDS + WALNUTS,
            HANDS + WALNUTS,
            id="on two messages",
        ),
        pytest.param(
            {"content": "I am allergic to walnuts"},
            WALNUTS,
            WALNUTS,
            id="by its words where it has no evidence",
        ),
        pytest.param(
            {"content": "Karl repairs clocks.", "evidence": [{"chat": "d", "version": "1"}]},
            (),
            (),
            id="another chat is another message",
        ),
    ],
)
def test_what_a_memory_stands_for(memory: Any, plain: tuple[str], long: tuple[str]) -> None:
    versions = {("c", "1"): ["D0"], ("c", "2"): ["D1"], ("c", "3"): ["D2"]}
    heard = Heard(Talk.of(a_set()["roles"][0]), versions)
    found = Memory.model_validate({"id": "m", **memory})
    assert heard.stands_for(found) == set(plain)
    assert heard.stands_for(found, long=True) == set(long)


def test_the_measures_of_one_question(tmp_path: Path) -> None:
    talk = Talk.of(a_set()["roles"][0])
    with Home.open(tmp_path, WORDS_ALONE) as home:
        role = home.create("Mira")
        role.remember_all(
            [
                {"content": "My brother Karl lives in Graz."},
                {"content": "Mira's own brother Karl lives in a book."},
            ]
        )
        query = {"id": "q", "text": "Where does my brother Karl live?", "gold": ["D0", "D2"]}
        found = asked(role, Heard(talk, {}), query, long=False)
        strict = asked(role, Heard(talk, {}), query, long=True)
    assert (found.lines, found.right) == (2, 1), "one of two lines holds gold"
    assert (found.recalled, found.injected, found.partly) == (0.5, 0.5, 0.5)
    assert (strict.injected, strict.partly) == (0.0, 0.5), "half of the line is not the line"
    assert found.characters > 70


def test_ten_places_go_to_what_is_new() -> None:
    beside = [{f"x{number}"} for number in range(9)]
    assert first_places([*beside, {"a"}], {"a"}) == 1.0
    assert first_places([*beside, {"y"}, {"a"}], {"a"}) == 0.0
    assert first_places([*beside, {"x1"}, {"x2"}, {"a"}], {"a"}) == 1.0
    assert first_places([{"a", "b"}, {"b", "c"}], {"a", "b", "c", "d"}) == 0.75


@pytest.mark.parametrize(
    ("text", "among", "found"),
    [
        pytest.param("I sold it. It leaked badly.", "I SOLD it! It leaked, badly", 1.0, id="all"),
        pytest.param("Wow! It leaked badly.", "it leaked badly", 1.0, id="small words are nothing"),
        pytest.param("我卖了船。它漏得厉害。", "他说：“它漏得厉害”", 0.5, id="Chinese, one of two"),
        pytest.param("It leaked badly.", "it leaked", 0.0, id="half a sentence is none"),
    ],
)
def test_how_much_of_a_line_stands_in_a_block(text: str, among: str, found: float) -> None:
    assert share(text, among) == found


def test_a_sample_takes_fair_shares() -> None:
    raw = a_set()["roles"][0]
    raw["queries"] = [
        {"id": f"{kind}{at}", "gold": ["D0"], "category": kind}
        for at in range(10)
        for kind in ("one", "two")
    ]
    taken = sample([raw, raw], 8)
    assert [[query["category"] for query in own] for own in taken] == [["one", "one", "two", "two"]] * 2  # fmt: skip
    assert sum(map(len, sample([raw, raw], None))) == 40


def test_letters_alone_are_compared() -> None:
    assert letters("“灯塔，灭了！”— it's OFF.") == "灯塔灭了itsoff"


def test_a_run_under_other_settings_says_so(tmp_path: Path) -> None:
    file = tmp_path / "tiny.json"
    file.write_text(json.dumps(a_set()), encoding="utf-8")
    report = run(file, changed={"recall.enabled": False})
    assert report["settings"]["set"] == {"recall.enabled": False}
    assert (report["injected"], report["empty"], report["precision"]) == (0.0, 1.0, None)
