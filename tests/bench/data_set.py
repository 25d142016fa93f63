"""How well and how fast a set of questions is answered by the engine as it is: only its public surface is used.

A data set is `{"roles": [{"role", "memories": [{"id", "text", ...}], "queries": [{"id", "text", "gold", ...}]}]}`;
of a memory `timestamp`, `speaker`, `session`, `type`, `emotion`, `entity` and `attribute` are read, of a query `category`,
`history` (earlier utterances, oldest first), `now`. Each role becomes a fresh one.
"""

import statistics
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import log2
from pathlib import Path
from typing import Any

import orjson

from rolememory.engine import Home, RoleMemory
from rolememory.recall.turn import Turn
from rolememory.schema.evidence import Scored
from rolememory.schema.message import Message

RANKED = 200  # how deep a ranking is judged
AT_ONCE = 10  # memories of the recall whose time is taken
WRITES = 5  # of each role, after which a recall's time is taken
BUDGETS = (2000, 4000)  # characters
DEPTHS = (1, 5, 10, 20)  # of recall
APART = "adversarial"  # a category that stays out of the means
NO_LIMITS = {
    "recall.relevance_threshold": 0.0,
    "recall.skip_visible": False,
    "recall.near_duplicate": 1.0,
    "recall.keep_margin": 0.0,
    "recall.max_items": RANKED,
    "recall.enough": None,
    "recall.candidates": RANKED,
    "budget.max_total_length": 10**9,
}
Times = dict[str, list[float]]
"""Seconds: of a recall whose question had to be embedded, whose vector was at hand, and right after a write."""


@dataclass(slots=True)
class Judged:
    """What became of one question."""

    category: str
    measures: dict[str, float]
    lines: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By budget: lines of the block, and those of them that are gold."""


def report(judged: Sequence[Judged], times: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Means over the questions, and over those of each category; times in milliseconds."""
    counted = [one for one in judged if one.category != APART]
    found = {"queries": len(counted), **mean([one.measures for one in counted])}
    for budget in BUDGETS:
        found |= shares(budget, [one.lines[budget] for one in counted])
    latency = {name: spread(seconds) for name, seconds in times.items()}
    return {**found, "categories": _by_category(judged), "latency": latency}


def _by_category(judged: Sequence[Judged]) -> dict[str, dict[str, float]]:
    names = sorted({one.category for one in judged if one.category})
    return {name: mean([one.measures for one in judged if one.category == name]) for name in names}


def shares(budget: int, lines: Sequence[tuple[int, int]]) -> dict[str, float]:
    """Share of the lines that are gold, and of turns that hold none.

    >>> shares(2000, [(3, 1), (0, 0), (1, 1)])
    {'precision@2000': 0.5, 'empty@2000': 0.3333}
    """
    told, right = (sum(counts) for counts in zip((0, 0), *lines, strict=True))
    empty = sum(not count for count, _ in lines)
    return {
        f"precision@{budget}": round(right / max(told, 1), 4),
        f"empty@{budget}": round(empty / max(len(lines), 1), 4),
    }


def measures(ranked: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """recall@k, reciprocal rank of the first gold, binary nDCG@10.

    >>> measured = measures(["a", "b", "c"], {"b", "z"})
    >>> measured["recall@5"], measured["mrr"], round(measured["ndcg@10"], 3)
    (0.5, 0.5, 0.387)
    """
    places = [place for place, found in enumerate(ranked) if found in gold]
    ideal = sum(1 / log2(place + 2) for place in range(min(len(gold), 10)))
    out = {f"recall@{k}": sum(place < k for place in places) / len(gold) for k in DEPTHS}
    out["mrr"] = 1 / (places[0] + 1) if places else 0.0
    out["ndcg@10"] = sum(1 / log2(place + 2) for place in places if place < 10) / ideal
    return out


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each measure over queries, to four places."""
    return (
        {name: round(sum(row[name] for row in rows) / len(rows), 4) for name in rows[0]}
        if rows
        else {}
    )


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile, in milliseconds.

    >>> spread([0.001, 0.002, 0.009])
    {'median_ms': 2.0, 'p95_ms': 9.0}
    """
    if not seconds:
        return {}
    ordered = sorted(seconds)
    at = min(round(0.95 * (len(ordered) - 1)), len(ordered) - 1)
    return {
        "median_ms": round(1000 * statistics.median(ordered), 3),
        "p95_ms": round(1000 * ordered[at], 3),
    }


def fields(raw: Mapping[str, Any]) -> dict[str, Any]:
    """A memory of a data set in our words.

    >>> fields({"id": "D1:3", "text": "I went.", "speaker": "Caroline", "session": 1})["subject"]
    'Caroline'
    """
    emotion, session = raw.get("emotion") or [], raw.get("session")
    told = {
        "id": str(raw["id"]),
        "content": raw["text"],
        "source": "user_input",
        "type": raw.get("type") or "episodic",
        "created": raw.get("timestamp"),
        "subject": raw.get("speaker"),
        "evidence": [] if session is None else [{"chat": f"session-{session}"}],
        "emotions": [emotion] if isinstance(emotion, str) else list(emotion),
        "topics": [str(raw[name]) for name in ("entity", "attribute") if raw.get(name)],
    }
    return {name: value for name, value in told.items() if value}


def messages(query: Mapping[str, Any]) -> list[Message]:
    """The query as the newest user message, after its history."""
    earlier = [
        turn.get("text", "") if isinstance(turn, Mapping) else str(turn)
        for turn in query.get("history") or ()
    ]
    said = [
        Message.assistant(text) if back % 2 else Message.user(text)
        for back, text in zip(range(len(earlier), 0, -1), earlier, strict=True)
    ]
    return [*said, Message.user(query["text"])]


def moment(query: Mapping[str, Any]) -> datetime | None:
    """When it is asked; None = now."""
    return datetime.fromisoformat(query["now"]) if query.get("now") else None


def run(
    file: Path,
    *,
    backend: str = "auto",
    keep: Path | None = None,
    changed: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """All measures of one file. `keep` names a home that is made once and asked again; else it is thrown away.

    `changed`: settings that are not the default ones.
    """
    roles = orjson.loads(file.read_bytes())["roles"]
    settings = {"embedding.backend": backend, **(changed or {})}
    judged: list[Judged] = []
    times: Times = {"with_embedding": [], "vectors_ready": [], "after_a_write": []}
    with tempfile.TemporaryDirectory() as scratch, Home.open(keep or scratch, settings) as home:
        for raw in roles:
            judged += _judged(_role(home, f"{file.stem} {raw['role']}", raw), raw, times)
        return {"file": file.name, "model": home.loader.state, **report(judged, times)}


def _role(home: Home, name: str, raw: Mapping[str, Any]) -> RoleMemory:
    """The role of a data set, made where it is not there yet, with every vector at hand."""
    role = home.role(name, create=True)
    if not role.memories:
        role.remember_all([fields(memory) for memory in raw["memories"]], actor="bench")
    role.ready(600.0)
    return role


def _judged(role: RoleMemory, raw: Mapping[str, Any], times: Times) -> Iterator[Judged]:
    """Judge the ranking of each question that has an answer, and what is put into each budget; take the times."""
    queries = [query for query in raw["queries"] if query["gold"]]
    for query in queries:
        times["with_embedding"].append(_timed(role, query))
        times["vectors_ready"].append(_timed(role, query))
        found = [one.memory.id for one in _ranked(role, raw, query)]
        gold = set(map(str, query["gold"]))
        one = Judged(query.get("category") or "", measures(found, gold))
        for budget in BUDGETS:
            limits = {"budget.max_total_length": budget, "budget.unit": "characters"}
            recalled = _turn(role, raw, query, limits).recalled
            right = len(gold.intersection(line.memory.id for line in recalled))
            one.measures[f"budget@{budget}"] = right / len(gold)
            one.lines[budget] = (len(recalled), right)
        yield one
    for query in queries[:WRITES]:  # right after something was written, which is taken back
        written = role.remember(query["text"])
        times["after_a_write"].append(_timed(role, query))
        role.delete(written.id)


def _ranked(role: RoleMemory, raw: Mapping[str, Any], query: Mapping[str, Any]) -> list[Scored]:
    """The ranking of a query; one with history is asked as a turn without limits."""
    if not query.get("history"):
        return role.search(query["text"], limit=RANKED, user=raw.get("user"), now=moment(query))
    turn = _turn(role, raw, query, NO_LIMITS)
    return sorted((one.scored for one in turn.recalled), key=lambda scored: -scored.score)


def _turn(
    role: RoleMemory, raw: Mapping[str, Any], query: Mapping[str, Any], settings: Mapping[str, Any]
) -> Turn:
    said, now = messages(query), moment(query)
    return role.recall(said, user=raw.get("user"), now=now, dry_run=True, settings=settings)


def _timed(role: RoleMemory, query: Mapping[str, Any]) -> float:
    started = time.perf_counter()
    role.search(query["text"], limit=AT_ONCE, now=moment(query))
    return time.perf_counter() - started
