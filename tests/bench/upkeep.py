"""The figures of S4.34, and what use, references, associates and upkeep cost. Prints one JSON object.

    python -m tests.bench.upkeep [--size 10000] [--turns 200]

Goals: vector search < 100 ms, more than 95 % of the embeddings asked for at hand, weight update < 10 ms, whole injection < 200 ms.
No model is part of a figure: vectors are made up, or made by hashing where embeddings are counted.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from rolememory import Home, Message, RoleMemory
from rolememory.learn.maintenance import retire
from rolememory.schema.memory import Memory
from rolememory.schema.settings import PerType
from rolememory.storage.files.space import FileSpace
from rolememory.storage.usage_log import UsageLog
from rolememory.storage.vectors import VectorFile
from rolememory.text.postings import text_digest
from rolememory.text.vectors import VectorTable
from rolememory.usage.references import referenced
from rolememory.usage.weights import effects
from tests.bench.made_up import DIM, Precomputed, memory_file, sentences, vectors
from tests.bench.speed import summary, timed, timed_turns
from tests.hashing import HashingEmbedder

WORDS_ALONE = {"embedding.backend": "off"}
GOALS = {
    "vector_search_ms": 100.0,
    "embedding_hits": 0.95,
    "weight_update_ms": 10.0,
    "whole_injection_ms": 200.0,
}


def vector_search(n: int) -> dict[str, float]:
    """The ten nearest of n vectors."""
    table, questions = VectorTable(DIM), vectors(50, seed=7)
    for number, row in enumerate(vectors(n)):
        table.set(str(number), row)
    return summary(
        timed_turns(
            lambda question: np.argpartition(table.similarities(question), -10)[-10:],
            list(questions),
        )
    )


def replayed(turns: int, memories: int = 100) -> dict[str, Any]:
    """A chat of so many turns: every fifth is swiped, every third teaches something; then the same again after a restart.

    Asked for are the vector of each question and that of every memory that it is compared with; what no file, table or
    cache held had to be embedded.
    """
    said, facts = sentences(turns, seed=3), iter(sentences(memories + turns, seed=4))
    embedder = HashingEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        with Home.open(folder, embedder=embedder) as home:
            role = home.create("Replayed")
            role.remember_all([{"content": fact} for fact in islice(facts, memories)])
            first = _turns(role, embedder, said, facts)
        with Home.open(folder, embedder=embedder) as home:
            again = _turns(home.role("Replayed"), embedder, said, iter(()))
    return {"turns": turns, "first": first, "again_after_a_restart": again}


def _turns(
    role: RoleMemory, embedder: HashingEmbedder, said: Sequence[str], facts: Any
) -> dict[str, Any]:
    """One pass over the chat; what was asked for, and what had to be embedded for it."""
    role.ready(60)
    messages: list[Message] = []
    before, questions, compared = embedder.asked, 0, 0
    for number, text in enumerate(said):
        messages.append(Message.user(text))
        for _ in range(2 if number % 5 == 0 else 1):
            role.recall(messages, chat="replayed")
            questions, compared = questions + 1, compared + role.embedded
        messages.append(Message.assistant(f"So you say: {text}"))
        if number % 3 == 0 and (fact := next(facts, None)):
            role.remember(fact)
            role.ready(60)
    embedded, queries = embedder.asked - before, role.parts.context.home.resources.queries
    return {
        "questions": questions,
        "question_hits": round(queries.hits / max(queries.hits + queries.misses, 1), 4),
        "memories_compared": compared,
        "embedded": embedded,
        "hits": round(1 - embedded / (questions + compared), 4),
    }


def weight_update(n: int) -> dict[str, Any]:
    """A use noted and weighed (written behind), and a weight changed for good (durable), in a role of n memories."""
    with tempfile.TemporaryDirectory() as folder:
        with Home.open(folder, WORDS_ALONE) as home:
            memory_file(home.create("Big").folder / "memory.json", sentences(n))
        with Home.open(folder, WORDS_ALONE) as home:
            role = home.role("Big")
            ids = list(islice(role.memories, 40))
            queries = (f"question {number}" for number in range(1000))
            role.used(ids[0], next(queries))
            by_use = timed_turns(lambda memory_id: role.used(memory_id, next(queries)), ids)
            by_hand = timed_turns(lambda memory_id: role.reweigh(memory_id, 0.1), ids)
    return {"by_use": summary(by_use), "by_hand_durable": summary(by_hand)}


def usage_log(turns: int = 1000, held: int = 15) -> dict[str, Any]:
    """A chat of a thousand turns in the log: noting one more turn, and summing all up for the next recall."""
    memories = {
        f"m{number}": Memory(id=f"m{number}", content="", source="user_input", type="semantic")
        for number in range(200)
    }
    names, now = cycle(memories), datetime.now(UTC)
    with tempfile.TemporaryDirectory() as folder:
        uses = UsageLog(FileSpace(Path(folder)))
        notes = [(f"{turn:016x}", list(islice(names, held))) for turn in range(turns)]
        noting = timed_turns(
            lambda note: uses.note("chat", note[0], note[1], note[1][:2], now), notes
        )
        summing = timed(lambda: effects(uses.tallies(lambda chat, version: True), memories), 50)
        uses.close()
        size = (Path(folder) / "state" / "uses.jsonl").stat().st_size
    return {
        "turns": turns,
        "note": summary(noting),
        "sum_up": summary(summing),
        "file_kb": round(size / 1000, 1),
    }


def references() -> dict[str, Any]:
    """Twenty memories against replies of a thousand characters."""
    out: dict[str, Any] = {}
    for language in ("en", "zh"):
        probes = json.loads(
            (Path(__file__).parent / "data" / f"probes.{language}.json").read_text(encoding="utf-8")
        )["roles"][0]["memories"]
        texts = [one["text"] for one in probes]
        held = [Memory(id=one["id"], content=one["text"]) for one in probes[:20]]
        text = " ".join(islice(cycle(texts[20:]), 400))
        replies = [
            text[start : start + 1000]
            for start in range(0, 20_000, 1000)
            if start + 1000 <= len(text)
        ]
        referenced(replies[0], held)
        out[language] = summary(
            timed_turns(lambda reply, held=held: referenced(reply, held, query="?"), replies)
        )  # type: ignore[misc]
    return out


def injection(n: int, turns: int = 40) -> dict[str, Any]:
    """A whole turn of a role with n memories and their vectors; alone, and with an associated role of the same size."""
    texts, table = sentences(n), vectors(n)
    questions = sentences(turns + 5, seed=7)
    embedder = Precomputed(dict(zip(questions, vectors(turns + 5, seed=7), strict=True)))
    with tempfile.TemporaryDirectory() as folder:
        with Home.open(folder, WORDS_ALONE) as home:
            for name in ("Big", "Other"):
                role_folder = home.create(name).folder
                memory_file(role_folder / "memory.json", texts)
                kept = {
                    text_digest(text): vector for text, vector in zip(texts, table, strict=True)
                }
                VectorFile(FileSpace(role_folder), embedder.key, DIM).save(kept)
        with Home.open(folder, embedder=embedder) as home:
            role, other = home.role("Big"), home.role("Other")
            alone = _whole(role, questions)
            other.ready(120)
            role.associate("Other")
            other.associate("Big")
            together = _whole(role, questions)
    return {"alone": alone, "with_an_associate": together}


def _whole(role: RoleMemory, questions: Sequence[str]) -> dict[str, float]:
    assert role.ready(120), "the vectors are at hand"
    for question in questions[:5]:
        role.recall([question], dry_run=True)
    return summary(
        timed_turns(lambda question: role.recall([question], dry_run=True), questions[5:])
    )


def tending(n: int) -> dict[str, float]:
    """One round of upkeep over n learned memories, half of them told twice."""
    now = datetime.now(UTC)
    facts = sentences(n // 2, seed=5)
    old = {
        f"a{number}": _learned(f"a{number}", fact, now - timedelta(days=30))
        for number, fact in enumerate(facts)
    }
    again = {
        f"b{number}": _learned(f"b{number}", fact, now - timedelta(days=20), f"a{number}")
        for number, fact in enumerate(facts)
    }
    known = {**old, **again}
    return summary(
        timed(lambda: retire(known.values(), now, below_weight=0.2, limits=PerType()), 3)
    )


def _learned(memory_id: str, content: str, created: datetime, *supersedes: str) -> Memory:
    evidence = [{"chat": "c", "version": memory_id}]
    fields = {
        "id": memory_id,
        "content": content,
        "created": created,
        "supersedes": supersedes,
        "evidence": evidence,
    }
    return Memory.model_validate({**fields, "source": "user_input", "type": "semantic"})


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=200)
    asked = parser.parse_args()
    out: dict[str, Any] = {"load_average": os.getloadavg()[0], "memories": asked.size}
    out["vector_search"] = vector_search(asked.size)
    out["embedding_cache"] = replayed(asked.turns)
    out["weight_update"] = weight_update(asked.size)
    out["whole_injection"] = injection(asked.size)
    out["usage_log"], out["references_20_memories_1000_characters"] = usage_log(), references()
    out["upkeep_round"] = tending(asked.size)
    out["met_by_the_median"] = {
        "vector search < 100 ms": out["vector_search"]["median_ms"] < GOALS["vector_search_ms"],
        "embedding cache > 95 %": out["embedding_cache"]["first"]["hits"] > GOALS["embedding_hits"],
        "weight update < 10 ms": max(one["median_ms"] for one in out["weight_update"].values())
        < GOALS["weight_update_ms"],
        "whole injection < 200 ms": out["whole_injection"]["alone"]["median_ms"]
        < GOALS["whole_injection_ms"],
    }
    print(json.dumps(out, indent=2))


if __name__ == "__main__":
    main()
