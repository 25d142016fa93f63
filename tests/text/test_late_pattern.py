"""Regular expressions that are compiled at their first use."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from rolememory.text.late_pattern import late_pattern

GIVEN = r"(?P<day>\d+)\s*(?:o'clock|点)"
TEXT = "At 7 O'CLOCK, 或者9点。"


@pytest.mark.parametrize(
    "use",
    [
        pytest.param(lambda one: one.findall(TEXT), id="findall"),
        pytest.param(lambda one: one.sub(r"[\g<day>]", TEXT), id="sub"),
        pytest.param(lambda one: one.split(TEXT), id="split"),
        pytest.param(lambda one: [found.span() for found in one.finditer(TEXT)], id="finditer"),
        pytest.param(lambda one: one.search(TEXT, 5)["day"], id="search from a place"),
        pytest.param(lambda one: (one.match(TEXT), one.fullmatch("7点").end()), id="match"),
        pytest.param(lambda one: (one.pattern, one.flags, one.groupindex["day"]), id="its parts"),
    ],
)
def test_is_used_like_any_other(use: Callable[[Any], object]) -> None:
    late = late_pattern(GIVEN, re.IGNORECASE)
    assert use(late) == use(re.compile(GIVEN, re.IGNORECASE))
    assert use(late) == use(late)


def test_costs_nothing_until_it_is_used() -> None:
    wrong = late_pattern("(")
    with pytest.raises(re.error):
        wrong.search("")
