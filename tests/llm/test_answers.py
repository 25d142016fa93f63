"""JSON out of what models really write."""

from collections.abc import Callable
from typing import Any

import pytest

from rolememory.learn.model.decide import Decision, RememberedSentence
from rolememory.learn.model.extract import Facts
from rolememory.llm.answers import ModelAnswer, UnreadableError, read, values
from tests.text.prose import growth


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param('{"a": 1}', {"a": 1}, id="nothing but JSON"),
        pytest.param(
            'Here: {"a": 1}. Bye {name}!', {"a": 1}, id="JSON between words and other brackets"
        ),
        pytest.param(
            'First {"a": 1}, no: {"a": 2}', [{"a": 1}, {"a": 2}], id="several objects are rows"
        ),
        pytest.param(
            '{"a": "br{ack}et [s] \\" in text"}',
            {"a": 'br{ack}et [s] " in text'},
            id="brackets and quotes inside texts",
        ),
        pytest.param('```\n{"a": 1}\n```', {"a": 1}, id="a fence without a language"),
        pytest.param(
            '~~~ {"a": 1} ```json {"a": 2} ```', {"a": 2}, id="what stands in a fence wins"
        ),
        pytest.param('<think>{"a": 1}</think>{"a": 2}', {"a": 2}, id="thoughts are not the answer"),
        pytest.param(
            '{"a": 1}</think>{"a": 2}', {"a": 2}, id="the beginning of the thoughts was cut off"
        ),
        pytest.param('<think>{"a": 1}', {"a": 1}, id="thoughts that never end may hold the answer"),
        pytest.param(
            'analysis... <|channel|>final<|message|>{"a": 2}', {"a": 2}, id="the final channel"
        ),
        pytest.param('{"a": [1, 2,],}', {"a": [1, 2]}, id="commas before brackets"),
        pytest.param(
            '｛"a": 1｝ {"a"：“x”}',
            [{"a": 1}, {"a": "x"}],
            id="Chinese brackets, colons and quotation marks",
        ),
        pytest.param('{"a": "line\nbreak"}', {"a": "line\nbreak"}, id="a line break inside a text"),
        pytest.param(
            '{"rows": [{"a": 1}, {"a": 2}, {"a',
            {"rows": [{"a": 1}, {"a": 2}]},
            id="what is whole of a list that was cut",
        ),
    ],
)
def test_the_likeliest_value_comes_first(text: str, found: Any) -> None:
    assert next(values(text)) == found


@pytest.mark.parametrize(
    "answer",
    [
        lambda count: "[" * count,
        lambda count: "{" * count,
        lambda count: '{"a":' * count,
        lambda count: '"' * count,
        lambda count: "{\\" * count,
        lambda count: "<think>" * count,
        lambda count: "```" * count,
        lambda count: "{}" * count,
        lambda count: "[1," * count + "]" * count,
        lambda count: "{" + ", " * count + "}",
        lambda count: '{"a": "' + "“" * count + '"}',
    ],
    ids=lambda answer: answer(2),
)
def test_the_cost_of_an_answer_grows_with_its_length(answer: Callable[[int], str]) -> None:
    assert growth(lambda text: list(values(text)), answer(40_000), answer(5_000)) < 3


@pytest.mark.parametrize(
    ("text", "shape", "told"),
    [
        pytest.param("Sure thing!", Decision, "no JSON", id="no JSON at all"),
        pytest.param(
            '{"should_remember": "maybe"}', Decision, "should_remember", id="the field is named"
        ),
        pytest.param("{}", Facts, "facts", id="an empty object says nothing"),
        pytest.param("x" * 200_001, Facts, "longer than", id="more than anybody reads"),
        pytest.param("One.\nTwo.", RememberedSentence, "no JSON", id="a bare sentence is one line"),
    ],
)
def test_what_has_no_shape_is_refused_with_a_word_for_the_model(
    text: str, shape: type[ModelAnswer], told: str
) -> None:
    with pytest.raises(UnreadableError, match=told):
        read(text, shape)


@pytest.mark.parametrize(
    ("text", "remember"),
    [
        ('{"should_remember": true, "reason": "a birthday"}', True),
        ('{"should_remember": false}', False),
        ('{"shouldRemember": "yes", "reason": null}', True),
        ('好的：{"should_remember": "false", "reason": "闲聊"}', False),
    ],
)
def test_s0_10_decisions(text: str, remember: bool) -> None:
    assert read(text, Decision).should_remember is remember


def test_s0_12_a_prompt_of_ones_own_may_ask_for_the_bare_sentence() -> None:
    assert (
        read("“The user's birthday is October 25th.”", RememberedSentence).memory
        == "The user's birthday is October 25th."
    )
