"""Passages: of which a role has tens of thousands."""

import tracemalloc
from datetime import UTC, datetime
from typing import Any

from rolememory.schema.memory import Evidence, Memory
from rolememory.schema.passage import Passage, passage

MANY = 2_000
BYTES_EACH = 700
SAID = "I sold the boat."


def a_passage(slot: int = 0) -> Passage:
    return passage(
        chat="harbour",
        version="0a1b2c3d4e5f",
        role="user",
        text=SAID,
        span=(0, len(SAID)),
        speaker="Lin",
        owner="lin",
        created=datetime(2026, 1, 5, tzinfo=UTC),
        slot=slot,
    )


def test_many_of_them_take_little_memory() -> None:
    tracemalloc.start()
    try:
        held = [a_passage(slot) for slot in range(MANY)]
        size = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert size < BYTES_EACH * len(held)


def test_one_is_the_same_as_one_that_was_checked_field_by_field() -> None:
    one = a_passage()
    proof = Evidence(chat="harbour", version="0a1b2c3d4e5f", quote=SAID)
    told: dict[str, Any] = {
        "id": one.id,
        "content": SAID,
        "source": "user_input",
        "subject": "Lin",
        "user": "lin",
        "created": "2026-01-05T00:00:00Z",
        "evidence": [proof],
        "end": len(SAID),
    }
    checked = Passage(**told)
    assert {name: getattr(one, name) for name in Passage.model_fields} == {
        name: getattr(checked, name) for name in Passage.model_fields
    }
    assert one.model_dump() == checked.model_dump()


def test_what_is_usual_of_one_is_written_too() -> None:
    one = a_passage().model_copy(update={"constant": True})
    assert Memory.model_validate(one.model_dump()).constant
    assert one.model_dump()["weight"] == one.weight == 1.0
