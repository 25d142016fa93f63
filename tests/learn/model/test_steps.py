"""Decision and summary, and conclusions."""

from pathlib import Path
from typing import Any

import pytest

from rolememory.learn.model.infer import Conclusions, drafts, for_each_user
from rolememory.learn.model.known_memories import KnownMemories
from rolememory.schema.memory import Evidence, Source
from rolememory.schema.settings import (
    LearnSettings,
    StepSettings,
)
from tests.builders import memory
from tests.endpoint import Endpoint, Line, answers, status
from tests.learn.model.behaviours import CHAT
from tests.learn.model.house import House

YES, NO = {"should_remember": True, "reason": "a move"}, {"should_remember": False}
TOLD = {
    "memory": "Lin moved from Rome to Paris.",
    "about": "user",
    "turn": 1,
    "quote": "moved from Rome",
}


def test_s0_7_first_whether_then_what(tmp_path: Path) -> None:
    with (
        Endpoint(answers(YES), answers(TOLD)) as server,
        House(tmp_path, server.url, *CHAT, flow="decide") as house,
    ):
        house.touch()
        (kept,) = house.kept
        assert [
            request.json["response_format"]["json_schema"]["name"] for request in server.requests
        ] == ["decision", "summary"]
        assert "(a move)" in server.requests[1].said
        assert (house.actors, kept.content, kept.subject, kept.user) == (
            ["model"],
            "Lin moved from Rome to Paris.",
            "user",
            "Lin",
        )
        version = house.version(2)
        assert kept.evidence == (
            Evidence(chat="harbour", version=version, quote="moved from Rome"),
        )
        assert "a move" in house.role.history(kept.id)[0].reason


def test_s0_10_small_talk_is_read_and_not_remembered(tmp_path: Path) -> None:
    with (
        Endpoint(answers(NO)) as server,
        House(tmp_path, server.url, *CHAT, flow="decide") as house,
    ):
        house.touch()
        assert (house.kept, house.queue, len(server.requests)) == ([], {}, 1)


@pytest.mark.parametrize(
    "script",
    [[status(500)], [answers(YES), status(500)]],
    ids=["the decision fails", "the summary fails"],
)
def test_s0_27_a_round_that_fails_is_given_up_and_comes_again(
    script: list[Any], tmp_path: Path
) -> None:
    with Endpoint(*script) as server, House(tmp_path, server.url, *CHAT, flow="decide") as house:
        house.touch()
        assert (house.kept, house.queue) == ([], {"harbour": 1})
        server.now(answers(YES), answers(TOLD))
        house.touch()
        assert (house.contents, house.queue) == ([TOLD["memory"]], {})


def test_s0_17_each_step_has_its_own_model_key_and_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY_OF_SUMMARY", "k2")
    with Endpoint(answers(YES)) as judge, Endpoint(answers('"Lin moved to Paris."')) as writer:
        decision = StepSettings(
            endpoint=judge.url, model="judge", prompt="Worth it?\n{conversation}\n{}"
        )
        summary = StepSettings(
            endpoint=writer.url + "/chat/completions",
            model="writer",
            api_key_env="KEY_OF_SUMMARY",
            prompt="One sentence:",
        )
        with House(
            tmp_path, "", *CHAT, flow="decide", model="", decision=decision, summary=summary
        ) as house:
            house.touch()
            (kept,) = house.kept
            both = house.version(2, 3)
        assert judge.requests[0].said.startswith("Worth it?\n<chat>\n")
        assert judge.requests[0].json["model"] == "judge"
        assert writer.requests[0].headers["authorization"] == "Bearer k2"
    assert kept.content == "Lin moved to Paris."
    assert kept.evidence == (Evidence(chat="harbour", version=both, quote=""),)


def test_a_sentence_about_the_character_is_its_own(tmp_path: Path) -> None:
    told = {
        "memory": "Mira promised to visit.",
        "about": "",
        "turn": 2,
        "quote": "I promise to visit you",
    }
    with (
        Endpoint(answers(YES), answers(told)) as server,
        House(tmp_path, server.url, *CHAT, flow="decide") as house,
    ):
        house.touch()
        assert house.kept[0].subject is None
        assert house.kept[0].evidence[0].version == house.version(3)


# conclusions

KNOWN = [
    memory(
        "chart",
        "Lin asked how to read a sea chart.",
        day=1,
        subject="user",
        user="lin",
        evidence=[Evidence(chat="harbour", version="v1")],
    ),
    memory(
        "jacket",
        "Lin bought a rain jacket.",
        day=2,
        subject="user",
        user="lin",
        evidence=[Evidence(chat="harbour", version="v2")],
    ),
    memory("tea", "Lin drinks tea.", day=3, subject="user"),
]
SAILS = {"conclusion": "Lin has taken up sailing.", "confidence": 0.8, "basedOn": [1, 2]}


def concluded(*rows: Any, **learn: Any) -> list[Any]:
    found = Conclusions.model_validate(list(rows))
    made = drafts(found.conclusions, KNOWN, "lin", LearnSettings(**learn), model="small")
    return [draft for draft in made if draft.fault is None]


def test_s2_23_a_conclusion_says_how_sure_it_is_and_what_it_rests_on() -> None:
    (draft,) = concluded(SAILS)
    assert (draft.content, draft.source, draft.confidence, draft.tags) == (
        "Lin has taken up sailing.",
        "inference",
        0.8,
        ("inference",),
    )
    assert (draft.rests_on, draft.subject, draft.user, draft.created) == (
        ("chart", "jacket"),
        "user",
        "lin",
        KNOWN[1].created,
    )
    assert draft.evidence == (Evidence(chat="harbour", version="v1+v2"),)


def test_a_conclusion_from_two_chats_rests_on_both() -> None:
    elsewhere = memory(
        "boots",
        "Lin bought boots.",
        day=4,
        subject="user",
        user="lin",
        evidence=[Evidence(chat="mill", version="v7")],
    )
    found = Conclusions.model_validate([SAILS | {"basedOn": ["chart", "boots"]}])
    (draft,) = drafts(found.conclusions, [*KNOWN, elsewhere], "lin", LearnSettings())
    assert draft.evidence == (
        Evidence(chat="harbour", version="v1", also=(Evidence(chat="mill", version="v7"),)),
    )


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        pytest.param({}, 1, id="as it should be"),
        pytest.param({"basedOn": ["chart", "tea"]}, 1, id="by ids"),
        pytest.param({"basedOn": "[1], [3]"}, 1, id="as one text"),
        pytest.param({"basedOn": [1]}, 0, id="one memory is too little"),
        pytest.param({"basedOn": [1, 1, "chart"]}, 0, id="the same one three times is one"),
        pytest.param({"basedOn": [1, 99, "m-2", "nobody"]}, 0, id="what was not shown is nothing"),
        pytest.param({"basedOn": None}, 0, id="nothing"),
        pytest.param({"basedOn": []}, 0, id="an empty list"),
        pytest.param({"confidence": 0.5}, 0, id="S2.31: not sure enough"),
        pytest.param({"conclusion": "Lin drinks tea!"}, 0, id="what is known already"),
        pytest.param({"conclusion": "x" * 600}, 0, id="too long"),
    ],
)
def test_which_conclusions_hold(changes: dict[str, Any], count: int) -> None:
    good = {"conclusion": "Lin is careful.", "confidence": 0.9, "basedOn": [2, 3]}
    assert len(concluded({**SAILS, **changes}, good)) == count + 1


def test_conclusions_have_a_limit() -> None:
    assert [
        draft.confidence
        for draft in concluded(
            SAILS, {**SAILS, "conclusion": "Lin is a fisherman.", "confidence": 0.95}, max_facts=1
        )
    ] == [0.95]


def test_what_may_be_concluded_from() -> None:
    newer = memory("newer", supersedes=["chart"])
    inferred = memory("inferred", source=Source.INFERENCE)
    away = memory("away", evidence=[Evidence(chat="harbour", version="v9")], supersedes=["tea"])
    archived = memory("archived", archived=True)
    memories = [*KNOWN, newer, inferred, away, archived]
    known = KnownMemories(
        {one.id: one for one in memories}, lambda evidence: evidence.version != "v9"
    )
    found = list(filter(known.stands, memories))
    assert [one.id for one in found] == ["jacket", "tea", "newer"]


def test_conclusions_are_drawn_for_each_user_apart() -> None:
    shared, own, other = memory("s"), memory("a", user="lin"), memory("b", user="kai")
    assert {
        user: [one.id for one in known]
        for user, known in for_each_user([shared, own, other]).items()
    } == {
        "kai": ["s", "b"],
        "lin": ["s", "a"],
    }
    assert {user: [one.id for one in known] for user, known in for_each_user([shared]).items()} == {
        None: ["s"]
    }
    linked = for_each_user(
        [shared, own, other], ["kai", "lin", None], lambda name: {"kai": "lin"}.get(name, name)
    )
    assert {user: [one.id for one in known] for user, known in linked.items()} == {
        "lin": ["s", "a", "b"],
        None: ["s"],
    }


def test_a_round_of_its_own_accord_asks_only_about_those_who_spoke(tmp_path: Path) -> None:
    with (
        Endpoint(by_step) as server,
        House(tmp_path, server.url, *CHAT, inference_enabled=True, inference_interval=1) as house,
    ):
        own = [one.model_copy(update={"evidence": (), "user": one.user and "Lin"}) for one in KNOWN]
        others = [
            memory(f"other {number}", f"Somebody is number {number}.", user=f"user {number}")
            for number in range(9)
        ]
        house.knows(*own, *others)
        house.touch()
        assert [
            request.json["response_format"]["json_schema"]["name"] for request in server.requests
        ] == ["extraction", "inference"]
        assert house.behind.infer().requests == 10


def by_step(line: Line) -> None:
    asked = line.request.json["response_format"]["json_schema"]["name"]
    answers({"conclusions": [SAILS]} if asked == "inference" else {"facts": []})(line)


def test_s2_26_conclusions_come_every_few_conversations_if_they_are_wanted(tmp_path: Path) -> None:
    lines = [
        line for number in range(8) for line in (f"Lin: Word {number}.", f"Mira: Yes {number}.")
    ]
    with (
        Endpoint(by_step) as server,
        House(
            tmp_path, server.url, *lines[:6], inference_enabled=True, inference_interval=4
        ) as house,
    ):
        house.knows(
            *(one.model_copy(update={"evidence": (), "user": one.user and "Lin"}) for one in KNOWN)
        )
        house.touch()
        assert (house.kept, len(server.requests)) == ([], 2)
        house.say(*lines[6:12])
        house.touch()
        assert house.actors == ["infer"]
        assert "from 2 memories" in house.role.history(house.kept[0].id)[0].reason
        assert house.behind.status()["exchanges_since_conclusions"] == 0
        assert "(user) Lin asked how to read a sea chart." in server.requests[-1].said


def test_s2_25_conclusions_are_off_unless_a_person_asks(tmp_path: Path) -> None:
    with (
        Endpoint(by_step) as server,
        House(tmp_path, server.url, *CHAT, inference_interval=1) as house,
    ):
        house.knows(
            *(one.model_copy(update={"evidence": (), "user": one.user and "Lin"}) for one in KNOWN)
        )
        house.touch(3)
        assert house.kept == []
        report = house.behind.infer()
        assert (report.conclusions, report.requests) == (1, 1)
        assert house.contents == ["Lin has taken up sailing."]


def test_conclusions_without_a_model_say_what_to_set(tmp_path: Path) -> None:
    with House(tmp_path, "", *CHAT) as house:
        assert [note.text("zh") for note in house.behind.infer().notes] == [
            "请设置 learn.endpoint 和 learn.model"
        ]


def test_conclusions_that_fail_are_drawn_later(tmp_path: Path) -> None:
    with Endpoint(status(500)) as server, House(tmp_path, server.url, *CHAT) as house:
        house.knows(
            *(one.model_copy(update={"evidence": (), "user": one.user and "Lin"}) for one in KNOWN)
        )
        assert "status 500" in house.behind.infer().notes[0].text()
        server.now(by_step)
        assert house.behind.infer().conclusions == 1
