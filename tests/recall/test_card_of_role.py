"""The card that role.json names reaches the turn: its texts are searched, its names are said, its file and tags pass the filters."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rolememory.engine import Home, RoleMemory
from rolememory.recall.role_files import RoleCard
from rolememory.schema.role import Character, Role


def card(**fields: Any) -> str:
    data = {
        "name": "Mira",
        "description": "{{char}} keeps the lighthouse for {{user}}.",
        "tags": ["sea"],
        "extensions": {},
        **fields,
    }
    return json.dumps(
        {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}, ensure_ascii=False
    )


def book(**entry: Any) -> str:
    return json.dumps(
        {
            "entries": {
                "0": {
                    "uid": 0,
                    "content": "{{char}} tells {{user}} of oil.",
                    "position": 0,
                    **entry,
                }
            }
        }
    )


@pytest.fixture
def mira(tmp_path: Path) -> Iterator[RoleMemory]:
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        role = home.create("Keeper", card="card.json", card_from="Seraphina.png")
        (role.folder / "card.json").write_text(card(), encoding="utf-8")
        (role.folder / "worldbooks").mkdir()
        yield role


def said(mira: RoleMemory, entry: dict[str, Any]) -> str:
    """All that a turn says with this entry in the role's book."""
    (mira.folder / "worldbooks" / "b.json").write_text(book(**entry), encoding="utf-8")
    return "\n".join(
        message.content for message in mira.recall(["Good evening."], user="Lin").messages
    )


@pytest.mark.parametrize(
    ("entry", "comes"),
    [
        pytest.param(
            {"key": ["lighthouse"], "matchCharacterDescription": True},
            True,
            id="a key in the description",
        ),
        pytest.param(
            {"key": ["for Lin"], "matchCharacterDescription": True},
            True,
            id="macros of the description are said",
        ),
        pytest.param(
            {"key": ["lighthouse"]}, False, id="the description is searched only where asked for"
        ),
        pytest.param(
            {"constant": True, "characterFilter": {"names": ["Seraphina"]}},
            True,
            id="the filter knows the file it came from",
        ),
        pytest.param(
            {"constant": True, "characterFilter": {"names": ["Asha"]}},
            False,
            id="the filter keeps others out",
        ),
        pytest.param(
            {"constant": True, "characterFilter": {"tags": ["sea"]}},
            True,
            id="the filter knows its tags",
        ),
        pytest.param(
            {"constant": True, "characterFilter": {"tags": ["sea"], "isExclude": True}},
            False,
            id="tags may shut it out",
        ),
    ],
)
def test_entries_see_the_card(mira: RoleMemory, entry: dict[str, Any], comes: bool) -> None:
    assert ("Mira tells Lin of oil." in said(mira, entry)) is comes


def test_a_character_given_by_the_caller_wins(mira: RoleMemory) -> None:
    (mira.folder / "worldbooks" / "b.json").write_text(book(constant=True), encoding="utf-8")
    turn = mira.recall(["Good evening."], character=Character(name="Asha", user="Wu"))
    assert "Asha tells Wu of oil." in str(turn.messages)


def test_a_saved_card_counts_on_the_next_turn_and_a_broken_one_does_not(mira: RoleMemory) -> None:
    follow, role, file = (
        RoleCard(mira.space, mira.parts.context.home.space),
        mira.role,
        mira.folder / "card.json",
    )
    assert follow.character(role, "Lin").name == "Mira"
    file.write_text(card(nickname="Mimi"), encoding="utf-8")
    assert follow.character(role).name == "Mimi"
    file.write_text("{", encoding="utf-8")
    assert follow.character(role).name == "Mimi"
    assert "card.json" in follow.problem
    file.write_text(card(name="米拉"), encoding="utf-8")
    assert (follow.character(role).name, follow.problem) == ("米拉", "")


@pytest.mark.parametrize("name", [None, "gone.png", "../other/card.json", "/etc/passwd"])
def test_without_a_card_the_name_alone_is_known(mira: RoleMemory, name: str | None) -> None:
    role = Role(id=mira.id, name="Keeper", card=name)
    assert RoleCard(mira.space, mira.parts.context.home.space).character(role) == Character(
        name="Keeper"
    )
