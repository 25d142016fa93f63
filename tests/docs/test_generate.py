"""The pages that are made from the program are as the program is now."""

import pytest

from tests.docs import generate


@pytest.mark.parametrize(
    "path", generate.pages(), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_the_page_is_up_to_date(path: generate.Path) -> None:
    assert path.read_text("utf-8") == generate.pages()[path], "run `make docs`"


def test_every_verb_stands_on_the_page_in_both_languages() -> None:
    english, chinese = (text for path, text in generate.pages().items() if path.name == "cli.md")
    heads = [line.split()[1:3] for line in english.splitlines() if line.startswith("### ")]
    assert len(heads) > 25
    assert english.count("\n### ") == chinese.count("\n### ")
