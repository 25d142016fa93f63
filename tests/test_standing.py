"""A memory that stands already is not written again, whatever became of the others."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from rolememory import Home, RoleMemory
from rolememory.engine.changes import changes
from rolememory.errors import InvalidValueError

QUIET = {"embedding.backend": "off", "learn.enabled": False}
TEXTS = ("I keep the lamp.", "I keep the lamp too.", "灯归我管。")
IDS = ("m1", "m2", "m3", "i-keep-the-lamp")
STEPS = ("remember", "write", "reword", "archive", "delete", "undo", "ask", "save", "open")


def take(mind: RoleMemory, step: str, one: str, text: str) -> None:
    """One step; what it names may not be there."""
    there = one in mind.memories
    if step == "remember":
        check(mind, text)
    elif step == "write" and not there:
        mind.remember_all([{"id": one, "content": text, "type": "trait"}, "Something else."])
    elif step == "reword" and there:
        mind.edit(one, content=text, archived=False)
    elif step == "archive" and there:
        mind.archive(one)
    elif step == "delete" and there:
        mind.delete(one)
    elif step == "ask":
        mind.recall("Who keeps the lamp?", dry_run=True)
    elif step == "save":
        mind.store.checkpoint(force=True)
    elif step == "undo":
        undo(mind)


def undo(mind: RoleMemory) -> None:
    """Compares what is told with all memories before and after."""
    before = dict(mind.memories)
    try:
        told = mind.undo()
    except InvalidValueError:
        assert not mind.history()
    else:
        differ = changes(before, dict(mind.memories))
        assert sorted(told, key=repr) == sorted(differ, key=repr)


def check(mind: RoleMemory, text: str) -> None:
    """Compares with what all memories say."""
    before = mind.memories
    alike = {one.id for one in before.values() if one.content == text and not one.archived}
    same = {one for one in alike if before[one].type == "episodic"}
    told = mind.remember(text)
    assert (told.content, told.archived) == (text, False)
    assert told.id == min(same) if same else told.id not in before
    assert mind.memories.keys() == {*before, told.id}


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(STEPS), st.sampled_from(IDS), st.sampled_from(TEXTS)),
        max_size=14,
    )
)
def test_what_stands_is_found_and_nothing_else(steps: Sequence[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Home.open(Path(folder), QUIET)
        mind = home.create("Mira")
        for step, one, text in steps:
            if step == "open":
                home.close()
                home = Home.open(Path(folder), QUIET)
                mind = home.role("Mira")
            take(mind, step, one, text)
        for text in TEXTS:
            check(mind, text)
        home.close()


def test_ids_made_of_the_same_words_are_numbered(tmp_path: Path) -> None:
    with Home.open(tmp_path, QUIET) as home:
        mind = home.create("Mira")
        ids = [mind.remember(f"I keep the lamp {'lit ' * one}").id for one in range(12)]
        assert ids == ["i-keep-the-lamp", *(f"i-keep-the-lamp-{one}" for one in range(2, 13))]
        mind.delete(ids[4])
        assert mind.remember("I keep the lamp clean.").id not in {*ids[:4], *ids[5:]}
