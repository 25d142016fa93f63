"""Lorebooks, their entries and what is wrong with them, as they go out; entries as they come in."""

from collections.abc import Iterable

from pydantic import Field, create_model

from rolememory.authoring.books import title
from rolememory.authoring.entries import FIELDS, Placed
from rolememory.authoring.import_review import CatchAllKey
from rolememory.authoring.lint.finding import WordedFinding
from rolememory.authoring.lint.subject import Subject
from rolememory.authoring.scan import target
from rolememory.schema.json_types import JsonObject
from rolememory.schema.lorebook import LoreEntry
from rolememory.serve.rest.dependencies import tag
from rolememory.serve.rest.schemas import In, Out, Text, Translated, bounded


class BookOut(Out):
    """A lorebook."""

    id: str
    """its file's name"""
    shelf: str
    """ "shared", or the id of the role it belongs to"""
    name: str
    format: str
    description: str
    entries: int
    problems: list[Translated]
    linked_by: list[str]
    """shared: ids of the roles that use it"""
    has_tests: bool
    etag: str
    everywhere: list[CatchAllKey] = Field([])
    """keys that match everything; only in the response to an import"""


_Fields: type[In] = create_model("_Fields", __base__=In, **bounded(LoreEntry, FIELDS))


class EntryFields(_Fields):
    """Fields of an entry, by the same names for every format of book. Fields that are not given stay."""

    content: Text | None = None
    probability: float | None = Field(None, ge=0, le=100)

    def named(self) -> JsonObject:
        """What was named; null only where a file may say null: the setting holds."""
        named = self.model_dump(
            mode="json", include=self.model_fields_set & set(EntryFields.model_fields)
        )
        return {
            name: value for name, value in named.items() if value is not None or name in NULLABLE
        }


NULLABLE = {"scan_depth", "case_sensitive", "match_whole_words", "use_group_scoring"}


class EntryOut(LoreEntry, Out):
    """An entry as it stands, by our names whatever the format of the book; `raw`: as the file has it."""

    uid: str
    title: str
    target: str
    """where its text goes, in a word or three"""
    tokens: int
    etag: str


class EntryChanged(Out):
    """An entry with its lint findings."""

    entry: EntryOut
    findings: list[WordedFinding]
    written: bool


def entries_out(places: Iterable[Placed], subject: Subject) -> list[EntryOut]:
    """Entries that can be read, in the order of the file."""
    prepared = {lore.entry.id: lore for lore in subject.entries}
    return [
        EntryOut.from_value(
            one.entry,
            uid=one.uid,
            title=title(one.entry),
            target=target(prepared[one.uid], subject.rules),
            tokens=subject.costs[one.uid],
            raw=dict(one.raw),
            etag=tag(dict(one.raw)),
        )
        for one in places
        if one.entry and one.uid in prepared
    ]
