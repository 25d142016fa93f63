"""The home to try: three roles whose files are read without a complaint, with something of every kind in them."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from rolememory.schema.memory import Memory, MemoryType, Source
from rolememory.schema.message import Message
from rolememory.schema.role import Role
from rolememory.shipped import shipped
from rolememory.storage.memory_file import read
from rolememory.text.affect import affect_of_entry

HOME = shipped("examples", "home")
ROLES = sorted(folder for folder in HOME.iterdir() if (folder / "role.json").is_file())


def memories(role: Path) -> list[Memory]:
    document = read((role / "memory.json").read_bytes())
    assert not document.problems
    return list(document.memories.values())


def entries(role: Path) -> list[dict[str, Any]]:
    books = sorted((role / "worldbooks").glob("*.json"))
    return [
        entry
        for book in books
        for entry in json.loads(book.read_text(encoding="utf-8"))["entries"].values()
    ]


def test_there_are_three_roles() -> None:
    names = {Role.model_validate_json((role / "role.json").read_bytes()).name for role in ROLES}
    assert names == {"Mira", "巧姨", "Old Ford"}


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_a_role_is_whole(role: Path) -> None:
    told = Role.model_validate_json((role / "role.json").read_bytes())
    assert told.id == role.name == str(UUID(role.name))
    assert UUID(role.name).version == 4
    found = memories(role)
    assert len(found) >= 45
    assert {each.type for each in found} == set(MemoryType)


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_a_role_shows_every_kind(role: Path) -> None:
    found = memories(role)
    ids = {each.id for each in found}
    assert any(each.locked for each in found)
    assert any(each.archived for each in found)
    assert any(each.expires for each in found)
    assert any(each.constant for each in found)
    assert any("emotional" in each.triggers for each in found)
    learned = [each for each in found if each.source is not Source.MANUAL]
    assert all(each.user and each.evidence and each.created for each in learned)
    assert {Source.USER_INPUT, Source.SUMMARY} <= {each.source for each in learned}
    replaced = [old for each in found for old in each.supersedes]
    assert len(replaced) >= 2
    assert set(replaced) <= ids


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_declared_emotions_are_understood(role: Path) -> None:
    assert [
        each.id for each in memories(role) if each.emotions and not affect_of_entry(each).emotions
    ] == []


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_a_book_shows_what_books_can_do(role: Path) -> None:
    book = entries(role)
    assert len(book) >= 12
    for shown in (
        "constant",
        "keysecondary",
        "group",
        "sticky",
        "preventRecursion",
        "excludeRecursion",
    ):
        assert any(entry[shown] for entry in book), shown
    assert any(entry["position"] == 4 for entry in book)
    assert len({entry["order"] for entry in book}) > 5


def test_the_scenes_of_the_demo_name_roles_and_speak_both_languages() -> None:
    names = {
        Role.model_validate_json((role / "role.json").read_bytes()).name.lower() for role in ROLES
    }
    scenes = json.loads((HOME / "demo.json").read_text(encoding="utf-8"))
    assert {scene["role"].lower() for scene in scenes} == names
    for scene in scenes:
        assert Message.of(scene["chat"][-1]).role == "user"
        assert scene["say"]["en"]
        assert scene["say"]["zh"]
