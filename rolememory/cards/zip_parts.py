"""Zip members: found by exact name, read with a limit on actual bytes, replaced without changing the others.

Nothing is extracted to disk, no other member is decompressed. A zip may follow other data (an image).
Source: PKWARE APPNOTE 6.3.10, 4.3.
"""

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import pairwise
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from rolememory.cards import limits
from rolememory.cards.limits import damaged
from rolememory.errors import FileError
from rolememory.schema.value_class import value_class

_END = b"PK\5\6"
_LOCAL = b"PK\3\4"
_END_SIZE = 22
_CENTRAL_SIZE = 46
_ENCRYPTED = 0x1
_WIDE = 0xFFFFFFFF


@value_class
class Member:
    """A member: its directory record, and the position of its data."""

    name: str
    record: bytes
    start: int
    end: int


@value_class
class Archive:
    """A zip file. `shift`: bytes before it that its offsets do not count."""

    file: str
    data: bytes
    members: tuple[Member, ...]
    shift: int = 0
    comment: bytes = b""

    def read(self, name: str, most: int = limits.TEXT) -> bytes | None:
        """The content of the member with exactly this name; None if missing.

        Raises:
            FileError: duplicate, encrypted, damaged, packed in an unknown way, or larger than `most`.
        """
        with _opened(self.data, self.file, name) as archive:
            found = [one for one in archive.infolist() if one.orig_filename == name]
            if len(found) > 1:
                raise damaged(self.file, "stands twice in the zip file", name)
            if not found:
                return None
            self._check_packing(found[0])
            with archive.open(found[0]) as member:
                plain = member.read(most + 1)
        limits.check_size(plain, self.file, most, "member", name)
        return plain

    def _check_packing(self, member: ZipInfo) -> None:
        if member.flag_bits & _ENCRYPTED:
            raise FileError(
                self.file,
                "is encrypted",
                remedy="export it without a password",
                field=member.orig_filename,
            )
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise FileError(
                self.file,
                "is packed by method {method}",
                remedy="pack it again as a plain zip",
                field=member.orig_filename,
                method=member.compress_type,
            )

    def replaced(self, values: Mapping[str, bytes]) -> bytes:
        """The file with these members; other bytes, including those before the first member, are unchanged. New ones come last."""
        fresh = open_zip(new_zip(values), self.file)
        ordered = sorted(self.members, key=lambda one: one.start)
        if any(one.start >= other.start for one, other in pairwise(ordered)):
            raise damaged(self.file, "members of the zip file overlap")
        news = {one.name: one for one in fresh.members}
        parts = [
            (fresh, news.pop(one.name)) if one.name in news else (self, one) for one in ordered
        ]
        parts += [(fresh, one) for one in news.values()]
        return self._joined(parts, self.data[: ordered[0].start] if ordered else b"")

    def _joined(self, parts: Sequence[tuple["Archive", Member]], before: bytes) -> bytes:
        """The parts in sequence, then the directory and its end record, comment unchanged."""
        out = bytearray(before)
        directory = bytearray()
        for archive, one in parts:
            start = struct.pack("<I", len(out) - self.shift)
            directory += one.record[:42] + start + one.record[46:]
            out += archive.data[one.start : one.end]
        count = len(parts)
        at = len(out) - self.shift
        end = struct.pack("<4HIIH", 0, 0, count, count, len(directory), at, len(self.comment))
        return bytes(out + directory) + _END + end + self.comment


def has_zip(data: bytes) -> bool:
    """Whether these bytes may end with a zip file."""
    return data.startswith(_LOCAL) or data.rfind(_END, max(len(data) - 0xFFFF - _END_SIZE, 0)) >= 0


@contextmanager
def _opened(data: bytes, file: str, field: str = "") -> Iterator[ZipFile]:
    """The zip file that these bytes are or end with. Raises: FileError."""
    try:
        with ZipFile(BytesIO(data)) as archive:
            yield archive
    except FileError:
        raise
    except (BadZipFile, OSError, ValueError, EOFError, NotImplementedError, zlib.error) as error:
        told = str(error).splitlines()[0][:100].lower()
        raise damaged(file, "is a damaged zip file: {error}", field, error=told) from error


def open_zip(data: bytes, file: str) -> Archive:
    """The directory of the zip file that these bytes are or end with.

    Raises:
        FileError: missing, damaged, too large, or with 64-bit offsets.
    """
    with _opened(data, file) as archive:
        infos = archive.infolist()
        directory = archive.start_dir
        comment = archive.comment
    if len(infos) > limits.MEMBERS:
        raise FileError(
            file,
            "has more than {members} members",
            remedy="that is no card",
            members=limits.MEMBERS,
        )
    lines = list(_lines(data, directory, len(infos)))
    end = data.rfind(_END)
    starts = sorted({one.header_offset for one in infos} | {directory})
    wrong = any(
        one.file_size == _WIDE or one.header_offset + one.compress_size > directory for one in infos
    )
    if wrong or starts[0] < 0 or sum(map(len, lines)) > end - directory:
        raise damaged(file, "the directory of the zip file is broken")
    end_of = dict(pairwise(starts))
    members = tuple(
        Member(one.orig_filename, line, one.header_offset, end_of[one.header_offset])
        for one, line in zip(infos, lines, strict=True)
    )
    told = struct.unpack_from("<I", data, end + 16)[0]  # start of the directory
    return Archive(file, data, members, directory - told, comment)


def _lines(data: bytes, at: int, count: int) -> Iterator[bytes]:
    """The records of the directory, one per member."""
    for _ in range(count):
        size = _CENTRAL_SIZE + sum(struct.unpack_from("<3H", data, at + 28))
        yield data[at : at + size]
        at += size


def new_zip(values: Mapping[str, bytes]) -> bytes:
    """A zip file with these members, in this order."""
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, content in values.items():
            archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    return out.getvalue()
