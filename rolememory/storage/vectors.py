"""The vectors of a role's texts in a few files: a cache, never the truth. Delete them at any time.

New ones go into small files, which are put together as they grow, so that a vector is written some ten times in all and
never because another one came. Each file:

    magic  checksum (32 bytes, of all that follows)  length of header (4)  header (JSON)  names (16 bytes each)  vectors

The header names format, embedder, dimensions, dtype and count. Whatever does not fit (another model, another format, a
flipped bit, half a file) is as good as no file, a vector that points nowhere as good as none: the texts are embedded again. Named
by what the vectors were made with, so two models do not overwrite each other.
"""

import contextlib
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

import orjson

from rolememory.storage.port import Blob, Space
from rolememory.text.vectors import sound

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MAGIC = b"rolememory vectors\n"
FORMAT = 1
NAME_BYTES = 16
_CHECK_BYTES = 32
_START = len(MAGIC) + _CHECK_BYTES

_ROOM = (64, 256, 1024, 4096, 16_384, 65_536)  # vectors of a small file
DType = Literal["float32", "float16"]


def vectors_name(key: str, dtype: DType = "float32", below: str = "") -> str:
    """The name of the blob with the vectors of this embedder."""
    made_with = blake2b(f"{key} {dtype}".encode(), digest_size=8).hexdigest()
    return f"{below}.cache/vectors-{made_with}.bin"


class VectorFile:
    """Vectors by the 16-byte name of their text, for one embedder."""

    def __init__(
        self, space: Space, key: str, dim: int, dtype: DType = "float32", below: str = ""
    ) -> None:
        name = vectors_name(key, dtype, below)
        self.kept = space.blob(name)
        stem = name.removesuffix(".bin")
        self._small = [space.blob(f"{stem}.{level}.bin") for level in range(len(_ROOM))]
        self._key, self._dim, self._dtype = key, dim, dtype

    def load(self) -> "dict[bytes, Floats]":
        """What the files hold, float32 and normalised as it was written; without what is absent or damaged in any way."""
        found: dict[bytes, Floats] = {}
        for kept in (self.kept, *reversed(self._small)):
            found |= self._held(kept)
        return found

    def add(self, vectors: "Mapping[bytes, Floats]") -> None:
        """Write these besides what is there. Cost: some ten times their size, on the average.

        Raises:
            NotWrittenError: nothing of it was written.
        """
        together = dict(vectors)
        for level, kept in enumerate(self._small):
            together = {**self._held(kept), **together}
            if len(together) <= _ROOM[level]:
                kept.put(self._bytes(together))
                self._drop(self._small[:level])
                return
        self.save({**self._held(self.kept), **together})

    def _held(self, kept: Blob) -> "dict[bytes, Floats]":
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            return self._read(memoryview(kept.read()))
        return {}

    def _read(self, raw: memoryview) -> "dict[bytes, Floats]":
        import numpy as np

        header, body = _opened(raw)
        if header != self._header(header["count"]):
            return {}
        count = int(header["count"])
        names, vectors = body[: count * NAME_BYTES], body[count * NAME_BYTES :]
        rows = np.frombuffer(vectors, dtype=self._dtype).reshape(count, self._dim)
        rows = rows.astype(np.float32, copy=False)
        good = sound(rows).tolist()
        return {
            bytes(names[at * NAME_BYTES : (at + 1) * NAME_BYTES]): rows[at]
            for at in range(count)
            if good[at]
        }

    def _header(self, count: object) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "embedder": self._key,
            "dim": self._dim,
            "dtype": self._dtype,
            "count": count,
        }

    def save(self, vectors: "Mapping[bytes, Floats]") -> None:
        """Write exactly these; what is not among them is gone. All or nothing.

        Raises:
            NotWrittenError: the file could not be written; the one before is still there.
        """
        self.kept.put(self._bytes(vectors))
        self._drop(self._small)

    def _bytes(self, vectors: "Mapping[bytes, Floats]") -> bytes:
        import numpy as np

        header = orjson.dumps(self._header(len(vectors)))
        rows = (
            np.stack(list(vectors.values())).astype(self._dtype)
            if vectors
            else np.zeros((0, self._dim), dtype=self._dtype)
        )
        told = [len(header).to_bytes(4, "big"), header, b"".join(vectors), rows.tobytes()]
        return b"".join([MAGIC, _checksum(told), *told])

    def delete(self) -> None:
        """Remove the files, if there are any."""
        self._drop((self.kept, *self._small))

    def _drop(self, kept: Iterable[Blob]) -> None:
        for one in kept:
            with contextlib.suppress(OSError):
                if one.mark() is not None:
                    one.delete()


def _checksum(parts: Iterable[bytes | memoryview]) -> bytes:
    check = blake2b(digest_size=_CHECK_BYTES)
    for part in parts:
        check.update(part)
    return check.digest()


def _opened(raw: memoryview) -> tuple[dict[str, Any], memoryview]:
    """Header and body of a file whose checksum is right.

    Raises:
        ValueError: it is not such a file.
    """
    if raw[: len(MAGIC)] != MAGIC or raw[len(MAGIC) : _START] != _checksum([raw[_START:]]):
        raise ValueError("not a file of vectors, or a damaged one")
    end = _START + 4 + int.from_bytes(raw[_START : _START + 4], "big")
    header = orjson.loads(raw[_START + 4 : end])
    if not isinstance(header, dict):
        raise TypeError("the header is not an object")
    return header, raw[end:]
