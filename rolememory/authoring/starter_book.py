"""A starter lorebook: three entries with the most important fields, and their expectations."""

import json

from rolememory.cards.sillytavern import new_entry
from rolememory.schema.scene import Language
from rolememory.shipped import shipped


def new_book(name: str, language: Language = "en") -> str:
    """The JSON of a small world file of that name."""
    entries = {
        str(at): {"uid": at, **new_entry(addMemo=True, **fields)}
        for at, fields in enumerate(json.loads(_example("entries.{}.json", language)))
    }
    return json.dumps({"name": name, "entries": entries}, ensure_ascii=False, indent=2) + "\n"


def new_expectations(file: str, language: Language = "en") -> str:
    """The expectations of that book; they pass."""
    return _example("expectations.{}.toml", language).replace("{file}", file)


def _example(name: str, language: Language) -> str:
    folder = shipped("worldbook_rules", "new_book")
    file = folder / name.format(language)
    return (file if file.is_file() else folder / name.format("en")).read_text("utf-8")
