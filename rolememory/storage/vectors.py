"""The vectors of a role's texts in a few files: a cache, may be deleted at any time.

New vectors go into small files, which are merged as they grow (as in an LSM tree), so a vector is written some ten times
in all. Each file:

    magic  checksum (32 bytes, of all that follows)  length of header (4)  header (JSON)  names (16 bytes each)  vectors

The header names format, embedder, dimensions, dtype and count; int8 vectors are preceded by a float32 scale for each.
Invalid files (another model or format, a flipped bit, truncation) and zero or non-finite vectors are ignored: texts are embedded again.
Named by the embedder, so two models do not overwrite each other.
"""

import contextlib
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from itertools import compress
from typing import Literal

import orjson

from rolememory.schema.json_types import JsonObject
from rolememory.storage.port import Blob, Space
from rolememory.text.arrays import Floats, np
from rolememory.text.packed_vectors import NamedVectors, PackedVectors
from rolememory.text.postings import DIGEST_BYTES

MAGIC = b"rolememory vectors\n"
FORMAT = 1
VECTORS = ".cache/vectors-"  # how the names of all these files begin
_CHECK_BYTES = 32
_START = len(MAGIC) + _CHECK_BYTES

_ROOM = (64, 256, 1024, 4096, 16_384, 65_536)  # vectors per small file
DType = Literal["int8", "float16", "float32"]
_DTYPES = ("int8", "float16", "float32")


def vectors_name(key: str, below: str = "") -> str:
    """The name of the blob with this embedder's vectors."""
    made_with = blake2b(f"{key} float32".encode(), digest_size=8).hexdigest()
    return f"{below}{VECTORS}{made_with}.bin"


class VectorFile:
    """Vectors by the 16-byte name of their text, for one embedder; written in its dtype, read from any."""

    def __init__(
        self, space: Space, key: str, dim: int, dtype: DType = "int8", below: str = ""
    ) -> None:
        self.outdated = False  # whether a file of another dtype was read
        name = vectors_name(key, below)
        self.kept = space.blob(name)
        stem = name.removesuffix(".bin")
        self._small = [space.blob(f"{stem}.{level}.bin") for level in range(len(_ROOM))]
        self._key, self._dim, self._dtype = key, dim, dtype

    @property
    def names(self) -> list[str]:
        """The names of its blobs."""
        return [one.name for one in (self.kept, *self._small)]

    def load(self) -> NamedVectors:
        """The vectors in the files; missing or damaged ones are ignored."""
        parts = [self._held(kept) for kept in (self.kept, *reversed(self._small))]
        return NamedVectors.together([one for one in parts if one], self._dim)

    def add(self, vectors: Mapping[bytes, Floats]) -> None:
        """Add these vectors. Amortised cost: some ten times their size.

        Raises:
            NotWrittenError: nothing of it was written.
        """
        together: Mapping[bytes, Floats] = vectors
        for level, kept in enumerate(self._small):
            together = {**self._held(kept), **together}
            if len(together) <= _ROOM[level]:
                kept.put(self._bytes(together))
                self._drop(self._small[:level])
                return
        self.save({**self._held(self.kept), **together})

    def _held(self, kept: Blob) -> NamedVectors:
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            return self._read(memoryview(kept.read()))
        return NamedVectors.together((), self._dim)

    def _read(self, raw: memoryview) -> NamedVectors:
        header, body = _opened(raw)
        count, dtype = int(header["count"]), str(header["dtype"])
        if header != self._header(count, dtype) or dtype not in _DTYPES:
            raise ValueError("made with another embedder, or in another format")
        self.outdated = self.outdated or dtype != self._dtype
        end = count * DIGEST_BYTES
        packed = self._rows(body[end:], count, dtype)
        names = (bytes(body[at : at + DIGEST_BYTES]) for at in range(0, end, DIGEST_BYTES))
        good = packed.sound()
        return NamedVectors(compress(names, good.tolist()), packed if good.all() else packed[good])

    def _rows(self, raw: memoryview, count: int, dtype: str) -> PackedVectors:
        if dtype != "int8":
            return PackedVectors.of(np.frombuffer(raw, dtype).reshape(count, self._dim))
        scales = np.frombuffer(raw, "<f4", count)
        numbers = np.frombuffer(raw, np.int8, offset=scales.nbytes)
        return PackedVectors(numbers.reshape(count, self._dim), scales)

    def _header(self, count: int, dtype: str) -> JsonObject:
        return {
            "format": FORMAT,
            "embedder": self._key,
            "dim": self._dim,
            "dtype": dtype,
            "count": count,
        }

    def save(self, vectors: Mapping[bytes, Floats]) -> None:
        """Replace all vectors with these, atomically.

        Raises:
            NotWrittenError: the file could not be written; the old one is kept.
        """
        self.kept.put(self._bytes(vectors))
        self._drop(self._small)
        self.outdated = False

    def keep_only(self, names: Iterable[bytes]) -> None:
        """Remove all other vectors, also from free room in the files. Raises: NotWrittenError."""
        held = self.load()
        left = [name for name in names if name in held]
        self.save(NamedVectors(left, held.take(left)))

    def _bytes(self, vectors: Mapping[bytes, Floats]) -> bytes:
        named = NamedVectors.of(vectors, self._dim)
        header, packed = orjson.dumps(self._header(len(named), self._dtype)), named.packed
        rows = (
            packed.scales.tobytes() + packed.numbers.tobytes()
            if self._dtype == "int8"
            else packed.floats().astype(self._dtype).tobytes()
        )
        told = [len(header).to_bytes(4, "big"), header, b"".join(named), rows]
        return b"".join([MAGIC, _checksum(told), *told])

    def delete(self) -> None:
        """Remove the files, if any."""
        self._drop((self.kept, *self._small))

    def _drop(self, kept: Iterable[Blob]) -> None:
        for one in kept:
            with contextlib.suppress(OSError):
                if one.mark() is not None:
                    one.delete()


def vector_files(space: Space, below: str = "") -> list[VectorFile]:
    """The files of every embedder; invalid ones are removed."""
    found = dict[str, VectorFile]()
    for name in space.names(f"{below}{VECTORS}"):
        blob = space.blob(name)
        try:
            header, _ = _opened(memoryview(blob.read()))
            key, dim, dtype = header["embedder"], header["dim"], header["dtype"]
            file = VectorFile(space, key, dim, dtype, below)
        except (OSError, ValueError, TypeError, KeyError):
            blob.delete()
            continue
        if name in file.names:
            found[key] = file
        else:
            blob.delete()
    return list(found.values())


def _checksum(parts: Iterable[bytes | memoryview]) -> bytes:
    check = blake2b(digest_size=_CHECK_BYTES)
    for part in parts:
        check.update(part)
    return check.digest()


def _opened(raw: memoryview) -> tuple[JsonObject, memoryview]:
    """Header and body of a file with a valid checksum.

    Raises:
        ValueError: it is not a valid file.
    """
    if raw[: len(MAGIC)] != MAGIC or raw[len(MAGIC) : _START] != _checksum([raw[_START:]]):
        raise ValueError("not a file of vectors, or a damaged one")
    end = _START + 4 + int.from_bytes(raw[_START : _START + 4], "big")
    header = orjson.loads(raw[_START + 4 : end])
    if not isinstance(header, dict):
        raise TypeError("the header is not an object")
    return header, raw[end:]
