"""Traditional characters: every rule about words reads the same ones."""

from datetime import UTC, datetime

import pytest

from rolememory.shipped import lexicon
from rolememory.text.affect import read_affect
from rolememory.text.dates import times
from rolememory.text.intent import intent
from rolememory.text.plain import plain, simplified

NOW = datetime(2025, 8, 6, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("traditional", "written_simply"),
    [
        ("上週三我離開了師父，很難過。", "上周三我离开了师父，很难过。"),
        ("還記得我們聖誕節講過的話嗎？", "还记得我们圣诞节讲过的话吗？"),
        ("幫我寫一首詩吧，後天要用。", "帮我写一首诗吧，后天要用。"),
    ],
)
def test_every_rule_reads_the_same_characters(traditional: str, written_simply: str) -> None:
    def readings(text: str) -> tuple[object, ...]:
        named = [(one.start, one.end, one.offset) for one in times(text, NOW, "zh")]
        return named, intent(text), read_affect(text).emotions, plain(text)

    assert readings(traditional) == readings(written_simply)


def test_no_character_is_read_as_one_that_is_read_as_another() -> None:
    pairs = lexicon("traditional")
    assert not set(pairs["to"]) & set(pairs["from"])
    assert simplified("".join(pairs["from"])) == "".join(pairs["to"])
