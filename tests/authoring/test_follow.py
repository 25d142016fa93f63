"""Noticing that files changed, without a clock: the waiting is where the test edits."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rolememory.authoring.poll_files import changes


class OverError(Exception):
    """The script of a test is at its end."""


def follow(paths: list[Path], *edits: Callable[[], object] | None) -> int:
    """How often a change is told while these edits happen, one per look."""
    script: Iterator[Callable[[], object] | None] = iter(edits)

    def wait(_: float) -> None:
        try:
            edit = next(script)
        except StopIteration:
            raise OverError from None
        if edit:
            edit()

    told: list[None] = []
    with pytest.raises(OverError):
        told.extend(changes(paths, wait))
    return len(told)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.json"
    path.write_text("{}")
    return path


def test_nothing_happens(book: Path) -> None:
    assert follow([book], None, None, None) == 0


def test_a_save_is_told_once(book: Path) -> None:
    assert follow([book], None, lambda: book.write_text("{ }"), None, None, None) == 1


def test_a_save_in_several_steps_is_one(book: Path) -> None:
    assert (
        follow(
            [book],
            book.unlink,
            lambda: book.write_text("12"),
            lambda: book.write_text("123"),
            None,
            None,
        )
        == 1
    )


def test_two_saves_are_two(book: Path) -> None:
    assert (
        follow(
            [book], lambda: book.write_text("12"), None, lambda: book.write_text("123"), None, None
        )
        == 2
    )


def test_an_edit_before_the_first_look_is_not_missed(book: Path) -> None:
    following = changes([book], lambda _: None)
    book.write_text("changed in between")
    assert next(following) is None


def test_a_file_may_appear_later(tmp_path: Path) -> None:
    later = tmp_path / "later.toml"
    assert follow([later], None, lambda: later.write_text("x"), None, None) == 1
