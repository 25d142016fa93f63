"""Tables on pages name what the program has: no field, alias, preset, strategy or model too few, none too many."""

import re

import pytest

from rolememory.recall.turn import Turn
from rolememory.schema.memory import Memory
from rolememory.shipped import shipped
from rolememory.storage.codec import ALIASES, DEFAULTS, MEANINGS
from rolememory.text.embed.catalogue import MODELS
from rolememory.triggers import NAMES
from tests.docs.pages import Page
from tests.paths import ROOT

BOTH = pytest.mark.parametrize("language", ["en", "zh"])


def page(language: str, name: str) -> Page:
    return Page(ROOT / "docs" / language / f"{name}.md")


def cells(one: Page, heading: str) -> list[list[str]]:
    """The rows of the first table below a heading that holds this word in code or text, its head left out."""
    below = one.prose[one.prose.index(f"\n## {heading}") :]
    table = below[below.index("\n|") + 1 :].split("\n\n")[0]
    return [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in table.split("\n")[2:]
    ]


def firsts(one: Page, heading: str) -> list[str]:
    return [re.sub("`", "", row[0]) for row in cells(one, heading)]


@BOTH
def test_every_field_of_a_memory_has_its_row(language: str) -> None:
    heading = {"en": "The fields", "zh": "字段"}[language]
    assert set(firsts(page(language, "files"), heading)) == set(Memory.model_fields)


@BOTH
def test_every_other_name_of_a_field_is_told(language: str) -> None:
    text = page(language, "files").prose
    assert [name for name in (*ALIASES, *MEANINGS) if f"`{name}`" not in text] == []


@BOTH
def test_defaults_are_those_of_the_program(language: str) -> None:
    heading = {"en": "The fields", "zh": "字段"}[language]
    for row in cells(page(language, "files"), heading):
        name, told = row[0].strip("`"), row[-1].strip("`")
        if name in DEFAULTS and name != "type" and DEFAULTS[name] is not None:
            default = DEFAULTS[name]
            shown = (
                {True: "true", False: "false"}.get(default)
                if isinstance(default, bool)
                else f"{default:g}"
                if isinstance(default, float | int)
                else str(default)
            )
            assert told == shown, name


@BOTH
def test_every_strategy_has_its_row(language: str) -> None:
    heading = {"en": "The strategies", "zh": "各种策略"}[language]
    assert set(firsts(page(language, "recall"), heading)) == set(NAMES)


@BOTH
def test_every_preset_has_its_row(language: str) -> None:
    heading = {"en": "What ships", "zh": "自带哪些"}[language]
    shipped_ones = {file.stem for file in shipped("worldbook_rules", "presets").glob("*.toml")}
    assert set(firsts(page(language, "presets"), heading)) == shipped_ones


@BOTH
def test_models_are_those_of_the_catalogue(language: str) -> None:
    heading = {"en": "Chinese and other languages", "zh": "中文与其他语言"}[language]
    known = {model.name: (str(model.megabytes), str(model.dims)) for model in MODELS}
    for name, _, size, dims in cells(page(language, "models"), heading):
        assert known[name.strip("`")] == (size, dims)


@BOTH
def test_what_a_turn_holds_is_there(language: str) -> None:
    heading = {"en": "What a turn holds", "zh": "一轮的结果里有什么"}[language]
    named = [
        found
        for row in cells(page(language, "library"), heading)
        for found in re.findall(r"`(\w+)", row[0])
    ]
    assert [name for name in named if not hasattr(Turn, name)] == []
