"""Associated roles: heard when both name each other, more softly, marked, and nothing private crosses."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rolememory import Home, RoleMemory, Turn
from rolememory.errors import UnknownMemoryError
from rolememory.recall.associates import AssociatedRole, Circle, as_heard, partners
from rolememory.recall.pipeline import RecallPipeline
from rolememory.recall.query import Request
from rolememory.schema.memory import Evidence, Memory
from rolememory.schema.message import Message
from rolememory.schema.passage import Passage
from rolememory.schema.role import Association, Role
from rolememory.schema.settings import Settings
from tests.builders import memory

WORDS_ALONE = {"embedding.backend": "off"}
QUESTION = "Why is the beacon dark?"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with Home.open(tmp_path / "home", WORDS_ALONE) as opened:
        mira, asha = opened.create("Mira"), opened.create("Asha")
        mira.remember(
            "The beacon of the lighthouse is lit at dusk.",
            "semantic",
            id="lighthouse",
            keys=["beacon"],
        )
        asha.remember("The beacon burns whale oil.", "semantic", id="oil", keys=["beacon"])
        asha.remember("Asha fears the beacon.", "trait", id="fear", keys=["beacon"])
        asha.remember("Never sleeps.", "trait", id="never", constant=True)
        asha.remember(
            "Lin broke the beacon.", id="secret", keys=["beacon"], user="lin", source="user_input"
        )
        asha.remember("The beacon is green.", id="gone", keys=["beacon"], archived=True)
        yield opened


class Hearing:
    """A role that hears others, over many turns."""

    def __init__(self, role: RoleMemory, *others: RoleMemory, factor: float = 0.5) -> None:
        self.role, self.factor, self.others = role, factor, others
        self.recollection = RecallPipeline(
            role.space, role.parts.context.home.resources, role.settings
        )

    def __call__(
        self, question: str = QUESTION, settings: Settings | None = None, **asked: Any
    ) -> Turn:
        circle = Circle(
            tuple(AssociatedRole(other.role, self.factor, other.memories) for other in self.others)
        )
        request = Request((Message.user(question),), circle=circle, **asked)
        return self.recollection.recall(
            self.role.role, self.role.memories, settings or self.role.settings, request
        )


def ids(turn: Turn) -> set[str]:
    return {one.memory.id for one in turn.recalled}


def lines(turn: Turn) -> list[str]:
    return [
        re.sub(r"\[\d+-\d+-\d+\] ", "", line)
        for line in turn.text.splitlines()
        if line.startswith("- ")
    ]


@pytest.mark.parametrize(
    ("user", "wanted"),
    [
        pytest.param(
            None,
            {"lighthouse", "Asha/oil", "Asha/fear"},
            id="nobody in particular hears what is shared",
        ),
        pytest.param(
            "wu", {"lighthouse", "Asha/oil", "Asha/fear"}, id="another user hears what is shared"
        ),
        pytest.param(
            "lin",
            {"lighthouse", "Asha/oil", "Asha/fear", "Asha/secret"},
            id="a user hears his own through both",
        ),
    ],
)
def test_who_hears_what(home: Home, user: str | None, wanted: set[str]) -> None:
    hear = Hearing(home.role("Mira"), home.role("Asha"))
    assert ids(hear(user=user)) == wanted
    assert "Asha/never" in ids(hear("Is it Asha who never sleeps?", user=user)), (
        "what is constant there comes here when it is asked for"
    )
    assert "Asha/gone" not in {one.memory.id for one in hear(user=user).answer.scored}, (
        "archived there"
    )


def test_what_is_heard_is_marked_and_about_the_other(home: Home) -> None:
    said = lines(Hearing(home.role("Mira"), home.role("Asha"))())
    assert [line for line in said if "whale oil" in line] == [
        "- (Asha remembers) The beacon burns whale oil."
    ]
    assert [line for line in said if "fears" in line] == [
        "- (Asha remembers) Asha fears the beacon."
    ], "what begins with the name needs no subject"
    assert [line for line in said if "lit at dusk" in line] == [
        "- The beacon of the lighthouse is lit at dusk."
    ]


def test_the_mark_in_chinese_and_over_many_turns(home: Home) -> None:
    home.role("Asha").remember("灯塔烧的是鲸油。", "semantic", id="鲸油", keys=["灯塔"])
    hear = Hearing(home.role("Mira"), home.role("Asha"))
    for _ in range(3):
        assert any("Asha" in line and "鲸油" in line for line in lines(hear("灯塔为什么灭了？")))


def test_a_word_of_another_counts_by_its_factor(home: Home) -> None:
    def scores(factor: float) -> dict[str, float]:
        turn = Hearing(home.role("Mira"), home.role("Asha"), factor=factor)()
        return {one.memory.id: one.score for one in turn.answer.scored}

    whole, half = scores(1.0), scores(0.5)
    assert half["Asha/oil"] == pytest.approx(whole["Asha/oil"] / 2)
    assert half["lighthouse"] == whole["lighthouse"]


def test_every_heard_line_says_from_whom(home: Home) -> None:
    turn = Hearing(home.role("Mira"), home.role("Asha"))()
    (told,) = [line for line in str(turn.explain(language="en")).splitlines() if "Asha/oil" in line]
    assert "'beacon' in message 1" in told
    assert "heard from Asha, whose word counts 0.50" in told
    assert "从Asha那里听来，分量 0.50" in str(turn.explain(language="zh"))
    assert all(
        sum(part.amount for part in one.contributions) + one.relevance == pytest.approx(one.score)
        for one in turn.answer.scored
    )


@pytest.mark.parametrize(
    ("memory_id", "user", "gate"),
    [
        pytest.param("Asha/oil", None, None, id="it is in"),
        pytest.param("Asha/secret", "wu", "other_user", id="private to another user"),
        pytest.param("Asha/gone", None, "archived", id="archived there"),
        pytest.param("Asha/never", None, "no_evidence", id="constant there is not constant here"),
    ],
)
def test_why_not(home: Home, memory_id: str, user: str | None, gate: str | None) -> None:
    refusal = Hearing(home.role("Mira"), home.role("Asha"))(user=user).why_not(memory_id)
    assert (refusal.gate if refusal else None) == gate


@pytest.mark.parametrize("memory_id", ["Asha/nothing", "Berta/oil", "oil", "/"])
def test_what_nobody_remembers(home: Home, memory_id: str) -> None:
    with pytest.raises(UnknownMemoryError):
        Hearing(home.role("Mira"), home.role("Asha"))().why_not(memory_id)


def test_a_heard_memory_that_stayed_out_names_the_setting_that_lets_it_in(home: Home) -> None:
    mira = home.role("Mira")
    strict = mira.settings.model_copy(
        update={"recall": mira.settings.recall.model_copy(update={"max_items": 1})}
    )
    refusal = Hearing(mira, home.role("Asha"))(settings=strict).why_not("Asha/oil")
    assert refusal is not None
    assert refusal.remedy is not None
    assert (refusal.gate, refusal.remedy.target, refusal.remedy.field) == (
        "max_items",
        "settings",
        "recall.max_items",
    )


def test_one_budget_for_all(home: Home) -> None:
    mira = home.role("Mira")
    for number in range(30):
        home.role("Asha").remember(
            f"Beacon tale number {number}: {'waves and wind ' * 5}", keys=["beacon"]
        )
    turn = Hearing(mira, home.role("Asha"))()
    assert len(turn.text) <= mira.settings.budget.max_total_length
    assert "lighthouse" in ids(turn), "our own comes first where all else is equal"


def test_a_repetition_of_our_own_is_not_said_twice(home: Home) -> None:
    home.role("Asha").remember(
        "The beacon of the lighthouse is lit at dusk.", "semantic", id="same", keys=["beacon"]
    )
    turn = Hearing(home.role("Mira"), home.role("Asha"))()
    assert "Asha/same" not in ids(turn)
    refusal = turn.why_not("Asha/same")
    assert refusal is not None
    assert refusal.gate == "near_duplicate"


def test_the_others_settings_do_not_matter_and_ours_do(home: Home) -> None:
    mira, asha = home.role("Mira"), home.role("Asha")
    home.folder.update(
        asha.role.model_copy(
            update={
                "settings": {
                    "recall": {"enabled": False},
                    "triggers": {"keyword": {"enabled": False}},
                }
            }
        )
    )
    assert "Asha/oil" in ids(Hearing(mira, asha)())
    deaf = mira.settings.model_copy(
        update={"recall": mira.settings.recall.model_copy(update={"sources": ("summary",)})}
    )
    assert not ids(Hearing(mira, asha)(settings=deaf))


def test_an_edit_there_is_heard_on_the_next_turn(home: Home) -> None:
    mira, asha = home.role("Mira"), home.role("Asha")
    hear = Hearing(mira, asha)
    assert "whale oil" in hear().text
    asha.edit("oil", content="The beacon burns petroleum.")
    assert "petroleum" in hear().text
    asha.delete("oil")
    assert "Asha/oil" not in ids(hear())


def test_what_does_not_count_there_is_not_heard(home: Home) -> None:
    class Nothing:
        token = place = "nothing"
        readers = None

        def sees(self, evidence: Evidence) -> bool:
            return False

        def knows(self, evidence: Evidence) -> bool:
            return True

        def is_later(self, passage: Passage) -> bool:
            return False

        def moved_since(self, before: object) -> None:
            return None

    mira, asha = home.role("Mira"), home.role("Asha")
    asha.remember(
        "The beacon hums.",
        id="hums",
        keys=["beacon"],
        evidence=[{"chat": "c", "version": "v"}],
        source="user_input",
    )
    hear = Hearing(mira, asha)
    assert "Asha/hums" in ids(hear())
    circle = Circle((replace(AssociatedRole(asha.role, 0.5, asha.memories), visibility=Nothing()),))
    turn = hear.recollection.recall(
        mira.role, mira.memories, mira.settings, Request((Message.user(QUESTION),), circle=circle)
    )
    assert "Asha/hums" not in ids(turn)
    assert "Asha/oil" in ids(turn)


def test_search_finds_our_own(home: Home) -> None:
    hear = Hearing(home.role("Mira"), home.role("Asha"))
    circle = Circle((AssociatedRole(home.role("Asha").role, 0.5, home.role("Asha").memories),))
    request = Request((Message.user("beacon"),), circle=circle)
    found = hear.recollection.search(
        hear.role.role, hear.role.memories, hear.role.settings, request
    )
    assert [one.memory.id for one in found] == ["lighthouse"]


def test_two_of_one_name_are_told_apart(home: Home) -> None:
    double = home.create("Asha", id="6ba7b810-9dad-41d1-80b4-00c04fd430c8")
    double.remember("The beacon is haunted.", id="oil", keys=["beacon"])
    asha = home.role(
        next(role.id for role in home.roles() if role.name == "Asha" and role.id != double.id)
    )
    assert {f"Asha ({one.id[:8]})/oil" for one in (asha, double)} <= ids(
        Hearing(home.role("Mira"), asha, double)()
    )


@pytest.mark.parametrize(
    ("one", "wanted"),
    [
        pytest.param(
            memory("a", "Brave.", type="trait"),
            ("semantic", "Asha", "Brave."),
            id="what one is like is knowledge about one",
        ),
        pytest.param(
            memory("a", "See the sea.", type="goal"),
            ("semantic", "Asha", "See the sea."),
            id="what one wants as well",
        ),
        pytest.param(
            memory("a", "{{char}} met <bot>.", subject="角色"),
            ("episodic", "Asha", "Asha met Asha."),
            id="the macro of a name means the other",
        ),
        pytest.param(
            memory("a", "The beacon is old."),
            ("episodic", None, "The beacon is old."),
            id="what happened or is known needs no subject",
        ),
        pytest.param(
            memory("a", "Likes tea.", subject="user"),
            ("episodic", "user", "Likes tea."),
            id="about the user",
        ),
        pytest.param(
            memory("a", "Went to sea.", subject="Nora"),
            ("episodic", "Nora", "Went to sea."),
            id="about a third",
        ),
    ],
)
def test_as_heard(one: Memory, wanted: tuple[str, str | None, str]) -> None:
    here = as_heard(one, "Asha")
    assert (here.type.value, here.subject, here.content) == wanted
    assert not here.constant


def role(name: str, *associates: str, factor: float = 0.5) -> Role:
    return Role(
        id=name * 4,
        name=name,
        associates=tuple(Association(role=one, factor=factor) for one in associates),
    )


@pytest.mark.parametrize(
    ("mine", "others", "wanted", "noted"),
    [
        pytest.param(
            role("Mira", "Asha"), [role("Asha", "Mira")], ["Asha"], 0, id="both name each other"
        ),
        pytest.param(
            role("Mira", "Asha"), [role("Asha", "MiraMiraMiraMira")], ["Asha"], 0, id="one by id"
        ),
        pytest.param(role("Mira", "Asha"), [role("Asha")], [], 1, id="the other side says nothing"),
        pytest.param(role("Mira"), [role("Asha", "Mira")], [], 0, id="our side says nothing"),
        pytest.param(
            role("Mira", "Asha", "Nora"),
            [role("Asha", "Mira")],
            ["Asha"],
            1,
            id="one is missing: the other is heard",
        ),
        pytest.param(
            role("Mira", "Asha"),
            [role("Asha", "Nora", "Mira")],
            ["Asha"],
            0,
            id="the other names somebody missing too",
        ),
        pytest.param(role("Mira", "Mira"), [], [], 1, id="oneself"),
        pytest.param(
            role("Mira", "Asha", factor=0.0),
            [role("Asha", "Mira")],
            [],
            0,
            id="a word that counts nothing is not asked for",
        ),
        pytest.param(
            role("Mira", "Asha", "AshaAshaAshaAsha"),
            [role("Asha", "Mira")],
            ["Asha"],
            0,
            id="named twice, heard once",
        ),
    ],
)
def test_partners(mine: Role, others: list[Role], wanted: list[str], noted: int) -> None:
    from rolememory.errors import UnknownRoleError

    def find(name: str) -> Role:
        found = [one for one in (mine, *others) if name in (one.id, one.name)]
        if not found:
            raise UnknownRoleError(name, [one.name for one in others])
        return found[0]

    heard, notes = partners(mine, find)
    assert [one.name for one, _ in heard] == wanted
    assert len(notes) == noted
    assert all("associate" in note for note in notes)


@pytest.mark.parametrize(
    ("told", "question", "line"),
    [
        pytest.param(
            "I keep the key of the mill in the blue jar.",
            "Where is the key of the mill?",
            "(Mira remembers) Mira, in short: I keep the key of the mill in the blue jar.",
            id="en",
        ),
        pytest.param(
            "我把磨坊的钥匙放在蓝罐子里。",
            "磨坊的钥匙在哪？",
            "（Mira的记忆）Mira的话，大意：我把磨坊的钥匙放在蓝罐子里。",
            id="zh",
        ),
    ],
)
def test_what_was_said_is_heard_by_all_who_were_there_and_not_in_another_story(
    tmp_path: Path, told: str, question: str, line: str
) -> None:
    with Home.open(tmp_path / "home", WORDS_ALONE) as home:
        mira, asha = home.create("Mira"), home.create("Asha")
        for one, other in ((mira, asha), (asha, mira)):
            named = (Association(role=other.id, factor=0.7),)
            home.folder.update(one.role.model_copy(update={"associates": named}))
        mira.observe(["Good evening."], told, chat="one", user="ann")
        asha.observe(["Good evening."], "Hm.", chat="apart", user="ann")
        asha.chats.update("apart", story="own")
        for chat, user, present, known in (
            ("two", "ann", None, True),
            ("one", "ann", None, True),
            ("two", "bob", None, False),
            ("two", "ann", ["ann", "bob"], False),
            ("apart", "ann", None, False),
        ):
            turn = asha.recall([question], chat=chat, user=user, present=present)
            assert (f"- {line}" in lines(turn)) is known, (chat, user, present)
            assert (told in turn.text) is known
            assert ("in this chat" in turn.text or "这次聊天" in turn.text) is False
