"""Secondary keys decide."""

import pytest

from rolememory.schema.entry import SelectiveLogic
from rolememory.text.selective import selective


@pytest.mark.parametrize(
    ("logic", "seen", "fires"),
    [
        pytest.param("and_any", [True, False], True, id="and_any: one is enough"),
        pytest.param("and_any", [False, False], False, id="and_any: none is too few"),
        pytest.param("and_all", [True, True], True, id="and_all: a full house fires"),
        pytest.param("and_all", [True, False], False, id="and_all: one is missing"),
        pytest.param("not_any", [False, False], True, id="not_any: silence fires"),
        pytest.param("not_any", [True, False], False, id="not_any: one is too many"),
        pytest.param("not_all", [True, False], True, id="not_all: one is missing"),
        pytest.param("not_all", [True, True], False, id="not_all: a full house is silent"),
        pytest.param("not_any", [], True, id="no secondary keys: nothing to ask"),
        pytest.param("and_all", [], True, id="no secondary keys: nothing is missing"),
    ],
)
def test_selective_logic(logic: str, seen: list[bool], fires: bool) -> None:
    assert selective(SelectiveLogic(logic), seen) is fires
