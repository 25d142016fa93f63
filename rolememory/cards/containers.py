"""Where the bytes of a document lie, and how a changed one is written back: what did not change stays byte for byte."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self

import orjson

from rolememory.cards import png
from rolememory.cards.card_forms import BOOK, as_v3, version_of
from rolememory.cards.entry_forms import as_v3 as entry_as_v3
from rolememory.cards.json_changes import value_at, with_value
from rolememory.cards.json_edit import rewrite, same
from rolememory.cards.zip_parts import Archive
from rolememory.errors import InvalidValueError
from rolememory.text.decorators import read_card

Raw = dict[str, Any]

CARD_JSON = "card.json"


class Container(Protocol):
    """The bytes a document was read from."""

    name: ClassVar[str]

    @property
    def data(self) -> bytes:
        """The bytes as they were read."""
        ...

    def write(self, raw: Raw) -> bytes:
        """The bytes with the document saying `raw`; the same bytes when it says that already.

        Raises:
            InvalidValueError: the format is only read.
        """
        ...


@dataclass(frozen=True, slots=True)
class JsonText:
    """A JSON text: unchanged values keep their spelling, new ones take the file's style."""

    name: ClassVar[str] = "json"
    data: bytes = field(repr=False)
    raw: Raw = field(repr=False)

    @classmethod
    def new(cls, raw: Raw) -> Self:
        """A new text, two blanks a level."""
        try:
            return cls(orjson.dumps(raw, option=orjson.OPT_INDENT_2), raw)
        except TypeError:  # an integer of more than 64 bits
            return cls(json.dumps(raw, ensure_ascii=False, indent=2).encode(), raw)

    def write(self, raw: Raw) -> bytes:
        """The text saying `raw`."""
        return (
            self.data
            if same(raw, self.raw)
            else rewrite(self.data.decode(), self.raw, raw).encode()
        )


@dataclass(frozen=True, slots=True)
class PngCard:
    """A picture with its card in text chunks: on a change both are written, `ccv3` as it is and `chara` as older programs read it."""

    name: ClassVar[str] = "png"
    data: bytes = field(repr=False)
    inner: JsonText
    file: str = "card.png"

    def write(self, raw: Raw) -> bytes:
        """The picture with that card; pixels, animation and all other chunks as they were."""
        if same(raw, self.inner.raw):
            return self.data
        return png.with_texts(self.data, self.file, card_chunks(self.inner, raw))


@dataclass(frozen=True, slots=True)
class CharxCard:
    """A zip file with the card as `card.json`; pictures, modules and whatever else is inside stay as they are."""

    name: ClassVar[str] = "charx"
    archive: Archive = field(repr=False)
    inner: JsonText

    @property
    def data(self) -> bytes:
        """The bytes as they were read."""
        return self.archive.data

    def write(self, raw: Raw) -> bytes:
        """The file with that card."""
        return (
            self.data
            if same(raw, self.inner.raw)
            else self.archive.replaced({CARD_JSON: self.inner.write(raw)})
        )


@dataclass(frozen=True, slots=True)
class NovelaiPicture:
    """A picture that carries a NovelAI lorebook in a text chunk."""

    name: ClassVar[str] = "novelai_png"
    data: bytes = field(repr=False)
    inner: JsonText
    file: str = "book.png"

    def write(self, raw: Raw) -> bytes:
        """The picture with that book."""
        if same(raw, self.inner.raw):
            return self.data
        return png.with_texts(self.data, self.file, {"naidata": png.encoded(self.inner.write(raw))})


@dataclass(frozen=True, slots=True)
class ReadOnly:
    """A format that is understood but not written."""

    name: ClassVar[str] = "read-only"
    data: bytes = field(repr=False)
    raw: Raw = field(repr=False)
    form: str = ""

    def write(self, raw: Raw) -> bytes:
        """The bytes as they were read, as long as nothing changed."""
        if same(raw, self.raw):
            return self.data
        raise InvalidValueError(
            "{form} files are only read; convert the card to v3, png or charx", form=self.form
        )


def card_chunks(inner: JsonText, raw: Raw) -> dict[str, bytes]:
    """The text chunks of a card, by keyword. A V1 card has only the older one."""
    text = inner.write(raw)
    version = version_of(raw)
    if version is None and "data" not in raw:
        return {"chara": png.encoded(text)}
    newer = raw if (version or 0) >= 3 else newer_view(raw)
    written = text.decode()
    return {
        "ccv3": png.encoded(rewrite(written, raw, newer).encode()),
        "chara": png.encoded(rewrite(written, raw, older_view(raw)).encode()),
    }


def newer_view(raw: Mapping[str, Any]) -> Raw:
    """A V2 card as V3, with the fields that V3 requires."""
    return _with_entries(as_v3(dict(raw)), entry_as_v3)


def older_view(raw: Mapping[str, Any]) -> Raw:
    """A V2 or V3 card as a V2 program should see it: the spec changed, decorator lines removed, all else as it is."""
    return _with_entries({**raw, "spec": "chara_card_v2", "spec_version": "2.0"}, _undecorated)


def _with_entries(raw: Raw, turn: Callable[[Mapping[str, Any]], Raw]) -> Raw:
    entries = value_at(raw, (*BOOK, "entries"))
    if isinstance(entries, Mapping):
        return with_value(
            raw,
            (*BOOK, "entries"),
            {key: turn(one) if isinstance(one, Mapping) else one for key, one in entries.items()},
        )
    if isinstance(entries, list):
        return with_value(
            raw,
            (*BOOK, "entries"),
            [turn(one) if isinstance(one, Mapping) else one for one in entries],
        )
    return raw


def _undecorated(entry: Mapping[str, Any]) -> Raw:
    content = entry.get("content")
    return (
        {**entry, "content": read_card(content)[1]}
        if isinstance(content, str) and "@@" in content
        else dict(entry)
    )
