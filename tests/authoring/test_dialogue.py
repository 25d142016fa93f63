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


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("2024-05-01 12:00 林: 怀表呢？\n2024-05-01 12:01:30 米拉: 在码头。", id="before each name"),
        pytest.param("[2024/5/1 12:00] 林：怀表呢？\n[2024/5/1 12:01:30] 米拉：在码头。", id="in brackets"),
        pytest.param("2024年5月1日 12：00 林\n怀表呢？\n\n2024年5月1日 12：01：30 米拉\n在码头。", id="above the text"),
    ],
)  # fmt: skip
def test_times_before_names(text: str) -> None:
    told = read_dialogue(text, characters=["米拉"])
    assert [(one.role, one.name, one.content) for one in told] == [
        ("user", "林", "怀表呢？"),
        ("assistant", "米拉", "在码头。"),
    ]
    assert [one.sent and one.sent.astimezone().strftime("%F %T") for one in told] == [
        "2024-05-01 12:00:00",
        "2024-05-01 12:01:30",
    ]
