"""Value classes compare, hash and print as dataclasses do, though these methods are compiled at their first use."""

from collections.abc import Callable
from dataclasses import field
from typing import Any

import pytest

from rolememory.schema.value_class import value_class


def made(heir: bool = False) -> Any:
    """A class whose methods nobody has used yet, or one that inherits from it and adds a field."""

    @value_class
    class Place:
        name: str
        seen: tuple[str, ...] = ()
        note: str = field(default="", compare=False)
        code: int = field(default=0, repr=False)

    @value_class
    class Harbour(Place):
        depth: float = 1.5

    return Harbour if heir else Place


@pytest.mark.parametrize("heir", [False, True])
@pytest.mark.parametrize(
    "holds",
    [
        pytest.param(lambda one: one("a", ("b",)) == one("a", ("b",)), id="equal fields: equal"),
        pytest.param(lambda one: one("a") != one("b"), id="another field: not equal"),
        pytest.param(
            lambda one: one("a", note="x") == one("a"), id="what is not compared counts not"
        ),
        pytest.param(lambda one: one("a", code=1) != one("a"), id="what is not shown is compared"),
        pytest.param(lambda one: one("a") != ("a", (), "", 0), id="a tuple is another class"),
        pytest.param(lambda one: one("a").__eq__("a") is NotImplemented, id="others may compare"),
        pytest.param(lambda one: len({one("a"), one("a"), one("b")}) == 2, id="hashed by fields"),
        pytest.param(lambda one: hash(one("a", note="x")) == hash(one("a")), id="and by no others"),
        pytest.param(lambda one: "code" not in repr(one("a", note="x")), id="shows what it may"),
    ],
)
def test_the_first_use_is_like_any_other(holds: Callable[[Any], bool], heir: bool) -> None:
    one = made(heir)
    assert holds(one)
    assert holds(one)


def test_shows_all_fields_of_its_class() -> None:
    assert repr(made(heir=True)("a")).endswith("Harbour(name='a', seen=(), note='', depth=1.5)")


def test_an_heir_is_another_class() -> None:
    heir = made(heir=True)
    assert heir("a") != heir.__base__("a")


def test_keeps_what_a_class_says_itself() -> None:
    @value_class
    class Fold:
        text: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Fold) and self.text.lower() == other.text.lower()

        def __hash__(self) -> int:
            return hash(self.text.lower())

        def __repr__(self) -> str:
            return self.text

    assert {Fold("A")} == {Fold("a")}
    assert repr(Fold("A")) == "A"
