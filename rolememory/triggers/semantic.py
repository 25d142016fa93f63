"""Nearness in meaning and in words.

    question ─ words ─▶ coverage ─ lexical ─┐
             ─ vector ▶ cosine ─── dense ───┴─ own ─────┐
    the talk before ─ likewise ──────────────── context ┴─ evidence + lent by neighbours, x people ─▶ strength

Arrays run over the rows of the table; everything about them is kept up to date row by row, so a turn is a handful of
passes over float32 arrays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Reason
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Scene, Segment
from rolememory.text import calibrate
from rolememory.text.noise import noise
from rolememory.text.terms import TermIndex
from rolememory.text.vectors import VectorIndex, products
from rolememory.text.words import Question, ask, leans_on
from rolememory.triggers.base import ByRows, Parts, may_wake, register
from rolememory.triggers.conversation import Conversations
from rolememory.triggers.people import People
from rolememory.triggers.table import Column, Found, Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rolememory.triggers.table import Mask, Rows

    Floats = NDArray[np.float32]

EARLIER = 8  # messages before the newest that are part of what the talk is about
LONGEST = 600  # characters at the end of each that are read
MOST_WORDS = 128  # of theirs that are looked up
FADING = 0.85  # of their weight with each message back
EVERYDAY = 1.0  # of mean and deviation of what the talk shares with all texts: it means nothing
LOUDER = 0.8  # of all evidence where two kinds speak, so that a threshold keeps its meaning
FAINTEST = 0.02  # strengths below are not worth a hit


def reads(entry: Entry) -> str:
    """What of an entry the indexes hold: whom it is about, its content, the question it answers, its topics.

    >>> reads(Memory(id="a", content="Loves tea.", subject="Lin", topics=("drinks",)))
    'Lin: Loves tea. (drinks)'
    """
    if not isinstance(entry, Memory):
        return entry.content
    about = f"{entry.subject}: " if entry.subject and entry.subject not in entry.content else ""
    asked = next((f" ({one.answers})" for one in entry.evidence if one.answers), "")
    return f"{about}{entry.content}{asked}" + (
        f" ({', '.join(entry.topics)})" if entry.topics else ""
    )


def context_of(question: Question, earlier: Sequence[Segment], terms: TermIndex) -> Question:
    """What the messages before a question say besides: their most telling words, fading with each message back.

    Cost: O(words of the messages), at most `LONGEST` characters of each.
    """
    weights: dict[str, float] = {}
    for back, segment in enumerate(earlier[:EARLIER]):
        for token, weight in ask(segment.text[-LONGEST:]).weights.items():
            if token not in question.weights:
                weights[token] = max(weights.get(token, 0.0), FADING**back * weight)
    telling = {token: weight * terms.information(token) for token, weight in weights.items()}
    best = sorted(telling, key=lambda token: (-telling[token], token))[:MOST_WORDS]
    return Question({token: weights[token] for token in best}, {token: token for token in best})


def before(scene: Scene) -> list[Segment]:
    """The messages before the newest user message, newest first."""
    messages = [segment for segment in scene.segments if segment.source == "message"]
    at = next((at for at, segment in enumerate(messages) if segment.role == "user"), None)
    return messages[at + 1 :] if at is not None else []


def _says_something(entry: Entry) -> bool:
    """Whether a text is more than a greeting or assent, or is the answer to a question that is kept with it."""
    answers = isinstance(entry, Memory) and any(one.answers for one in entry.evidence)
    return answers or noise(entry.content) < 1.0


class Alignment:
    """Where the candidates of a table lie in an index, kept up to date by what moved there."""

    def __init__(self, index: TermIndex | VectorIndex, table: Table) -> None:
        self.version = index.version
        self._index, self._table = index, table
        self._rows = Column("i8", -1)

    def add(self, rows: Sequence[int]) -> None:
        """Look up these rows of the table."""
        self._rows.grow(self._table.n_rows)
        self._rows[rows] = self._index.rows(self._table.entry(row).id for row in rows)

    def remove(self, rows: Sequence[int]) -> None:
        """Leave these rows without a place."""
        self._rows[rows] = -1

    def follow(self) -> None:
        """Look up what moved in the index since it was last looked at. Cost: O(moved)."""
        version = self._index.version
        if version == self.version:
            return
        moved, self.version = self._index.moved(self.version), version
        of = self._table.row_of
        ids = of if moved is None else {one for one in moved if one in of}
        self._rows[[of[one] for one in ids]] = self._index.rows(ids)

    @property
    def rows(self) -> "Rows":
        """The row in the index for each row of the table, -1 where it is not there; (n_rows,)."""
        return self._rows.values

    def pick(self, values: "Floats") -> "Floats":
        """Values per row of the index as values per row of the table, 0 where there is none."""
        import numpy as np

        picked: Floats = np.append(values, np.float32(0.0))[self.rows]
        return picked


@dataclass(frozen=True, slots=True)
class Nearness:
    """Cosines of the question with each entry, and what cosines of unrelated texts look like."""

    cosines: "Floats"  # (n_rows,)
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
class SemanticTrigger(ByRows):
    """Wakes memories that are near in meaning or share words. Cost: O(n) numpy passes, 10,000 entries in about 1 ms."""

    name: ClassVar[str] = "semantic"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        super().__init__(entries, parts)
        self._settings = parts.settings.semantic
        self._candidates = parts.candidates
        self._terms: TermIndex | None = parts.terms if self._settings.words else None
        self._vectors: VectorIndex | None = parts.vectors if self._settings.vectors else None
        self._words = Alignment(self._terms, self.table) if self._terms is not None else None
        self._places = Alignment(self._vectors, self.table) if self._vectors is not None else None
        self._open = Column("?")  # whether this strategy may wake it
        self._says = Column("f4")  # 1 where a text says anything of its own
        self._conversations, self._people = Conversations(self.table), People()
        self._listen()

    def add(self, rows: Sequence[int]) -> None:
        """Find out where these lie in the indexes, beside whom, and whom they are about."""
        for column in (self._open, self._says):
            column.grow(self.table.n_rows)
        for alignment in filter(None, (self._words, self._places)):
            alignment.add(rows)
        for row in rows:
            entry = self.table.entry(row)
            self._open[row] = may_wake(entry, self.name)
            self._says[row] = _says_something(entry)
            self._people.add(row, entry)
            if self._open[row]:
                self._conversations.add(row, entry)

    def remove(self, rows: Sequence[int]) -> None:
        """Close the gaps they leave in their conversations."""
        for alignment in filter(None, (self._words, self._places)):
            alignment.remove(rows)
        for row in rows:
            if self._open[row]:
                self._conversations.remove(row, self.table.entry(row))

    def find(self, scene: Scene, among: "Mask") -> Found:
        """The strongest `candidates`, best first; strength as in `text.calibrate`."""
        import numpy as np

        if not len(self.table) or not scene.query:
            return Found.of(())
        mask = among & self._open.values
        question = ask(scene.query)
        coverage, nearness = self._coverage(question), self._nearness(scene, scene.vector)
        strengths = (
            calibrate.strength(self._evidence(scene, coverage, nearness, mask))
            .astype(np.float64)
            .round(6)
            * mask
        )
        best = strongest(strengths, scene.wanted or self._candidates)
        best = best[np.argsort(-strengths[best], kind="stable")]
        cosines = 0.0 * coverage if nearness is None else nearness.cosines
        entries = self.table.entries(best.tolist())
        because = _Meaning(cosines[best], coverage[best], entries, question, self._terms)
        return Found(best, strengths[best], because)

    def _coverage(self, question: Question) -> "Floats":
        import numpy as np

        if self._terms is None or self._words is None:
            return np.zeros(self.table.n_rows, dtype=np.float32)
        self._words.follow()
        return self._words.pick(self._terms.scores(question))

    def _nearness(self, scene: Scene, vector: "Floats | None") -> "Nearness | None":
        if self._vectors is None or self._places is None or vector is None:
            return None
        similarities = self._similarities(self._vectors, self._places, vector)
        if not len(similarities):
            return None
        background = self._vectors.background.get(scene.language)
        everyday = products(background, vector) if background is not None else None
        return Nearness(
            self._places.pick(similarities),
            self._places.rows >= 0,
            *calibrate.noise_of(similarities, everyday),
        )

    def _similarities(self, vectors: VectorIndex, places: Alignment, query: "Floats") -> "Floats":
        """Similarities that fit the alignment: asked again where vectors came in between, as they do while a role is embedded."""
        while True:
            places.follow()
            similarities = vectors.similarities(query)
            if vectors.version == places.version:
                return similarities

    def _evidence(
        self, scene: Scene, coverage: "Floats", nearness: "Nearness | None", mask: "Mask"
    ) -> "Floats":
        """Both legs, the talk before, what neighbours lend, whom it is about; (n_rows,). Ineligible entries neither have nor lend any."""
        evidence = calibrate.lexical(coverage)
        if nearness is not None:
            evidence = evidence + nearness.evidence()
        evidence = self._in_context(evidence, scene, mask) * mask
        lent = self._conversations.lent(evidence, self._settings.neighbours)
        says: Floats = self._says.values  # nobody is helped by "Hm."
        evidence = evidence + lent * says
        factors: Floats | None = self._people.factors(scene)
        return evidence if factors is None else evidence * factors

    def _in_context(self, own: "Floats", scene: Scene, mask: "Mask") -> "Floats":
        """The evidence of the message together with that of the talk before it: what both speak for counts most."""
        import numpy as np

        earlier, leans = before(scene), leans_on(scene.query)
        share = self._settings.context * leans
        if not (share and earlier):
            return own
        context = self._of_talk(scene, earlier, mask)
        both = own + np.float32(share) * (2.0 * np.sqrt(own * context) + context)
        found: Floats = both * np.float32(1.0 - (1.0 - LOUDER) * leans)
        return found

    def _of_talk(self, scene: Scene, earlier: Sequence[Segment], mask: "Mask") -> "Floats":
        """The evidence of the messages before the newest one."""
        import numpy as np

        context = np.zeros(self.table.n_rows, dtype=np.float32)
        if self._terms is not None:
            told = self._coverage(context_of(ask(scene.query), earlier, self._terms))
            context = context + calibrate.lexical(calibrate.above(told, mask, EVERYDAY))
        if (nearness := self._nearness(scene, scene.talk)) is not None:
            context = context + nearness.evidence()
        return context


@dataclass(frozen=True, slots=True)
class _Meaning:
    """Why each was woken: how near, which share of the words, and which words."""

    cosines: "Floats"
    coverage: "Floats"
    entries: Sequence[Entry]
    question: Question
    terms: TermIndex | None

    def __call__(self, place: int) -> Reason:
        shared = (
            self.terms.shared(self.question, reads(self.entries[place]))
            if self.terms is not None
            else ""
        )
        return Reason(
            "meaning",
            (
                ("cosine", round(float(self.cosines[place]), 3)),
                ("words", round(float(self.coverage[place]), 3)),
                ("terms", shared),
            ),
        )
