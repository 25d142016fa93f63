"""What each part of recall brings on given sets, beside two simple peers on the same texts and vectors. Prints a Markdown table per run.

    python -m tests.bench.ablate FILE.json [...] [--limit N] [--words-only] [--keep FOLDER] [--json]

Every row is the engine under default settings but for one thing: a part that is switched off, or (topics) data that is taken away.

    recall@10   share of gold among the first ten of the ranking without thresholds
    injected    share of gold among what the engine itself puts into 2,000 characters
    precision   share of the injected lines that are gold

The peers take whatever fits: `BM25 alone` (k1 1.2, b 0.75, the engine's own tokens) and `vectors alone` (cosine with the newest message).
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from rolememory import Home, RoleMemory
from rolememory.text.words import tokens
from tests.bench.data_set import APART, BUDGETS, NO_LIMITS, fields, messages, moment
from tests.bench.kept import KeptVectors, kept_model

PLACES = 10
SEMANTIC = "triggers.semantic."
PARTS: Mapping[str, Mapping[str, Any]] = {
    "everything": {},
    "without words": {f"{SEMANTIC}words": False},
    "without vectors": {f"{SEMANTIC}vectors": False},
    "without history": {f"{SEMANTIC}context": 0.0},
    "without topics": {},
    "without bridge": {f"{SEMANTIC}bridge": 0.0},
    "without neighbours": {f"{SEMANTIC}neighbours": 0.0},
    "without recency": {"triggers.recency.enabled": False},
    "without feeling": {"triggers.emotional.enabled": False},
    "without dates": {"triggers.dates.enabled": False},
}
WORDS_ALREADY = ("without words", "without vectors")  # say nothing where there is no model

Figures = tuple[float, float, float]
"""recall@10, share injected, precision."""


def judged(raw: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The questions that count."""
    return [one for one in raw["queries"] if one["gold"] and one.get("category") != APART]


def sample(roles: Sequence[Mapping[str, Any]], most: int | None) -> list[list[Mapping[str, Any]]]:
    """The questions of each role: all, or so many in fair shares."""
    wanted = [(number, one) for number, raw in enumerate(roles) for one in judged(raw)]
    if most is not None and most < len(wanted):
        wanted = [wanted[at * len(wanted) // most] for at in range(most)]
    return [[one for of, one in wanted if of == number] for number in range(len(roles))]


class Tally:
    """The measures of some questions."""

    def __init__(self) -> None:
        self._recalled: list[float] = []
        self._injected: list[float] = []
        self._lines = self._right = 0

    def count(self, gold: set[str], ranked: Sequence[str], injected: Sequence[str]) -> None:
        """One question more."""
        self._recalled.append(len(gold & set(ranked[:PLACES])) / len(gold))
        self._injected.append(len(gold & set(injected)) / len(gold))
        self._lines += len(injected)
        self._right += sum(one in gold for one in injected)

    def figures(self) -> Figures:
        """The means."""
        precision = self._right / max(self._lines, 1)
        return mean(self._recalled), mean(self._injected), precision


def gold_of(query: Mapping[str, Any]) -> set[str]:
    """The ids that answer it."""
    return set(map(str, query["gold"]))


# ── the engine ───────────────────────────────────────────────────────────────────────────────────────────────────────


def engine(
    roles: Sequence[Mapping[str, Any]],
    asked: Sequence[Sequence[Mapping[str, Any]]],
    part: str,
    model: KeptVectors | None,
    folder: str,
) -> Figures:
    """The measures of the engine with that part changed; roles are made in the folder where they are not there yet."""
    own = {"embedding.backend": "auto" if model else "off", **PARTS[part]}
    bound = {**own, "budget.max_total_length": BUDGETS[0], "budget.unit": "characters"}
    tally = Tally()
    with (
        Home.open(folder, {**own, **NO_LIMITS}, model) as wide,
        Home.open(folder, bound, model) as home,
    ):
        for raw, queries in zip(roles, asked, strict=True):
            kept = made(home, raw, plain=part == "without topics")
            unlimited = made(wide, raw, plain=part == "without topics")
            for role in (kept, unlimited):
                role.ready(3600.0)
            for query in queries:
                tally.count(gold_of(query), _ranked(unlimited, raw, query), _turn(kept, raw, query))
    return tally.figures()


def made(home: Home, raw: Mapping[str, Any], plain: bool) -> RoleMemory:
    """The role of a data set; `plain`: without topics."""
    name = f"{raw['role']}{' plain' if plain else ''}"
    if any(known.name == name for known in home.roles()):
        return home.role(name)
    role, kept = home.create(name), [fields(memory) for memory in raw["memories"]]
    if plain:
        kept = [{key: value for key, value in one.items() if key != "topics"} for one in kept]
    role.remember_all(kept, actor="bench")
    return role


def _turn(role: RoleMemory, raw: Mapping[str, Any], query: Mapping[str, Any]) -> list[str]:
    turn = role.recall(messages(query), user=raw.get("user"), now=moment(query), dry_run=True)
    return [one.memory.id for one in turn.recalled]


def _ranked(role: RoleMemory, raw: Mapping[str, Any], query: Mapping[str, Any]) -> list[str]:
    turn = role.recall(messages(query), user=raw.get("user"), now=moment(query), dry_run=True)
    found = sorted((one.scored for one in turn.recalled), key=lambda one: -one.score)
    return [one.memory.id for one in found]


# ── the peers ────────────────────────────────────────────────────────────────────────────────────────────────────────


def line(raw: Mapping[str, Any]) -> str:
    """A memory as a peer shows it."""
    day = f"[{raw['timestamp'][:10]}] " if raw.get("timestamp") else ""
    who = f"{raw['speaker']}: " if raw.get("speaker") else ""
    return f"- {day}{who}{raw['text']}\n"


def said(raw: Mapping[str, Any]) -> str:
    """A memory as a peer reads it."""
    return f"{raw['speaker']}: {raw['text']}" if raw.get("speaker") else str(raw["text"])


class Bm25:
    """BM25 as off the shelf, over the texts of one role."""

    K1, B = 1.2, 0.75

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(tokens(text)) for text in texts]
        lengths = np.array([sum(one.values()) for one in counts], dtype=np.float64)
        self._norms = self.K1 * (1.0 - self.B + self.B * lengths / max(lengths.mean(), 1.0))
        self._held: dict[str, tuple[list[int], list[int]]] = {}
        for row, one in enumerate(counts):
            for token, count in one.items():
                rows, often = self._held.setdefault(token, ([], []))
                rows.append(row)
                often.append(count)

    def scores(self, text: str) -> Any:
        """A score for each text, (n_texts,)."""
        found = np.zeros(len(self._norms))
        for token in set(tokens(text)) & self._held.keys():
            rows, often = (np.array(one) for one in self._held[token])
            idf = log(1.0 + (len(found) - len(rows) + 0.5) / (len(rows) + 0.5))
            found[rows] += idf * often * (self.K1 + 1.0) / (often + self._norms[rows])
        return found


def peers(
    roles: Sequence[Mapping[str, Any]],
    asked: Sequence[Sequence[Mapping[str, Any]]],
    model: KeptVectors | None,
) -> Iterator[tuple[str, Figures]]:
    """The peers that can be asked, with their measures."""
    words, vectors = Tally(), Tally()
    for raw, queries in zip(roles, asked, strict=True):
        texts = [said(one) for one in raw["memories"]]
        index, table = Bm25(texts), model.embed(texts) if model and queries else None
        for query in queries:
            _count(words, raw, query, index.scores(query["text"]))
            if model is not None and table is not None:
                _count(vectors, raw, query, table @ model.embed_query(query["text"]))
    yield "BM25 alone", words.figures()
    if model is not None:
        yield "vectors alone", vectors.figures()


def _count(tally: Tally, raw: Mapping[str, Any], query: Mapping[str, Any], scores: Any) -> None:
    rows = [raw["memories"][at] for at in np.argsort(-scores, kind="stable")]
    left, shown = BUDGETS[0], []
    for one in rows:
        if len(line(one)) > left:
            break
        left -= len(line(one))
        shown.append(str(one["id"]))
    tally.count(gold_of(query), [str(one["id"]) for one in rows[:PLACES]], shown)


# ── the table ────────────────────────────────────────────────────────────────────────────────────────────────────────


def run(file: Path, limit: int | None, model: KeptVectors | None) -> dict[str, Figures]:
    """All rows of one file."""
    roles = json.loads(file.read_text(encoding="utf-8"))["roles"]
    asked = sample(roles, limit)
    usable = model if model and model.trusts(roles[0]["memories"][0]["text"]) else None
    rows = dict(peers(roles, asked, usable))
    with tempfile.TemporaryDirectory() as folder:
        for part in PARTS:
            if tells(part, roles, usable):
                rows[part] = engine(roles, asked, part, usable, folder)
    return rows


def tells(part: str, roles: Sequence[Mapping[str, Any]], model: KeptVectors | None) -> bool:
    """Whether a row can differ from the whole."""
    if part == "without topics":
        return any("entity" in one for raw in roles for one in raw["memories"][:1])
    return model is not None or part not in WORDS_ALREADY


def main() -> None:
    """Print the table of each file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--limit", type=int, help="so many questions of each file, in fair shares")
    parser.add_argument("--words-only", action="store_true", help="without an embedding model")
    parser.add_argument("--keep", type=Path, help="a folder for vectors between runs")
    parser.add_argument("--json", action="store_true", help="one JSON object per file")
    given = parser.parse_args()
    for file in given.files:
        with kept_model(given.keep, given.words_only) as model:
            rows = run(file, given.limit, model)
        if given.json:
            print(json.dumps({"file": file.name, "limit": given.limit, **rows}), flush=True)
            continue
        print(f"\n{file.name}\n\n| | recall@10 | injected | precision |\n|---|---|---|---|")
        for name, figures in rows.items():
            print(f"| {name} | {' | '.join(f'{one:.3f}' for one in figures)} |", flush=True)


if __name__ == "__main__":
    main()
