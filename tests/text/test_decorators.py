"""Decorator lines: the exact reading and the full one."""

import pytest

from rolememory.text.decorators import KNOWN, Decorators, read_card, read_sillytavern


@pytest.mark.parametrize(
    ("content", "asked", "left"),
    [
        pytest.param("plain @@activate", Decorators(), "plain @@activate", id="not at the head"),
        pytest.param("@@activate\ntext", Decorators(activate=True), "text", id="known"),
        pytest.param("@@activate \ntext", Decorators(), "text", id="a blank behind it: no effect"),
        pytest.param("@@activate\r\ntext", Decorators(), "text", id="a carriage return too"),
        pytest.param(
            "@@activate_only_after 3\n@@@dont_activate\ntext",
            Decorators(),
            "text",
            id="begins like a known one: closes the fallback",
        ),
        pytest.param(
            "@@depth 4\n@@@dont_activate\ntext",
            Decorators(dont_activate=True),
            "text",
            id="fallback",
        ),
        pytest.param(
            "@@x\n@@@y\n@@@activate\n@@@dont_activate\nt",
            Decorators(activate=True),
            "t",
            id="the first known fallback closes",
        ),
        pytest.param(
            "@@x\n@@activate\n@@@dont_activate\nt",
            Decorators(activate=True),
            "t",
            id="a known line closes it too",
        ),
        pytest.param(
            "@@activate",
            Decorators(activate=True),
            "@@activate",
            id="nothing but decorators: printed",
        ),
        pytest.param("@@what\n\ntext", Decorators(), "\ntext", id="the blank line stays"),
        pytest.param(
            "\n@@activate\ntext", Decorators(), "\n@@activate\ntext", id="a line break before: none"
        ),
    ],
)
def test_sillytavern(content: str, asked: Decorators, left: str) -> None:
    assert read_sillytavern(content) == (asked, left)


@pytest.mark.parametrize(
    ("content", "asked", "left"),
    [
        pytest.param(
            "@@depth 1\n@@depth 2\ntext",
            Decorators(depth=1),
            "text",
            id="the first of a name counts",
        ),
        pytest.param(
            "@@depth\n@@@depth 3\ntext",
            Decorators(depth=3),
            "text",
            id="a value missing: the fallback",
        ),
        pytest.param(
            "@@a\n@@@b\n@@@c\n@@@d\n@@@e\n@@@role user\nt",
            Decorators(role="user"),
            "t",
            id="a chain of five",
        ),
        pytest.param("@@role\tuser\nt", Decorators(), "t", id="parted by a blank only"),
        pytest.param(
            "@@activate\r\n@@depth 2\r\n\r\ntext",
            Decorators(activate=True, depth=2),
            "text",
            id="carriage returns do not matter",
        ),
        pytest.param(
            "@@activate", Decorators(activate=True), "", id="nothing but decorators says nothing"
        ),
        pytest.param(
            "@@additional_keys a, b\n@@additional_keys c\nt",
            Decorators(additional_keys=(("a", "b"), ("c",))),
            "t",
            id="repeatable",
        ),
        pytest.param(
            "@@position nowhere\nt", Decorators(), "t", id="an unknown value does not count"
        ),
    ],
)
def test_card(content: str, asked: Decorators, left: str) -> None:
    assert read_card(content) == (asked, left)


def test_all_twenty_are_known() -> None:
    assert len(KNOWN) == 20
