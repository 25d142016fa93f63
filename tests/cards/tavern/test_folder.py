"""The folder around the chats: where things lie, groups, lorebooks, personas."""

from pathlib import Path
from typing import Any

import pytest

from rolememory.cards.tavern.chat import TavernMessage
from rolememory.cards.tavern.groups import heard, read_group, with_avatars
from rolememory.cards.tavern.layout import data_folders
from rolememory.cards.tavern.settings import read_settings
from rolememory.cards.tavern.summaries import of_message
from rolememory.errors import FileError
from tests.cards.tavern.folders import (
    life,
    settings,
    write_group,
    write_json,
    write_lines,
)


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tavern")
    (root / "data" / "_storage" / "characters").mkdir(parents=True)
    (root / "data" / "_storage" / "chats").mkdir()
    return life(root)


@pytest.mark.parametrize(
    ("way", "only"),
    [
        pytest.param("../..", "", id="the program's folder"),
        pytest.param("..", "", id="the folder data"),
        pytest.param(".", "", id="the user's folder"),
        pytest.param("characters", "", id="the characters"),
        pytest.param("chats", "", id="the chats"),
        pytest.param("group chats", "", id="the chats of groups"),
        pytest.param("chats/Asha", "Asha", id="one character's chats"),
        pytest.param("chats/明月", "明月", id="one character's chats, with a Chinese name"),
    ],
)
def test_a_person_may_point_at_any_part(user: Path, way: str, only: str) -> None:
    (found,) = data_folders((user / way).resolve())
    assert (found.path, found.only, found.bare) == (user, only, False)


def test_several_users_are_all_found(user: Path) -> None:
    other = user.parent / "wren"
    (other / "characters").mkdir(parents=True, exist_ok=True)
    (other / "chats").mkdir(exist_ok=True)
    assert [one.name for one in data_folders(user.parent.parent)] == ["default-user", "wren"]
    (other / "chats").rmdir()
    (other / "characters").rmdir()
    other.rmdir()


def test_the_one_user_of_old_programs_is_found(tmp_path: Path) -> None:
    for part in ("characters", "chats", "worlds"):
        (tmp_path / "public" / part).mkdir(parents=True)
    assert [one.path for one in data_folders(tmp_path)] == [tmp_path / "public"]


def test_a_folder_of_chats_alone_will_do(tmp_path: Path) -> None:
    write_lines(tmp_path / "Asha" / "one.jsonl", [])
    (found,) = data_folders(tmp_path / "Asha")
    assert (found.bare, found.only, found.chat_folders()) == (True, "Asha", [tmp_path / "Asha"])


@pytest.mark.parametrize("place", ["nothing", "nowhere", "file.txt"])
def test_what_is_no_such_folder_is_refused_with_a_remedy(tmp_path: Path, place: str) -> None:
    (tmp_path / "nothing").mkdir()
    (tmp_path / "file.txt").write_text("x")
    with pytest.raises(FileError, match=r"data/<user>") as error:
        data_folders(tmp_path / place)
    assert "SillyTavern 的文件夹" in error.value.text("zh")


# ── groups ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def talk(*who: str) -> list[TavernMessage]:
    """`user` is the user, anything else the avatar of who speaks."""
    return [
        TavernMessage(
            at, "user" if one == "user" else "assistant", "...", avatar="" if one == "user" else one
        )
        for at, one in enumerate(who)
    ]


@pytest.mark.parametrize(
    ("avatar", "who", "members", "places"),
    [
        pytest.param("a", "a b user a", "ab", [0, 1, 2, 3], id="who greeted heard everything"),
        pytest.param(
            "c", "a b user c user", "abc", [3, 4], id="who came late heard from its first word on"
        ),
        pytest.param(
            "c", "a b user a", "abc", [], id="who came late and never spoke was not seen there"
        ),
        pytest.param(
            "c",
            "user c user",
            "abc",
            [0, 1, 2],
            id="where nobody greeted, the file does not tell: everything",
        ),
        pytest.param(
            "d",
            "a user a",
            "ad",
            [0, 1, 2],
            id="who has no greeting may have been there from the beginning",
        ),
        pytest.param(
            "b", "a b user b a user", "a", [0, 1, 2, 3], id="who left heard up to its last word"
        ),
        pytest.param(
            "c",
            "a user c a user",
            "a",
            [2],
            id="who came late and left again heard what lies between",
        ),
        pytest.param("c", "a user", "a", [], id="a stranger heard nothing"),
    ],
)
def test_who_heard_what_in_a_group(avatar: str, who: str, members: str, places: list[int]) -> None:
    assert [
        one.place for one in heard(talk(*who.split()), avatar, set(members), set("abc"))
    ] == places


def test_old_files_name_who_speaks(user: Path) -> None:
    told = [
        TavernMessage(0, "assistant", "Hi.", name="Asha"),
        TavernMessage(1, "user", "Hi.", name="Asha"),
        TavernMessage(2, "assistant", "?", name="Nobody"),
    ]
    assert [one.avatar for one in with_avatars(told, {"Asha": "Asha.png"})] == ["Asha.png", "", ""]


def test_a_group_of_old_knows_about_its_chats(tmp_path: Path) -> None:
    path = write_group(
        tmp_path,
        "7",
        ["a.png", 3, "b.png"],
        ["71", "72"],
        chat_metadata={"integrity": "now"},
        past_metadata={"71": {"integrity": "then"}},
    )  # type: ignore[list-item]
    group = read_group(path)
    assert (group.members, group.chats, dict(group.integrities)) == (
        ("a.png", "b.png"),
        ("71", "72"),
        {"71": "then", "72": "now"},
    )


@pytest.mark.parametrize(
    "raw",
    [{}, {"members": "no list"}, {"chats": {"a": 1}, "members": None, "chat_id": 17}],
    ids=str,
)
def test_an_odd_group_is_read_as_far_as_it_goes(tmp_path: Path, raw: Any) -> None:
    assert read_group(write_json(tmp_path / "9.json", raw)).id == "9"


# ── lorebooks and summaries ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "extra",
    [{}, {"memory": None}, {"memory": 7}, {"memory": "  "}, {"qvink_memory": "text"}, {"qvink_memory": {"memory": None}}, {"qvink_memory": {"memory": "x", "exclude": True}}],
    ids=str,
)  # fmt: skip
def test_what_is_no_summary(extra: Any) -> None:
    assert list(of_message(extra, 3)) == []


# ── settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_personas_and_chosen_lorebooks_are_read(user: Path) -> None:
    found = read_settings(user / "settings.json")
    assert [(one.name, one.book) for one in found.personas.values()] == [
        ("林", "旅人"),
        ("Wren", ""),
    ]
    assert (found.user, found.default_persona, found.global_books, dict(found.more_books)) == (
        "林",
        "lin.png",
        ("海边",),
        {"明月": ("长安",)},
    )
    assert found.personas["lin.png"].description == "二十六岁，会修灯的旅人。"
    assert found.persona_named("Wren") == found.personas["1700000000000-Wren.png"]
    assert found.persona_named("nobody") is None


@pytest.mark.parametrize(
    "raw",
    [{}, {"power_user": 3}, {"power_user": {"personas": ["a"], "persona_descriptions": None}}, {"world_info_settings": {"world_info": []}}, {"world_info": {"globalSelect": "海边", "charLore": {}}}],
    ids=str,
)  # fmt: skip
def test_odd_settings_are_read_as_far_as_they_go(tmp_path: Path, raw: Any) -> None:
    assert read_settings(write_json(tmp_path / "settings.json", raw)).personas == {}


def test_two_personas_of_one_name_are_told_apart_by_the_default(tmp_path: Path) -> None:
    found = read_settings(
        settings(
            tmp_path,
            personas={"a.png": "林", "b.png": "林"},
            default_persona="b.png",
            persona_descriptions={},
        )
    )
    lin = found.persona_named("林")
    assert lin is not None
    assert lin.avatar == "b.png"


def test_settings_that_are_not_there_are_empty_and_broken_ones_are_told(tmp_path: Path) -> None:
    assert read_settings(tmp_path / "settings.json").user == ""
    (tmp_path / "settings.json").write_text('{"username": ')
    with pytest.raises(FileError, match="opens here is never closed"):
        read_settings(tmp_path / "settings.json")
