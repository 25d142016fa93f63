"""The known card formats, registered in the order in which they are tried: those with a signature first."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from rolememory.cards import images, limits, png
from rolememory.cards.base import FORMATS, register
from rolememory.cards.book_forms import form_of
from rolememory.cards.card import Card
from rolememory.cards.card_forms import (
    BOOK,
    V1,
    V1_FIELDS,
    V2,
    V2_TEXTS,
    V3,
    CardForm,
    card_form_of,
    from_byaf,
    from_textgen,
    has_layout,
    version_of,
)
from rolememory.cards.containers import (
    CARD_JSON,
    Container,
    card_chunks,
    charx_card,
    converted,
    json_text,
    new_json,
    png_card,
)
from rolememory.cards.json_changes import value_at
from rolememory.cards.json_read import kind_of, read_json
from rolememory.cards.other_books import other_book
from rolememory.cards.zip_parts import Archive, has_zip, new_zip, open_zip
from rolememory.errors import FileError
from rolememory.locales import Listed, LocalizedText
from rolememory.schema.json_types import JsonObject, list_of, object_of

NEWEST = 3
_TEXTS = (*V1_FIELDS, *V2_TEXTS, "alternate_greetings", "tags")
KEYWORDS = ("ccv3", "chara")
MANIFEST = "manifest.json"  # of an archive of Backyard
_BOM = b"\xef\xbb\xbf"


@register
class PngFormat:
    """A PNG or APNG with the card in text chunks `ccv3` or `chara`."""

    name: ClassVar[str] = "png"

    def fits(self, data: bytes) -> bool:
        """Whether it has a PNG signature."""
        return png.is_png(data)

    def load(self, data: bytes, file: str) -> Card:
        """The card in the newer chunk kind; the first of several."""
        found = sorted(
            png.texts(data, file, KEYWORDS), key=lambda text: KEYWORDS.index(text.keyword)
        )
        if not found:
            return self._without_chunk(data, file)
        chosen = found[0]
        place = f"chunk {chosen.keyword}"
        inner, form = _document_in(chosen, file)
        wrong = LocalizedText("{place} has a wrong checksum", place=place)
        odd = [] if chosen.sound else [wrong]
        odd += _disagreement(inner.raw, found[1:] if place == "chunk ccv3" else (), file)
        return checked(Card(inner.raw, form, png_card(data, inner, file), file, tuple(odd)))

    def dump(self, card: Card) -> bytes:
        """A PNG with the card: its own image if any, else a blank one."""
        if card.container.name == self.name:
            return card.write()
        card = with_layout(card)
        text = new_json(card.raw)
        return png.with_texts(
            images.of_card(card), card.file or "card.png", card_chunks(text, card.raw)
        )

    def _without_chunk(self, data: bytes, file: str) -> Card:
        if has_zip(data):
            return CharxFormat().load(data, file)
        if next(png.texts(data, file, ("naidata",)), None):
            raise _is_book(file)
        raise FileError(
            file,
            "is a picture without a card: it has neither a ccv3 nor a chara chunk",
            remedy="many sites strip them; get the original file",
        )


def _document_in(text: png.Text, file: str) -> tuple[Container, CardForm]:
    packed = text.value
    place = f"chunk {text.keyword}"
    said = packed if packed.lstrip().startswith(b"{") else png.decoded(packed, file, place)
    return document(said, file, place)


def _disagreement(
    raw: JsonObject, others: Sequence[png.Text], file: str
) -> Iterator[LocalizedText]:
    """The texts that the copy for older programs has otherwise; a copy that cannot be read says nothing."""
    try:
        copy = next((_document_in(one, file)[0].raw for one in others if one.keyword != "ccv3"), {})
    except FileError:
        return
    here = object_of(raw.get("data"))
    there = object_of(copy.get("data")) or copy
    told = (name for name in _TEXTS if name in there)
    fields = [name for name in told if (there[name] or None) != (here.get(name) or None)]
    if fields:
        yield LocalizedText(
            "chunks ccv3 and chara differ in {fields}: ccv3 is read here, programs of V2 read chara; saving the card again writes both alike",
            fields=Listed(fields),
        )


@register
class JsonFormat:
    """A card as JSON, of any layout; written in its own, or as V3."""

    name = "json"

    def fits(self, data: bytes) -> bool:
        """Whether it begins with a JSON object or list."""
        return data[:4096].removeprefix(_BOM).lstrip()[:1] in (b"{", b"[")

    def load(self, data: bytes, file: str) -> Card:
        """Parse a card; detects the layout."""
        container, form = document(data, file)
        return checked(Card(container.raw, form, container, file))

    def dump(self, card: Card) -> bytes:
        """The card's own document."""
        return card.write() if card.container.name == "json" else new_json(card.raw).data


class LayoutFormat(JsonFormat):
    """JSON of a given layout."""

    def __init__(self, form: CardForm) -> None:
        self.form = form
        self.name = form.name

    def fits(self, data: bytes) -> bool:
        """Whether it is JSON in this layout."""
        try:
            return super().fits(data) and card_form_of(read_json(data, self.name)) is self.form
        except FileError:
            return False

    def dump(self, card: Card) -> bytes:
        """The card in this layout."""
        return super().dump(card if card.form is self.form else card.in_form(self.form))


for _form in (V3, V2, V1):
    FORMATS[_form.name] = LayoutFormat(_form)


@register
class CharxFormat:
    """A zip file with `card.json`, possibly after an image; one of Backyard is read, and written as V3."""

    name: ClassVar[str] = "charx"

    def fits(self, data: bytes) -> bool:
        """Whether it is a zip file or ends with one."""
        return has_zip(data)

    def load(self, data: bytes, file: str) -> Card:
        """The card inside; no other member is opened."""
        archive = open_zip(data, file)
        if (text := archive.read(CARD_JSON)) is not None:
            inner, form = document(text, file, CARD_JSON)
            return checked(Card(inner.raw, form, charx_card(archive, inner), file))
        if (text := archive.read(MANIFEST)) is not None:
            return _of_backyard(archive, read_json(text, file, MANIFEST))
        raise FileError(
            file, "is a zip file without card.json", remedy="a CHARX holds its card there"
        )

    def dump(self, card: Card) -> bytes:
        """A zip file with the card, and its image if any."""
        if card.container.name == self.name:
            return card.write()
        newest = card if card.form is V3 else card.in_form(V3)
        card, members = images.with_picture(newest, images.taken(card))
        return new_zip({CARD_JSON: new_json(card.raw).data, **members})


def _of_backyard(archive: Archive, manifest: JsonObject) -> Card:
    """The first character and all scenarios that the manifest of Backyard names."""
    file = archive.file
    budget = [limits.TEXT]

    def member(name: object) -> JsonObject:
        packed = archive.read(name, budget[0]) if isinstance(name, str) else None
        if packed is None:
            shown = str(name)[:80]
            raise FileError(file, "names {name!r}, which is not inside", field=MANIFEST, name=shown)
        budget[0] -= len(packed)
        return read_json(packed, file, str(name))

    people, scenes = (list_of(manifest.get(field)) for field in ("characters", "scenarios"))
    if not people:
        raise FileError(file, "names no character", field=MANIFEST)
    raw = from_byaf(manifest, member(people[0]), [member(name) for name in scenes[:1000]])
    more = LocalizedText("has {count} characters; the first is read", count=len(people))
    odd = (more,) if len(people) > 1 else ()
    return checked(Card(raw, V3, converted("byaf", archive.data, raw), file, odd))


def document(data: bytes, file: str, place: str = "") -> tuple[Container, CardForm]:
    """The card in a JSON text, with its layout; one of Pygmalion as V3. `place` is the text's path inside the file.

    Raises:
        FileError: it is no character.
    """
    raw = read_json(data, file, place)
    form = card_form_of(raw)
    if "char_name" in raw and form not in (V2, V3):
        made = from_textgen(raw)
        return converted("textgen", data, made), V3
    if form is None and (form_of(raw) or other_book(raw)):
        raise _is_book(file)
    if form is None:
        raise FileError(
            file,
            "is JSON, but no character card: it has neither spec and data nor name and description",
            remedy="export the character as a card (V2 or V3)",
        )
    return json_text(data, raw), form


def checked(card: Card) -> Card:
    """The card, with notes on oddities.

    Raises:
        FileError: a part is malformed.
    """
    data = card.raw.get("data")
    if has_layout(card.form) and not isinstance(data, dict):
        kind = kind_of(data)
        raise FileError(card.file, "expected an object, got {kind}", field="data", kind=kind)
    _check_entries(card)
    odd = list(card.problems)
    if (version_of(card.raw) or 0) > NEWEST:
        odd.append(
            LocalizedText(
                "{spec} is newer than what is known here; it was read as V{newest}",
                spec=card.spec,
                newest=NEWEST,
            )
        )
    if not card.name:
        odd.append(LocalizedText("the character has no name"))
    return replace(card, problems=tuple(odd))


def _check_entries(card: Card) -> None:
    book = card.form.book_of(card.raw)
    entries = value_at(book, card.form.book.entries) if book is not None and card.form.book else []
    limits.check_entries(entries, card.file, ".".join(BOOK))


def with_layout(card: Card) -> Card:
    """The card as V1, V2 or V3 document, as images contain it."""
    return card if card.form in (V1, V2, V3) else card.in_form(V3)


def _is_book(file: str) -> FileError:
    return FileError(
        file,
        "is a lorebook, not a character card",
        remedy="put it into a worldbooks folder, drop it under Lorebooks on the web page, or read it with the book commands",
    )
