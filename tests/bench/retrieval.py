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

from rolememory.schema.evidence import Hit
from rolememory.schema.memory import Evidence, Memory, Source
from rolememory.schema.scene import Scene
from rolememory.schema.settings import TriggerSettings
from rolememory.text.embed.base import everyday_sentences
from rolememory.text.embed.local import LocalModel
from rolememory.text.terms import TermIndex
from rolememory.text.vectors import VectorTable, pieces
from rolememory.triggers.base import Parts
from rolememory.triggers.semantic import SemanticTrigger, reads
from tests.bench.data_set import mean, measures
from tests.shipped_model import shipped_model

NOW = datetime(2030, 1, 1, tzinfo=UTC)


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
        self._model: LocalModel | None = None
        self._trusted: dict[str, bool] = {}
        self._vectors: dict[str, np.ndarray] = {}
        if file and file.exists():
            with np.load(file) as kept:
                self._vectors = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    @property
    def model(self) -> LocalModel:
        """The shipped model, loaded when it is first needed."""
        self._model = self._model or shipped_model()
        return self._model

    def want(self, wanted: Iterable[str]) -> None:
        """Embed what is not here yet."""
        missing = sorted({text for text in wanted if _key(text) not in self._vectors})
        if not missing:
            return
        for text, vector in zip(missing, self.model.embed(missing), strict=True):
            self._vectors[_key(text)] = vector
        if self._file:
            np.savez(
                self._file,
                keys=np.array(list(self._vectors)),
                vectors=np.stack(list(self._vectors.values())),
            )

    def trusts(self, text: str) -> bool:
        """Whether the model knows this text's language; asked only where a character is not ASCII."""
        if text not in self._trusted:
            self._trusted[text] = text.isascii() or self.model.trusts(text)
        return self._trusted[text]

    def __getitem__(self, text: str) -> np.ndarray:
        return self._vectors[_key(text)]


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def trigger(
    kept: Sequence[Memory], vectors: Embeddings | None, settings: TriggerSettings
) -> SemanticTrigger:
    """The strategy over these memories."""
    terms, table = TermIndex(), None
    for memory in kept:
        terms.add(memory.id, reads(memory))
    if vectors is not None:
        vectors.want(everyday_sentences()["en"])
        table = VectorTable(
            384, {"en": np.stack([vectors[sentence] for sentence in everyday_sentences()["en"]])}
        )
        for memory in kept:
            if vectors.trusts(reads(memory)):
                table.set(memory.id, np.stack([vectors[piece] for piece in pieces(reads(memory))]))
    return SemanticTrigger(kept, Parts(settings=settings, terms=terms, vectors=table))


def scene(query: Mapping[str, Any], vectors: Embeddings | None, user: str | None = None) -> Scene:
    """A scene with nothing but the query."""
    vector = vectors[query["text"]] if vectors and vectors.trusts(query["text"]) else None
    return Scene(
        (), NOW, query=query["text"], user=user, vector=vector, language=query.get("lang", "en")
    )


def answers(
    role: Mapping[str, Any], vectors: Embeddings | None, settings: TriggerSettings
) -> Iterator[tuple[Mapping[str, Any], list[Hit]]]:
    """Every query with its hits, strongest first."""
    kept = memories(role)
    ask, among = trigger(kept, vectors, settings), frozenset(memory.id for memory in kept)
    for query in role["queries"]:
        hits = ask.fire(scene(query, vectors, role.get("user")), among)
        yield query, sorted(hits, key=lambda hit: (-hit.strength, hit.entry_id))


def ranking(
    roles: Sequence[Mapping[str, Any]], vectors: Embeddings | None, settings: TriggerSettings
) -> dict[str, Any]:
    """Mean measures: all, those of even and of odd roles, per category; adversarial queries apart."""
    rows: list[tuple[int, str, dict[str, float]]] = []
    for number, role in enumerate(roles):
        for query, hits in answers(role, vectors, settings):
            if query["gold"]:
                rows.append(
                    (
                        number,
                        query.get("category", ""),
                        measures([hit.entry_id for hit in hits], query["gold"]),
                    )
                )
    plain = [row for row in rows if row[1] != "adversarial"]
    out = {"all": mean([row for *_, row in plain])}
    out["even"] = mean([row for number, _, row in plain if number % 2 == 0])
    out["odd"] = mean([row for number, _, row in plain if number % 2])
    for category in sorted({category for _, category, _ in rows}):
        out[category] = mean([row for _, of, row in rows if of == category])
    return out


def admission(
    roles: Sequence[Mapping[str, Any]],
    vectors: Embeddings | None,
    settings: TriggerSettings,
    threshold: float,
) -> dict[str, float]:
    """What passes a threshold: recall and precision where there is gold, and how often anything passes where there is none."""
    found = [
        (query, [hit.entry_id for hit in hits if hit.strength >= threshold])
        for role in roles
        for query, hits in answers(role, vectors, settings)
    ]
    asked = [(set(query["gold"]), ids) for query, ids in found if query["gold"]]
    idle = [ids for query, ids in found if not query["gold"]]
    right, passed = (
        sum(len(gold & set(ids)) for gold, ids in asked),
        sum(len(ids) for _, ids in asked),
    )
    return {
        "recall": round(
            sum(len(gold & set(ids)) / len(gold) for gold, ids in asked) / len(asked), 3
        ),
        "precision": round(right / max(passed, 1), 3),
        "lines": round(passed / len(asked), 2),
        "idle_silent": round(sum(not ids for ids in idle) / len(idle), 3) if idle else 1.0,
        "idle_lines": round(sum(map(len, idle)) / len(idle), 2) if idle else 0.0,
    }


def main() -> None:
    """Print one JSON object per file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--words-only", action="store_true")
    parser.add_argument("--embeddings", type=Path)
    parser.add_argument("--threshold", type=float, default=0.30)
    options = parser.parse_args()
    for file in options.files:
        roles = json.loads(file.read_text(encoding="utf-8"))["roles"]
        vectors = None if options.words_only else Embeddings(options.embeddings)
        if vectors:
            vectors.want(texts(roles))
        settings = TriggerSettings()
        passing = admission(roles, vectors, settings, options.threshold)
        print(
            json.dumps(
                {"file": file.name, **ranking(roles, vectors, settings), "passing": passing},
                ensure_ascii=False,
            )
        )


if __name__ == "__main__":
    main()
