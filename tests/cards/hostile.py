"""Hostile files, and what becomes of them: python -m tests.cards.hostile reads every one and prints a JSON line each, the peak memory last."""

import io
import json
import socket
import struct
import sys
import time
import zipfile
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

from tests.cards import makers
from tests.cards.makers import (
    SIGNATURE,
    card_picture,
    charx,
    chunk,
    packed,
    picture,
    text_chunk,
    zipped,
)
from tests.peak import peak_mb

MB = 1 << 20
Case = tuple[str, bytes]
CARD = makers.v2()
TEXT = json.dumps(CARD).encode()


def refused() -> Iterator[Case]:
    """Files that must be refused, each named by what is wrong with it."""
    yield from _json()
    yield from _png()
    yield from _zip()
    yield from _other()


def read() -> Iterator[Case]:
    """Files that try something and are read all the same, because nothing comes of it."""
    yield (
        "addresses in assets are not visited",
        makers.as_bytes(
            makers.v3(assets=[{"type": "icon", "uri": "http://127.0.0.1:9/x.png", "name": "main"}])
        ),
    )
    yield "a name that is a path is a name", makers.as_bytes(makers.v2(name="../../etc/passwd"))
    yield "a template in a name stays text", makers.as_bytes(makers.v2(name="{{ ''.__class__ }}"))
    yield (
        "zip members that lead outside are not unpacked",
        charx(CARD, **{"../../evil.sh": "rm", "/etc/evil": "x", "C:\\evil": "x"}),
    )
    yield "a bomb beside the card is not opened", charx(CARD, **{"assets/bomb": b"\0" * (40 * MB)})
    yield "a wide picture is not decoded", _huge_header()
    yield (
        "checksums of other chunks are not ours",
        picture(text_chunk("chara", packed(CARD)), chunk(b"tEXt", b"Comment\0x", crc=1)),
    )
    yield (
        "a wrong checksum of the card is told",
        picture(chunk(b"tEXt", b"chara\0" + packed(CARD), crc=1)),
    )
    yield (
        "a role id that is a path is ignored",
        makers.as_bytes(makers.v2(extensions={"rolememory": {"role_uuid": "../../../x"}})),
    )
    yield (
        "our notes with nonsense are ignored",
        makers.as_bytes(
            makers.v2(extensions={"rolememory": {"kept": [{"at": [1]}, 7, {"at": "x"}], "v2": "x"}})
        ),
    )
    yield (
        "types that nobody expects",
        makers.as_bytes(
            {
                "spec": "chara_card_v2",
                "data": {"name": ["x"], "description": {"a": 1}, "tags": 7, "extensions": []},
            }
        ),
    )
    yield (
        "a book that is no book",
        makers.as_bytes(
            makers.v2({"entries": [1, None, "x", {"keys": {"a": 1}, "content": []}], "name": 7})
        ),
    )
    yield "many empty entries", makers.as_bytes(makers.v2({"entries": [{}] * 5000}), None)
    yield (
        "five thousand keys",
        makers.as_bytes(makers.v2({"entries": [makers.entry(keys=["k" * 9] * 5000)]}), None),
    )
    yield "pictures behind the end", card_picture(CARD, tail=b"\0" * MB)
    yield (
        "two thousand text chunks",
        picture(
            *[text_chunk(f"k{at}", b"v") for at in range(2000)], text_chunk("chara", packed(CARD))
        ),
    )


def _json() -> Iterator[Case]:
    def spoilt(name: str, value: bytes) -> Case:
        return name, TEXT.replace(b'"Keeper of the light."', value)

    yield spoilt("NaN", b"NaN")
    yield spoilt("Infinity", b"-Infinity")
    yield spoilt("a number beyond doubles", b"1e999")
    yield spoilt("an integer of 5000 digits", b"1" * 5000)
    yield spoilt("half a character", b'"\\ud83d"')
    yield spoilt("the other half", b'"\\udc00x"')
    yield spoilt("a control character", b'"\x01"')
    yield spoilt("a line break in a text", b'"a\nb"')
    yield spoilt("an unclosed text", b'"abc')
    yield spoilt("single quotes", b"'x'")
    yield spoilt("a bad escape", b'"\\x"')
    yield spoilt("a comment", b'"x" /* c */')
    yield spoilt("a leading zero", b"01")
    yield spoilt("bytes that are no UTF-8", b'"\xff\xfe"')
    yield spoilt("an overlong zero", b'"\xc0\x80"')
    yield spoilt("a surrogate in UTF-8", b'"\xed\xa0\x80"')
    yield spoilt("GBK text", '"守灯人"'.encode("gbk"))
    yield "a field twice", TEXT.replace(b'"personality"', b'"description"')
    yield (
        "a field twice, spelled with an escape",
        TEXT.replace(b'"personality"', b'"de\\u0073cription"'),
    )
    yield "spec twice", b'{"spec": "chara_card_v3", ' + TEXT[1:]
    yield "a trailing comma", TEXT[:-1] + b",}"
    yield "text behind the end", TEXT + b"x"
    yield "cut in the middle", TEXT[: len(TEXT) // 2]
    yield "UTF-16", TEXT.decode().encode("utf-16")
    yield "a list", b"[" + TEXT + b"]"
    yield "an empty object", b"{}"
    yield "an empty list", b"[]"
    yield "data that is null", b'{"spec": "chara_card_v2", "data": null}'
    yield "data that is a list", b'{"spec": "chara_card_v3", "data": []}'
    yield "data that is a text", b'{"spec": "chara_card_v2", "data": "x"}'
    yield "some other JSON", b'{"messages": []}'
    yield "a lorebook in a card's place", makers.as_bytes(makers.world())
    for depth in (101, 1000, 1025, 100_000, 4_000_000):
        yield (
            f"{depth} lists deep",
            TEXT.replace(b'"Keeper of the light."', b"[" * depth + b"]" * depth),
        )
    yield "50,000 objects deep", b'{"a":' * 50_000 + b"1" + b"}" * 50_000
    yield "a million lists never closed", b"[" * MB
    yield "two million values", b'{"name": "x", "description": [' + b"0," * 2_000_000 + b"0]}"
    yield (
        "two million empty objects",
        b'{"name": "x", "description": [' + b"{}," * 2_000_000 + b"0]}",
    )
    yield "nine megabytes of text", b'{"name": "x", "description": "' + b"a" * (9 * MB) + b'"}'
    yield "hundred megabytes of blanks", b" " * (100 * MB)
    yield "hundred megabytes of brackets", b"{" * (100 * MB)
    yield "30,000 entries", makers.as_bytes(makers.v2({"entries": [{}] * 30_000}), None)
    yield (
        "30,000 entries in an object",
        makers.as_bytes(makers.v2({"entries": {str(at): {} for at in range(30_000)}}), None),
    )
    yield "four megabytes of quotes", b'{"name": ' + b'"' * (4 * MB)
    yield "four megabytes of backslashes", b'{"name": "' + b"\\" * (4 * MB)


def _png() -> Iterator[Case]:
    good = card_picture(CARD)
    yield "only a signature", SIGNATURE
    yield "a signature and zeros", SIGNATURE + b"\0" * 100
    for cut in (9, 20, 33, 50, len(good) - 13, len(good) - 1):
        yield f"cut at byte {cut}", good[:cut]
    for size in (0x7FFFFFFF, 0xFFFFFFFF, 1 << 20):
        yield (
            f"a chunk that declares {size} bytes",
            SIGNATURE + chunk(b"tEXt", b"chara\0" + packed(CARD), size=size) + chunk(b"IEND"),
        )
    yield (
        "a chunk that declares one byte too many",
        SIGNATURE + chunk(b"tEXt", b"chara\0" + packed(CARD), size=len(packed(CARD)) + 7),
    )
    yield "a picture without a card", picture()
    yield "a card behind the end", picture(tail=text_chunk("chara", packed(CARD)))
    yield "a keyword alone", picture(chunk(b"tEXt", b"chara"))
    yield "an empty card", picture(text_chunk("chara", b""))
    yield "a card that is no base64", picture(text_chunk("chara", b"!!!!"))
    yield (
        "base64 with a stray character",
        picture(text_chunk("chara", packed(CARD)[:20] + b"*" + packed(CARD)[20:])),
    )
    yield "base64 of one letter", picture(text_chunk("chara", b"A"))
    yield "base64 of nothing but padding", picture(text_chunk("chara", b"===="))
    yield "base64 of binary", picture(text_chunk("chara", b64encode(bytes(range(256)))))
    yield "base64 of a list", card_picture([CARD])
    yield "base64 of NaN", picture(text_chunk("chara", b64encode(b'{"name": NaN}')))
    yield (
        "the newer chunk is broken",
        picture(text_chunk("ccv3", b"e30x"), text_chunk("chara", packed(CARD))),
    )
    yield "a deep card", card_picture(b'{"data":' * 500 + b"1" + b"}" * 500)
    yield (
        "a card of nine megabytes",
        card_picture(b'{"name": "x", "description": "' + b"a" * (9 * MB) + b'"}'),
    )
    yield "a text chunk of forty megabytes", picture(text_chunk("chara", b"A" * (40 * MB)))
    yield "a compressed bomb", picture(chunk(b"zTXt", b"chara\0\0" + _bomb(b"\0", 500)))
    yield "a compressed bomb of base64", picture(chunk(b"zTXt", b"chara\0\0" + _bomb(b"A", 64)))
    yield (
        "an international bomb",
        picture(chunk(b"iTXt", b"chara\0\1\0en\0Karte\0" + _bomb(b"A", 64))),
    )
    yield (
        "compressed text that is cut",
        picture(chunk(b"zTXt", b"chara\0\0" + zlib.compress(packed(CARD))[:-9])),
    )
    yield "compressed text that is noise", picture(chunk(b"zTXt", b"chara\0\0" + b"noise" * 9))
    yield "compressed text that is empty", picture(chunk(b"zTXt", b"chara\0\0"))
    yield "compressed text without a method", picture(chunk(b"zTXt", b"chara\0"))
    yield "an international chunk without fields", picture(chunk(b"iTXt", b"chara\0"))
    yield "an international chunk of noise", picture(chunk(b"iTXt", b"chara\0\1\0en\0x\0noise"))
    yield "half a million chunks", SIGNATURE + chunk(b"tEXt") * 500_000 + chunk(b"IEND")
    yield "chunks of zeros", SIGNATURE + b"\0" * (12 * 300_000)
    yield "a card in an unknown keyword", picture(text_chunk("character", packed(CARD)))
    yield (
        "a novelai book in a card's place",
        picture(text_chunk("naidata", packed(makers.novelai()))),
    )


def _zip() -> Iterator[Case]:
    good = charx(CARD)
    end = good.rfind(b"PK\5\6")
    yield "an empty zip file", zipped({})
    yield "a zip file without a card", zipped({"other.json": TEXT})
    yield "a card in another folder", zipped({"sub/card.json": TEXT})
    yield "a card in capitals", zipped({"CARD.JSON": TEXT})
    yield "a zip bomb as card", _zip_bomb()
    yield (
        "a card of nine megabytes of text in a zip",
        zipped({"card.json": b'{"name": "' + b"a" * (9 * MB) + b'"}'}),
    )
    yield (
        "a card stored, nine megabytes",
        zipped({"card.json": b" " * (9 * MB)}, method=zipfile.ZIP_STORED),
    )
    yield "a card by bzip2", zipped({"card.json": TEXT}, method=zipfile.ZIP_BZIP2)
    yield "a card by lzma", zipped({"card.json": TEXT}, method=zipfile.ZIP_LZMA)
    yield "an encrypted card", _patched(good, end, 8, struct.pack("<H", 1))
    yield "a wrong checksum in the zip", _patched(good, end, 16, b"\1\2\3\4")
    yield "a packed size beyond the file", _patched(good, end, 20, struct.pack("<I", 1 << 30))
    yield "an offset beyond the file", _patched(good, end, 42, struct.pack("<I", 1 << 30))
    yield "an offset into the middle", _patched(good, end, 42, struct.pack("<I", 5))
    yield "a 64-bit size", _patched(good, end, 24, b"\xff" * 4)
    yield "a name longer than the directory", _patched(good, end, 28, b"\xff\xff")
    yield "an unknown method", _patched(good, end, 10, struct.pack("<H", 99))
    yield (
        "a directory larger than the file",
        good[: end + 12] + struct.pack("<I", 1 << 30) + good[end + 16 :],
    )
    yield (
        "a directory that starts later",
        good[: end + 16] + struct.pack("<I", 1 << 30) + good[end + 20 :],
    )
    yield "a directory of the 64-bit kind", good[: end + 16] + b"\xff" * 4 + good[end + 20 :]
    yield "a zip file cut in its directory", good[: end - 4]
    yield "a zip file cut before its directory", good[:60]
    yield "an end record alone", b"PK\5\6" + b"\0" * 18
    yield "half an end record", b"PK\5\6" + b"\0" * 9
    yield "a zip signature alone", b"PK\3\4" + b"\0" * 40
    yield "two cards", _two_cards()
    yield "a card that is no JSON", zipped({"card.json": b"hello: world"})
    yield "a card that is a list", zipped({"card.json": b"[]"})
    yield "deep JSON in a zip", zipped({"card.json": b"[" * 5000})
    yield (
        "thirty thousand members",
        zipped({f"m{at}": b"" for at in range(30_000)}, method=zipfile.ZIP_STORED),
    )
    yield "a directory of zeros", _zero_directory()
    yield (
        "an archive without its character",
        zipped({"manifest.json": '{"characters": ["characters/x.json"], "scenarios": []}'}),
    )
    yield (
        "an archive that names no character",
        zipped({"manifest.json": '{"characters": [], "scenarios": []}'}),
    )
    yield "an archive whose manifest is a list", zipped({"manifest.json": "[]"})
    yield "an archive that names a number", zipped({"manifest.json": '{"characters": [7]}'})
    yield (
        "an archive that leads outside",
        zipped({"manifest.json": '{"characters": ["../../etc/passwd"]}'}),
    )
    yield "an archive with a bomb as scene", _byaf_bomb()


def _other() -> Iterator[Case]:
    yield "an empty file", b""
    yield "blanks", b" \n\t " * 100
    yield "a byte order mark alone", b"\xef\xbb\xbf"
    yield "zeros", b"\0" * 10_000
    yield "noise", bytes(range(256)) * 50
    yield "a JPEG", b"\xff\xd8\xff\xe0" + b"\0" * 200
    yield "a WebP", b"RIFF\0\0\0\0WEBPVP8 " + b"\0" * 100
    yield "a GIF", b"GIF89a" + b"\0" * 100
    yield "an executable", b"MZ" + b"\x90\0" * 400
    yield "a pickle", b"\x80\x04\x95\x1a\0\0\0\0\0\0\0\x8c\x05posix\x94\x8c\x06system\x94\x93\x94."
    yield "a picture in HTML", b"<html><img src='x'></html>"
    yield "plain prose", "守灯人住在海边。".encode()
    yield "more than a card may have", b"0" * (129 * MB)


def books() -> Iterator[Case]:
    """Hostile lorebooks, all refused."""
    yield "a card without a book", TEXT
    yield "entries that are a text", b'{"spec": "lorebook_v3", "data": {"entries": "x"}}'
    yield "entries that are a number", b'{"lorebookVersion": 5, "entries": 7}'
    yield "a book without data", b'{"spec": "lorebook_v3"}'
    yield "a risu file without entries", b'{"type": "risu"}'
    yield (
        "a world of 30,000 entries",
        makers.as_bytes({"entries": {str(at): {} for at in range(30_000)}}, None),
    )
    yield "a list of 30,000 entries", makers.as_bytes({"entries": [{}] * 30_000}, None)
    yield "NaN in a world", b'{"entries": {"0": {"order": NaN}}}'
    yield "an entry twice", b'{"entries": {"0": {"order": 1, "order": 2}}}'
    yield "a deep world", b'{"entries": {"0": {"extensions": ' + b"[" * 300 + b"]" * 300 + b"}}}"
    yield "half a character in a world", b'{"entries": {"0": {"content": "\\ud800"}}}'
    yield "a broken novelai picture", picture(text_chunk("naidata", b"???"))
    yield "a deep novelai picture", picture(text_chunk("naidata", b64encode(b"[" * 3000)))
    yield "something else", b'{"messages": []}'


def _huge_header() -> bytes:
    return card_picture(CARD).replace(
        struct.pack(">II", 2, 2), struct.pack(">II", 0x7FFFFFFF, 0x7FFFFFFF), 1
    )


def _bomb(letter: bytes, megabytes: int) -> bytes:
    """So many megabytes of one letter, packed."""
    pack = zlib.compressobj(1)
    return b"".join([*(pack.compress(letter * MB) for _ in range(megabytes)), pack.flush()])


def _zip_bomb() -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("card.json", "w") as member,
    ):
        for _ in range(500):
            member.write(b"\0" * MB)
    return out.getvalue()


def _patched(data: bytes, end: int, at: int, value: bytes) -> bytes:
    """The zip file with these bytes in the first line of its directory."""
    start = data.find(b"PK\1\2") + at
    return data[:start] + value + data[start + len(value) :]


def _two_cards() -> bytes:
    both = zipped({"card.json": TEXT, "dard.json": TEXT})
    return both.replace(b"dard.json", b"card.json")


def _zero_directory() -> bytes:
    size = 46 * 100_000
    return b"\0" * size + struct.pack("<4s4HII", b"PK\5\6", 0, 0, 9, 9, size, 0) + b"\0\0"


def _byaf_bomb() -> bytes:
    manifest = json.dumps({"characters": ["c.json"], "scenarios": ["s.json"] * 100})
    return zipped(
        {"manifest.json": manifest, "c.json": "{}", "s.json": b'{"a": "' + b"x" * (7 * MB) + b'"}'}
    )


def judged(reader: Callable[[bytes, str], Any], name: str, data: bytes) -> dict[str, Any]:
    """What the reader makes of the file, and the CPU seconds it took."""
    from rolememory.errors import FileError

    start = time.process_time()
    try:
        found = reader(data, "strange.file")
        outcome, told = "read", str(getattr(found, "problems", ""))
    except FileError as error:
        outcome, told = (
            (
                "refused"
                if error.file == "strange.file" and error.text("zh") != str(error)
                else "refused without place or Chinese words"
            ),
            str(error),
        )
    except Exception as error:
        outcome, told = f"{type(error).__name__}", str(error)[:300]
    return {"id": name, "outcome": outcome, "told": told, "cpu_s": time.process_time() - start}


def _used(data: bytes, file: str) -> Any:
    """Read the card and everything it gives."""
    from rolememory.cards.base import dump, load
    from rolememory.cards.role_parts import role_from_card

    card = load(data, file)
    _ = (
        card.fields,
        card.book,
        card.character(),
        role_from_card(card),
        dump(card, "v3"),
        dump(card, "png"),
    )
    return card


def honest_s() -> float:
    """CPU seconds that a large card costs which means no harm: a book of many entries, a long text; the least of three."""
    from rolememory.cards import limits

    entries = [
        {"keys": [f"key {number}"], "content": "word " * 50, "enabled": True, "insertion_order": 1}
        for number in range(limits.ENTRIES // 2)
    ]
    data = {
        "name": "Mira",
        "description": "word " * 200_000,
        "character_book": {"entries": entries},
    }
    card = json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}).encode()
    return min(judged(_used, "honest", card)["cpu_s"] for _ in range(3))


def main() -> None:
    from rolememory.cards.book_files import load_book

    def no_sockets(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    socket.socket = no_sockets  # type: ignore[misc,assignment]
    groups: tuple[tuple[str, Callable[[bytes, str], Any], Iterator[Case]], ...] = (
        ("refused", _used, refused()), ("read", _used, read()), ("refused", load_book, books()),
    )  # fmt: skip
    sys.stdout.write(json.dumps({"honest_s": honest_s()}) + "\n")
    for wanted, reader, cases in groups:
        for name, data in cases:
            row = {"wanted": wanted, **judged(reader, name, data)}
            del data
            sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    sys.stdout.write(json.dumps({"peak_mb": peak_mb()}) + "\n")


if __name__ == "__main__":
    main()
