"""Cards of every kind: found out by content, read generously, written without touching what did not change."""

import json
import struct
import zipfile
import zlib
from base64 import b64decode
from dataclasses import replace
from io import BytesIO
from typing import Any, ClassVar

import pytest

from rolememory.cards import base
from rolememory.cards.base import CardFormat, dump, formats, load, register
from rolememory.cards.book_file import Book
from rolememory.cards.book_forms import CARD_BOOK, WORLD_BOOK
from rolememory.cards.card import Card
from rolememory.cards.role_parts import role_from_card
from rolememory.errors import FileError, InvalidValueError, RegistrationError, UnknownNameError
from rolememory.schema.lorebook import BookSource
from rolememory.text.macros import for_character
from tests.cards import makers
from tests.cards.makers import (
    SIGNATURE,
    as_bytes,
    card_picture,
    charx,
    chunk,
    packed,
    picture,
    text_chunk,
)

V2, V3 = makers.v2(makers.card_book()), makers.v3(makers.card_book())
COMPRESSED = chunk(b"zTXt", b"Chara\0\0" + zlib.compress(packed(V2)))
INTERNATIONAL = chunk(b"iTXt", b"chara\0\1\0en\0Karte\0" + zlib.compress(packed(V2)))


@pytest.mark.parametrize(
    ("data", "format_", "name"),
    [
        pytest.param(as_bytes(makers.v1()), "v1", "Mira", id="V1"),
        pytest.param(as_bytes(V2), "v2", "Mira", id="V2"),
        pytest.param(as_bytes(V3), "v3", "Mira", id="V3"),
        pytest.param(
            b"\xef\xbb\xbf" + as_bytes(V2), "v2", "Mira", id="V2 behind a byte order mark"
        ),
        pytest.param(as_bytes({"data": makers.v1()}), "v2", "Mira", id="V2 without spec"),
        pytest.param(as_bytes({**V3, "spec": "chara_card_v4"}), "v3", "Mira", id="newer than V3"),
        pytest.param(
            as_bytes({**V2, "data": {**V2["data"], "nickname": "Mi"}}),
            "v2",
            "Mira",
            id="V2 with V3 fields",
        ),
        pytest.param(
            as_bytes({"char_name": "Mira", "char_persona": "p"}), "textgen", "Mira", id="textgen"
        ),
        pytest.param(card_picture(V2), "png", "Mira", id="picture"),
        pytest.param(card_picture(V3, "ccv3"), "png", "Mira", id="picture with V3"),
        pytest.param(card_picture(V2, "CHARA"), "png", "Mira", id="keyword in capitals"),
        pytest.param(
            picture(late=(text_chunk("chara", packed(V2)),)),
            "png",
            "Mira",
            id="chunk behind the image data",
        ),
        pytest.param(
            picture(
                text_chunk("chara", packed(makers.v2(name="Old"))), text_chunk("ccv3", packed(V3))
            ),
            "png",
            "Mira",
            id="the newer chunk wins",
        ),
        pytest.param(
            picture(
                text_chunk("chara", packed(V2)),
                text_chunk("chara", packed(makers.v2(name="Second"))),
            ),
            "png",
            "Mira",
            id="the first of two",
        ),
        pytest.param(
            picture(
                text_chunk(
                    "chara", b"\n".join(packed(V2)[at : at + 76] for at in range(0, 9999, 76))
                )
            ),
            "png",
            "Mira",
            id="base64 in lines",
        ),
        pytest.param(
            picture(text_chunk("chara", packed(V2).rstrip(b"="))),
            "png",
            "Mira",
            id="base64 without padding",
        ),
        pytest.param(
            picture(text_chunk("chara", json.dumps(V2).encode())),
            "png",
            "Mira",
            id="bare JSON in the chunk",
        ),
        pytest.param(picture(COMPRESSED), "png", "Mira", id="compressed chunk"),
        pytest.param(picture(INTERNATIONAL), "png", "Mira", id="international chunk"),
        pytest.param(charx(V3), "charx", "Mira", id="CHARX"),
        pytest.param(
            charx(V3, before=b"\xff\xd8\xff jpeg"), "charx", "Mira", id="CHARX behind a JPEG"
        ),
        pytest.param(charx(V3, before=picture()), "charx", "Mira", id="CHARX behind a PNG"),
        pytest.param(
            makers.zipped({"card.json": json.dumps(V3)}, comment=b"hello"),
            "charx",
            "Mira",
            id="CHARX with a comment",
        ),
        pytest.param(
            makers.zipped({"card.json": json.dumps(V3)}, method=zipfile.ZIP_STORED),
            "charx",
            "Mira",
            id="CHARX not packed",
        ),
        pytest.param(makers.byaf(), "byaf", "Mira", id="Backyard"),
    ],
)
def test_the_kind_is_found_out(data: bytes, format_: str, name: str) -> None:
    card = load(data, "some.file")
    assert (card.format, card.name) == (format_, name)
    assert dump(card) == data


def test_what_is_odd_is_told_and_read() -> None:
    (newer,) = load(as_bytes({**V3, "spec": "chara_card_v4"})).problems
    assert newer.text() == "chara_card_v4 is newer than what is known here; it was read as V3"
    (nameless,) = load(as_bytes(makers.v2(name=""))).problems
    assert (nameless.text(), nameless.text("zh")) == ("the character has no name", "角色没有名字")


def two_chunks(older: Any, newer: Any) -> bytes:
    return picture(text_chunk("chara", packed(older)), text_chunk("ccv3", packed(newer)))


def test_a_copy_for_older_programs_that_says_otherwise_is_told() -> None:
    """Saving the card again writes both alike."""
    data = two_chunks(makers.v2(description="Old.", first_mes="Hm."), V3)
    card = load(data, "mira.png")
    (told,) = card.problems
    assert card.text("description") == makers.v3()["data"]["description"]
    assert told.text().startswith("chunks ccv3 and chara differ in description, first_mes: ccv3 is")
    assert "description、first_mes" in told.text("zh")
    assert load(dump(replace(card, raw={**card.raw, "x": 1})), "mira.png").problems == ()


@pytest.mark.parametrize(
    "older",
    [
        pytest.param(makers.v2(), id="the same in V2"),
        pytest.param(
            makers.v2(scenario=None, group_only_greetings=["x"]), id="fields that are empty"
        ),
        pytest.param({"spec": "?"}, id="no card"),
        pytest.param(makers.v1(), id="the same in V1"),
    ],
)
def test_a_copy_for_older_programs_that_says_the_same_is_not_told(older: Any) -> None:
    assert load(two_chunks(older, makers.v3()), "mira.png").problems == ()


def test_a_package_json_is_no_card() -> None:
    package = {"name": "harbour", "version": "1.0.0", "description": "Ships.", "main": "a.js"}
    with pytest.raises(FileError, match="no character card"):
        load(as_bytes(package), "package.json")
    bare = {name: package[name] for name in ("name", "description")}
    assert load(as_bytes(bare), "harbour.json").name == "harbour"


def test_a_lorebook_with_a_name_and_a_description_is_no_card() -> None:
    with pytest.raises(FileError, match="is a lorebook, not a character card"):
        load(as_bytes({**makers.card_book(), "description": "Ships."}), "harbour.json")


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({"character_book": None}, id="no book, said so"),
        pytest.param(
            {"character_book": {"entries": {"0": makers.entry(id=1), "1": makers.entry(id=1)}}},
            id="entries as an object, ids twice",
        ),
        pytest.param(
            {"character_book": {"entries": [{"keys": "a, b", "content": "t"}]}},
            id="keys as a text, fields missing",
        ),
        pytest.param(
            {"extensions": None, "tags": "sea, light", "alternate_greetings": None},
            id="null and text in place of lists",
        ),
        pytest.param({"description": None, "name": 7}, id="numbers and null in place of texts"),
        pytest.param(
            {"group_only_greetings": "x", "assets": [None, {"type": 3}]}, id="nonsense in V3 fields"
        ),
    ],
)
def test_odd_cards_survive_every_use(odd: dict[str, Any]) -> None:
    data = as_bytes(makers.v3(**odd))
    card = load(data)
    _ = card.book, card.fields, card.texts("tags"), role_from_card(card)
    assert dump(card) == data
    for name in ("v1", "v2", "v3", "png", "charx"):
        assert load(dump(card, name)).name == card.name


class TestAPicture:
    DATA = picture(
        chunk(b"acTL", struct.pack(">II", 2, 0)),
        chunk(b"fcTL", b"\0" * 26),
        text_chunk("Software", b"x"),
        text_chunk("chara", packed(V2)),
        text_chunk("chara-ext-asset_:0", b"cGljdHVyZQ=="),
        chunk(b"tEXt", b"odd\0x", crc=7),
        late=(chunk(b"fdAT", b"\0\0\0\1data"), text_chunk("ccv3", packed(V3))),
        tail=b"behind the end",
    )

    def test_a_change_rewrites_the_card_chunks_alone(self) -> None:
        changed = load(dump(load(self.DATA).with_fields(creator="you")))
        assert _others(changed.container.data) == _others(self.DATA)
        assert [keyword for keyword, _ in _cards(changed.container.data)] == ["ccv3", "chara"]
        assert (changed.text("creator"), changed.container.data.endswith(b"behind the end")) == (
            "you",
            True,
        )

    def test_both_chunks_are_written_the_older_without_decorators(self) -> None:
        card = load(dump(load(card_picture(V3, "ccv3")).with_fields(creator="you")))
        (_, newer), (_, older) = _cards(card.container.data)
        assert (newer["spec"], older["spec"], older["spec_version"]) == (
            "chara_card_v3",
            "chara_card_v2",
            "2.0",
        )
        contents = [
            [one["content"] for one in raw["data"]["character_book"]["entries"]]
            for raw in (newer, older)
        ]
        assert contents[0][1].startswith("@@depth 2\n@@role user\n")
        assert contents[1][1] == "It raged in 1887."
        assert older["data"]["character_book"]["entries"][1]["odd"] == {"a": [1, 1.0]}

    def test_a_v2_card_gets_a_v3_chunk_with_what_v3_requires(self) -> None:
        changed = load(dump(load(card_picture(V2)).with_fields(creator="you")))
        (_, newer), (_, older) = _cards(changed.container.data)
        assert (newer["data"]["group_only_greetings"], "group_only_greetings" in older["data"]) == (
            [],
            False,
        )
        assert all("use_regex" in one for one in newer["data"]["character_book"]["entries"])

    def test_what_the_spec_says_counts_not_the_chunk(self) -> None:
        assert load(card_picture(V3, "chara")).spec == "chara_card_v3"

    def test_every_checksum_we_write_is_right(self) -> None:
        data = dump(load(card_picture(V2)).with_fields(creator="you"))
        assert all(crc == zlib.crc32(body, zlib.crc32(kind)) for kind, body, crc in _chunks(data))

    def test_a_v1_picture_stays_v1(self) -> None:
        changed = load(dump(load(card_picture(makers.v1())).with_fields(scenario="At sea.")))
        assert (
            changed.form.name,
            changed.text("scenario"),
            len(_cards(changed.container.data)),
        ) == ("v1", "At sea.", 1)


class TestAZipFile:
    OTHERS: ClassVar = {
        "assets/icon/a.png": picture(),
        "module.risum": b"\x6f\0binary",
        "x/../../evil": "e",
        "module.json": '{"a": 1}',
    }

    def test_only_the_card_is_replaced(self) -> None:
        data = charx(V3, before=b"\xff\xd8\xff jpeg", **self.OTHERS)
        changed = dump(load(data).with_fields(creator="you"))
        assert changed.startswith(b"\xff\xd8\xff jpeg")
        with zipfile.ZipFile(BytesIO(changed)) as archive:
            assert archive.testzip() is None
            assert archive.namelist() == ["card.json", *self.OTHERS]
            assert all(
                archive.read(name) == (content.encode() if isinstance(content, str) else content)
                for name, content in self.OTHERS.items()
            )
            assert json.loads(archive.read("card.json"))["data"]["creator"] == "you"

    def test_a_comment_and_streamed_members_stay(self) -> None:
        out = _Unseekable()
        with zipfile.ZipFile(
            out, "w", zipfile.ZIP_DEFLATED
        ) as archive:  # sizes stand behind the data
            archive.comment = b"hello"
            archive.writestr("first.txt", "1" * 500)
            archive.writestr("card.json", json.dumps(V3))
            archive.writestr("last.txt", "2" * 500)
        changed = dump(load(bytes(out.data)).with_fields(creator="you"))
        with zipfile.ZipFile(BytesIO(changed)) as archive:
            assert (archive.testzip(), archive.comment, archive.read("last.txt")) == (
                None,
                b"hello",
                b"2" * 500,
            )
        assert load(changed).text("creator") == "you"

    def test_a_picture_becomes_the_icon_and_comes_back(self) -> None:
        card = load(picture(text_chunk("chara", packed(V3)), text_chunk("Software", b"x")))
        packed_up = load(dump(card, "charx"))
        assert packed_up.data["assets"][0]["uri"] == "embeded://assets/icon/images/main.png"
        again = load(dump(packed_up, "png"))
        assert _others(again.container.data) == _others(card.container.data)

    def test_overlapping_members_are_not_rewritten(self) -> None:
        data = charx(V3, other="x")
        second = data.rfind(b"PK\1\2")
        overlapping = data[: second + 42] + struct.pack("<I", 0) + data[second + 46 :]
        with pytest.raises(FileError, match="overlap"):
            dump(load(overlapping).with_fields(creator="you"))


class TestFields:
    def test_copies_for_older_programs_follow_if_they_are_there(self) -> None:
        card = load(as_bytes({"name": "Old", "creatorcomment": "", "chat": 7, **V2}))
        changed = card.with_fields(name="Asha", creator_notes="n", tags=["x"])
        assert (
            changed.raw["name"],
            changed.raw["creatorcomment"],
            "tags" in changed.raw,
            changed.raw["chat"],
        ) == ("Asha", "n", False, 7)

    def test_data_wins_over_its_copies(self) -> None:
        assert load(as_bytes({"name": "Old", "description": "old", **V2})).name == "Mira"

    def test_style_of_the_file_is_kept(self) -> None:
        data = b'{\r\n\t"spec": "chara_card_v2",\r\n\t"data": {"name": "M\\u00efra", "description": "d", "n": 1.50, "e": 1E5}\r\n}\r\n'
        changed = load(data).with_fields(description="守灯人")
        assert dump(changed) == data.replace(b'"d"', '"守灯人"'.encode())

    def test_none_takes_a_field_away(self) -> None:
        assert "nickname" not in load(as_bytes(V3)).with_fields(nickname=None).data

    def test_an_unknown_field_is_refused_with_the_likely_one(self) -> None:
        with pytest.raises(
            InvalidValueError, match=r"no field 'first_message'.*did you mean 'first_mes'"
        ):
            load(as_bytes(V3)).with_fields(first_message="x")

    @pytest.mark.parametrize("data", [makers.byaf(), b'{"char_name": "Mira"}'])
    def test_what_is_only_read_is_written_as_v3(self, data: bytes) -> None:
        changed = load(load(data).with_fields(name="x").write())
        assert (changed.format, changed.name) == ("v3", "x")
        assert changed.text("description") == load(data).text("description")

    def test_a_field_that_a_format_lacks_is_kept(self) -> None:
        changed = load(
            load(as_bytes(makers.v1())).with_fields(nickname="Mi", system_prompt="p").write()
        )
        assert (changed.format, changed.text("nickname"), changed.text("system_prompt")) == (
            "v1",
            "Mi",
            "p",
        )


def test_the_texts_of_a_turn() -> None:
    who = load(
        as_bytes(makers.v3(description="<BOT> waits for <USER>. {{CHAR}}!", creator_notes="n")),
        "cards/mira.json",
    ).character("Lin")
    assert (who.name, who.file, who.tags, who.depth_prompt, who.creator_notes) == (
        "Mi",
        "mira",
        ("sea", "灯塔"),
        "Stay calm.",
        "n",
    )
    assert for_character(who).expand(who.description) == "Mi waits for Lin. Mi!"


def test_backyard_says_the_common_macros() -> None:
    card = load(makers.byaf())
    assert card.text("description") == "{{char}} keeps the light for {{user}}."
    assert card.text("mes_example") == "<START>\n{{user}}: Hm?\n{{char}}: Yes."
    assert (card.text("first_mes"), card.texts("alternate_greetings"), card.text("creator")) == (
        "Hi, {{user}}.",
        ("Evening.",),
        "me",
    )
    assert card.book is not None
    assert (card.book.entries[0].keys, card.book.entries[0].content) == (
        ("beacon", "lamp"),
        "{{char}}'s beacon burns.",
    )


def test_the_book_of_a_card_is_the_character_s() -> None:
    book = load(as_bytes(V3)).book
    assert book is not None
    assert (book.name, book.source, book.token_budget, len(book.entries), book.problems) == (
        "Harbour",
        BookSource.CHARACTER,
        512,
        3,
        (),
    )


def test_a_book_can_be_exchanged_and_taken_away() -> None:
    card = load(as_bytes(V3))
    raw = {"name": "Other", "entries": [makers.entry(odd=None)]}
    changed = load(dump(card.with_book(Book.new(raw, CARD_BOOK))))
    assert changed.raw["data"]["character_book"] == raw
    again = load(dump(changed.with_book(Book.new(makers.world(), WORLD_BOOK)))).book
    assert again
    assert again.entries[1].keys == ("/a.b/i",)
    assert "character_book" not in changed.with_book(None).raw["data"]


class TestFormats:
    @pytest.mark.parametrize("name", [name for name in formats() if name != "json"])
    @pytest.mark.parametrize(
        "raw",
        [makers.v1(), V2, V3],
        ids=["v1", "v2", "v3"],
    )
    def test_written_and_read_it_says_the_same(self, name: str, raw: dict[str, Any]) -> None:
        card = load(as_bytes(raw))
        data = dump(card, name)
        again = load(data)
        assert formats()[name].fits(data)
        assert (again.format, dump(again)) == (name, data)
        assert all(
            again.text(field) == card.text(field)
            for field in ("name", "description", "first_mes", "personality")
        )
        assert (again.book is None) == (card.book is None)

    @pytest.mark.parametrize("name", ["byaf", "textgen"])
    def test_what_is_only_read_is_no_format_to_write(self, name: str) -> None:
        with pytest.raises(UnknownNameError, match=f"no format named '{name}'"):
            dump(load(as_bytes(V2)), name)

    def test_an_unknown_format_is_named_with_the_likely_one(self) -> None:
        with pytest.raises(UnknownNameError, match="did you mean 'charx'"):
            dump(load(as_bytes(V2)), "chrx")

    def test_another_package_may_add_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(base, "FORMATS", dict(formats()))
        register(_Shouted)
        card = load(b"SHOUT " + as_bytes(V2))
        assert (card.name, dump(card, "shouted")) == ("MIRA", b"SHOUT MIRA")
        with pytest.raises(RegistrationError, match="registered twice"):
            register(_Shouted)


class _Shouted:
    """A format of somebody else's."""

    name: ClassVar[str] = "shouted"

    def fits(self, data: bytes) -> bool:
        return data.startswith(b"SHOUT ")

    def load(self, data: bytes, file: str) -> Card:
        card = load(data.removeprefix(b"SHOUT "), file)
        return replace(card.with_fields(name=card.name.upper()), file=file)

    def dump(self, card: Card) -> bytes:
        return b"SHOUT " + card.name.encode()


def test_our_format_keeps_the_protocol() -> None:
    shouted: CardFormat = _Shouted()
    assert shouted.fits(b"SHOUT ")


class _Unseekable:
    """Where a zip file is streamed to."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, data: bytes) -> int:
        self.data += data
        return len(data)

    def flush(self) -> None:
        pass


def _chunks(data: bytes) -> list[tuple[bytes, bytes, int]]:
    found, at = [], len(SIGNATURE)
    while at + 12 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        found.append(
            (kind, data[at + 8 : at + 8 + size], struct.unpack_from(">I", data, at + 8 + size)[0])
        )
        at += 12 + size
        if kind == b"IEND":
            break
    return found


def _cards(data: bytes) -> list[tuple[str, dict[str, Any]]]:
    texts = [body.partition(b"\0")[::2] for kind, body, _ in _chunks(data) if kind == b"tEXt"]
    return [
        (keyword.decode(), json.loads(b64decode(value)))
        for keyword, value in texts
        if keyword.lower() in (b"chara", b"ccv3")
    ]


def _others(data: bytes) -> list[tuple[bytes, bytes, int]]:
    return [
        one
        for one in _chunks(data)
        if one[1].partition(b"\0")[0].lower() not in (b"chara", b"ccv3")
    ]
