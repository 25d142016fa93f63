"""A role's vectors: computed in the background, cached in a file; a turn never waits for them."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from math import inf

from rolememory.errors import ModelError, NotWrittenError
from rolememory.recall.candidates import changed
from rolememory.schema.entry import Entry
from rolememory.schema.memory import Memory, glimpsed, is_unread
from rolememory.schema.settings import EmbeddingSettings
from rolememory.storage.gc_pause import give_back
from rolememory.storage.port import Space
from rolememory.storage.vectors import VectorFile, vector_files
from rolememory.text.arrays import Floats
from rolememory.text.embed.base import Embedder
from rolememory.text.embed.fill import VectorFiller
from rolememory.text.embed.loader import Loader
from rolememory.text.packed_vectors import NamedVectors
from rolememory.text.postings import text_digest
from rolememory.text.vectors import VectorTable, pieces
from rolememory.triggers.semantic import reads

_MANY = 64  # vectors that may get lost when the process dies: they are made again
_LINGERING_S = 5.0  # that the thread waits for more: to begin one costs a turn 0.1 ms
log = logging.getLogger(__name__)


class RoleVectors:
    """Keeps vectors of a role's memories up to date. `follow` never waits; a daemon thread computes missing ones."""

    def __init__(
        self,
        space: Space,
        loader: Loader,
        settings: EmbeddingSettings,
        below: str = "",
        digests: Callable[[Sequence[str], int], Sequence[bytes]] | None = None,
    ) -> None:
        """`digests` tells the texts of ids that are no longer than so many bytes, as far as they are known unread."""
        self.table: VectorTable | None = None
        self._space, self._below = space, below  # where vectors are kept
        self._digests = digests
        self._loader, self._settings = loader, settings
        self._wanted: Mapping[str, Entry] = {}
        self._done: Mapping[str, Entry] | None = None
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._store: _Store | None = None  # the thread's
        self._read: Mapping[str, Entry] | None = None  # what it looked at last

    def follow(self, memories: Mapping[str, Entry]) -> VectorTable | None:
        """The available vectors; None without a model. Starts computing missing ones."""
        embedder = self._loader.get()
        if embedder is None:
            return None
        with self._changed:
            if self.table is None:
                self.table = VectorTable(embedder.dim, self._loader.background)
            if memories is not self._wanted:
                self._wanted = memories
                self._changed.notify_all()
            if self._done is not self._wanted and self._thread is None and not self._stopped:
                self._thread = threading.Thread(
                    target=self._work, args=(embedder,), name="rolememory-vectors", daemon=True
                )
                self._thread.start()
            return self.table

    def ready(self, memories: Mapping[str, Entry], timeout_s: float | None) -> bool:
        """Wait until these memories have vectors; false without a model or on time-out."""
        if not self._loader.ready(timeout_s):
            return False
        self.follow(memories)
        with self._changed:
            return (
                self._changed.wait_for(
                    lambda: self._done is self._wanted or self._stopped, timeout_s
                )
                and not self._stopped
            )

    def keep_only(self, entries: Iterable[Entry]) -> None:
        """Remove the stored vectors of all other texts, of every embedder. Raises: NotWrittenError."""
        if files := vector_files(self._space, self._below):
            size = self._settings.chunk_size
            texts = chain.from_iterable(pieces(reads(one), size) for one in entries)
            names = list(dict.fromkeys(map(text_digest, texts)))
            for file in files:
                file.keep_only(names)

    def stop(self) -> None:
        """Stop after the current batch, keeping its vectors."""
        with self._changed:
            self._stopped = True
            thread = self._thread
            self._changed.notify_all()
        if thread is not None:
            thread.join(timeout=10.0)
        if self._store is not None and (thread is None or not thread.is_alive()):
            self._told(partial(self._save, self._store))

    def _work(self, embedder: Embedder) -> None:
        while (memories := self._next()) is not None:
            self._told(partial(self._fill, memories, embedder))
            with self._changed:
                self._done = memories
                self._changed.notify_all()

    def _save(self, store: "_Store") -> None:
        """Write new vectors, but none of what is gone by now: another process may have forgotten somebody."""
        self._look(self._wanted, store)
        store.flush()

    def _told(self, work: Callable[[], object]) -> None:
        try:
            work()
        except (ModelError, NotWrittenError) as error:
            log.warning("vectors of %s: %s", self._space.name, error)
        except Exception:  # of somebody's embedder: the thread is to live for what comes next
            log.exception("vectors of %s: not made", self._space.name)

    def _next(self) -> Mapping[str, Entry] | None:
        with self._changed:
            self._changed.wait_for(
                lambda: self._stopped or self._done is not self._wanted, _LINGERING_S
            )
            if self._stopped or self._done is self._wanted:
                self._thread = None
                return None
            return self._wanted

    def _fill(self, memories: Mapping[str, Entry], embedder: Embedder) -> None:
        """Queue what differs, then embed until new memories arrive. Cost: O(differences)."""
        assert self.table is not None, "the table is made before the work starts"
        if self._store is None:
            file = VectorFile(
                self._space, embedder.key, embedder.dim, self._settings.dtype, self._below
            )
            filling = VectorFiller(self.table, self._settings.chunk_size)
            self._store = _Store(file, self.table, filling)
        self._look(memories, self._store)
        while self._store.filling and self._wanted is memories and not self._stopped:
            self._store.take(self._store.filling.step(embedder))
        self._store.write()

    def _look(self, memories: Mapping[str, Entry], store: "_Store") -> None:
        filling, before, self._read = store.filling, self._read, memories
        ids = None if before is None else changed(before, memories)
        if ids is None:
            ids = [*dict.fromkeys((*store.table.ids(), *filling.waiting, *memories))]
        store.table.reserve(sum(one in memories for one in ids))
        put = filling.put(self._known(ids, memories), store.kept) if store.kept else ()
        found = (glimpsed(memories[one]) for one in ids if one in memories and one not in put)
        here = sorted((_age(entry), at, entry.id, reads(entry)) for at, entry in enumerate(found))
        for one in ids:
            if one not in memories:
                filling.forget(one)
        filling.want(((entry_id, text) for *_, entry_id, text in here), store.kept)
        if store.kept:
            store.kept = None
            give_back()

    def _known(self, ids: Sequence[str], memories: Mapping[str, Entry]) -> dict[str, bytes]:
        """The known digests of texts of one piece, to avoid reading them."""
        if self._digests is None:
            return {}
        lying = [one for one in ids if is_unread(memories.get(one))]
        digests = self._digests(lying, self._settings.chunk_size)
        return {one: name for one, name in zip(lying, digests, strict=True) if name}


def _age(entry: Entry) -> float:
    """Sort key: the newest, and timeless ones, last, since the queue is LIFO."""
    since = entry.since if isinstance(entry, Memory) else None
    return since.timestamp() if since else inf


class _Store:
    """The file of a table's vectors: written when enough are new, compacted when most are unused."""

    def __init__(self, file: VectorFile, table: VectorTable, filling: VectorFiller) -> None:
        self.table, self.filling = table, filling
        self.kept: NamedVectors | None = file.load()  # until it was looked through
        self._file, self._size = file, len(self.kept or ())
        self._new: dict[bytes, Floats] = {}

    def take(self, vectors: Mapping[bytes, Floats]) -> None:
        """Add vectors; written once there are many."""
        self._new |= vectors
        if len(self._new) >= _MANY:
            self.flush()

    def write(self) -> None:
        """Rewrite the file if less than half of it is used, or if it has another number format."""
        if self._size > 2 * self.table.size + _MANY or self._file.outdated:
            self._file.save(self.table.named())
            self._size, self._new = self.table.size, {}

    def flush(self) -> None:
        """Write new vectors. Raises: NotWrittenError; retried with the next ones."""
        self._new = {name: one for name, one in self._new.items() if self.filling.stands(name)}
        if self._new:
            self._file.add(self._new)
            self._size, self._new = self._size + len(self._new), {}
