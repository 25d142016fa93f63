"""A cache of analysed texts, kept between processes: analysing takes far longer than reading.

One file per kind in `.cache`; a file that is damaged, or was made by other rules, is ignored.
"""

import contextlib
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from rolememory.errors import NotWrittenError
from rolememory.schema.json_types import JsonObject
from rolememory.shipped import shipped
from rolememory.storage.gc_pause import give_back
from rolememory.storage.port import Space
from rolememory.text.postings import text_digest

LEAST = 300  # texts from which a file is worth it
FRESH = 0.05  # share of new texts above which the file is rewritten
_CHECK_BYTES = 16
_CODE = "schema", "storage", "text", "triggers"


class DerivedFiles:
    """Cached values by kind and text. A process asks for all texts once, then calls `settle`, which drops the others."""

    def __init__(self, space: Space, made_with: str | None = None) -> None:
        self._space = space
        self._made_with = made_with
        self._held: dict[str, JsonObject] = {}  # content of the files, until `settle`
        self._asked: dict[str, JsonObject] = {}
        self._fresh: dict[str, int] = {}
        self._settled: set[str] = set()
        self.unsettled = True  # whether there is something to settle

    def of(self, kind: str, texts: Sequence[str], make: Callable[[str], Any]) -> list[Any]:
        """`make(text)` for each text, from the cache where possible; values must be JSON."""
        if kind in self._settled or (kind not in self._held and len(texts) < LEAST):
            return [make(text) for text in texts]
        if kind not in self._held:
            kept = dict(orjson.loads(self.load(kind) or b"{}"))
            self._held[kind], self._asked[kind], self._fresh[kind] = kept, {}, 0
            self.unsettled = True
        known, names = self._held[kind], [text_digest(text).hex() for text in texts]
        for name, text in zip(names, texts, strict=True):
            if name not in known:
                known[name] = make(text)
                self._fresh[kind] += 1
        found = [known[name] for name in names]
        self._asked[kind].update(zip(names, found, strict=True))
        return found

    def settle(self, **columns: Callable[[int, float], bytes | None]) -> None:
        """Write what is new, if it is much, and free everything: later texts are few.

        `columns` give the bytes for `load`, None if too little is new; each is called once.
        """
        for kind, columns_of in columns.items():
            if kind not in self._settled and (raw := columns_of(LEAST, FRESH)) is not None:
                self.keep(kind, raw)
            self._settled.add(kind)
        for kind, asked in self._asked.items():
            if self._fresh[kind] > FRESH * len(asked):
                with contextlib.suppress(TypeError):
                    self.keep(kind, orjson.dumps(asked))
            self._settled.add(kind)
        self._held, self._asked, self.unsettled = {}, {}, False
        give_back()

    def load(self, kind: str) -> bytes | None:
        """The bytes kept under that kind, if made by the same rules."""
        with contextlib.suppress(OSError):
            raw = self._space.blob(_place(kind)).read()
            body = raw[_CHECK_BYTES:]
            if raw[:_CHECK_BYTES] == self._check(body):
                return body
        return None

    def keep(self, kind: str, body: bytes) -> None:
        """Write the bytes for `load`."""
        with contextlib.suppress(OSError, NotWrittenError):  # retried next time
            self._space.blob(_place(kind)).put(self._check(body) + body)

    def _check(self, body: bytes) -> bytes:
        key = rules() if self._made_with is None else self._made_with
        return blake2b(body, digest_size=_CHECK_BYTES, key=key.encode()).digest()


@cache
def rules() -> str:
    """A digest of all that decides the values: the shipped word lists, and the code that reads texts and files."""
    digest = blake2b(digest_size=16)
    code = Path(__file__).parents[1]
    lists = shipped("worldbook_rules", "lexicons")
    for file in sorted(file for part in _CODE for file in (code / part).rglob("*.py")):
        digest.update(file.read_bytes())
    for part in sorted(lists.iterdir(), key=lambda part: part.name):
        digest.update(part.name.encode() + (part.read_bytes() if part.is_file() else b""))
    return digest.hexdigest()


def _place(kind: str) -> str:
    return f".cache/derived-{kind}.bin"
