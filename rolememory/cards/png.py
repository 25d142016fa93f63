"""Text chunks of PNG and APNG files: lengths are checked; on writing all other chunks stay byte for byte.

Pixels are never decoded. Source: the PNG specification, third edition, 5 and 11.3.3; spec/frontends.md 7.1.
"""

import struct
import zlib
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rolememory.cards import limits
from rolememory.cards.limits import DAMAGED, damaged
from rolememory.errors import FileError
from rolememory.schema.value_class import value_class

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TEXT_KINDS = (b"tEXt", b"zTXt", b"iTXt")


@value_class
class Chunk:
    """A chunk: its type, position of its data, and whether its checksum is right."""

    kind: bytes
    start: int  # of the whole chunk, length field included
    size: int  # of the data

    @property
    def data(self) -> slice:
        """The position of the data."""
        return slice(self.start + 8, self.start + 8 + self.size)

    @property
    def end(self) -> int:
        """The end of the chunk, after its checksum."""
        return self.start + 12 + self.size


@value_class
class Text:
    """A text chunk: keyword in lower case, and its decompressed value."""

    chunk: Chunk
    keyword: str
    value: bytes
    sound: bool  # the checksum is right


def is_png(data: bytes) -> bool:
    """Whether these bytes have a PNG signature."""
    return data.startswith(SIGNATURE)


def chunks(data: bytes, file: str) -> Iterator[Chunk]:
    """Every chunk up to IEND; the rest is ignored. Cost: O(chunks), no copies.

    Raises:
        FileError: a length reaches beyond the end of the file, IEND is missing, or there are too many chunks.
    """
    at = len(SIGNATURE)
    for _ in range(limits.CHUNKS):
        if at + 12 > len(data):
            raise damaged(file, "ends at byte {count}, before its IEND chunk", count=len(data))
        size, kind = struct.unpack_from(">I4s", data, at)
        if at + 12 + size > len(data):
            left = len(data) - at - 12
            raise damaged(
                file,
                "byte {at}: chunk {name} declares {size} bytes, {left} are there",
                at=at,
                name=ascii(kind.decode("latin-1")),
                size=size,
                left=left,
            )
        yield Chunk(kind, at, size)
        if kind == b"IEND":
            return
        at += 12 + size
    raise FileError(file, "has more than {chunks} chunks", remedy=DAMAGED, chunks=limits.CHUNKS)


def texts(data: bytes, file: str, keywords: Iterable[str]) -> Iterator[Text]:
    """The text chunks with one of these keywords, case-insensitive, at any position.

    Raises:
        FileError: a chunk is damaged, or too large once decompressed.
    """
    wanted = {word.lower() for word in keywords}
    for chunk in chunks(data, file):
        if chunk.kind not in _TEXT_KINDS:
            continue
        raw = (
            data[chunk.data]
            if chunk.size <= limits.BASE64
            else data[chunk.data.start : chunk.data.start + 80]
        )
        keyword, mark, value = raw.partition(b"\0")
        if not mark or keyword.decode("latin-1").lower() not in wanted:
            continue
        place = f"chunk {keyword.decode('latin-1')} at byte {chunk.start}"
        if len(raw) != chunk.size:
            raise limits.too_large(file, limits.BASE64, "text chunk", place)
        sound = (
            zlib.crc32(raw, zlib.crc32(chunk.kind))
            == struct.unpack_from(">I", data, chunk.end - 4)[0]
        )
        yield Text(
            chunk, keyword.decode("latin-1").lower(), _plain(chunk.kind, value, file, place), sound
        )


def decoded(value: bytes, file: str, place: str) -> bytes:
    """The base64-decoded bytes; spaces, line breaks and missing padding are accepted."""
    packed = b"".join(value.split())
    try:
        return b64decode(packed + b"=" * (-len(packed) % 4), validate=True)
    except (Base64Error, ValueError) as error:
        raise damaged(file, "is not base64: {error}", place, error=str(error).lower()) from error


def encoded(value: bytes) -> bytes:
    """The value of a card chunk."""
    return b64encode(value)


def with_texts(
    data: bytes, file: str, values: Mapping[str, bytes], gone: Sequence[str] = ()
) -> bytes:
    """The file with exactly these text chunks under their keywords, and none of `gone`; other bytes are unchanged.

    They replace the first chunk with one of the keywords, or precede IEND.
    """
    old = [text.chunk for text in texts(data, file, [*values, *gone])]
    place = (
        old[0].start
        if old
        else next(chunk.start for chunk in chunks(data, file) if chunk.kind == b"IEND")
    )
    parts = [data[:place]]
    at = place
    parts += [
        _chunk(b"tEXt", keyword.encode("latin-1") + b"\0" + value)
        for keyword, value in values.items()
    ]
    for chunk in old:
        parts.append(data[at : chunk.start])
        at = chunk.end
    return b"".join([*parts, data[at:]])


def blank() -> bytes:
    """A one-colour image, for cards without one."""
    width = 400
    height = 600
    row = b"\0" + bytes((58, 66, 84)) * width
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        SIGNATURE
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(row * height, 9))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return (
        struct.pack(">I", len(data))
        + kind
        + data
        + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))
    )


def _plain(kind: bytes, value: bytes, file: str, place: str) -> bytes:
    """The text of a chunk after its keyword, decompressed if needed."""
    if kind == b"tEXt":
        return value
    if kind == b"zTXt":
        return _inflated(value[1:], file, place)
    compressed = value[:1] == b"\1"
    rest = value[2:]
    body = rest.split(b"\0", 2)[-1]  # after language and translated keyword
    return _inflated(body, file, place) if compressed else body


def _inflated(packed: bytes, file: str, place: str) -> bytes:
    try:
        stream = zlib.decompressobj()
        plain = stream.decompress(packed, limits.TEXT + 1)
    except zlib.error as error:
        raise damaged(
            file, "cannot be decompressed: {error}", place, error=str(error).lower()
        ) from error
    limits.check_size(plain, file, limits.TEXT, "decompressed text chunk", place)
    if not stream.eof:
        raise damaged(file, "cannot be decompressed: it ends too early", place)
    return plain
