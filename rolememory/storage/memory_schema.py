"""The JSON schema of memory.json for editors: completion, hints and validation, in English and Chinese."""

from rolememory.locales import translatable, translated
from rolememory.schema.described import descriptions
from rolememory.schema.json_types import JsonObject
from rolememory.schema.memory import Memory, MemoryType
from rolememory.storage.codec import ALIASES
from rolememory.storage.memory_file import ARRAYS

NAME = "memory.schema.json"


def schema() -> JsonObject:
    """The schema of memory.json (JSON Schema 2020-12). Unknown fields are allowed, as everywhere in the file."""
    entry = _entry(Memory.model_json_schema())
    entries = {
        "type": "array",
        "items": {"anyOf": [{"type": "string", "minLength": 1}, {"$ref": "#/$defs/Memory"}]},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "memory.json",
        "description": _both("what a role remembers"),
        "type": "object",
        "properties": {
            "$schema": {"type": "string"},
            "version": {
                "type": "integer",
                "description": _both("version of the format"),
            },
            "through": {
                "type": "integer",
                "description": _both("kept by rolememory: leave it as it is"),
            },
            **{name: {**entries, "description": _array(kind)} for name, kind in ARRAYS.items()},
        },
        "$defs": {**entry.pop("$defs", {}), "Memory": entry},
    }


def _entry(entry: JsonObject) -> JsonObject:
    properties = {name: _generous(name, found) for name, found in entry["properties"].items()}
    for alias, name in ALIASES.items():
        properties[alias] = {
            **properties[name],
            "description": _both("another name for {name}", name=name),
        }
    named = [
        {"required": [name]}
        for name in ("content", *(alias for alias, name in ALIASES.items() if name == "content"))
    ]
    return {
        **entry,
        "properties": properties,
        "required": [],
        "anyOf": named,
        "additionalProperties": True,
    }


def _generous(name: str, found: JsonObject) -> JsonObject:
    """The field's schema as the reader accepts it: more spellings than the model."""
    found = {key: value for key, value in found.items() if key != "title"} | {
        "description": _both(descriptions(Memory)[name])
    }
    if name in ("created", "written", "expires"):
        return {"type": ["string", "number", "null"], "description": found["description"]}
    if name == "id":
        return {**found, "type": ["string", "integer"]}
    if name == "type":
        return {
            "enum": [*MemoryType, "fact", "preference", "project", "scene"],
            "description": found["description"],
        }
    return found


def _array(kind: MemoryType | None) -> str:
    words = translatable(
        {
            MemoryType.EPISODIC: "what happened",
            MemoryType.SEMANTIC: "what is known",
            MemoryType.TRAIT: "what the role is like",
            MemoryType.GOAL: "what the role wants",
        }
    )
    return _both(words[kind]) if kind else _both("memories of any type")


def _both(template: str, **values: object) -> str:
    return " / ".join(translated(template, one, **values) for one in ("en", "zh"))
