"""A role's vectors: made behind, kept in a file that may vanish, never waited for by a turn."""

import logging
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rolememory.errors import ModelError, NotWrittenError
from rolememory.schema.entry import Entry
from rolememory.schema.settings import EmbeddingSettings
from rolememory.storage.port import Space
from rolememory.storage.vectors import VectorFile
from rolememory.text.embed.base import Embedder
from rolememory.text.embed.fill import embed_missing
from rolememory.text.embed.ladder import Loader
from rolememory.text.vectors import VectorTable
from rolememory.triggers.semantic import reads

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

log = logging.getLogger(__name__)


class Meanings:
    """Follows a role's memories with vectors. `follow` never waits; a daemon thread works while something is missing."""

    def __init__(
        self, space: Space, loader: Loader, settings: EmbeddingSettings, below: str = ""
    ) -> None:
        self.table: VectorTable | None = None
        self._space, self._below = space, below  # where vectors are kept
        self._loader, self._settings = loader, settings
        self._wanted: Mapping[str, Entry] = {}
        self._done: Mapping[str, Entry] | None = None
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopped = False

    def follow(self, memories: Mapping[str, Entry]) -> VectorTable | None:
        """The vectors as far as they are there; None while there is no model. Starts the work for what is missing."""
        embedder = self._loader.get()
        if embedder is None:
            return None
        with self._changed:
            if self.table is None:
                self.table = VectorTable(embedder.dim, self._loader.background)
            if memories is not self._wanted:
                self._wanted = memories
            if self._done is not self._wanted and self._thread is None and not self._stopped:
                self._thread = threading.Thread(
                    target=self._work, args=(embedder,), name="rolememory-vectors", daemon=True
                )
                self._thread.start()
            return self.table

    def ready(self, memories: Mapping[str, Entry], timeout_s: float | None) -> bool:
        """Wait until these memories have their vectors; false without a model or when time runs out."""
        if not self._loader.ready(timeout_s):
            return False
        self.follow(memories)
        with self._changed:
            return (
                self._changed.wait_for(lambda: self._done is memories or self._stopped, timeout_s)
                and not self._stopped
            )

    def stop(self) -> None:
        """End the work after the batch at hand; what is done is kept."""
        with self._changed:
            self._stopped = True
            thread = self._thread
            self._changed.notify_all()
        if thread is not None:
            thread.join(timeout=10.0)

    def _work(self, embedder: Embedder) -> None:
        file = VectorFile(
            self._space, embedder.key, embedder.dim, self._settings.dtype, self._below
        )
        kept = file.load()
        while (memories := self._next()) is not None:
            try:
                self._fill(memories, embedder, file, kept)
            except (ModelError, NotWrittenError) as error:
                log.warning("vectors of %s: %s", self._space.name, error)
            with self._changed:
                self._done = memories
                self._changed.notify_all()

    def _next(self) -> Mapping[str, Entry] | None:
        with self._changed:
            if self._stopped or self._done is self._wanted:
                self._thread = None
                return None
            return self._wanted

    def _fill(
        self,
        memories: Mapping[str, Entry],
        embedder: Embedder,
        file: VectorFile,
        kept: "dict[bytes, Floats]",
    ) -> None:
        table = self.table
        assert table is not None, "the table is made before the work starts"
        gone = [memory_id for memory_id in table.ids() if memory_id not in memories]
        for memory_id in gone:
            table.remove(memory_id)
        texts = [(memory_id, reads(memory)) for memory_id, memory in memories.items()]
        size = self._settings.chunk_size
        asked = embed_missing(
            table, texts, embedder, kept=kept, size=size, stopped=lambda: self._stopped
        )
        if asked or gone:
            kept.clear()
            kept.update(table.named())
            file.save(table.named())
