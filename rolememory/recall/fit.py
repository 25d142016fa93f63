"""Selects scored memories for the prompt, best first, within rules and budget.

A lower one may fill room that a higher one did not fit into; a line is never cut. Memories of the last turn are only
replaced by ones better by `keep_margin`, so that the text stays stable and the upstream's prompt cache works.
"""

import math
from bisect import bisect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property, partial
from itertools import filterfalse
from operator import itemgetter

from rolememory.inject.render import GrowingBlock
from rolememory.recall.allowance import Allowance, FoundOutLater, Why
from rolememory.recall.excerpts import Excerpts
from rolememory.recall.query import RecallQuery
from rolememory.recall.visible import ComparedTexts, comparable, is_long
from rolememory.recall.weigh import Ranking, rank_key
from rolememory.schema.evidence import Reason, Scored
from rolememory.schema.memory import Memory, MemoryType
from rolememory.schema.passage import Passage
from rolememory.schema.settings import PerType, RecallSettings
from rolememory.text.arrays import np
from rolememory.text.words import tokens
from rolememory.triggers.table import CHAPTER, FREE, SAID, TYPED

OF_CHATS = 2.0  # times `recall.enough` for who asks: much of what rests on a chat tells little each
BESIDE = 0.37  # of the evidence for the best one that a memory needs to come with it uninvited ...
SURE = 0.9  # ... which counts up to this relevance
MOST_ALONG = 2  # passages that come along with what the same person said before ...
ALONG_SHARE = 0.2  # ... and so much of the block
MOST_CHAPTERS = 2  # in the block, where somebody asks
FULL = 0.97  # of the block: no line is so short that it fits beside it


@dataclass(eq=False, repr=False)
class RefusalReasons(Mapping[str, Reason]):
    """The reasons of left-out memories, by id; found out lazily, since they are many."""

    _memories: Sequence[Memory] = ()
    _faint: Callable[[], Iterable[tuple[int, Reason]]] = tuple
    places: dict[int, Reason | FoundOutLater] = field(
        default_factory=dict
    )  # of those that are not too faint

    @cached_property
    def _every(self) -> Mapping[str, Reason | FoundOutLater]:
        faint = {self._memories[at].id: why for at, why in self._faint()}
        return {**faint, **self.others}

    @cached_property
    def others(self) -> Mapping[str, Reason | FoundOutLater]:
        """The reasons of those that were not too weak; final."""
        return {self._memories[at].id: why for at, why in self.places.items()}

    def __getitem__(self, entry_id: str) -> Reason:
        why = self._every[entry_id]
        return why if isinstance(why, Reason) else why()

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)


@dataclass(slots=True)
class Fitted:
    """The selection: memories in order of score, those offered to the model instead, and reasons of all others."""

    chosen: list[Scored] = field(default_factory=list)
    near: list[Scored] = field(default_factory=list)
    refused: RefusalReasons = field(default_factory=RefusalReasons)
    length: int = 0  # of the whole block
    relevance: float = 0.0  # of the memories that are in, added up: see `recall.enough`


@dataclass(eq=False)
class _Selection:
    """The state of a selection: candidates, rules, and the memories selected so far."""

    question: RecallQuery
    ranking: Ranking
    block: GrowingBlock
    fitted: Fitted = field(default_factory=Fitted)
    taken: list[Scored] = field(default_factory=list)  # what was selected ...
    places: list[int] = field(default_factory=list)  # ... where it stands in the ranking ...
    said: ComparedTexts = field(default_factory=ComparedTexts)  # ... and its texts

    def __post_init__(self) -> None:
        self.allowance = Allowance(self.question)
        self.excerpts = Excerpts(self.question.index.memories)
        self.kept = self.question.state.injected
        self.rules = self.question.settings.recall
        self.limit = self.question.limit

    @property
    def is_full(self) -> bool:
        """Whether there is no room for any memory, or there are enough."""
        enough = math.inf if self.rules.enough is None else self.rules.enough * OF_CHATS
        return self.fitted.relevance >= enough or self.block.length > FULL * self.limit

    @cached_property
    def most(self) -> float:
        """The relevance from which on there is enough, whatever a memory rests on."""
        enough = math.inf if self.rules.enough is None else self.rules.enough
        return enough * (OF_CHATS if self.allowance.asked else 1.0)

    @cached_property
    def beside(self) -> float:
        """The relevance needed without a question, relative to the best one: a share of its evidence (odds of a strength = evidence squared).

        0 for a question: the second half of an answer may share little with it.
        """
        if self.allowance.asked or self.rules.enough is None:
            return 0.0
        memories, relevances = self.ranking.memories, self.ranking.relevances
        best_first = ((at, memories[at]) for at in (-relevances).argsort())
        woken = (float(relevances[at]) for at, one in best_first if not one.constant)
        best = min(next(woken, 0.0), SURE)
        odds = BESIDE**2 * best / (1.0 - best)
        return odds / (1.0 + odds)

    @cached_property
    def distilled(self) -> Mapping[tuple[str, str], Sequence[Memory]]:
        """By chat and version: memories that were made of its words and matter now."""
        found: dict[tuple[str, str], list[Memory]] = {}
        relevant = self.ranking.relevances >= self.rules.relevance_threshold
        for at in (relevant & (self.ranking.kinds != SAID)).nonzero()[0]:
            memory = self.ranking.memories[at]
            for one in memory.evidence:
                found.setdefault((one.chat, one.version), []).append(memory)
        return found


_Gate = Callable[[_Selection, Memory, float], Why]


def fit(scored: Sequence[Scored], question: RecallQuery) -> Fitted:
    """Select from `scored`, best first; each is then selected or refused with a reason (hybrid: also `near`).

    Lengths are added up; if the block turns out longer, it is measured as a whole with each candidate.
    """
    ranking, measure = Ranking.of(scored), question.measure
    fitted = _fit(_Selection(question, ranking, measure.growing(whole=False)))
    fitted.length = measure.block([one.memory for one in fitted.chosen])
    if fitted.length > question.limit:
        block = measure.growing(whole=True)
        fitted = _fit(_Selection(question, ranking, block))
        fitted.length = block.length
    return fitted


def _fit(choice: _Selection) -> Fitted:
    ranking, fitted = choice.ranking, choice.fitted
    said = bool((ranking.kinds == SAID).any())
    places = _in_order(ranking, _by_threshold(choice), said=said)
    faint = _too_faint(choice) if said else ()
    least = max(choice.rules.relevance_threshold, choice.beside)
    unread = partial(_why_faint, ranking, choice.allowance, choice.taken, least, places, faint)
    fitted.refused = RefusalReasons(ranking.memories, unread)  # without `choice`, which holds it
    kinds: list[int] = ranking.kinds.tolist()
    gates, in_part = _gates(choice, kinds), choice.allowance.asked
    relevances: list[float] = ranking.relevances.tolist()
    for place in filterfalse(faint.__contains__, places):
        kind, memory = kinds[place], ranking.memories[place]
        if in_part and kind == TYPED and not choice.is_full and memory.evidence:
            memory = _in_part(choice, place)
        reason = _why_out(choice, gates[kind], place, memory, relevances[place])
        if reason is None:
            _take(choice, place, memory)
        else:
            fitted.refused.places[place] = reason
    best_first = sorted(zip(choice.places, choice.taken, strict=True), key=itemgetter(0))
    ids = {one.memory.id for one in choice.taken}
    fitted.chosen = [_dated(one, ids) for _, one in best_first]
    return fitted


def _why_out(
    choice: _Selection, gates: Sequence[_Gate], place: int, memory: Memory, relevance: float
) -> Why:
    """The reason of the first closed gate; None if all are open. In hybrid mode some are offered instead."""
    for gate in gates:
        if reason := gate(choice, memory, relevance):
            if gate is _low_relevance:
                choice.fitted.near.append(choice.ranking[place])
            later = gate in _UNLESS_RECITED
            return choice.allowance.before(memory, reason) if later else reason
    return None


def _take(choice: _Selection, place: int, memory: Memory) -> None:
    """Select a memory that passed all gates, unless its text is there already."""
    scored, fitted = choice.ranking[place], choice.fitted
    told = _told_as(choice, scored, memory)
    if isinstance(told, Reason):
        fitted.refused.places[place] = told
        return
    choice.taken.append(scored if told is scored.memory else replace(scored, memory=told))
    choice.places.append(place)
    choice.said.add(comparable(told.content))
    choice.block.take(told)
    if choice.ranking.kinds[place] != SAID and not memory.constant:
        fitted.relevance += scored.relevance


def _by_threshold(choice: _Selection) -> Sequence[int]:
    """The places of those above the threshold, by score; those of the last turn get the margin.

    Most are below it and need no other gate.
    """
    rules, ranking, kept = choice.rules, choice.ranking, choice.kept
    threshold, relevances = rules.relevance_threshold, ranking.relevances
    high = max(threshold, choice.beside)
    least = np.array([high if kind in (TYPED, CHAPTER) else threshold for kind in _GATES_OF])
    loud = relevances >= least[ranking.kinds]
    if not kept:
        found: list[int] = loud.nonzero()[0].tolist()
        return found
    near = relevances >= threshold - rules.keep_margin
    held = {at for at in ranking.places_of(kept) if near[at]}
    loud[list(held)] = True
    return _by_score(ranking, rules, (near & loud).nonzero()[0].tolist(), held)


def _too_faint(choice: _Selection) -> Collection[int]:
    """The places of passages too weak to be recalled without a question, whatever else is selected: usually most."""
    question, rules, allowance = choice.question, choice.rules, choice.allowance
    if allowance.asked or question.least_injected > 0.0 or rules.max_items is not None:
        return ()  # most are asked for, or another gate may keep them out before
    relevances, memories = choice.ranking.relevances, choice.ranking.memories
    some = (relevances >= rules.relevance_threshold) & (relevances < allowance.least)
    some &= choice.ranking.kinds == SAID
    some[choice.ranking.places_of(allowance.again)] = False
    if not np.count_nonzero(some):
        return ()
    doubtful = (some & (relevances >= allowance.least_doubtful)).nonzero()[0].tolist()
    heard = (at for at in doubtful if not allowance.is_faint(memories[at], float(relevances[at])))
    some[list(heard)] = False
    return set(some.nonzero()[0].tolist())


def _why_faint(
    ranking: Ranking,
    allowance: Allowance,
    taken: Sequence[Scored],
    least: float,
    places: Sequence[int],
    faint: Collection[int],
) -> Iterator[tuple[int, Reason]]:
    """The reasons of those not examined: below the threshold, or too weak beside those taken before them."""
    looked_at, chosen = set(places), {one.memory.id for one in taken}
    for at in range(len(ranking)):
        if at not in looked_at:
            values = ("relevance", float(ranking.relevances[at])), ("threshold", least)
            yield at, Reason("below_threshold", values)
    before = 0
    for at in places:
        memory = ranking.memories[at]
        if at in faint:
            relevance = float(ranking.relevances[at])
            why = allowance.refuses(memory, relevance, taken[:before])
            assert why is not None
            yield at, why if isinstance(why, Reason) else why()
        elif memory.id in chosen:
            before += 1


def _dated(scored: Scored, chosen: Collection[str]) -> Scored:
    """A line for the block: marked as later only if the earlier one is in the block too."""
    memory, earlier = scored.memory, scored.earlier
    if not isinstance(memory, Passage) or not memory.later or earlier is None:
        return scored
    if earlier.entry_id in chosen:
        return scored
    return replace(scored, memory=memory.model_copy(update={"later": False}))


def _in_part(choice: _Selection, place: int) -> Memory:
    """A memory of a chat as rendered: an excerpt, if a question is asked and better ones precede it."""
    memory = choice.ranking.memories[place]
    if memory.locked or not choice.excerpts.cuts(memory):
        return memory
    return choice.excerpts.part(memory, _shared(choice.ranking[place]))


def _told_as(choice: _Selection, scored: Scored, memory: Memory) -> Memory | Reason:
    """The memory unchanged; for a passage recalled by a question, with surrounding sentences that fit."""
    excerpts, allowance = choice.excerpts, choice.allowance
    if not isinstance(memory, Passage):
        if memory.evidence:
            excerpts.count()
        return memory
    if scored.earlier is not None:
        memory = memory.model_copy(update={"later": True})
    if not allowance.asked:
        return memory
    if scored.earlier is not None and scored.earlier.gained:
        if excerpts.tells(memory):
            return _duplicate(memory)
        excerpts.take(memory, along=True)
        return memory
    fresh = memory.id not in choice.allowance.again
    reply = memory.role == "assistant" and not allowance.of_you  # else replies are asked for
    borrowed = fresh and reply and _is_borrowed(scored)
    excerpt = None if borrowed else _excerpt(choice, scored, memory)
    if excerpt is None:
        return Reason("borrowed") if borrowed else _duplicate(memory)
    excerpts.take(excerpt)
    return excerpt


def _excerpt(choice: _Selection, scored: Scored, memory: Passage) -> Passage | None:
    """The passage with surrounding sentences, or alone if that does not fit; None if its text is there already."""
    excerpts, allowance = choice.excerpts, choice.allowance
    excerpt = excerpts.of(memory, _shared(scored))
    if excerpt is None or excerpt is memory:
        return excerpt
    relevance = scored.relevance
    refused = allowance.refuses(excerpt, relevance, choice.taken)
    if not (refused or allowance.recited(excerpt) or _budget(choice, excerpt, relevance)):
        return excerpt
    return None if excerpts.tells(memory) else memory


def _duplicate(memory: Memory, alike: float = 1.0) -> Reason:
    return Reason("near_duplicate", (("of", memory.id), ("alike", alike)))


def _is_borrowed(scored: Scored) -> bool:
    """Whether a text was only found through its neighbours: a reply next to a relevant line is mostly irrelevant itself."""
    reasons = [hit.because for hit in scored.hits]
    return bool(reasons) and all(one.get("own") != "" and not one.get("via") for one in reasons)


def _shared(scored: Scored) -> Sequence[str]:
    """The words shared with the question, most informative first."""
    terms = (hit.because.get("terms") for hit in scored.hits)
    return tokens(next((str(said) for said in terms if said), ""))


def _in_order(ranking: Ranking, places: Sequence[int], *, said: bool) -> Sequence[int]:
    """The places in selection order: the stable part, authored memories (chats cannot displace them), others by score, chapters last."""
    memories, kinds = ranking.memories, ranking.kinds[places].tolist()
    some = (
        at
        for at, kind in zip(places, kinds, strict=True)
        if kind != TYPED and (kind != SAID or memories[at].constant)
    )
    ranks = {at: rank for at in some if (rank := _rank(memories[at], said=said)) != _FREELY}
    if not ranks:
        return places
    steady = sorted((at for at in ranks if ranks[at] == 0), key=lambda at: _steady(memories[at]))
    others = (at for at in places if ranks.get(at) != 0)
    return [*steady, *sorted(others, key=lambda at: ranks.get(at, _FREELY))]


_FREELY = 2


def _rank(memory: Memory, *, said: bool) -> int:
    if memory.constant:
        return 0
    if not said or isinstance(memory, Passage):
        return _FREELY
    return 1 if memory.authored else 3 if memory.chapter else _FREELY


def _steady(memory: Memory) -> tuple[object, ...]:
    """A sort key for the stable part, independent of the turn."""
    created = memory.created.timestamp() if memory.created else 0.0
    return not memory.authored, -memory.priority, created, memory.id


def _by_score(
    ranking: Ranking, rules: RecallSettings, places: list[int], held: Collection[int]
) -> Sequence[int]:
    """The places best first, with a margin for those injected last turn."""
    scores, memories, margin = ranking.scores, ranking.memories, rules.keep_margin
    if not held or not margin:
        return places
    raised = sorted((rank_key(float(scores[at]) + margin, memories[at]), at) for at in held)
    places = [at for at in places if at not in held]
    place = len(places)
    for key, at in reversed(raised):
        place = bisect(
            places, key, hi=place, key=lambda one: rank_key(float(scores[one]), memories[one])
        )
        places.insert(place, at)
    return places


def _low_relevance(choice: _Selection, _: Memory, relevance: float) -> Reason | None:
    high = choice.question.least_injected
    if relevance >= high:
        return None
    return Reason("low_relevance", (("relevance", relevance), ("threshold", high)))


def _unlimited(limits: PerType) -> bool:
    return set(vars(limits).values()) == {None}


def _of_type(choice: _Selection, kind: MemoryType) -> list[Memory]:
    """The selected memories of one type, without passages, which have their own limits."""
    told = (one.memory for one in choice.taken)
    return [one for one in told if one.type is kind and not isinstance(one, Passage)]


def _type_limit(choice: _Selection, memory: Memory, _: float) -> Reason | None:
    limit: int | None = getattr(choice.rules.max_per_type, memory.type.array)
    if limit is None or len(_of_type(choice, memory.type)) < limit:
        return None
    return Reason("type_limit", (("type", memory.type.value), ("limit", limit)))


def _max_items(choice: _Selection, _: Memory, __: float) -> Reason | None:
    limit = choice.rules.max_items
    if limit is None or len(choice.taken) < limit:
        return None
    return Reason("max_items", (("limit", limit),))


def _enough(choice: _Selection, memory: Memory, _: float) -> FoundOutLater | None:
    """Closed once enough was selected: relevance read as a probability sums to the expected number of relevant memories."""
    relevance, enough, most = choice.fitted.relevance, choice.rules.enough, choice.most
    if enough is None or relevance < enough or (relevance < most and memory.evidence):
        return None
    return partial(_told_enough, relevance, memory, enough, most)


def _told_enough(relevance: float, memory: Memory, enough: float, most: float) -> Reason:
    limit = most if memory.evidence else enough
    return Reason("enough", (("sum", round(relevance, 2)), ("limit", limit)))


def _type_budget(choice: _Selection, memory: Memory, _: float) -> Reason | None:
    kind = memory.type
    limit: int | None = getattr(choice.question.settings.budget.per_type, kind.array)
    if limit is None:
        return None
    needed = choice.block.share([*_of_type(choice, kind), memory])
    values = (("type", kind.value), ("needed", needed), ("limit", limit))
    return Reason("type_budget", values) if needed > limit else None


def _no_room(choice: _Selection, memory: Memory, _: float) -> Reason | None:
    """Closed if it does not fit; a lower bound avoids measuring most."""
    return _over(choice, choice.block.length + choice.block.least(memory))


def _budget(choice: _Selection, memory: Memory, _: float) -> Reason | None:
    return _over(choice, choice.block.tried(memory))


def _over(choice: _Selection, needed: int) -> Reason | None:
    if needed <= choice.limit:
        return None
    return Reason("budget", (("needed", needed), ("limit", choice.limit)))


def _along(choice: _Selection, memory: Memory, _: float) -> Reason | None:
    """Closed if passages recalled along with older ones exceed their small share of the block."""
    if memory.id not in choice.ranking.gained:
        return None
    along = [one.memory for one in choice.taken if one.earlier and one.earlier.gained]
    needed, limit = choice.block.share([*along, memory]), int(ALONG_SHARE * choice.limit)
    if len(along) < MOST_ALONG and needed <= limit:
        return None
    return Reason("along", (("needed", needed), ("limit", limit), ("most", MOST_ALONG)))


def _echo(choice: _Selection, memory: Memory, _: float) -> Reason | None:
    said, created = choice.question.visible.query, memory.created
    if not said or comparable(memory.content) != said:
        return None
    within = timedelta(seconds=choice.rules.echo_window_s)
    fresh = created is None or choice.question.scene.now - created <= within
    return Reason("echo") if fresh or choice.rules.skip_visible else None


def _visible(choice: _Selection, memory: Memory, _: float) -> Reason | None:
    rules, visible = choice.rules, choice.question.visible
    if visible.holds(memory):
        return Reason("visible")
    content = comparable(memory.content)
    told = is_long(content) and content in visible.joined
    known = isinstance(memory, Passage)  # by what it rests on: likeness need not tell
    stands = told or (not known and visible.compared.like(content, rules.near_duplicate))
    return Reason("visible") if stands else None


def told_within(memory: Memory, other: Memory) -> bool:
    """Whether a fact was extracted from another memory's text: the same message, with its quote in that text."""
    if not memory.evidence or not other.evidence:
        return False
    places = {(one.chat, one.version) for one in other.evidence if one.version}
    return any(
        (one.chat, one.version) in places and one.quote and one.quote in other.content
        for one in memory.evidence
    )


def once(scored: Sequence[Scored], limit: int) -> list[Scored]:
    """The best `limit`, without facts extracted from the text of a better one."""
    kept: list[Scored] = []
    for candidate in scored:
        if len(kept) >= limit:
            break
        if not any(told_within(candidate.memory, other.memory) for other in kept):
            kept.append(candidate)
    return kept


def _allowance(choice: _Selection, memory: Memory, relevance: float) -> Why:
    return choice.allowance.refuses(memory, relevance, choice.taken)


def _recited(choice: _Selection, memory: Memory, _: float) -> Reason | None:
    return choice.allowance.recited(memory)


def _stood_for(choice: _Selection, passage: Passage) -> Memory | None:
    """The memory distilled from this passage that contains all its words of the question."""
    (said,) = passage.evidence
    if not (made := choice.distilled.get((said.chat, said.version))):
        return None
    asked = set(tokens(choice.question.visible.query)) & set(tokens(passage.content))
    for memory in made:
        if told_within(memory, passage) and asked <= set(tokens(memory.content)):
            return memory
    return None


def _near_duplicate(choice: _Selection, memory: Memory, _: float) -> Reason | None:
    within = None
    if isinstance(memory, Passage):
        within = _stood_for(choice, memory)
    elif memory.evidence:
        memories = (one.memory for one in choice.taken if not isinstance(one.memory, Passage))
        within = next((one for one in memories if told_within(memory, one)), None)
    if within is not None:
        return _duplicate(within)
    if found := choice.said.like(comparable(memory.content), choice.rules.near_duplicate):
        return _duplicate(choice.taken[found[0]].memory, found[1])
    return None


def _chapter(choice: _Selection, memory: Memory, _: float) -> Reason | None:
    """Closed for chapters already in the story block, and beyond a small number."""
    chapter, told = memory.chapter, choice.question.told
    if chapter is None:
        return None
    if chapter.parts or memory.id in told:
        return Reason("in_story")
    limit = MOST_CHAPTERS if choice.allowance.asked else 0 if told else 1
    taken = sum(one.memory.chapter is not None for one in choice.taken)
    return Reason("type_limit", (("type", "chapter"), ("limit", limit))) if taken >= limit else None


def _gates(choice: _Selection, kinds: Iterable[int]) -> Mapping[int, Sequence[_Gate]]:
    """The gates that may close under these rules, by kind of candidate."""
    question, rules = choice.question, choice.rules
    idle_if: dict[_Gate, bool] = {
        _low_relevance: question.least_injected <= 0.0,
        _type_limit: _unlimited(rules.max_per_type),
        _max_items: rules.max_items is None,
        _enough: rules.enough is None,
        _type_budget: _unlimited(question.settings.budget.per_type),
        _along: not choice.ranking.gained,
        _echo: not question.visible.query,
        _visible: not (rules.skip_visible and question.visible.texts),
    }
    idle = {gate for gate, closed_never in idle_if.items() if closed_never}
    return {kind: [gate for gate in _GATES_OF[kind] if gate not in idle] for kind in set(kinds)}


_GATES: tuple[_Gate, ...] = (
    _low_relevance,
    _chapter,
    _type_limit,
    _max_items,
    _enough,
    _allowance,
    _type_budget,
    _along,
    _no_room,
    _echo,
    _visible,
    _recited,
    _near_duplicate,
    _budget,
)
_UNLESS_RECITED = {_along, _no_room, _echo, _visible}
"""Cheap gates, checked before the expensive check for recitation."""
_GATES_OF: Mapping[int, Sequence[_Gate]] = {
    SAID: [gate for gate in _GATES if gate not in (_chapter, _type_limit, _enough, _type_budget)],
    FREE: [gate for gate in _GATES if gate not in (_allowance, _along, _enough, _recited)],
    TYPED: [gate for gate in _GATES if gate not in (_chapter, _allowance, _recited)],
    CHAPTER: [gate for gate in _GATES if gate not in (_allowance, _recited)],
}
