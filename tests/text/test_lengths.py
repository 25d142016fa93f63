"""How long a text is, in each unit."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.engine import Home
from rolememory.errors import FileError
from rolememory.schema.settings import LengthSettings
from rolememory.text.lengths import TokenEstimate, TokenizerFile, counter_for


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("灯塔灭了", 4, id="four characters of Chinese: 3.2"),
        pytest.param("燈塔，滅了。", 5, id="punctuation counts like characters: 4.8"),
        pytest.param("The beacon went dark", 5, id="twenty Latin letters and blanks"),
        pytest.param("1887", 2, id="four digits: 1.6"),
        pytest.param("маяк", 2, id="four letters of another script"),
        pytest.param("🔥🔥", 4, id="two emoji"),
        pytest.param("등대", 2, id="two syllables of hangul: 1.6"),
    ],
)
def test_tokens_are_estimated_by_script(text: str, tokens: int) -> None:
    assert TokenEstimate(safety=1.0)(text) == tokens


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_longer_text_never_counts_less(one: str, other: str) -> None:
    count = TokenEstimate()
    assert count(one) <= count(one + other) <= count(one) + count(other)


def test_the_estimate_stays_on_the_safe_side() -> None:
    assert TokenEstimate(safety=1.5)("灯塔" * 10) == 24
    assert TokenEstimate()("灯塔" * 50_000) == 88_000


def test_characters_are_exact() -> None:
    assert counter_for("characters", LengthSettings())("灯塔🔥é") == 4


def test_settings_choose_the_counter(tmp_path: Path) -> None:
    assert counter_for("tokens", LengthSettings(safety=1.3)) == TokenEstimate(1.3)
    assert counter_for("tokens", LengthSettings(counter=str(tmp_path / "t.json"))) == TokenizerFile(
        tmp_path / "t.json"
    )


def test_a_tokenizer_file_counts_its_own_tokens(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({"the": 0, "beacon": 1, "?": 2}, unk_token="?")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(tmp_path / "tokenizer.json"))
    count = TokenizerFile(tmp_path / "tokenizer.json")
    assert (count("the beacon went dark"), count("")) == (4, 0)
    told = {"budget.unit": "tokens", "budget.max_total_length": 60, "embedding.backend": "off"}
    files = ("estimate", str(tmp_path / "tokenizer.json"))
    for number, counter in enumerate(files):
        with Home.open(tmp_path / str(number), {**told, "lengths.counter": counter}) as home:
            mira = home.role("Mira", create=True)
            mira.remember("灯塔" * 60, keys=["灯"], id="long")
            assert [one.memory.id for one in mira.recall("灯？灯！").recalled] == ["long"] * number


@pytest.mark.parametrize("content", [None, "{}", "not json"])
def test_a_file_that_is_no_tokenizer_is_named(content: str | None, tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(FileError, match=r"tokenizer\.json: .*estimate"):
        TokenizerFile(path)("the beacon")
