"""Members of a zip file: found by their exact name, read with a cap on real bytes, replaced without touching the others.

Nothing is written to a folder, no other member is decompressed. A zip may stand behind other data (a picture).
Source: PKWARE APPNOTE 6.3.10, 4.3.
"""

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from rolememory.cards import limits
from rolememory.cards.limits import damaged
from rolememory.errors import FileError

_END, _CENTRAL, _LOCAL = b"PK\5\6", b"PK\1\2", b"PK\3\4"
_END_SIZE, _CENTRAL_SIZE, _LOCAL_SIZE = 22, 46, 30
_STORED, _DEFLATED = 0, 8
_ENCRYPTED, _UTF8 = 0x1, 0x800
_WIDE = 0xFFFFFFFF
_DOS_DAY = 0x21  # 1980-01-01


@dataclass(frozen=True, slots=True)
class Member:
    """One member as the central directory tells it; `start` is where its local header really stands."""

    name: bytes
    record: bytes  # its line of the central directory
    start: int
    method: int
    flags: int
    crc: int
    packed: int
    size: int


class _NewMember(NamedTuple):
    """A member to be written; `head` is what its local header and its line of the directory have in common."""

    name: bytes
    head: bytes
    packed: bytes

    @classmethod
    def of(cls, name: str, content: bytes) -> "_NewMember":
        label, (method, packed) = name.encode(), _packed(content)
        sizes = (zlib.crc32(content), len(packed), len(content), len(label), 0)
        head = struct.pack("<5H3I2H", 20, _UTF8, method, 0, _DOS_DAY, *sizes)
        return cls(label, head, packed)

    def local(self) -> bytes:
        return _LOCAL + self.head + self.name + self.packed

    def central(self, start: int) -> bytes:
        rest = struct.pack("<3H2I", 0, 0, 0, 0, start)
        return _CENTRAL + struct.pack("<H", 20) + self.head + rest + self.name


@dataclass(frozen=True, slots=True)
class Archive:
    """The directory of a zip file. `shift`: how many bytes stand before it that its offsets do not count."""

    file: str
    data: bytes
    members: tuple[Member, ...]
    directory: int  # where the central directory starts
    end: int  # where its end record starts
    shift: int

    def find(self, name: str) -> Member | None:
        """The member with exactly this name.

        Raises:
            FileError: two have it.
        """
        found = [one for one in self.members if one.name == name.encode()]
        if len(found) > 1:
            raise damaged(self.file, "stands twice in the zip file", name)
        return found[0] if found else None

    def read(self, name: str, most: int = limits.TEXT) -> bytes | None:
        """What the member holds; None when there is no such member.

        Raises:
            FileError: it is encrypted, damaged, packed in an unknown way, or larger than `most`.
        """
        member = self.find(name)
        return None if member is None else self._unpacked(member, most)

    def replaced(self, values: Mapping[str, bytes]) -> bytes:
        """The file with these members; every other byte of a member, and what stands before the first, as it was. New ones come last."""
        news = {name: _NewMember.of(name, content) for name, content in values.items()}
        olds = {name: self.find(name) for name in values}
        ordered = sorted(self.members, key=lambda one: one.start)
        bounds = [one.start for one in ordered] + [self.directory]
        self._check_layout(bounds)
        out = bytearray(self.data[: bounds[0]])
        moved: dict[int, tuple[int, _NewMember | None]] = {}  # old start -> new start, new content
        contents = {old.start: news[name] for name, old in olds.items() if old}
        for member, end in zip(ordered, bounds[1:], strict=True):
            new = contents.get(member.start)
            moved[member.start] = (len(out), new)
            out += self.data[member.start : end] if new is None else new.local()
        lines = [self._line(one, *moved[one.start]) for one in self.members]
        for name, old in olds.items():
            if old is None:
                lines.append(news[name].central(len(out) - self.shift))
                out += news[name].local()
        return bytes(out) + self._closing(b"".join(lines), len(lines), len(out))

    def _check_layout(self, bounds: list[int]) -> None:
        if any(one >= other for one, other in pairwise(bounds)):
            raise damaged(self.file, "members of the zip file overlap")

    def _line(self, member: Member, start: int, new: _NewMember | None) -> bytes:
        if new is not None:
            return new.central(start - self.shift)
        return member.record[:42] + struct.pack("<I", start - self.shift) + member.record[46:]

    def _closing(self, directory: bytes, count: int, at: int) -> bytes:
        """The central directory and its end record, the comment as it was."""
        end = struct.pack("<4s4HII", _END, 0, 0, count, count, len(directory), at - self.shift)
        return directory + end + self.data[self.end + 20 :]

    def _unpacked(self, member: Member, most: int) -> bytes:
        name = member.name.decode("utf-8", "replace")
        packed = self._packed(member, name)
        if member.flags & _ENCRYPTED:
            raise FileError(
                self.file, "is encrypted", remedy="export it without a password", field=name
            )
        if member.method == _STORED:
            plain = packed
        elif member.method == _DEFLATED:
            plain = self._inflated(packed, name, most)
        else:
            raise FileError(
                self.file,
                "is packed by method {method}",
                remedy="pack it again as a plain zip",
                field=name,
                method=member.method,
            )
        limits.check_size(plain, self.file, most, "member", name)
        if zlib.crc32(plain) != member.crc:
            raise damaged(self.file, "has a wrong checksum", name)
        return plain

    def _packed(self, member: Member, name: str) -> bytes:
        head = self.data[member.start : member.start + _LOCAL_SIZE]
        if len(head) < _LOCAL_SIZE or head[:4] != _LOCAL:
            raise damaged(self.file, "has no header at byte {start}", name, start=member.start)
        start = member.start + _LOCAL_SIZE + sum(struct.unpack_from("<HH", head, 26))
        if start + member.packed > self.directory:
            raise damaged(
                self.file, "declares {packed} bytes, fewer are there", name, packed=member.packed
            )
        return self.data[start : start + member.packed]

    def _inflated(self, packed: bytes, name: str, most: int) -> bytes:
        try:
            return zlib.decompressobj(-15).decompress(packed, most + 1)
        except zlib.error as error:
            raise damaged(
                self.file, "cannot be decompressed: {error}", name, error=str(error).lower()
            ) from error


def has_zip(data: bytes) -> bool:
    """Whether a zip file may end these bytes."""
    return data.startswith(_LOCAL) or data.rfind(_END, max(len(data) - 0xFFFF - _END_SIZE, 0)) >= 0


def open_zip(data: bytes, file: str) -> Archive:
    """The directory of the zip file that these bytes are or end with.

    Raises:
        FileError: there is none, or it is damaged, too large or of a kind that needs 64-bit offsets.
    """
    end = data.rfind(_END, max(len(data) - 0xFFFF - _END_SIZE, 0))
    if end < 0 or end + _END_SIZE > len(data):
        raise damaged(file, "is a zip file without its directory")
    size, offset = struct.unpack_from("<II", data, end + 12)
    if _WIDE in (size, offset):
        raise FileError(file, "is a zip file of the 64-bit kind", remedy="pack it again")
    start = end - size
    if start < 0 or offset > start:
        raise damaged(
            file, "the directory declares {size} bytes at {offset}", size=size, offset=offset
        )
    return Archive(
        file,
        data,
        tuple(_members(data, file, start, end, start - offset)),
        start,
        end,
        start - offset,
    )


def _members(data: bytes, file: str, at: int, end: int, shift: int) -> list[Member]:
    members: list[Member] = []
    while at < end:
        if len(members) >= limits.MEMBERS:
            raise FileError(
                file,
                "has more than {members} members",
                remedy="that is no card",
                members=limits.MEMBERS,
            )
        if data[at : at + 4] != _CENTRAL or at + _CENTRAL_SIZE > end:
            raise damaged(file, "byte {at}: the directory of the zip file is broken", at=at)
        flags, method = struct.unpack_from("<HH", data, at + 8)
        crc, packed, size = struct.unpack_from("<III", data, at + 16)
        name, extra, comment = struct.unpack_from("<HHH", data, at + 28)
        start = struct.unpack_from("<I", data, at + 42)[0] + shift
        stop = at + _CENTRAL_SIZE + name + extra + comment
        if stop > end or start >= end or _WIDE in (packed, size):
            raise damaged(file, "byte {at}: the directory of the zip file is broken", at=at)
        label = data[at + _CENTRAL_SIZE : at + _CENTRAL_SIZE + name]
        members.append(Member(label, data[at:stop], start, method, flags, crc, packed, size))
        at = stop
    return members


def new_zip(values: Mapping[str, bytes]) -> bytes:
    """A zip file with these members, in this order."""
    empty = Archive("", _END + b"\0" * 18, (), 0, 0, 0)
    return empty.replaced(values)


def _packed(content: bytes) -> tuple[int, bytes]:
    """Method and bytes: deflated where that is shorter."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(content) + deflate.flush()
    return (_DEFLATED, packed) if len(packed) < len(content) else (_STORED, content)
