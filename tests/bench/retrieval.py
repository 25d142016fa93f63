"""The semantic strategy alone, without the engine around it: what its words, vectors and neighbours are worth.

    python -m tests.bench.retrieval FILE.json [--words-only] [--embeddings CACHE.npz]

For work on the strategy itself; `tests.bench.recall` measures the product.
"""

import argparse
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from rolememory.schema.memory import Evidence, Memory, Source
from rolememory.schema.scene import Scene
from rolememory.schema.settings import TriggerSettings
from rolememory.text.terms import TermIndex
from rolememory.text.vectors import VectorTable, pieces
from rolememory.triggers.base import Parts
from rolememory.triggers.semantic import SemanticTrigger, reads
from tests.bench.measures import mean, measures

NOW = datetime(2030, 1, 1, tzinfo=UTC)
Vectors = Mapping[str, np.ndarray]


def memories(role: Mapping[str, Any]) -> list[Memory]:
    """A role of a data set as memories: speaker = subject, session = chat."""
    return [
        Memory(
            id=str(raw["id"]),
            content=raw["text"],
            created=raw.get("timestamp"),
            subject=raw.get("speaker"),
            source=Source.USER_INPUT,
            evidence=(Evidence(chat=f"session-{raw['session']}"),) if "session" in raw else (),
        )
        for raw in role["memories"]
    ]


def texts(roles: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Every text a run embeds: pieces of memories, and queries."""
    for role in roles:
        for memory in memories(role):
            yield from pieces(reads(memory))
        yield from (query["text"] for query in role["queries"])


class Embeddings:
    """Vectors by text, kept in a file between runs: embedding is the slow part."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self.vectors: dict[str, np.ndarray] = {}
        if file and file.exists():
            with np.load(file) as kept:
                self.vectors = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    def want(self, wanted: Iterable[str]) -> None:
        """Embed what is not here yet."""
        missing = sorted({text for text in wanted if self.key(text) not in self.vectors})
        if not missing:
            return
        from rolememory.text.embed.local import LocalModel

        model = LocalModel.shipped()
        for text, vector in zip(missing, model.embed(missing), strict=True):
            self.vectors[self.key(text)] = vector
        if self._file:
            np.savez(self._file, keys=np.array(list(self.vectors)), vectors=np.stack(list(self.vectors.values())))

    @staticmethod
    def key(text: str) -> str:
        """The name of a text in the file."""
        return hashlib.sha256(text.encode()).hexdigest()

    def __getitem__(self, text: str) -> np.ndarray:
        return self.vectors[self.key(text)]


def trigger(
    kept: Sequence[Memory], vectors: Embeddings | None, settings: TriggerSettings, background: Vectors | None = None
) -> SemanticTrigger:
    """The strategy over these memories."""
    terms, table = TermIndex(), None
    for memory in kept:
        terms.add(memory.id, reads(memory))
    if vectors is not None:
        table = VectorTable(384, background)
        for memory in kept:
            table.set(memory.id, np.stack([vectors[piece] for piece in pieces(reads(memory))]))
    return SemanticTrigger(kept, Parts(settings=settings, terms=terms, vectors=table))


def scene(query: Mapping[str, Any], vectors: Embeddings | None) -> Scene:
    """A scene with nothing but the query."""
    return Scene((), NOW, query=query["text"], vector=vectors[query["text"]] if vectors else None, language=query.get("lang", "en"))


def run(roles: Sequence[Mapping[str, Any]], vectors: Embeddings | None, settings: TriggerSettings) -> dict[str, Any]:
    """Mean measures: all, those of even and of odd roles, per category; adversarial queries apart."""
    rows: list[tuple[int, str, dict[str, float]]] = []
    for number, role in enumerate(roles):
        kept = memories(role)
        ask, among = trigger(kept, vectors, settings), frozenset(memory.id for memory in kept)
        for query in role["queries"]:
            if query["gold"]:
                hits = sorted(ask.fire(scene(query, vectors), among), key=lambda hit: (-hit.strength, hit.entry_id))
                rows.append((number, query.get("category", ""), measures([hit.entry_id for hit in hits], query["gold"])))
    plain = [row for row in rows if row[1] != "adversarial"]
    out = {"all": mean([row for *_, row in plain])}
    out["even"] = mean([row for number, _, row in plain if number % 2 == 0])
    out["odd"] = mean([row for number, _, row in plain if number % 2])
    for category in sorted({category for _, category, _ in rows}):
        out[category] = mean([row for _, of, row in rows if of == category])
    return out


def main() -> None:
    """Print one JSON object per file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--words-only", action="store_true")
    parser.add_argument("--embeddings", type=Path)
    options = parser.parse_args()
    for file in options.files:
        roles = json.loads(file.read_text(encoding="utf-8"))["roles"]
        vectors = None if options.words_only else Embeddings(options.embeddings)
        if vectors:
            vectors.want(texts(roles))
        print(json.dumps({"file": file.name, **run(roles, vectors, TriggerSettings())}, indent=1))


if __name__ == "__main__":
    main()
