"""Semantic recall: similarity of vectors and shared words (BM25).

    question ─ words ─▶ coverage ─ lexical ─┐
             ─ vector ▶ cosine ─── dense ───┴─ own ─────┐
    the talk before ─ likewise ──────────────── context ┤
    topics named in either, or carried by the best ─────┴─ evidence + lent by neighbours, led to by the best, x people ─▶ strength

Arrays are over the rows of the table and updated row by row, so a turn is a handful of
passes over float32 arrays.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from functools import reduce
from itertools import chain
from typing import ClassVar

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Reason, Value
from rolememory.schema.memory import Memory, glimpsed
from rolememory.schema.passage import Passage
from rolememory.schema.scene import Scene, Segment
from rolememory.schema.value_class import value_class
from rolememory.text import calibrate
from rolememory.text.arrays import Floats, Mask, Rows, np
from rolememory.text.change import asks_how_it_was, changing
from rolememory.text.dates import teller
from rolememory.text.shared_names import is_named_in
from rolememory.text.terms import CollectionStatistics, TermIndex
from rolememory.text.vectors import VectorTable, products
from rolememory.text.words import RARE, TermQuery, called, context_dependence, term_query, tokens
from rolememory.triggers.acts import OF_ANOTHER, asked_acts
from rolememory.triggers.base import ByRows, Parts, register
from rolememory.triggers.conversation import Conversations
from rolememory.triggers.informativeness import Informativeness, questions
from rolememory.triggers.second_hop import HopPath, SecondHop, second_hop
from rolememory.triggers.subjects import (
    ALREADY,
    ALREADY_NEAR,
    TOLD_OF,
    SubjectIndex,
    calls,
    names_of_present,
    others_present,
    speaker_before,
    speakers,
    titles,
    without_addressee,
)
from rolememory.triggers.table import SAID, ArrayColumn, Table, TableEvidence
from rolememory.triggers.topics import BEST, Topics, topics_of
from rolememory.triggers.updates import Speakers, TurnVectors, TurnWords, Updates, later_passages

EARLIER = 8  # messages before the newest that are part of what the talk is about
LONGEST = 600  # characters at the end of each that are read
MOST_WORDS = 128  # of theirs that are looked up
FADING = 0.85  # of their weight with each message back
BACKGROUND = 1.0  # of mean and deviation of what the talk shares with all texts: it means nothing
DAMPING = 0.8  # of all evidence where two kinds speak, so that a threshold keeps its meaning
TOPIC = 1.5  # nats for a candidate that carries a topic that is meant
TOPIC_TOO = 3.0  # ... and this for each root of what else speaks for it
CROWD = 8 * BEST  # equals that say nothing about which of them is meant
SIBLING = 1.6  # nats for one that carries the topic of the best; alone it wakes nothing
MOST_TELLING = 12  # tokens of a passage that ask for what was said later about the same
SAYS_WHO = 0.09  # of what a message asks: the name of who says it, where that stands before it
MOSTLY = 0.5  # of a text: who asks so much tells nothing new
FAINTEST = 0.3715  # nats below which nothing is worth a hit: a strength of 0.02
MOST_NAMING = 60  # newest texts that are read for whom they name
LITTLE = 0.1  # nats of its own below which a text is found by its neighbours alone


def reads(entry: Entry) -> str:
    """The indexed text of an entry: subject, content, the question it answers, topics.

    >>> reads(Memory(id="a", content="Loves tea.", subject="Lin", topics=("drinks",)))
    'Lin: Loves tea. (drinks)'
    """
    entry = glimpsed(entry)
    if not isinstance(entry, Memory) or not (entry.subject or entry.evidence or entry.topics):
        return entry.content
    about = f"{entry.subject}: " if entry.subject and entry.subject not in entry.content else ""
    asked = next((f" ({one.answers})" for one in entry.evidence if one.answers), "")
    return f"{about}{entry.content}{asked}" + (
        f" ({', '.join(entry.topics)})" if entry.topics else ""
    )


def _leads(entry: Entry) -> str:
    """The text of an entry that may lead to others: of a passage without its speaker, who would link all their passages."""
    return entry.content if isinstance(entry, Passage) else reads(entry)


def context_of(
    question: TermQuery, earlier: Sequence[Segment], terms: CollectionStatistics
) -> TermQuery:
    """The query of the messages before a question: their most informative words, decaying with each message back.

    Cost: O(words of the messages), at most `LONGEST` characters of each.
    """
    weights: dict[str, float] = {}
    for back, segment in reversed(list(enumerate(earlier[:EARLIER]))):  # what was said last counts
        said, faded = term_query(segment.text[-LONGEST:]).weights, FADING**back
        weights |= {token: faded * weight for token, weight in said.items()}
    for token in weights.keys() & question.weights.keys():
        del weights[token]
    best = terms.most_telling(weights, MOST_WORDS)
    return TermQuery({token: weights[token] for token in best}, {token: token for token in best})


def before(scene: Scene) -> list[Segment]:
    """The messages before the newest user message, newest first."""
    messages = [segment for segment in scene.segments if segment.source == "message"]
    at = next((at for at, segment in enumerate(messages) if segment.role == "user"), None)
    return messages[at + 1 :] if at is not None else []


class RowMapping:
    """Maps rows of a table to rows of an index, updated with the index."""

    def __init__(self, index: TermIndex | VectorTable, table: Table) -> None:
        self.version = index.moves.version
        self._index, self._table = index, table
        self._rows = ArrayColumn("i8", -1)
        self._alike: bool | None = None  # whether all lie there as here; None = look

    def add(self, rows: Sequence[int]) -> None:
        """Map these rows of the table."""
        self._rows.grow(self._table.n_rows)
        self._put(rows, self._index.rows(self._table.ids(rows)))

    def remove(self, rows: Sequence[int]) -> None:
        """Unmap these rows."""
        self._alike = None
        self._rows[rows] = -1

    def follow(self) -> None:
        """Update what moved in the index since the last call. Cost: O(moved)."""
        moves, before = self._index.moves, self.version
        self.version = moves.version
        if self.version == before:
            return
        moved = moves.since(before)
        of = self._table.row_of
        ids = of if moved is None else {one for one in moved if one in of}
        self._put([of[one] for one in ids], self._index.rows(ids))

    def _put(self, rows: Sequence[int], found: Rows) -> None:
        self._rows[rows] = found
        if not (self._alike and np.array_equal(found, rows)):
            self._alike = None

    @property
    def rows(self) -> Rows:
        """The row in the index for each row of the table, -1 if absent; (n_rows,)."""
        return self._rows.values

    @property
    def alike(self) -> bool:
        """Whether both have the same rows."""
        if self._alike is None:
            self._alike = np.array_equal(self.rows, np.arange(len(self.rows)))
        return self._alike

    def pick(self, values: Floats) -> Floats:
        """Values per index row as values per table row, 0 if absent."""
        if self.alike:
            return values[: len(self.rows)]
        picked: Floats = np.append(values, np.zeros(1, values.dtype)).take(self.rows, mode="wrap")
        return picked

    def once(self, mask: Mask) -> Mask:
        """Of the rows in the mask one for each index row that any of them has."""
        if self.alike:
            return mask
        rows = np.flatnonzero(mask & (self.rows >= 0))
        first = np.zeros(int(self.rows.max(initial=-1)) + 1, dtype=np.int64)
        once = np.zeros_like(mask)
        first[self.rows[rows[::-1]]] = rows[::-1]  # of several the last that is put stays
        once[first[self.rows[rows]]] = True
        return once

    def copies(self, mask: Mask) -> Floats:
        """How many rows of the mask have the index row of each, at least 1; (n_rows,)."""
        often = np.bincount(self.rows[mask & (self.rows >= 0)], minlength=int(self.rows.max()) + 1)
        found: Floats = np.maximum(often[self.rows], 1).astype(np.float32)
        return found

    def spread(self, mask: Mask, size: int) -> Mask:
        """A mask of table rows as a mask of `size` index rows."""
        found = np.zeros(size + 1, dtype=np.bool_)  # at the end: not in the index
        if self.alike:
            found[: len(mask)] = mask
        else:
            found[self.rows[mask]] = True
        return found[:-1]


@value_class
class Nearness:
    """Cosines of the question with each entry, and what cosines of unrelated texts look like."""

    cosines: Floats  # (n_rows,)
    there: Mask
    mean: float
    deviation: float

    def evidence(self, talk: float = 0.0, noise: float = calibrate.NOISE) -> Floats:
        """Evidence in nats, 0 where an entry has no vector; `talk` and `noise` as in `calibrate.dense`."""
        found = calibrate.dense(self.cosines, self.mean, self.deviation, talk, noise)
        return found if self.there.all() else found * self.there

    def or_else(self, other: Floats) -> Floats:
        """The cosines; another value where an entry has no vector."""
        found: Floats = np.where(self.there, self.cosines, other)
        return found


def _nearness_of(
    cosines: Floats, there: Mask, among: Mask, everyday: Floats | None
) -> Nearness | None:
    """How near those are that have a vector, seen against the noise of those in the mask; None where none of these has one."""
    chosen = there & among
    heard = cosines if chosen.all() else cosines.compress(chosen)
    return Nearness(cosines, there, *calibrate.noise_of(heard, everyday)) if len(heard) else None


def strongest(evidence: Floats, most: int, least: float) -> Rows:
    """The rows with the most evidence, best first: at most so many, none below `least`, none that have none; of equals the lower rows."""
    rows = (evidence >= least if least > 0.0 else evidence > 0.0).nonzero()[0]
    if len(rows) > most:
        found = evidence[rows]
        rows = rows[found >= np.partition(found, -most)[-most]]
    best: Rows = rows[(-evidence[rows]).argsort(kind="stable")[:most]]
    return best


def shared(evidence: Floats, owners: Rows, asker: int, most: int, least: float) -> Rows:
    """As `strongest`; where more than half of them are one user's who does not ask, half as many of everybody else's besides."""
    best = strongest(evidence, most, least)
    if len(best) < most:
        return best
    counts = np.bincount(owners[best])
    counts[[0, asker] if asker < len(counts) else [0]] = 0
    loudest = int(counts.argmax())
    if 2 * counts[loudest] <= most:
        return best
    others = strongest(evidence * (owners != loudest), most // 2, least)
    rows = np.union1d(best, others)
    return rows[(-evidence[rows]).argsort(kind="stable")]


@register("semantic")
class SemanticTrigger(ByRows):
    """Wakes memories that are near in meaning or share words. Cost: O(n) numpy passes, 10,000 entries in about 1 ms."""

    name: ClassVar[str] = "semantic"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        super().__init__(entries, parts)
        self._settings = parts.settings.semantic
        self._similarity = self._settings.measure == "similarity"
        self._strength = np.asarray if self._similarity else calibrate.strength
        self._candidates = parts.candidates
        self._terms: TermIndex | None = parts.terms if self._settings.words else None
        self._vectors: VectorTable | None = None
        self._words = RowMapping(self._terms, self.table) if self._terms is not None else None
        self._places: RowMapping | None = None
        self._open = ArrayColumn("?")  # whether this strategy may wake it
        self._substance = Informativeness(self.table, teller(parts.settings.dates), parts.derive)
        self._conversations, self._people = Conversations(self.table), SubjectIndex()
        self._speakers = Speakers()
        self._topics = Topics()
        self._asked: _Heard | None = None
        self._listen()
        self.look_in(parts.vectors)

    def look_in(self, vectors: VectorTable | None) -> None:
        """Look for what is near in these vectors from now on, if the settings want that."""
        self._vectors = vectors if self._settings.vectors else None
        self._places = RowMapping(self._vectors, self.table) if self._vectors is not None else None
        if self._places is not None:
            self._places.add(self.table.rows)

    def add(self, rows: Sequence[int]) -> None:
        """Find out where these lie in the indexes, beside whom, and whom they are about."""
        self._note_open(self._open, rows)
        for alignment in filter(None, (self._words, self._places)):
            alignment.add(rows)
        self._substance.add(rows)
        special = self.table.special(rows)
        entries = self.table.entries(special)
        for follower in (self._people, self._speakers):
            follower.add(special, entries, self.table.n_rows)
        for row, entry in zip(special, entries, strict=True):
            self._topics.add(row, entry)
            if self._open[row]:
                self._conversations.add(row, entry)

    def remove(self, rows: Sequence[int]) -> None:
        """Close the gaps they leave in their conversations."""
        for alignment in filter(None, (self._words, self._places)):
            alignment.remove(rows)
        for follower in (self._people, self._speakers):
            follower.remove(rows)
        for row in self.table.special(rows):
            self._topics.remove(row, self.table.entry(row))
            if self._open[row]:
                self._conversations.remove(row, self.table.entry(row))

    def embedded(self, text: str, among: Mask) -> str:
        """What of a message its vector is made of: all but names where it asks; all in talk, and for plain similarity."""
        whole = self._similarity or context_dependence(text) == 1.0
        return text if whole else self._people.without_names(text, among)

    def find(self, scene: Scene, among: Mask) -> TableEvidence:
        """The strongest `candidates`, best first; strength as in `text.calibrate`, by the measure of the settings."""
        if not self.table.row_of or not scene.query:
            return TableEvidence.of(())
        asked = self._asking(scene, among & self._open.values)
        question, terms, mask, nearness = asked.question, asked.terms, asked.mask, asked.nearness
        coverage = self._of_others_present(asked, self._coverage(question, terms))
        coverage = self._of_called(asked, coverage)
        own = self._own(asked, coverage)
        told = self._told(asked, coverage, own)
        asker, most = self.table.owner_of(scene.user), scene.wanted or self._candidates
        least = 0.0 if self._similarity else FAINTEST
        best = shared(told.evidence * mask, self.table.owner.values, asker, most, least)
        strengths = self._strength(told.evidence[best]).astype(np.float64).round(6)
        cosines = 0.0 * coverage if nearness is None else nearness.cosines
        entries = self.table.entries(best.tolist())
        hits = {row: self.table.entry(row) for row in (told.led.asked if told.led else ())}
        path = HopPath(told.led, best, hits) if told.led else None
        later, entry = told.later, self.table.entry
        grown = later.reasons(best.tolist(), entry) if later else {}
        because = _Meaning(
            cosines[best],
            coverage[best],
            own[best],
            entries,
            question,
            terms,
            told.topics,
            asked_acts(scene.query).words,
            np.zeros(len(best), np.bool_) if asked.done is None else asked.done[best] > 0.0,
            path,
            grown,
        )
        if later is None:
            return TableEvidence(best, strengths, because)
        return TableEvidence(best, strengths, because, later.earlier(entry), later.gained)

    def _asking(self, scene: Scene, mask: Mask) -> "_Asked":
        """What a turn asks of the candidates in the mask."""
        (terms, once), earlier = self._heard(mask), before(scene)
        goes_on = context_dependence(scene.query) if self._settings.context and earlier else 0.0
        talk = scene.talk if goes_on and not self._similarity else None
        near = self._nearness((scene.vector, talk), scene, once)
        question = term_query(without_addressee(scene))
        if terms is not None:
            question = terms.hardly(question, _called(scene), SAYS_WHO)
        done = self._done(scene, question, terms)
        return _Asked(scene, question, earlier, goes_on, terms, mask, done, *near)

    def _told(self, asked: "_Asked", coverage: Floats, own: Floats) -> "_SemanticEvidence":
        """What speaks for each row by the measure of the settings."""
        if self._similarity:
            alike = asked.nearness.or_else(coverage) if asked.nearness else coverage
            return _SemanticEvidence(calibrate.similarity(alike))
        evidence, meant, led = self._evidence(asked, own)
        later = self._later(asked, evidence)
        evidence = evidence if later is None else later.evidence
        return _SemanticEvidence(evidence, meant, led, later)

    def _heard(self, mask: Mask) -> tuple[CollectionStatistics | None, Mask]:
        """The words of the candidates in the mask: what others said makes none of them rarer or more common.

        The same object while neither they nor the index change, so that what it looked up is at hand. And the candidates, of those
        with the same text one: what somebody repeats is no more usual for it.
        """
        if self._terms is None or self._words is None:
            return None, mask
        self._words.follow()
        known, version = self._asked, self._words.version
        if known is not None and known.is_of(version, mask):
            return known.words, known.once
        heard = self._words.spread(mask, self._terms.n_rows)
        found = self._terms.among(heard, None if known is None else known.words)
        once = self._words.once(mask)
        self._asked = _Heard(found, version, mask.copy(), once)
        return found, once

    def _coverage(self, question: TermQuery, terms: CollectionStatistics | None) -> Floats:
        if terms is None or self._words is None:
            return np.zeros(self.table.n_rows, dtype=np.float32)
        return self._words.pick(terms.scores(question))

    def _of_others_present(self, asked: "_Asked", coverage: Floats) -> Floats:
        """The coverage; where the message names others who are present, their name finds what tells of them, not what they say.

        It is as rare as in the texts of others; what they say themselves is found by the other words. Cost: O(n_rows) for a name.
        """
        question, terms = asked.question, asked.terms
        meant = {
            name: question.weights.keys() & set(tokens(name))
            for name in others_present(asked.scene)
        }
        if terms is None or self._words is None or not any(meant.values()):
            return coverage
        held = dict[str, int]()
        for name, words in meant.items():
            other = self._words.once(asked.mask & ~self._people.about(name))
            held |= {one: int(np.count_nonzero(other & self._holding(one, terms))) for one in words}
        told = self._coverage(terms.as_held(question, held), terms)
        for name in filter(meant.get, meant):
            rest = question.without(meant[name])
            share = np.float32(terms.asked(rest) / terms.asked(question))
            told = np.where(self._people.about(name), share * self._coverage(rest, terms), told)
        return told

    def _of_called(self, asked: "_Asked", coverage: Floats) -> Floats:
        """The coverage; a character by which the message calls somebody tells as much as a word in texts that name them.

        Cost: O(texts with the character), of which `MOST_NAMING` are read.
        """
        question, terms = asked.question, asked.terms
        meant = called(asked.scene.query) & question.weights.keys()
        if terms is None or not (meant := meant - names_of_present(asked.scene)):
            return coverage
        told = coverage.copy()
        for one in meant:
            rows = (self._holding(one, terms) & asked.mask).nonzero()[0][-MOST_NAMING:].tolist()
            naming = [row for row in rows if is_named_in(one, self.table.entry(row).content)]
            more = (RARE[0] - question.weights[one]) * terms.information(one)
            told[naming] += np.float32(more / terms.asked(question))
        return told

    def _holding(self, token: str, terms: CollectionStatistics) -> Mask:
        """The rows with a token, (n_rows,)."""
        held = np.zeros(terms.n_rows, dtype=np.float32)
        held[terms.holding(token)] = 1.0
        return (self._words.pick(held) if self._words else held) > 0.0

    def _nearness(
        self, asked: Sequence[Floats | None], scene: Scene, mask: Mask
    ) -> "Iterator[Nearness | None]":
        """How near the candidates are to each of these; None where nobody knows."""
        vectors, places, known = (
            self._vectors,
            self._places,
            [one for one in asked if one is not None],
        )
        if vectors is None or places is None or not known:
            return iter([None] * len(asked))
        found = iter(self._similarities(vectors, places, known))
        background = vectors.background.get(scene.language)
        there = places.rows >= 0
        return (
            None
            if one is None
            else _nearness_of(
                places.pick(next(found)),
                there,
                mask,
                products(background, one) if background is not None else None,
            )
            for one in asked
        )

    def _similarities(
        self, vectors: VectorTable, places: RowMapping, queries: Sequence[Floats]
    ) -> Floats:
        """Similarities that fit the alignment: asked again where vectors came in between, as they do while a role is embedded."""
        while True:
            places.follow()
            similarities = vectors.all_similarities(queries)
            if vectors.moves.version == places.version:
                return similarities

    def _evidence(
        self, asked: "_Asked", own: Floats
    ) -> tuple[Floats, Mapping[str, float], SecondHop | None]:
        """Both legs, the talk before, topics, what neighbours lend, where the best lead, whom it is about, what tells, (n_rows,).

        Besides, the topics that are meant, and which of the best led where. Ineligible entries neither have nor lend any.
        """
        says, asks, scene = self.table.says.values, self.table.asks.values, asked.scene
        evidence, meant = self._of_topics(asked, self._in_context(asked, own) * asked.mask)
        led = self._led(asked, evidence)
        gained = [] if led is None else [led.evidence]
        if self._conversations:
            alone, share = self._of_one_place(asked, evidence), self._settings.neighbours
            gained.append(self._conversations.lent(alone, share, asks))
        if gained:
            evidence = evidence + reduce(np.add, gained) * says  # nobody is helped by "Hm."
        if (factors := self._people.factors(scene)) is not None:
            evidence = evidence * factors
        evidence = self._of_speaker(asked, evidence)
        told = self._substance.answering(evidence, scene.query, self.table.entry)
        return told, meant, led

    def _of_one_place(self, asked: "_Asked", evidence: Floats) -> Floats:
        """The evidence, in nats, that this line of all with the same text is meant: of n less by log n."""
        if self._words is None or self._words.alike:
            return evidence
        return np.maximum(evidence - np.log(self._words.copies(asked.mask)), np.float32(0.0))

    def _of_speaker(self, asked: "_Asked", evidence: Floats) -> Floats:
        """The evidence, (n_rows,), with what memories gain that name who speaks of themselves.

        Only what speaks for them beyond `ALREADY` counts more: their name alone wakes none. What was said is theirs or not by its
        subject: who is called there is whom it was said to. Cost: O(n_rows) for a name.
        """
        terms, names = asked.terms, speakers(asked.scene)
        if not names or terms is None or self._words is None:
            return evidence
        naming = [
            reduce(np.intersect1d, map(terms.holding, words))
            for words in chain.from_iterable(map(calls, names))
        ]
        if not any(map(len, naming)):
            return evidence
        calling = np.zeros(terms.n_rows, dtype=np.float32)
        calling[np.concatenate(naming)] = 1.0
        told = asked.mask & (self.table.kind.values != SAID)
        named = self._words.pick(calling) * told
        others = 1.0 - int(np.count_nonzero(named)) / max(int(np.count_nonzero(told)), 1)
        already = np.float32(ALREADY if asked.nearness is None else ALREADY_NEAR)
        gained: Floats = np.float32(TOLD_OF * others) * named * np.maximum(evidence - already, 0.0)
        return evidence + gained

    def _own(self, asked: "_Asked", coverage: Floats) -> Floats:
        """What the words of the message itself speak for, (n_rows,), and what it asks for by other words."""
        evidence, near = calibrate.lexical(coverage), asked.nearness
        if asked.done is not None:
            evidence = evidence + asked.done
        return evidence if near is None else evidence + near.evidence(asked.goes_on)

    def _done(
        self, scene: Scene, question: TermQuery, terms: CollectionStatistics | None
    ) -> Floats | None:
        """Evidence for lines that do what a message asks for, (n_rows,): less for those of one who does not do it; None where it asks for nothing like it."""
        acts = asked_acts(scene.query)
        if not acts.words or terms is None or self._words is None:
            return None
        done = self._words.pick(acts.told(question, terms)).copy()
        other = {"user": scene.names.get("char"), "char": scene.user}.get(acts.agent)
        if other:
            done[self._people.about(other)] *= np.float32(OF_ANOTHER)
        return done

    def _of_topics(self, asked: "_Asked", evidence: Floats) -> tuple[Floats, Mapping[str, float]]:
        """The evidence with that of topics: named ones make more of what speaks for a candidate, those of the best wake others."""
        if not self._topics:
            return evidence, {}
        earlier, mask = [one.text[-LONGEST:] for one in asked.earlier[:EARLIER]], asked.mask
        told = self._topics.talked_of(self._leading(asked, earlier), mask)
        if meant := self._topics.meant(asked.scene.query, earlier, mask, told):
            carried = self._topics.together(meant, self.table.n_rows) * mask
            gained = np.float32(TOPIC) + np.float32(TOPIC_TOO) * np.sqrt(evidence)
            evidence = evidence + carried * gained
        if shared := self._topics.shared_by(self._best(evidence), mask):
            siblings = self._topics.together(shared, self.table.n_rows) * mask
            evidence = evidence + np.float32(SIBLING) * siblings
        return evidence, {**shared, **meant}

    def _leading(
        self, asked: "_Asked", earlier: Sequence[str]
    ) -> Iterator[list[tuple[Entry, float]]]:
        """What each message before leads to by its words; nothing where it is a crowd of equals."""
        for text in earlier:
            coverage = self._coverage(term_query(text), asked.terms) * asked.mask
            best = self._best(calibrate.lexical(coverage))
            yield best if len(best) <= CROWD else []

    def _best(self, evidence: Floats) -> list[tuple[Entry, float]]:
        """The few candidates that most speaks for, with their strengths; of equals all."""
        least = max(
            float(np.partition(evidence, -BEST)[-BEST]) if len(evidence) > BEST else 0.0, 1e-6
        )
        rows = (evidence >= least).nonzero()[0]
        strengths = calibrate.strength(evidence[rows])
        return list(zip(self.table.entries(rows.tolist()), strengths.tolist(), strict=True))

    def _led(self, asked: "_Asked", evidence: Floats) -> SecondHop | None:
        """Where the best first hits lead; what depends on the talk before is no question that they could answer in part."""
        alone = 1.0 - context_dependence(questions(asked.scene.query))
        share, entry = self._settings.bridge * alone, self.table.entry
        if not share or asked.terms is None or self._words is None:
            return None
        return second_hop(
            asked.question,
            evidence,
            asked.terms,
            self._words.rows,
            lambda row: _leads(entry(row)),
            share,
            names_of_present(asked.scene),
        )

    def _later(self, asked: "_Asked", evidence: Floats) -> Updates | None:
        """What the speakers of the best passages said later about the same."""
        off = not self._settings.later or not self._speakers
        if off or asks_how_it_was(asked.scene.query):
            return None
        return later_passages(
            evidence,
            asked.mask & (self.table.says.values > 0.0) & (self.table.asks.values <= MOSTLY),
            self._speakers.rows.values,
            self.table.since.values,
            lambda row: self.table.entry(row).content,
            self._shared(asked),
            self._near(asked),
            self._settings.later,
        )

    def _shared(self, asked: "_Asked") -> TurnWords | None:
        words, terms = self._words, asked.terms
        if terms is None or words is None:
            return None
        about = np.zeros(terms.n_rows, dtype=np.float32)
        for token in frozenset[str]().union(*map(changing, asked.question.weights)):
            tells = np.float32(terms.information(token) / terms.rare_word)
            rows = terms.holding(token)
            about[rows] = np.maximum(about[rows], tells)

        def scores(text: str) -> Floats:
            return words.pick(terms.scores(terms.telling(term_query(text), MOST_TELLING)))

        return TurnWords(scores, words.pick(about))

    def _near(self, asked: "_Asked") -> TurnVectors | None:
        vectors, places, nearness = self._vectors, self._places, asked.nearness
        vector = asked.scene.vector
        if nearness is None or vectors is None or places is None or vector is None:
            return None
        everyday = vectors.background.get(asked.scene.language)
        return TurnVectors(
            vector,
            nearness.cosines,
            nearness.there,
            everyday,
            lambda rows: vectors.at(places.rows[rows]),
        )

    def _in_context(self, asked: "_Asked", own: Floats) -> Floats:
        """The evidence of the message together with that of the talk before it: what both speak for counts most."""
        if not asked.goes_on:
            return own
        context, share = self._of_talk(asked), self._settings.context * asked.goes_on
        both = own + np.float32(share) * (2.0 * np.sqrt(own * context) + context)
        found: Floats = both * np.float32(1.0 - (1.0 - DAMPING) * asked.goes_on)
        return found

    def _of_talk(self, asked: "_Asked") -> Floats:
        """The evidence of the messages before the newest one."""
        context, terms = np.zeros(self.table.n_rows, dtype=np.float32), asked.terms
        if terms is not None:
            told = self._coverage(context_of(asked.question, asked.earlier, terms), terms)
            context = context + calibrate.lexical(calibrate.above(told, asked.mask, BACKGROUND))
        if asked.talk is not None:
            context = context + asked.talk.evidence(noise=calibrate.NOISE_BEFORE)
        return context


def _called(scene: Scene) -> Collection[str]:
    """The words of a message that say who speaks or is spoken to; who asks may mean what was said by them, or of them."""
    if context_dependence(scene.query) == 1.0:
        return names_of_present(scene)
    return {token for name in (speaker_before(scene), *titles(scene)) for token in tokens(name)}


@value_class
class _Asked:
    """What one turn asks, and whom."""

    scene: Scene
    question: TermQuery
    earlier: Sequence[Segment]  # the messages before, newest first
    goes_on: float  # how much the newest message goes on with them, 0..1
    terms: CollectionStatistics | None
    mask: Mask
    done: Floats | None  # evidence for lines that do what it names: `acts`
    nearness: Nearness | None  # to the message
    talk: Nearness | None  # to what was said before, where that counts


@value_class
class _Heard:
    """The words of the candidates that were asked last, and what is known of these while neither they nor the index change."""

    words: CollectionStatistics
    version: int  # of the index
    mask: Mask
    once: Mask  # of those with the same text one

    def is_of(self, version: int, mask: Mask) -> bool:
        """Whether these are asked again, and so little was looked up that it may stay."""
        same = self.version == version and len(self.mask) == len(mask)
        return same and not np.count_nonzero(self.mask != mask) and not self.words.full


@value_class
class _SemanticEvidence:
    """What speaks for the rows of a table, and how that came about."""

    evidence: Floats  # (n_rows,): in nats; by plain similarity a strength already
    topics: Mapping[str, float] = field(default_factory=dict)  # that are meant
    led: SecondHop | None = None  # which of the best led where
    later: Updates | None = None  # what was told later than others


@value_class
class _Meaning:
    """Why each was woken: how near, which share of the words, and which words."""

    cosines: Floats
    coverage: Floats
    own: Floats  # evidence without what neighbours lend
    entries: Sequence[Entry]
    question: TermQuery
    terms: CollectionStatistics | None
    topics: Mapping[str, float]  # that are meant
    acts: Mapping[str, str]  # what is asked for that somebody does: the words for it ...
    does: Mask  # ... and who does any of it
    path: HopPath | None  # by which other ones led to some
    grown: Mapping[int, Sequence[tuple[str, Value]]]  # by place: what it came along with

    def __call__(self, place: int) -> Reason:
        shared = (
            self.terms.shared(self.question, reads(self.entries[place]))
            if self.terms is not None
            else ""
        )
        topics = (topic for topic in topics_of(self.entries[place]) if topic in self.topics)
        done = self.acts.values() if self.does[place] else ()
        about = ", ".join((*topics, *done))
        values: tuple[tuple[str, Value], ...] = (
            ("cosine", round(float(self.cosines[place]), 3)),
            ("words", round(float(self.coverage[place]), 3)),
            ("terms", shared),
        )
        if about:
            values = (*values, ("topics", about))
        if self.own[place] < LITTLE:
            values = (*values, ("own", round(float(self.own[place]), 2)))
        if self.path is not None and self.terms is not None:
            values = (*values, *self.path.values(place, reads(self.entries[place]), self.terms))
        values = (*values, *self.grown.get(place, ()))
        return Reason("meaning", values)
