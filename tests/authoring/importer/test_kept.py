"""What was brought, as the role's own chats and memories have it afterwards."""

import json
from pathlib import Path

import pytest

from rolememory.authoring.importer.plan import ImportSettings
from rolememory.authoring.importer.sink import keep_chat, taken
from rolememory.engine import Home, RoleMemory
from rolememory.schema.message import Message
from tests.authoring.importer.recording import bring, plan_of, with_lives
from tests.cards.tavern.folders import INTEGRITY, NEW, OLD, head, said, write_lines
from tests.paths import ROOT

PACKAGE = ROOT / ".cache" / "live" / "node_modules" / "sillytavern" / "default" / "content"


def role(home: Home, avatar: str) -> RoleMemory:
    (found,) = [one for one in home.roles() if one.card_from == avatar]
    return home.role(found.id)


def test_every_chat_stands_in_the_log_of_its_role(home: Home, user: Path) -> None:
    bring(home, user)
    chats = role(home, "Asha.png").chats
    found = {info.id: (info.title, info.user, len(chats.path(info.id))) for info in chats.chats()}
    assert found == {
        f"Asha.png/{OLD}": (OLD, "Wren", 4),
        INTEGRITY: (NEW, "林", 6),
        "Asha.png/Branch #1": ("Branch #1", "林", 4),
        "group-1": ("1720000000000", "林", 5),
    }
    assert [said.at.isoformat()[:10] for said in chats.path(INTEGRITY)] == ["2024-07-12"] * 6


def test_a_branch_is_known_as_one(home: Home, user: Path) -> None:
    bring(home, user)
    chats = role(home, "Asha.png").chats
    assert chats.info("Asha.png/Branch #1").branch_of == INTEGRITY


def stories(home: Home, avatar: str) -> dict[str, str]:
    """The story of each chat of a role, by title."""
    return {info.title: info.story for info in role(home, avatar).chats.chats()}


def test_of_many_chats_each_is_its_own_story_and_a_branch_stays_in_its_chats(
    home: Home, user: Path
) -> None:
    plan = plan_of(home, user)
    assert dict(plan.many) == {"Asha.png": 4, "明月.png": 2}
    bring(home, user)
    assert stories(home, "Asha.png") == dict.fromkeys(
        (OLD, NEW, "Branch #1", "1720000000000"), "own"
    )
    chats = role(home, "Asha.png").chats
    assert chats.story_of("Asha.png/Branch #1") == chats.story_of(INTEGRITY)
    assert chats.info("Asha.png/Branch #1").chosen is None
    assert stories(home, "Bo.png") == {"1720000000000": ""}, "one chat shares the life"
    asha = role(home, "Asha.png")
    assert "长安" not in asha.recall(["住在哪里？"], chat="new", user="林").text
    asha.stories.assign(INTEGRITY, "")
    assert "长安" in asha.recall(["住在哪里？"], chat="new", user="林").text
    assert not plan_of(home, user).many, "nobody is asked twice"


def test_who_wants_one_life_gets_it_and_what_comes_later_follows(home: Home, user: Path) -> None:
    with_lives(home, user, {"Asha.png": "one"})
    assert set(stories(home, "Asha.png").values()) == {""}
    assert set(stories(home, "明月.png").values()) == {"own"}
    for folder, character in (("Asha", "Asha"), ("明月", "明月")):
        write_lines(
            user / "chats" / folder / "later.jsonl",
            [head("林", character), said("林", "晚上好。", 1720000000000, user=True)],
        )
    assert not plan_of(home, user).many
    bring(home, user)
    assert stories(home, "Asha.png")["later"] == ""
    assert stories(home, "明月.png")["later"] == "own"


def test_a_role_that_was_deleted_comes_again_with_its_chats_as_new(home: Home, user: Path) -> None:
    bring(home, user)
    before = stories(home, "Asha.png")
    home.delete(role(home, "Asha.png").role.id)
    states = {chat.name: chat.state for chat in plan_of(home, user).chats}
    assert {states[name] for name in (OLD, NEW, "Branch #1")} == {"new"}
    bring(home, user)
    assert stories(home, "Asha.png") == before


def test_nobody_is_asked_where_each_chat_is_its_own_anyway(tmp_path: Path, user: Path) -> None:
    each = {"embedding.backend": "off", "chats.stories": "each"}
    with Home.open(tmp_path / "each", each) as home:
        assert not plan_of(home, user).many


def test_summaries_rest_on_versions_that_stand(home: Home, user: Path) -> None:
    bring(home, user)
    mind = role(home, "Asha.png")
    chats = mind.chats
    told = "Lin came to the lighthouse and told of a cat."
    (ground,) = next(one for one in mind.memories.values() if one.content == told).evidence
    assert chats.versions(ground.chat)[ground.version].text == "I like cats."
    assert chats.visible_from(INTEGRITY).sees(ground)


def test_brought_again_nothing_is_added(home: Home, user: Path) -> None:
    bring(home, user)
    home.close()
    home = Home.open(home.path, {"embedding.backend": "off"})
    logs = {path: path.read_bytes() for path in home.path.rglob("chats/*.jsonl")}
    before = {one.id: dict(home.role(one.id).memories) for one in home.roles()}
    bring(home, user, wishes=ImportSettings(again=True))
    assert {path: path.read_bytes() for path in home.path.rglob("chats/*.jsonl")} == logs
    assert {one.id: dict(home.role(one.id).memories) for one in home.roles()} == before


def test_a_chat_that_goes_on_there_goes_on_here(home: Home, user: Path) -> None:
    bring(home, user)
    path = user / "chats" / "Asha" / f"{NEW}.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines[5]["mes"] = "I like cats, and this one most."  # swiped
    write_lines(path, [*lines, said("Asha", "Sleep well.", "2024-07-12T01:35:00Z")])
    bring(home, user)
    chats = role(home, "Asha.png").chats
    assert [one.text for one in chats.path(INTEGRITY)][4:] == [
        "I like cats, and this one most.",
        "晚安。",
        "Sleep well.",
    ]


@pytest.mark.parametrize(
    ("kept", "given", "versions"),
    [
        pytest.param("abc", "abc", "012", id="everything"),
        pytest.param("abc", "axbc", "0-12", id="one was not kept"),
        pytest.param("xyabc", "abc", "234", id="the log holds more in front"),
        pytest.param("aaa", "aa", "12", id="the same words again and again"),
        pytest.param("", "ab", "--", id="nothing"),
    ],
)
def test_which_version_each_message_became(
    home: Home, kept: str, given: str, versions: str
) -> None:
    chats = home.create("Mira").chats
    chats.observe(
        [Message.user(f"word {one}") for one in kept] or [Message.user("other")], chat="c"
    )
    path = chats.path("c")
    found = taken("c", path, [Message.user(f"word {one}") for one in given]).versions
    assert found == tuple("" if one == "-" else path[int(one)].version for one in versions)


def test_a_chat_that_stopped_in_the_middle_goes_on_and_loses_nothing(home: Home) -> None:
    mind = home.create("Mira")
    told = [
        Message.user(f"Word {at}.") if at % 3 else Message.system(f"Night {at}.")
        for at in range(30)
    ]
    mind.observe(told[:20], chat="c")
    left: list[str] = []
    mind.chats.follow(lambda seen: left.extend(seen.left))
    kept = keep_chat(mind, told, "c", None, "c")
    assert left == []
    assert [bool(one) for one in kept.versions] == [at % 3 > 0 for at in range(30)]
    assert len(mind.chats.path("c")) == 20


def test_old_chats_teach(home: Home, user: Path) -> None:
    bring(home, user)
    mind = role(home, "Asha.png")
    found = [one.memory for one in mind.search("芝麻", user="林")]
    cats = [one for one in found if one.source == "user_input" and "芝麻" in one.content]
    assert {(one.user, one.evidence[0].chat, one.created and one.created.year) for one in cats} == {
        ("林", INTEGRITY, 2024)
    }


def test_five_thousand_messages_come_whole(home: Home, user: Path) -> None:
    lines = [
        said(
            "明月" if at % 2 else "林",
            f"第 {at} 夜呢？",
            1700000000000 + at * 60000,
            user=not at % 2,
        )
        for at in range(5000)
    ]
    for at in range(0, 5000, 10):
        lines[at]["extra"] = {"qvink_memory": {"memory": f"摘要 {at}"}}
    write_lines(user / "chats" / "明月" / "long.jsonl", [head(integrity="long"), *lines])
    done = {one.name: one for one in bring(home, user / "chats" / "明月")}
    assert (done["long"].messages, done["long"].summaries) == (5000, 500)
    path = role(home, "明月.png").chats.path("long")
    assert [one.text for one in path] == [str(line["mes"]) for line in lines]


@pytest.mark.skipif(
    not PACKAGE.exists(),
    reason="the program is not installed under .cache/live; `make conformance-live` does it",
)
def test_what_the_program_ships_comes(home: Home, tmp_path: Path) -> None:
    user = tmp_path / "data" / "default-user"
    for part, name in (("characters", "default_Seraphina.png"), ("worlds", "Eldoria.json")):
        (user / part).mkdir(parents=True)
        (user / part / name).write_bytes((PACKAGE / name).read_bytes())
    greeting = {
        **said("Seraphina", "*You wake with a start.*", "2026-11-21T20:12:54.975Z"),
        "swipes": ["*You wake with a start.*"],
        "swipe_id": 0,
    }
    write_lines(
        user / "chats" / "default_Seraphina" / "Seraphina - 2023-5-12 @21h 32m 29s 224ms.jsonl",
        [
            head(integrity="sera"),
            greeting,
            said("林", "这是哪里？", "2026-11-21T20:12:57Z", user=True),
        ],
    )
    bring(home, user)
    mind = role(home, "default_Seraphina.png")
    assert (mind.role.name, mind.role.worldbooks) == ("Seraphina", ("Eldoria.json",))
    assert (mind.folder / "card.png").read_bytes() == (
        PACKAGE / "default_Seraphina.png"
    ).read_bytes()
    assert not list(mind.folder.glob("worldbooks/*.json"))
    told = "\n".join(
        one.content for one in mind.recall(["Is a shadowfang near?"], dry_run=True).messages
    )
    assert told.count("eyes darken") == 1
