"""Nearness in meaning and in words.

    question ─ words ─▶ coverage ─ lexical ─┐
             ─ vector ▶ cosine ─── dense ───┴─ evidence + lent by neighbours, x people ─▶ strength

Arrays run over the entries in the order they were told; everything about them is prepared when the strategy is built
or when an index moved, so a turn is a handful of passes over float32 arrays.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Hit, Reason
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Scene, Segment
from rolememory.text import calibrate
from rolememory.text.terms import TermIndex
from rolememory.text.vectors import VectorIndex, products
from rolememory.text.words import Question, ask
from rolememory.triggers.base import Parts, may_wake, register
from rolememory.triggers.conversation import Conversations, told
from rolememory.triggers.people import People

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Rows = NDArray[np.int64]
    Mask = NDArray[np.bool_]

EARLIER = 3  # messages before the newest that may say what it means
FADING = 0.6  # of their weight with each message back
SPEAKS_FOR_ITSELF = 2.0  # words of its own with which a message needs no context
FAINTEST = 0.02  # strengths below are not worth a hit
MOST_EXPLAINED = 32  # hits whose shared words are named
_KEPT_MASKS = 4


def reads(entry: Entry) -> str:
    """What of an entry the indexes hold: whom it is about, its content, the question it answers, its topics.

    >>> reads(Memory(id="a", content="Loves tea.", subject="Lin", topics=("drinks",)))
    'Lin: Loves tea. (drinks)'
    """
    if not isinstance(entry, Memory):
        return entry.content
    about = f"{entry.subject}: " if entry.subject and entry.subject not in entry.content else ""
    asked = next((f" ({one.answers})" for one in entry.evidence if one.answers), "")
    return f"{about}{entry.content}{asked}" + (f" ({', '.join(entry.topics)})" if entry.topics else "")


def in_context(question: Question, earlier: Sequence[Segment], context: float) -> Question:
    """The question with words of the messages before it, the less the more it says itself.

    "And what did she say?" alone finds nothing; after "I saw Nora at the harbour" it does.
    """
    missing = max(1.0 - question.mass / SPEAKS_FOR_ITSELF, 0.0)
    weights, surfaces = dict(question.weights), dict(question.surfaces)
    for back, segment in enumerate(earlier[:EARLIER]):
        share = context * missing * FADING**back
        for token, weight in ask(segment.text).weights.items() if share > 0.0 else ():
            weights.setdefault(token, share * weight)
            surfaces.setdefault(token, ask(segment.text).surfaces[token])
    return Question(weights, surfaces)


def before(scene: Scene) -> list[Segment]:
    """The messages before the newest user message, newest first."""
    messages = [segment for segment in scene.segments if segment.source == "message"]
    at = next((at for at, segment in enumerate(messages) if segment.role == "user"), None)
    return messages[at + 1 :] if at is not None else []


@dataclass(frozen=True, slots=True)
class Alignment:
    """Where the entries lie in an index: rows of shape (n_entries,), `there` false where an entry is not in it."""

    version: int
    rows: "Rows"
    there: "Mask"
    everywhere: bool

    def pick(self, values: "Floats") -> "Floats":
        """Values per row as values per entry, 0 where there is none."""
        import numpy as np

        if not len(values):
            return np.zeros(len(self.rows), dtype=np.float32)
        picked: Floats = values[self.rows]
        return picked if self.everywhere else np.where(self.there, picked, np.float32(0.0))


def align(index: TermIndex | VectorIndex, ids: Sequence[str]) -> Alignment:
    """The rows of these ids in that index as it stands."""
    import numpy as np

    version, rows = index.version, index.rows(ids)
    there = rows >= 0
    return Alignment(version, np.maximum(rows, 0), there, bool(there.all()))


@dataclass(frozen=True, slots=True)
class Nearness:
    """Cosines of the question with each entry, and what cosines of unrelated texts look like."""

    cosines: "Floats"  # (n_entries,)
    there: "Mask"
    mean: float
    deviation: float

    def evidence(self) -> "Floats":
        """Evidence in nats, 0 where an entry has no vector."""
        return calibrate.dense(self.cosines, self.mean, self.deviation) * self.there


def strongest(strengths: "NDArray[np.float64]", most: int) -> "Rows":
    """Places of the strongest entries, at most so many, none below `FAINTEST`; in any order."""
    import numpy as np

    found = np.flatnonzero(strengths >= FAINTEST)
    return found if len(found) <= most else found[np.argpartition(strengths[found], -most)[-most:]]


@register("semantic")
class SemanticTrigger:
    """Wakes memories that are near in meaning or share words. Cost: O(n) numpy passes, 10,000 entries in 1 to 2 ms."""

    name: ClassVar[str] = "semantic"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        in_order = told([entry for entry in entries if may_wake(entry, self.name)])
        self._ids = [entry.id for entry in in_order]
        self._settings = parts.settings.semantic
        self._candidates = parts.candidates
        self._terms: TermIndex | None = parts.terms if self._settings.words else None
        self._vectors: VectorIndex | None = parts.vectors if self._settings.vectors else None
        self._conversations = Conversations(in_order)
        self._people = People(in_order)
        self._aligned: dict[str, Alignment] = {}
        self._masks: list[tuple[frozenset[str], Mask]] = []

    def fire(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield the strongest `candidates` entries; strength as in `text.calibrate`."""
        import numpy as np

        if not self._ids or not scene.query:
            return
        mask = self._mask(among)
        question = in_context(ask(scene.query), before(scene), self._settings.context)
        coverage, nearness = self._coverage(question), self._nearness(scene)
        strengths = calibrate.strength(self._evidence(scene, coverage, nearness, mask)).astype(np.float64).round(6) * mask
        best = strongest(strengths, scene.wanted or self._candidates)
        best = best[np.argsort(-strengths[best], kind="stable")]
        cosines = np.zeros(len(best)) if nearness is None else nearness.cosines[best]
        columns = (best.tolist(), strengths[best].tolist(), coverage[best].tolist(), cosines.tolist(), self._shared(question, best))
        for at, strength, covered, cosine, words in zip(*columns, strict=True):
            because = Reason("meaning", (("cosine", round(cosine, 3)), ("words", round(covered, 3)), ("terms", words)))
            yield Hit(self._ids[at], self.name, strength, because)

    def _coverage(self, question: Question) -> "Floats":
        import numpy as np

        if self._terms is None:
            return np.zeros(len(self._ids), dtype=np.float32)
        return self._alignment("words", self._terms).pick(self._terms.scores(question))

    def _nearness(self, scene: Scene) -> "Nearness | None":
        if self._vectors is None or scene.vector is None:
            return None
        similarities, alignment = self._similarities(self._vectors, scene.vector)
        if not len(similarities):
            return None
        background = self._vectors.background.get(scene.language)
        everyday = products(background, scene.vector) if background is not None else None
        return Nearness(alignment.pick(similarities), alignment.there, *calibrate.noise_of(similarities, everyday))

    def _similarities(self, vectors: VectorIndex, query: "Floats") -> "tuple[Floats, Alignment]":
        """Similarities and the rows they belong to: asked again where vectors came in between, as they do while a role is embedded."""
        while True:
            alignment = self._alignment("vectors", vectors)
            similarities = vectors.similarities(query)
            if vectors.version == alignment.version:
                return similarities, alignment

    def _alignment(self, name: str, index: TermIndex | VectorIndex) -> Alignment:
        known = self._aligned.get(name)
        if known is None or known.version != index.version:
            known = self._aligned[name] = align(index, self._ids)
        return known

    def _evidence(self, scene: Scene, coverage: "Floats", nearness: "Nearness | None", mask: "Mask") -> "Floats":
        """Both legs, what neighbours lend, whom it is about; (n_entries,). Ineligible entries neither have nor lend any."""
        evidence = calibrate.lexical(coverage)
        if nearness is not None:
            evidence = evidence + nearness.evidence()
        evidence = evidence * mask
        evidence = evidence + self._conversations.lent(evidence, self._settings.neighbours)
        factors = self._people.factors(scene)
        return evidence if factors is None else evidence * factors

    def _mask(self, among: Collection[str]) -> "Mask":
        """Which entries are eligible; kept for the last few sets, which stay the same object while nothing changes."""
        import numpy as np

        for known, mask in self._masks:
            if known is among:
                return mask
        mask = np.fromiter((entry_id in among for entry_id in self._ids), dtype=np.bool_, count=len(self._ids))
        if isinstance(among, frozenset):
            self._masks = [(among, mask), *self._masks[: _KEPT_MASKS - 1]]
        return mask

    def _shared(self, question: Question, places: "Rows") -> list[str]:
        """The words of the question that each of these entries holds, for the first ones: more are never shown."""
        if self._terms is None:
            return [""] * len(places)
        alignment = self._alignment("words", self._terms)
        named = self._terms.shared(question, alignment.rows[places[:MOST_EXPLAINED]])
        return named + [""] * (len(places) - len(named))
