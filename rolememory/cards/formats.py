"""The known card formats, registered in the order in which they are tried: those with a signature first."""

from dataclasses import replace
from typing import ClassVar

from rolememory.cards import images, limits, png
from rolememory.cards.base import FORMATS, register
from rolememory.cards.book_forms import form_of
from rolememory.cards.card import Card
from rolememory.cards.card_forms import (
    BOOK,
    BYAF,
    TEXTGEN,
    V1,
    V2,
    V3,
    CardForm,
    card_form_of,
    has_layout,
    version_of,
)
from rolememory.cards.containers import (
    CARD_JSON,
    card_chunks,
    charx_card,
    json_text,
    new_json,
    png_card,
    read_only,
)
from rolememory.cards.json_changes import value_at
from rolememory.cards.json_read import kind_of, list_of, read_json
from rolememory.cards.other_books import other_book
from rolememory.cards.zip_parts import has_zip, new_zip, open_zip
from rolememory.errors import FileError, InvalidValueError
from rolememory.locales import LocalizedText
from rolememory.schema.json_types import JsonMapping, JsonObject

NEWEST = 3
KEYWORDS = ("ccv3", "chara")
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
        packed = chosen.value
        said = packed if packed.lstrip().startswith(b"{") else png.decoded(packed, file, place)
        raw = read_json(said, file, place)
        wrong = LocalizedText("{place} has a wrong checksum", place=place)
        odd = () if chosen.sound else (wrong,)
        return checked(
            Card(raw, json_form(raw, file), png_card(data, json_text(said, raw), file), file, odd)
        )

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


@register
class JsonFormat:
    """A card as JSON, of any layout; written in its own, or as V3."""

    name = "json"

    def fits(self, data: bytes) -> bool:
        """Whether it begins with a JSON object or list."""
        return data[:4096].removeprefix(_BOM).lstrip()[:1] in (b"{", b"[")

    def load(self, data: bytes, file: str) -> Card:
        """Parse a card; detects the layout."""
        raw = read_json(data, file)
        form = json_form(raw, file)
        container = json_text(data, raw) if form.from_hub_alone else read_only(data, raw, form.name)
        return checked(Card(raw, form, container, file))

    def dump(self, card: Card) -> bytes:
        """The card's own document, if writable."""
        if card.container.name == "json":
            return card.write()
        return new_json(card.raw).data if card.form.from_hub_alone else card.in_form(V3).write()


class LayoutFormat(JsonFormat):
    """JSON of a given layout."""

    def __init__(self, form: CardForm) -> None:
        self.form, self.name = form, form.name

    def fits(self, data: bytes) -> bool:
        """Whether it is JSON in this layout."""
        try:
            return super().fits(data) and card_form_of(read_json(data, self.name)) is self.form
        except FileError:
            return False

    def dump(self, card: Card) -> bytes:
        """The card in this layout."""
        if self.form.from_hub_alone is None:
            raise not_written(self.name)
        if card.form is self.form:
            return super().dump(card)
        return card.in_form(self.form).write()


for _form in (V3, V2, V1, TEXTGEN):
    FORMATS[_form.name] = LayoutFormat(_form)


@register
class ByafFormat:
    """A Backyard archive: manifest, characters, scenarios; read-only."""

    name: ClassVar[str] = "byaf"

    def fits(self, data: bytes) -> bool:
        """Whether it is a zip file with a manifest and no card."""
        try:
            names = (
                {member.name for member in open_zip(data, "").members}
                if data.startswith(b"PK")
                else set()
            )
        except FileError:
            return False
        return "manifest.json" in names and CARD_JSON not in names

    def load(self, data: bytes, file: str) -> Card:
        """The first character and all scenarios that the manifest names."""
        archive = open_zip(data, file)
        budget = [limits.TEXT]

        def member(name: object) -> JsonObject:
            packed = archive.read(name, budget[0]) if isinstance(name, str) else None
            if packed is None:
                raise FileError(
                    file,
                    "names {name!r}, which is not inside",
                    field="manifest.json",
                    name=str(name)[:80],
                )
            budget[0] -= len(packed)
            return read_json(packed, file, str(name))

        manifest = member("manifest.json")
        people, scenes = (list_of(manifest.get(field)) for field in ("characters", "scenarios"))
        if not people:
            raise FileError(file, "names no character", field="manifest.json")
        raw = {
            "manifest": manifest,
            "character": member(people[0]),
            "scenarios": [member(name) for name in scenes[:1000]],
        }
        more = LocalizedText("has {count} characters; the first is read", count=len(people))
        odd = (more,) if len(people) > 1 else ()
        return checked(Card(raw, BYAF, read_only(data, raw, self.name), file, odd))

    def dump(self, card: Card) -> bytes:
        """Raise: read-only."""
        raise not_written(self.name)


@register
class CharxFormat:
    """A zip file with `card.json`, possibly after an image."""

    name: ClassVar[str] = "charx"

    def fits(self, data: bytes) -> bool:
        """Whether it is a zip file or ends with one."""
        return has_zip(data)

    def load(self, data: bytes, file: str) -> Card:
        """The card inside; no other member is opened."""
        archive = open_zip(data, file)
        text = archive.read(CARD_JSON)
        if text is None:
            raise FileError(
                file, "is a zip file without card.json", remedy="a CHARX holds its card there"
            )
        raw = read_json(text, file, CARD_JSON)
        return checked(
            Card(raw, json_form(raw, file), charx_card(archive, json_text(text, raw)), file)
        )

    def dump(self, card: Card) -> bytes:
        """A zip file with the card, and its image if any."""
        if card.container.name == self.name:
            return card.write()
        newest = card if card.form is V3 else card.in_form(V3)
        card, members = images.with_picture(newest, images.taken(card))
        return new_zip({CARD_JSON: new_json(card.raw).data, **members})


def json_form(raw: JsonMapping, file: str) -> CardForm:
    """The layout of this object.

    Raises:
        FileError: it is no character.
    """
    form = card_form_of(raw)
    if form is None and (form_of(raw) or other_book(raw)):
        raise _is_book(file)
    if form is None:
        raise FileError(
            file,
            "is JSON, but no character card: it has neither spec and data nor name and description",
            remedy="export the character as a card (V2 or V3)",
        )
    return form


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


def not_written(name: str) -> InvalidValueError:
    """The error for a read-only format."""
    return InvalidValueError("{name} is only read; write v3, png or charx", name=name)


def _is_book(file: str) -> FileError:
    return FileError(
        file,
        "is a lorebook, not a character card",
        remedy="put it into a worldbooks folder, drop it under Lorebooks on the web page, or read it with the book commands",
    )
