"""What tells next to nothing comes later in the order, and only that."""

import pytest

from rolememory.text.noise import noise
from tests.text import turn_held_out, turn_rows

LOUD, QUIET = 0.8, 0.4
SMALL = {"chit_chat", "noise"}
ROWS = [
    *turn_held_out.rows(turn_held_out.ENGLISH),
    *turn_held_out.rows(turn_held_out.CHINESE),
    *turn_rows.rows(turn_rows.ENGLISH),
    *turn_rows.rows(turn_rows.CHINESE),
]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("ok", id="assent"),
        pytest.param("Haha yes, exactly!!", id="laughter and assent"),
        pytest.param("Good morning! How are you?", id="a greeting"),
        pytest.param("Aww, that's so sweet of you.", id="a pure reaction"),
        pytest.param("*smiles and nods slowly*", id="a bare gesture"),
        pytest.param("...", id="nothing at all"),
        pytest.param("嗯嗯，好的", id="好的"),
        pytest.param("哈哈哈哈太好了！", id="laughter in Chinese"),
        pytest.param("早上好！在吗？", id="a greeting in Chinese"),
        pytest.param("*点了点头，微微一笑*", id="a gesture in Chinese"),
        pytest.param("謝謝，晚安", id="in traditional characters"),
    ],
)
def test_what_says_nothing(text: str) -> None:
    assert noise(text) >= LOUD


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("4711", id="a number tells something"),
        pytest.param("Ok, I hid the map under the third hearthstone.", id="ok before a fact"),
        pytest.param("*I lock the door and hide the key under the mat.*", id="an act"),
        pytest.param("My name is Wu.", id="a name"),
        pytest.param("好的，我把地图藏在第三块炉石下面了。", id="好的 before a fact"),
        pytest.param("我对花生过敏。", id="a short fact in Chinese"),
        pytest.param("*把信塞进她手里*", id="an act in Chinese"),
    ],
)
def test_what_tells_something(text: str) -> None:
    assert noise(text) <= QUIET


def test_one_word_of_weight_is_neither() -> None:
    assert 0.0 < noise("Blue.") < LOUD
    assert 0.0 < noise("蓝色的。") < LOUD


def test_on_turns_that_were_judged_by_hand() -> None:
    told = [noise(turn) for keep, _, turn, _ in ROWS if keep]
    small = [noise(turn) for keep, kinds, turn, _ in ROWS if not keep and kinds & SMALL]
    above = sum((low > high) + 0.5 * (low == high) for low in small for high in told)
    assert above / (len(told) * len(small)) >= 0.95
    assert sum(one > 0.5 for one in told) <= len(told) // 40


def test_it_is_always_within_bounds() -> None:
    for text in ("", " ", "\ud800", "哈" * 5000, "ok " * 5000, "(" * 5000, "good " * 3000 + "x"):
        assert 0.0 <= noise(text) <= 1.0
