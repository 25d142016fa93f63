"""memory.schema.json explains every field that memory.json may hold."""

import json
from pathlib import Path
from typing import Any

import pytest

from rolememory.schema.memory import Memory
from rolememory.store.codec import ALIASES
from rolememory.store.home import init
from rolememory.store.memory_schema import memory_schema


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_field_and_alias_is_explained(language: Any) -> None:
    fields = memory_schema(language)["$defs"]["Memory"]["anyOf"][1]["properties"]
    assert set(fields) == {*Memory.model_fields, *ALIASES}
    assert all(field["description"].isascii() == (language == "en") for field in fields.values())


def test_every_reference_leads_somewhere() -> None:
    schema = memory_schema()
    text = json.dumps(schema)
    named = {part.split('"')[0] for part in text.split('"#/$defs/')[1:]}
    assert named <= set(schema["$defs"])


def test_init_writes_it_where_memories_point(tmp_path: Path) -> None:
    init(tmp_path, "zh")
    assert json.loads((tmp_path / "memory.schema.json").read_text("utf-8")) == memory_schema("zh")
