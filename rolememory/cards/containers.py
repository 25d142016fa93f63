"""Writes changed documents into their original file; unchanged parts stay byte for byte."""

import json
from collections.abc import Callable, Mapping
from dataclasses import field

import orjson

from rolememory.cards import png
from rolememory.cards.card_forms import BOOK, as_v3, version_of
from rolememory.cards.entry_forms import as_v3 as entry_as_v3
from rolememory.cards.json_changes import value_at, with_value
from rolememory.cards.json_edit import rewrite, same
from rolememory.cards.zip_parts import Archive
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.value_class import value_class
from rolememory.text.decorators import read_card

CARD_JSON = "card.json"


@value_class
class Container:
    """The original bytes, and how to write another document into them."""

    name: str
    data: bytes = field(repr=False)
    raw: JsonObject = field(repr=False)
    rewritten: Callable[[JsonObject], bytes] = field(repr=False, compare=False)
    archive: Archive | None = field(default=None, repr=False)

    def write(self, raw: JsonObject) -> bytes:
        """The bytes with the document `raw`; the same bytes if it is unchanged."""
        return self.data if same(raw, self.raw) else self.rewritten(raw)


def json_text(data: bytes, raw: JsonObject) -> Container:
    """A JSON text: unchanged values keep their notation, new ones take the file's style."""
    return Container("json", data, raw, lambda new: rewrite(data.decode(), raw, new).encode())


def new_json(raw: JsonObject) -> Container:
    """A new text, indented by two."""
    try:
        data = orjson.dumps(raw, option=orjson.OPT_INDENT_2)
    except TypeError:  # an integer of more than 64 bits
        data = json.dumps(raw, ensure_ascii=False, indent=2).encode()
    return json_text(data, raw)


def png_card(data: bytes, inner: Container, file: str) -> Container:
    """A PNG with its card in text chunks: a change writes both, `ccv3` as is and `chara` for older programs.

    Pixels, animation and all other chunks stay as they were.
    """
    return Container(
        "png", data, inner.raw, lambda new: png.with_texts(data, file, card_chunks(inner, new))
    )


def charx_card(archive: Archive, inner: Container) -> Container:
    """A zip file with the card as `card.json`; all other members are unchanged."""
    return Container(
        "charx",
        archive.data,
        inner.raw,
        lambda new: archive.replaced({CARD_JSON: inner.write(new)}),
        archive,
    )


def converted(name: str, data: bytes, raw: JsonObject) -> Container:
    """A file of another format, as a document of ours: byte for byte while unchanged, else written as that document."""
    return Container(name, data, raw, lambda new: new_json(new).data)


def card_chunks(inner: Container, raw: JsonObject) -> dict[str, bytes]:
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


def newer_view(raw: JsonMapping) -> JsonObject:
    """A V2 card as V3, with the fields that V3 requires."""
    return _with_entries(as_v3(dict(raw)), entry_as_v3)


def older_view(raw: JsonMapping) -> JsonObject:
    """A V2 or V3 card for V2 programs: with the V2 spec, without decorator lines, otherwise unchanged."""
    return _with_entries({**raw, "spec": "chara_card_v2", "spec_version": "2.0"}, _undecorated)


def _with_entries(raw: JsonObject, turn: Callable[[JsonMapping], JsonObject]) -> JsonObject:
    place = (*BOOK, "entries")
    entries = value_at(raw, place)
    if not isinstance(entries, Mapping | list):
        return raw
    keyed = entries.items() if isinstance(entries, Mapping) else enumerate(entries)
    turned = {key: turn(one) if isinstance(one, Mapping) else one for key, one in keyed}
    return with_value(raw, place, turned if isinstance(entries, Mapping) else [*turned.values()])


def _undecorated(entry: JsonMapping) -> JsonObject:
    content = entry.get("content")
    return (
        {**entry, "content": read_card(content)[1]}
        if isinstance(content, str) and "@@" in content
        else dict(entry)
    )
