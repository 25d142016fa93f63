"""Every message of the code stands in the catalogue, with the same values, and nothing else does."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from rolememory.locales.catalogue import entries
from tests.locales.extract import (
    CATALOGUES,
    PACKAGE,
    Message,
    assembled,
    catalogue,
    messages,
    missing,
    names,
    of_source,
    used,
    written,
)

FILES = sorted(CATALOGUES.glob("*.po"))


@pytest.fixture(scope="module")
def said() -> Sequence[Message]:
    """Everything that the code says; it takes seconds to collect."""
    return tuple(messages())


@pytest.fixture(params=FILES, ids=lambda file: file.name)
def file(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


def test_the_messages_are_found(said: Sequence[Message]) -> None:
    assert len(said) > 1500


def test_every_message_is_translated(file: Path, said: Sequence[Message]) -> None:
    assert [(one.place, one.english) for one in missing(catalogue(file), said)] == []


def test_no_row_is_left_over(file: Path, said: Sequence[Message]) -> None:
    rows = catalogue(file)
    assert rows.keys() - used(rows, said).keys() == set()


def test_a_translation_uses_no_value_that_is_not_given(file: Path, said: Sequence[Message]) -> None:
    rows = catalogue(file)
    strange = [
        (one.place, one.english)
        for one in said
        if one.values and one.key in rows and not names(rows[one.key]) <= one.values
    ]
    assert strange == []


def test_a_translation_of_a_table_uses_the_same_values(file: Path, said: Sequence[Message]) -> None:
    rows = catalogue(file)
    strange = [
        (one.place, one.english)
        for one in said
        if one.values is None and one.key in rows and not _same(one.english, rows[one.key])
    ]
    assert strange == []


def _same(english: str, other: str) -> bool:
    try:
        return names(other) <= names(english)
    except ValueError:  # braces that mean themselves
        return True


def test_a_catalogue_is_written_as_the_tool_writes_it(file: Path) -> None:
    assert file.read_text("utf-8") == written(catalogue(file), file.stem)


def test_english_is_all_that_code_speaks(said: Sequence[Message]) -> None:
    chinese = [one for one in said if re.search("[\u4e00-\u9fff]", one.english)]
    assert {one.context for one in chinese} <= {"setting"}  # where an example of a key is Chinese


def test_no_message_is_put_together_before_it_is_looked_up() -> None:
    found = {one.name: [*assembled(one.read_text("utf-8"))] for one in PACKAGE.rglob("*.py")}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param('say("a {n}", n=1)', [("", "a {n}")], id="a call"),
        pytest.param('say("why", msgctxt="x")', [("x", "why")], id="with its context"),
        pytest.param('translated("a", language, "x")', [("x", "a")], id="looked up"),
        pytest.param(
            'FileError(path, "a", remedy="b" if x else "c")',
            [("", "a"), ("", "b"), ("", "c")],
            id="what is wrong and what to do",
        ),
        pytest.param(
            'translatable({"k": ("a", {"l": "b"})}, "x")', [("x", "a"), ("x", "b")], id="a table"
        ),
        pytest.param(
            'UnknownNameError("role", name, [])', [("kind", "role")], id="a kind of thing"
        ),
        pytest.param('bus.tell("memory")', [], id="an event is none"),
    ],
)
def test_what_counts_as_a_message(source: str, found: list[tuple[str, str]]) -> None:
    assert [one.key for one in of_source(source)] == found


def test_a_catalogue_of_an_editor_is_read() -> None:
    text = (
        'msgid ""\nmsgstr "Language: de\\n"\n\n#: cli/app.py:3\n#, python-brace-format\n'
        'msgctxt "list"\nmsgid ""\n"a \\"b\\"\\n"\n"c"\nmsgstr ""\n"x "\n"y"\n\n#~ msgid "old"\n#~ msgstr "alt"\n'
    )
    assert dict(entries(text)) == {("list", 'a "b"\nc'): "x y"}
