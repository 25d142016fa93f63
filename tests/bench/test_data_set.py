"""The runner of data sets: what it reads, and that its measures are of the engine's own choice."""

import json
from pathlib import Path

import pytest

from tests.bench.data_set import fields, messages, run

SET = {
    "roles": [
        {
            "role": "keeper",
            "memories": [
                {
                    "id": "a",
                    "text": "The beacon failed in the storm.",
                    "timestamp": "2025-03-01T10:00:00",
                    "speaker": "Lin",
                    "session": 1,
                },
                {
                    "id": "b",
                    "text": "Tea and cake are served at five.",
                    "emotion": "joy",
                    "entity": "tea",
                },
                {"id": "c", "text": "灯塔在风暴之夜熄灭了。"},
            ],
            "queries": [
                {
                    "id": "q1",
                    "text": "What about the beacon?",
                    "gold": ["a"],
                    "category": "single-hop",
                    "now": "2025-04-01T00:00:00",
                },
                {
                    "id": "q2",
                    "text": "And when?",
                    "gold": ["b"],
                    "history": ["Good day.", "Shall we have tea and cake?"],
                    "category": "single-hop",
                },
                {"id": "q3", "text": "灯塔怎么了？", "gold": ["c"], "category": "adversarial"},
                {"id": "q4", "text": "Nothing to find.", "gold": []},
            ],
        }
    ]
}


def test_a_set_is_judged_without_its_adversarial_and_unanswerable_questions(tmp_path: Path) -> None:
    file = tmp_path / "set.json"
    file.write_text(json.dumps(SET), encoding="utf-8")
    report = run(file, backend="off")
    assert (report["queries"], report["model"]) == (2, "absent")
    assert report["recall@1"] == report["mrr"] == report["budget@2000"] == 1.0
    assert report["categories"]["adversarial"]["recall@1"] == 1.0
    assert report["empty@2000"] == 0.0
    assert report["precision@2000"] == 1.0, "what was injected is what was asked for"
    assert set(report["latency"]) == {"with_embedding", "vectors_ready", "after_a_write"}
    assert all(spread for spread in report["latency"].values())


def test_a_kept_home_is_asked_again_and_gives_the_same(tmp_path: Path) -> None:
    file = tmp_path / "set.json"
    file.write_text(json.dumps(SET), encoding="utf-8")
    reports = [run(file, backend="off", keep=tmp_path / "home") for _ in range(2)]
    for report in reports:
        del report["latency"]
    assert reports[0] == reports[1]


@pytest.mark.parametrize(
    ("raw", "ours"),
    [
        pytest.param({"speaker": "Lin"}, {"subject": "Lin"}, id="who speaks is whom it is about"),
        pytest.param(
            {"session": 0}, {"evidence": [{"chat": "session-0"}]}, id="a session is a chat"
        ),
        pytest.param({"emotion": "joy"}, {"emotions": ["joy"]}, id="one feeling"),
        pytest.param(
            {"entity": "tea", "attribute": "hour"},
            {"topics": ["tea", "hour"]},
            id="entity and attribute are topics",
        ),
    ],
)
def test_memories_of_a_set_in_our_words(raw: dict[str, object], ours: dict[str, object]) -> None:
    assert (
        fields({"id": 1, "text": "x", **raw})
        == {"id": "1", "content": "x", "source": "user_input", "type": "episodic"} | ours
    )


def test_history_stands_before_the_question_the_user_speaking_last() -> None:
    said = messages({"text": "And when?", "history": ["Hello.", "Shall we have tea?", "Gladly."]})
    assert [(message.role, message.content) for message in said] == [
        ("assistant", "Hello."),
        ("user", "Shall we have tea?"),
        ("assistant", "Gladly."),
        ("user", "And when?"),
    ]
