"""A home whose memories rules wrote comes up to date: in one step, with a way back, and nothing of anybody's is touched."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rolememory.engine import Home, RoleMemory
from rolememory.schema.memory import MemoryType
from rolememory.schema.message import Message
from rolememory.storage.memories import Edit
from rolememory.storage.upgrade import ACTOR, REASON, Upgraded, upgrade

SAID = [{"chat": "one", "version": "v1", "quote": "I live in Rome."}]


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[RoleMemory]:
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        yield home.create("Mira")


def wrote(mind: RoleMemory, actor: str, memory_id: str, content: str, **fields: Any) -> str:
    """A memory as learning wrote it."""
    given = {"content": content, "source": "user_input", "evidence": SAID, "user": "lin", **fields}
    mind.store.commit([Edit("add", memory_id, given, MemoryType.SEMANTIC)], actor)
    return memory_id


def put_away(mind: RoleMemory) -> Upgraded:
    return upgrade(
        mind.store.snapshot().memories,
        mind.history(),
        lambda edits, actor: mind.store.commit(edits, actor=actor),
    )


def counting(mind: RoleMemory) -> set[str]:
    memories = mind.store.snapshot().memories.values()
    outdated = {old for one in memories if not one.archived for old in one.supersedes}
    return {one.id for one in memories if not one.archived} - outdated


def test_what_rules_wrote_is_put_away_and_undo_brings_it_back(mind: RoleMemory) -> None:
    wrote(mind, "learn", "rome", "Lin lives in Rome.")
    wrote(mind, "learn", "paris", "林住在巴黎。", supersedes=["rome"])
    mind.remember("The beacon failed in 1887.", id="beacon")
    before = dict(mind.store.snapshot().memories)
    assert put_away(mind) == Upgraded(("rome", "paris"))
    assert counting(mind) == {"beacon"}
    assert {line.txn for line in mind.history() if line.actor == ACTOR} == {mind.history()[0].txn}
    mind.undo()
    assert dict(mind.store.snapshot().memories) == before
    assert put_away(mind) == Upgraded(), "what a person brought back stays"


@pytest.mark.parametrize(
    ("actor", "fields"),
    [
        pytest.param("user", {}, id="asked to be remembered"),
        pytest.param("model", {"source": "summary"}, id="distilled by a model"),
        pytest.param("infer", {"source": "inference"}, id="a conclusion"),
        pytest.param("review", {}, id="accepted by a person"),
        pytest.param("author", {"source": "manual", "evidence": []}, id="written by an author"),
        pytest.param("sillytavern", {}, id="brought along"),
        pytest.param("learn", {"locked": True}, id="locked"),
        pytest.param("learn", {"constant": True}, id="pinned"),
        pytest.param("learn", {"archived": True}, id="put away already"),
        pytest.param("learn", {"evidence": []}, id="resting on nothing"),
    ],
)
def test_what_is_somebodys_stays(mind: RoleMemory, actor: str, fields: dict[str, Any]) -> None:
    wrote(mind, actor, "it", "Lin lives in Rome.", **fields)
    before = dict(mind.store.snapshot().memories)
    assert put_away(mind) == Upgraded()
    assert dict(mind.store.snapshot().memories) == before


@pytest.mark.parametrize("field", ["content", "keys", "weight", "archived"])
def test_what_a_person_changed_stays(mind: RoleMemory, field: str) -> None:
    wrote(mind, "learn", "it", "Lin lives in Rome.")
    changed = {"content": "Lin lives by the harbour.", "keys": ["rome"], "weight": 1.5}
    if field == "archived":
        mind.archive("it")
        mind.edit("it", archived=False)
    else:
        mind.edit("it", **{field: changed[field]})
    assert put_away(mind) == Upgraded()


def test_what_was_changed_in_an_editor_stays(mind: RoleMemory) -> None:
    wrote(mind, "learn", "it", "Lin lives in Rome.")
    wrote(mind, "learn", "other", "Lin likes tea.")
    mind.store.checkpoint(force=True)
    file = mind.folder / "memory.json"
    raw = json.loads(file.read_text("utf-8"))
    raw["semantic"][0]["content"] = "Lin lives by the harbour."
    file.write_text(json.dumps(raw), "utf-8")
    mind.store.checkpoint(force=True)
    assert put_away(mind).archived == ("other",)


def test_upkeep_and_models_are_no_persons(mind: RoleMemory) -> None:
    wrote(mind, "learn", "it", "Lin lives in Rome.")
    mind.store.commit([Edit("set", "it", {"archived": True})], "clean")
    mind.store.commit([Edit("set", "it", {"archived": False})], "clean")
    mind.store.commit([Edit("set", "it", {"supersedes": ["old"]})], "model")
    assert put_away(mind) == Upgraded(("it",), ("old",))


def test_what_rules_outdated_counts_again_and_what_persons_and_models_outdated_does_not(
    mind: RoleMemory,
) -> None:
    for one in ("by-rule", "by-model", "by-person"):
        wrote(mind, "user", one, f"Lin said this {one}.")
    wrote(mind, "learn", "rule", "Lin moved to Paris.", supersedes=["by-rule"])
    wrote(mind, "model", "model", "Lin moved to Oslo.", supersedes=["by-model"])
    wrote(mind, "user", "person", "I moved to Bergen.", supersedes=["by-person"])
    mind.store.commit([Edit("set", "model", {"supersedes": ["by-model", "by-rule"]})], "learn")
    assert put_away(mind) == Upgraded(("rule",), ("by-rule",))
    assert counting(mind) == {"by-rule", "model", "person"}
    mind.undo()
    assert counting(mind) == {"rule", "model", "person"}


def test_a_second_time_there_is_nothing_to_do(tmp_path: Path) -> None:
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        mind = home.create("Mira")
        wrote(mind, "learn", "it", "Lin lives in Rome.")
        assert put_away(mind).archived == ("it",)
        assert put_away(mind) == Upgraded()
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        mind = home.role("Mira")
        assert put_away(mind) == Upgraded()
        mind.edit("it", archived=False)
        assert put_away(mind) == Upgraded(), "a person wants it back"


def test_upkeep_leaves_what_was_put_away(mind: RoleMemory) -> None:
    wrote(mind, "learn", "it", "Lin lives in Rome.", evidence=[{"chat": "gone", "version": "v"}])
    put_away(mind)
    mind.clean()
    assert mind.store.snapshot().memories["it"].archived


BEFORE = Path(__file__).parent / "old_home"
"""A home as the last version with rules wrote it; one of its memories was edited and one locked since."""
KEPT = {
    "beacon",  # an author's
    "the-gate-code-is-fded8097",  # asked to be remembered
    "thank-you-i-found-45770823",  # edited by a person
    "m-e161ba19-aca5a55f",  # locked by a person
}


def opened(folder: Path, **settings: str) -> Home:
    if not folder.exists():
        shutil.copytree(BEFORE, folder)
    return Home.open(folder, {"embedding.backend": "off", **settings})


def said(folder: Path, text: str, **settings: str) -> None:
    """Open it for writing, as a chat does."""
    with opened(folder, **settings) as home:
        mind = home.role("Mira")
        mind.observe([Message.user(text)], chat="four", user="lin")
        assert mind.learned()


def test_an_older_home_is_upgraded_once_when_it_is_written_to_and_undo_restores_it(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "home"
    with opened(folder) as home:
        before = dict(home.role("Mira").memories)
    assert len(before) == 12
    said(folder, "Hello again.")
    with opened(folder) as home:
        mind = home.role("Mira")
        assert counting(mind) == KEPT
        assert {one: mind.memories[one] for one in KEPT} == {one: before[one] for one in KEPT}
        lines = [line for line in mind.history() if line.actor == ACTOR]
        assert {(line.txn, line.reason) for line in lines} == {(lines[0].txn, REASON)}
        for question, answer in (
            ("Did I move to another city?", "Paris"),
            ("What does my sister keep?", "bees"),
            ("我妹妹开了什么店？", "茶馆"),
            ("What is the gate code?", "owls"),
        ):
            asked = [Message.user(question)]
            assert answer in mind.recall(asked, chat="five", user="lin", dry_run=True).text
        mind.undo(lines[0].txn)
        assert dict(mind.memories) == before
    said(folder, "Good evening.")
    with opened(folder) as home:
        assert dict(home.role("Mira").memories) == before, "what a person brought back stays"


def test_upkeep_by_hand_upgrades_too(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as home:
        mind = home.role("Mira")
        mind.clean(dry_run=True)
        assert not any(line.actor == ACTOR for line in mind.history()), "a look changes nothing"
        mind.clean()
        assert counting(mind) == KEPT


def test_where_chats_are_not_recalled_nothing_is_put_away(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    said(folder, "Hello again.", **{"recall.passages.recall": "none"})
    with opened(folder) as home:
        assert not any(one.archived for one in home.role("Mira").memories.values())
    said(folder, "Good evening.")
    with opened(folder) as home:
        assert counting(home.role("Mira")) == KEPT, "once they are"


def test_a_role_is_upgraded_once(mind: RoleMemory) -> None:
    assert mind.upgrade() == Upgraded()
    wrote(mind, "learn", "brought", "Lin lives in Rome.")
    assert mind.upgrade() == Upgraded(), "what comes later came by another way"
    assert counting(mind) == {"brought"}
