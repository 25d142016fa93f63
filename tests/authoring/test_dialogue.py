"""Chats in plain text."""

import pytest

from rolememory.authoring.dialogue import read_dialogue


@pytest.mark.parametrize(
    ("text", "user", "told"),
    [
        pytest.param("Mira: Dark.\nLin: Why?", None, [("assistant", "Mira", "Dark."), ("user", "Lin", "Why?")], id="who speaks last is the user"),
        pytest.param("Lin: Why?\nMira: Dark.", "lin", [("user", "Lin", "Why?"), ("assistant", "Mira", "Dark.")], id="unless it is said who is"),
        pytest.param("User: Why?\nMira: Dark.", None, [("user", "User", "Why?"), ("assistant", "Mira", "Dark.")], id="or a name says it"),
        pytest.param("云娘：喝茶。\n我：好。\n云娘：坐。", None, [("assistant", "云娘", "喝茶。"), ("user", "我", "好。"), ("assistant", "云娘", "坐。")], id="中文冒号"),
        pytest.param("Mira: One.\nTwo.\n\nThree.\nLin: Yes", None, [("assistant", "Mira", "One.\nTwo.\n\nThree."), ("user", "Lin", "Yes")], id="several lines"),
        pytest.param("Why is it dark?", None, [("user", None, "Why is it dark?")], id="no name at all"),
        pytest.param("She said, wait: no.", None, [("user", None, "She said, wait: no.")], id="a colon in a sentence is no name"),
        pytest.param("Mira:\nDark.", None, [("user", "Mira", "Dark.")], id="a name on a line of its own"),
        pytest.param("  \n\n", None, [], id="nothing"),
    ],
)  # fmt: skip
def test_dialogue(text: str, user: str | None, told: list[tuple[str, str | None, str]]) -> None:
    assert [(one.role, one.name, one.content) for one in read_dialogue(text, user)] == told
