"""What is written about the people who play is known on their turns, and gone with them."""

import json
from pathlib import Path
from typing import Any

import pytest

from rolememory import Home, Message
from rolememory.errors import FileError
from rolememory.storage.files.space import FileSpace
from rolememory.storage.personas import Personas, forget
from rolememory.text.names import PersonNames

LIN = {"name": "林", "description": "二十六岁，会修灯的旅人。", "avatar": "lin.png"}


def write(home: Path, *rows: Any) -> Path:
    path = home / "personas.json"
    path.write_text(json.dumps({"personas": list(rows), "mine": 1}, ensure_ascii=False), "utf-8")
    return path


@pytest.mark.parametrize(
    ("rows", "user", "told"),
    [
        pytest.param([LIN], "林", LIN["description"], id="the one of this name"),
        pytest.param([LIN], "Wren", "", id="nobody of this name"),
        pytest.param([LIN], None, "", id="a turn that names nobody"),
        pytest.param(
            [LIN, {"name": "林", "description": "A sailor."}],
            "林",
            "",
            id="two of one name: neither",
        ),
        pytest.param([LIN, {**LIN, "avatar": "b.png"}], "林", LIN["description"], id="two alike"),
        pytest.param([7, "x", {"name": "林"}], "林", "", id="odd rows"),
    ],
)
def test_what_is_written_about_somebody(
    tmp_path: Path, rows: list[Any], user: str | None, told: str
) -> None:
    write(tmp_path, *rows)
    assert Personas(FileSpace(tmp_path)).about(user) == told


def test_what_is_written_under_the_very_name_goes_before_what_is_under_a_linked_one(
    tmp_path: Path,
) -> None:
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        known, same = Personas(home.space), home.people.same
        write(tmp_path, LIN)
        assert known.about("旅人", same) == ""
        home.people.link("林", "旅人", "Wren")
        assert known.about("旅人", same) == LIN["description"]
        write(tmp_path, LIN, {"name": "旅人", "description": "戴斗笠。"})
        told = [known.about(user, same) for user in ("林", "旅人", "Wren")]
        assert told == [LIN["description"], "戴斗笠。", ""]
        home.people.unlink("Wren")
        role = home.create("明月")
        assert role.as_character("旅人").persona == "戴斗笠。"


def test_the_file_is_followed_and_a_broken_one_keeps_what_was_read_last(tmp_path: Path) -> None:
    known = Personas(FileSpace(tmp_path))
    assert known.about("林") == ""
    path = write(tmp_path, LIN)
    assert known.about("林") == LIN["description"]
    path.write_text("{ broken", "utf-8")
    assert known.about("林") == LIN["description"]
    assert Personas(FileSpace(tmp_path)).about("林") == ""
    path.unlink()
    assert known.about("林") == ""


def test_a_lorebook_hears_who_the_user_is(tmp_path: Path) -> None:
    write(tmp_path, LIN)
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        role = home.create("明月")
        entry = {
            "uid": 0,
            "key": ["修灯"],
            "content": "{{user}}（{{persona}}）能修好古观的长明灯。",
            "matchPersonaDescription": True,
        }
        (role.folder / "worldbooks").mkdir(exist_ok=True)
        (role.folder / "worldbooks" / "temple.json").write_text(
            json.dumps({"entries": {"0": entry}}, ensure_ascii=False), "utf-8"
        )
        said = [Message.user("你好。")]
        assert [
            one.content for one in (role.recall(said, user="林", dry_run=True).lore or []).awake
        ] == [  # type: ignore[union-attr]
            f"林（{LIN['description']}）能修好古观的长明灯。"
        ]
        assert (role.recall(said, user="Wren", dry_run=True).lore or []).awake == ()  # type: ignore[union-attr]


def test_who_is_forgotten_is_forgotten_here_too(tmp_path: Path) -> None:
    path = write(tmp_path, LIN, {"name": "Wren", "description": "A cartographer."})
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        home.forget("林")
    left = json.loads(path.read_text("utf-8"))
    assert [row["name"] for row in left["personas"]] == ["Wren"]
    assert left["mine"] == 1
    assert forget(FileSpace(tmp_path), PersonNames(["nobody"])) == 0
    path.write_text("{ broken", "utf-8")
    with pytest.raises(FileError):
        forget(FileSpace(tmp_path), PersonNames(["Wren"]))
    assert path.read_text("utf-8") == "{ broken"
