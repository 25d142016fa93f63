"""bench: how well and how fast a set of questions is answered by the engine as it is: only its public surface is used.

A data set is `{"roles": [{"role", "memories": [{"id", "text", ...}], "queries": [{"id", "text", "gold", ...}]}]}`;
of a memory `timestamp`, `speaker`, `session`, `type`, `emotion`, `entity` and `attribute` are read, of a query `category`,
`history` (earlier utterances, oldest first), `now`. Each role becomes a fresh one.
"""

import statistics
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from math import log2
from pathlib import Path
from typing import Annotated, Any

import orjson

from rolememory.cli.options import argument, option
from rolememory.cli.output import out
from rolememory.cli.words import say
from rolememory.engine import Home, RoleMemory
from rolememory.errors import FileError
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
Row = dict[str, float]


def bench(
    files: Annotated[
        list[Path], argument("FILE...", "data sets: roles with memories and questions")
    ],
    backend: Annotated[
        str, option("--backend auto|local|endpoint|off", "where vectors come from")
    ] = "auto",
) -> None:
    """One JSON object per file."""
    reports = []
    with out.progress(say("measuring"), len(files)) as tell:
        for done, file in enumerate(files):
            tell(done, len(files))
            try:
                reports.append(run(file, backend=backend))
            except OSError as error:
                told = error.strerror or str(error)
                raise FileError(
                    file, "cannot be read: {told}", remedy="check the path", told=told
                ) from error
            except (orjson.JSONDecodeError, KeyError, TypeError) as error:
                raise FileError(
                    file, "is no data set: {error}", remedy="see the format in docs", error=error
                ) from error
    out.data(reports if out.as_json or len(reports) > 1 else reports[0])


@dataclass(slots=True)
class Admitted:
    """What stood in the blocks of some turns."""

    turns: int = 0
    empty: int = 0  # turns without a line
    lines: int = 0
    right: int = 0  # lines that are gold

    def count(self, ids: Sequence[str], gold: Collection[str]) -> None:
        """One turn more."""
        self.turns += 1
        self.empty += not ids
        self.lines += len(ids)
        self.right += sum(one in gold for one in ids)

    def shares(self, budget: int) -> dict[str, float]:
        """Share of the lines that are gold, and of turns that hold none.

        >>> admitted = Admitted()
        >>> admitted.count(["a", "b", "c"], {"a", "z"}); admitted.count([], {"a"}); admitted.count(["a"], {"a"})
        >>> admitted.shares(2000)
        {'precision@2000': 0.5, 'empty@2000': 0.3333}
        """
        return {
            f"precision@{budget}": round(self.right / max(self.lines, 1), 4),
            f"empty@{budget}": round(self.empty / max(self.turns, 1), 4),
        }


@dataclass(slots=True)
class Result:
    """What one file gave: measures per query with its category, and times in seconds."""

    rows: list[tuple[str, Row]] = field(default_factory=list)
    admitted: dict[int, Admitted] = field(default_factory=dict)  # by budget
    embedding_s: list[float] = field(
        default_factory=list
    )  # of a recall whose question had to be embedded
    ready_s: list[float] = field(default_factory=list)  # of a recall whose vector was at hand
    written_s: list[float] = field(default_factory=list)  # ... right after something was written

    def means(self) -> dict[str, Any]:
        """The report."""
        judged = [row for category, row in self.rows if category != APART]
        categories = sorted({category for category, _ in self.rows if category})
        return {
            "queries": len(judged),
            **mean(judged),
            **{
                name: share
                for budget, admitted in self.admitted.items()
                for name, share in admitted.shares(budget).items()
            },
            "categories": {
                name: mean([row for category, row in self.rows if category == name])
                for name in categories
            },
            "latency": {
                "with_embedding": spread(self.embedding_s),
                "vectors_ready": spread(self.ready_s),
                "after_a_write": spread(self.written_s),
            },
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
    usual = {"embedding.backend": backend, **(changed or {})}
    result = Result()
    with (
        tempfile.TemporaryDirectory() as scratch,
        Home.open(keep or scratch, usual) as home,
    ):
        with _beside(home, {**usual, **NO_LIMITS}) as wide:
            _ranked(home, wide, file.stem, roles, result)
        for budget in BUDGETS:
            with _beside(
                home,
                {
                    **usual,
                    "budget.max_total_length": budget,
                    "budget.unit": "characters",
                },
            ) as bound:
                _admitted(bound, file.stem, roles, result, budget)
        return {"file": file.name, "model": home.loader.state, **result.means()}


@contextmanager
def _beside(home: Home, settings: Mapping[str, Any]) -> Iterator[Home]:
    """The same home under other settings, with the same model and the same vectors of questions: each is embedded once."""
    with Home.open(home.path, settings) as other:
        other.use_model_of(home)
        yield other


@contextmanager
def _role(home: Home, stem: str, raw: Mapping[str, Any]) -> Iterator[RoleMemory]:
    """The role of a data set, made where it is not there yet, with every vector at hand."""
    name = f"{stem} {raw['role']}"
    role = (
        home.role(name) if any(known.name == name for known in home.roles()) else home.create(name)
    )
    if not role.memories:
        role.remember_all([fields(memory) for memory in raw["memories"]], actor="bench")
    role.ready(600.0)
    yield role


def _ranked(
    home: Home, wide: Home, stem: str, roles: Sequence[Mapping[str, Any]], result: Result
) -> None:
    """Judge the ranking and take the times."""
    for raw in roles:
        with _role(home, stem, raw) as role:
            for query in filter(_has_gold, raw["queries"]):
                result.embedding_s.append(_timed(role, query))
                result.ready_s.append(_timed(role, query))
                found = [one.memory.id for one in _search(role, wide, stem, raw, query)]
                result.rows.append(
                    (query.get("category") or "", measures(found, set(map(str, query["gold"]))))
                )
            result.written_s.extend(_after_writes(role, raw["queries"]))


def _after_writes(role: RoleMemory, queries: Sequence[Mapping[str, Any]]) -> Iterator[float]:
    """Times of recalls right after something was written, which is taken back."""
    for query in list(filter(_has_gold, queries))[:WRITES]:
        written = role.remember(query["text"])
        yield _timed(role, query)
        role.delete(written.id)


def _search(
    role: RoleMemory, wide: Home, stem: str, raw: Mapping[str, Any], query: Mapping[str, Any]
) -> list[Scored]:
    """The ranking of a query; one with history is asked as a turn without limits."""
    if not query.get("history"):
        return role.search(query["text"], limit=RANKED, user=raw.get("user"), now=moment(query))
    with _role(wide, stem, raw) as unlimited:
        turn = unlimited.recall(
            messages(query), user=raw.get("user"), now=moment(query), dry_run=True
        )
    return sorted((one.scored for one in turn.recalled), key=lambda scored: -scored.score)


def _timed(role: RoleMemory, query: Mapping[str, Any]) -> float:
    started = time.perf_counter()
    role.search(query["text"], limit=AT_ONCE, now=moment(query))
    return time.perf_counter() - started


def _admitted(
    home: Home, stem: str, roles: Sequence[Mapping[str, Any]], result: Result, budget: int
) -> None:
    """Judge what the engine itself puts into a budget; adds to the rows in the order they stand."""
    rows, admitted = iter(result.rows), result.admitted.setdefault(budget, Admitted())
    for raw in roles:
        with _role(home, stem, raw) as role:
            for query, (category, row) in zip(
                filter(_has_gold, raw["queries"]), rows, strict=False
            ):
                turn = role.recall(
                    messages(query), user=raw.get("user"), now=moment(query), dry_run=True
                )
                gold, ids = set(map(str, query["gold"])), [one.memory.id for one in turn.recalled]
                row[f"budget@{budget}"] = len(gold.intersection(ids)) / len(gold)
                if category != APART:
                    admitted.count(ids, gold)


def _has_gold(query: Mapping[str, Any]) -> bool:
    return bool(query["gold"])
