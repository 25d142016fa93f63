"""Chinese or English."""

import pytest

from rolememory.text.language import language_of, scripts


@pytest.mark.parametrize(
    ("text", "language"),
    [
        pytest.param("灯塔为什么灭了？", "zh", id="中文"),
        pytest.param("燈塔為什麼滅了？", "zh", id="繁體中文"),
        pytest.param("Why is the beacon dark?", "en", id="English"),
        pytest.param("嗯", "zh", id="一个字"),
        pytest.param("ok", "en", id="one word"),
        pytest.param("我昨天在harbour见到了Mira，她说beacon又灭了", "zh", id="夹着英文的中文"),
        pytest.param(
            "She said 你好 to everyone and then went home", "en", id="English with Chinese in it"
        ),
        pytest.param("Mira：我们走吧，别回头", "zh", id="英文名字开头的中文"),
        pytest.param("彼女は灯台にいる", "en", id="Japanese"),
        pytest.param("등대가 꺼졌다", "en", id="Korean"),
        pytest.param("маяк погас", "en", id="Russian"),
        pytest.param("", "en", id="nothing: the default"),
        pytest.param("12345 !!! 🔥", "en", id="no words: the default"),
    ],
)
def test_language_is_what_most_of_a_text_is_written_in(text: str, language: str) -> None:
    assert language_of(text) == language


def test_without_words_the_default_decides() -> None:
    assert language_of("……🔥", default="zh") == "zh"


def test_scripts_are_counted() -> None:
    assert scripts("彼女は Café に。маяк, 1887 등") == {
        "han": 2,
        "kana": 2,
        "hangul": 1,
        "latin": 4,
        "cyrillic": 4,
        "digit": 4,
    }
    assert scripts("") == {}
