"""A new book meets its own expectations and has no fault."""

from typing import get_args

import pytest

from rolememory.author.books import read_book_file
from rolememory.author.expectations import read_expectations
from rolememory.author.newbook import new_book, new_expectations
from rolememory.author.trial import LoreStage, check
from rolememory.schema.scene import Language
from tests.author.books import codes


@pytest.mark.parametrize("language", get_args(Language))
def test_a_new_book_is_sound(language: Language) -> None:
    file = read_book_file(new_book("港口", language).encode(), "港口.json")
    cases = read_expectations(new_expectations("港口.json", language), "港口.test.toml")
    assert [failures for _, failures in check(LoreStage(file.book), cases)] == [[]] * len(cases)
    assert codes(file) == set()
    assert file.name == "港口"
