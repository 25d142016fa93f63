"""The peers on the same texts and vectors: run by an interpreter that has chromadb, langgraph and mem0ai.

    PEERS_PYTHON -m tests.bench.peers --sizes 1000 10000 --turns 60

Prints one JSON object. A peer that cannot be run tells why in its place.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

from tests.bench.made_up import DIM, sentences, vectors

Ask = Callable[[str, Any], object]
K = 10


def chroma(texts: Sequence[str], table: Any) -> Ask:
    """chromadb, in memory, vectors handed in."""
    import chromadb

    collection = chromadb.EphemeralClient().create_collection(
        f"c{len(texts)}", metadata={"hnsw:space": "cosine"}
    )
    for at in range(0, len(texts), 5000):
        ids = [f"m{number}" for number in range(at, min(at + 5000, len(texts)))]
        collection.add(
            ids=ids,
            documents=list(texts[at : at + 5000]),
            embeddings=table[at : at + 5000].tolist(),
        )
    return lambda _, vector: collection.query(query_embeddings=[vector.tolist()], n_results=K)


def langgraph(texts: Sequence[str], table: Any) -> Ask:
    """LangGraph's InMemoryStore with an index."""
    from langgraph.store.memory import InMemoryStore

    known = dict(zip(texts, table.tolist(), strict=True))
    asked: dict[str, list[float]] = {}

    def embed(wanted: Sequence[str]) -> list[list[float]]:
        return [known.get(text) or asked[text] for text in wanted]

    store = InMemoryStore(index={"dims": DIM, "embed": embed, "fields": ["text"]})
    for number, text in enumerate(texts):
        store.put(("role",), f"m{number}", {"text": text})

    def ask(text: str, vector: Any) -> object:
        asked[text] = vector.tolist()
        return store.search(("role",), query=text, limit=K)

    return ask


def mem0(texts: Sequence[str], table: Any) -> Ask:
    """mem0 with its local vector store and infer off; its embedder knows the vectors by heart."""
    from mem0 import Memory
    from mem0.configs.base import MemoryConfig
    from mem0.embeddings.base import EmbeddingBase

    known = {text: row.tolist() for text, row in zip(texts, table, strict=True)}

    class ByHeart(EmbeddingBase):
        def embed(self, text: str, memory_action: Any = None) -> list[float]:
            return known[text]

        def embed_batch(self, texts: list[str], memory_action: Any = None) -> list[list[float]]:
            return [known[text] for text in texts]

    folder = tempfile.mkdtemp()
    config = MemoryConfig(
        vector_store={
            "provider": "qdrant",
            "config": {"path": f"{folder}/q", "embedding_model_dims": DIM, "on_disk": False},
        },
        history_db_path=f"{folder}/history.db",
        llm={"provider": "openai", "config": {"api_key": "none"}},
        embedder={"provider": "openai", "config": {"api_key": "none", "embedding_dims": DIM}},
    )
    memory = Memory(config)
    memory.embedding_model = ByHeart()
    rows = [table[number].tolist() for number in range(len(texts))]
    payloads = [
        {"data": text, "user_id": "u", "hash": str(number)} for number, text in enumerate(texts)
    ]
    for at in range(0, len(texts), 1000):
        ids = [
            f"00000000-0000-4000-8000-{number:012d}"
            for number in range(at, min(at + 1000, len(texts)))
        ]
        memory.vector_store.insert(
            vectors=rows[at : at + 1000], payloads=payloads[at : at + 1000], ids=ids
        )

    def ask(text: str, vector: Any) -> object:
        known[text] = vector.tolist()
        return memory.search(text, filters={"user_id": "u"}, top_k=K)

    return ask


def measured(make: Callable[[Sequence[str], Any], Ask], n: int, turns: int) -> dict[str, Any]:
    """Fill and ask one peer."""
    started = time.perf_counter()
    try:
        ask = make(sentences(n), vectors(n))
        filled = time.perf_counter() - started
        questions, asked = sentences(turns + 5, seed=7), vectors(turns + 5, seed=7)
        ms = []
        for question, vector in zip(questions, asked, strict=True):
            started = time.perf_counter()
            ask(question, vector)
            ms.append((time.perf_counter() - started) * 1000)
    except Exception as error:
        return {"memories": n, "error": f"{type(error).__name__}: {error}"[:300]}
    ordered = sorted(ms[5:])
    return {
        "memories": n,
        "fill_s": round(filled, 2),
        "median_ms": round(statistics.median(ordered), 3),
        "p95_ms": round(ordered[int(0.95 * (len(ordered) - 1))], 3),
    }


def main() -> None:
    """Measure and print."""
    os.environ.setdefault("MEM0_TELEMETRY", "False")
    os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000])
    parser.add_argument("--turns", type=int, default=60)
    asked = parser.parse_args()
    makers = {"chroma": chroma, "langgraph_in_memory_store": langgraph, "mem0_infer_off": mem0}
    out = {
        name: [measured(make, n, asked.turns) for n in asked.sizes] for name, make in makers.items()
    }
    print(json.dumps(out))


if __name__ == "__main__":
    main()
