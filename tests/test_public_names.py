"""What others may import: sorted, there, and from the place that is named."""

import importlib

import pytest

import rolememory


def test_public_names_are_sorted_and_all_have_a_place() -> None:
    assert sorted(rolememory.__all__) == rolememory.__all__
    assert set(rolememory.__all__) == set(rolememory._PLACES)


@pytest.mark.parametrize("name", rolememory.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    value = getattr(rolememory, name)
    assert value is getattr(importlib.import_module(rolememory._PLACES[name]), name)
    assert value.__doc__


def test_an_unknown_name_says_so() -> None:
    with pytest.raises(AttributeError, match="'Hoem'"):
        _ = rolememory.Hoem
    assert "Home" in dir(rolememory)
