"""Styles from turn to turn: what was rendered in one chat serves the others, and each reads as if it were alone."""

from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Literal

import pytest

from rolememory.inject.environment import Templates
from rolememory.inject.render import Cast, Style
from rolememory.inject.styles import Styles
from rolememory.schema.memory import Memory
from rolememory.schema.passage import Passage, passage
from rolememory.schema.settings import InjectSettings

SHIPPED = Templates()
CHATS = ("harbour", "tower")


def said(chat: str) -> Passage:
    text = f"we met in the {chat}"
    return passage(
        chat=chat,
        version="v",
        role="user",
        text=text,
        span=(0, len(text)),
        speaker="Lin",
        owner="Lin",
        created=datetime(1887, 11, 2, tzinfo=UTC),
    )


LINES: list[Memory] = [
    Memory(id="a", content="the beacon failed", constant=True),
    *map(said, CHATS),
]


@pytest.mark.parametrize("position", ["after_character", "depth"])
def test_each_chat_reads_as_if_it_were_alone(
    position: Literal["after_character", "depth"],
) -> None:
    rules, styles = InjectSettings(position=position), Styles(SHIPPED)
    blocks = [styles.get(rules, "en", Cast("Asha", "Lin", chat=one)).block(LINES) for one in CHATS]
    alone = [Style(SHIPPED, rules, cast=Cast("Asha", "Lin", chat=one)) for one in CHATS]
    assert blocks == [style.block(LINES) for style in alone]
    assert blocks[0] != blocks[1]


def test_a_line_that_one_chat_rendered_serves_as_many_as_there_are() -> None:
    rules, styles = InjectSettings(), Styles(SHIPPED)
    styles.get(rules, "en", Cast("Asha", "Lin", chat="first")).block(LINES)
    many = [f"{one}{two}" for one, two in product("abcdefghij", repeat=2)]
    known = [styles.get(rules, "en", Cast("Asha", "Lin", chat=one)).size for one in many]
    assert set(known) == {len(LINES)}


def test_a_style_stays_until_a_template_of_it_changes(tmp_path: Path) -> None:
    styles = Styles(Templates(tmp_path))  # each looks again
    first = styles.get(InjectSettings(), "en", Cast("Asha", "Lin"))
    assert styles.get(InjectSettings(), "en", Cast("Asha", "Lin")) is first
    (tmp_path / "inject").mkdir()
    (tmp_path / "inject" / "default.en.jinja").write_text("It is known.")
    changed = styles.get(InjectSettings(), "en", Cast("Asha", "Lin"))
    assert "It is known." in changed.block(LINES)
