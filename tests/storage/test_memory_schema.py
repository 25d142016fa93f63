"""The schema that editors complete from says what the reader reads."""

from rolememory.schema.described import descriptions
from rolememory.schema.memory import Memory
from rolememory.storage.codec import ALIASES
from rolememory.storage.memory_file import ARRAYS, empty
from rolememory.storage.memory_schema import schema


def test_every_field_alias_and_array_is_in_the_schema_in_both_languages() -> None:
    found = schema()
    properties = found["$defs"]["Memory"]["properties"]
    assert descriptions(Memory).keys() == Memory.model_fields.keys()
    assert properties.keys() == {*Memory.model_fields, *ALIASES}
    assert all(" / " in described["description"] for described in properties.values())
    assert found["properties"].keys() >= {*ARRAYS, *empty()}


def test_a_plain_text_is_a_valid_memory_and_only_content_is_required() -> None:
    found = schema()
    assert {"type": "string", "minLength": 1} in found["properties"]["episodic"]["items"]["anyOf"]
    assert found["$defs"]["Memory"]["required"] == []
    assert {"required": ["content"]} in found["$defs"]["Memory"]["anyOf"]


def test_references_inside_the_schema_are_there() -> None:
    found = schema()
    assert {"Memory", "Evidence", "SelectiveLogic", "Source"} <= found["$defs"].keys()
