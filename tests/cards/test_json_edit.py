"""A change in a JSON text touches nothing but its place."""

import json
from typing import Any

import pytest

from rolememory.cards.json_edit import rewrite

ODD = '{\n  "a": 1.50,\n\n  "b": [1, 2,3 ],  "c": {"d":null}\n}\n'


@pytest.mark.parametrize(
    ("text", "change", "said"),
    [
        pytest.param(
            ODD, {"a": 2}, '{\n  "a": 2,\n\n  "b": [1, 2,3 ],  "c": {"d":null}\n}\n', id="a value"
        ),
        pytest.param(
            ODD,
            {"b": [1, 9, 3]},
            '{\n  "a": 1.50,\n\n  "b": [1, 9,3 ],  "c": {"d":null}\n}\n',
            id="an element",
        ),
        pytest.param(
            ODD,
            {"b": [1, 3]},
            '{\n  "a": 1.50,\n\n  "b": [1,3 ],  "c": {"d":null}\n}\n',
            id="an element taken away",
        ),
        pytest.param(
            ODD,
            {"b": []},
            '{\n  "a": 1.50,\n\n  "b": [],  "c": {"d":null}\n}\n',
            id="all elements taken away",
        ),
        pytest.param(
            ODD,
            {"c": {"d": None, "e": "é"}},
            '{\n  "a": 1.50,\n\n  "b": [1, 2,3 ],  "c": {"d":null,"e": "é"}\n}\n',
            id="a field more",
        ),
        pytest.param(
            '{"a":1,"b":2}',
            {"c": [1, {"d": 2}]},
            '{"a":1,"b":2,"c":[1,{"d":2}]}',
            id="a field more on one line",
        ),
        pytest.param(
            '{"a": 1}', {"c": [1, 2]}, '{"a": 1, "c": [1, 2]}', id="a field more with blanks"
        ),
        pytest.param("{}", {"a": 1}, '{"a": 1}', id="the first field"),
        pytest.param(
            '{"a": {}}', {"a": {"b": []}}, '{"a": {"b": []}}', id="the first field of an inner one"
        ),
        pytest.param('\ufeff{"a": 1}', {"a": 2}, '\ufeff{"a": 2}', id="behind a byte order mark"),
        pytest.param(
            '{"a": "\\u00e9\\/", "b": 1}',
            {"b": 2},
            '{"a": "\\u00e9\\/", "b": 2}',
            id="escapes stay",
        ),
        pytest.param(
            '{"a": 1e5, "b": 12345678901234567890123}',
            {"a": 1},
            '{"a": 1, "b": 12345678901234567890123}',
            id="long numbers stay",
        ),
    ],
)
def test_a_change_stays_in_its_place(text: str, change: dict[str, Any], said: str) -> None:
    old = json.loads(text.removeprefix("\ufeff"))
    assert rewrite(text, old, {**old, **change}) == said


def test_a_field_taken_away_takes_its_comma_along() -> None:
    assert rewrite('{\n "a": 1,\n "b": 2\n}', {"a": 1, "b": 2}, {"b": 2}) == '{\n "b": 2\n}'
    assert rewrite('{\n "a": 1,\n "b": 2\n}', {"a": 1, "b": 2}, {"a": 1}) == '{\n "a": 1\n}'
