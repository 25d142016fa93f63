"""A new book meets its own expectations and has no fault."""

import pytest

from rolememory.authoring.books import read_book_file
from rolememory.authoring.expectation_run import check
from rolememory.authoring.expectations import read_expectations
from rolememory.authoring.starter_book import new_book, new_expectations
from rolememory.locales import languages
from rolememory.schema.scene import Language
from tests.authoring.books import codes


@pytest.mark.parametrize("language", languages())
def test_a_new_book_is_sound(language: Language) -> None:
    file = read_book_file(new_book("港口", language).encode(), "港口.json")
    cases = read_expectations(new_expectations("港口.json", language), "港口.test.toml")
    assert [failures for _, failures in check(file.book, cases)] == [[]] * len(cases)
    assert codes(file) == set()
    assert file.name == "港口"
