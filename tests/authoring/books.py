"""Books as an author's file says them, in one line each."""

import json
from typing import Any

from rolememory.authoring.books import BookFile, read_book_file
from rolememory.authoring.lint.check import check
from rolememory.authoring.lint.finding import LintFinding
from rolememory.cards.sillytavern import new_entry
from rolememory.schema.settings import ScanSettings

BEACON = {"key": ["beacon"], "content": "The beacon burns whale oil.", "comment": "Beacon"}
STORM = {"key": ["storm"], "content": "The great storm came from the west.", "comment": "Storm"}


def world(*entries: dict[str, Any], **book: Any) -> BookFile:
    """A world file of these entries; fields they do not have are those of a new entry.

    >>> world({"key": ["lamp"]}).book.entries[0].keys
    ('lamp',)
    """
    made = {
        str(at): {"uid": at, **new_entry(**{"content": f"Text number {at} of it.", **fields})}
        for at, fields in enumerate(entries)
    }
    return written({"name": "harbour", "entries": made, **book})


def card_book(
    *entries: dict[str, Any], spec: str = "", card: dict[str, Any] | None = None, **book: Any
) -> BookFile:
    """The book of a card: in a card of that spec, or by itself."""
    usual = {
        "keys": [],
        "content": "Some text.",
        "extensions": {},
        "enabled": True,
        "insertion_order": 100,
    }
    made = {"name": "harbour", "entries": [{**usual, **fields} for fields in entries], **book}
    return written(
        {"spec": spec, "data": {"name": "Mira", **(card or {}), "character_book": made}}
        if spec
        else made
    )


def written(document: Any) -> BookFile:
    """A document as a file."""
    return read_book_file(json.dumps(document, ensure_ascii=False).encode(), "harbour.json")


def findings(file: BookFile, **settings: Any) -> list[LintFinding]:
    """All faults."""
    return check(file, ScanSettings(**settings))


def codes(file: BookFile, **settings: Any) -> set[str]:
    """Their codes."""
    return {one.code for one in findings(file, **settings)}
