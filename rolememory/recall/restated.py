"""A character's restatement of what somebody said is no better evidence than the original.

A character repeats recalled lines in words that may fit the next question better than the line. Such a passage never ranks
before the one it restates, so that a claim does not become the character's own knowledge by repetition.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rolememory.recall.weigh import Ranking, rank_key
from rolememory.schema.evidence import Contribution, Reason, Scored
from rolememory.schema.passage import Passage
from rolememory.text.words import weighty
from rolememory.triggers.table import SAID

LOOKED_AT = 40  # best passages that are compared
LEAST = 3  # telling words that a line must have to be restated
SHARE = 0.75  # of them that must be said again
SHOWN = 40  # characters of the line in an explanation


def inherit(ranking: Ranking, asker: str | None) -> Ranking:
    """The ranking with no passage of the character above the one it restates, if said by somebody other than the asker.

    The asker's own statements are trusted. Cost: O(`LOOKED_AT` squared).
    """
    origins = dict(_restated(ranking, asker)) if asker else {}
    lowered = {
        place: ranking.scores[origin]
        for place, origin in origins.items()
        if ranking.scores[origin] < ranking.scores[place]
    }
    if not lowered:
        return ranking
    scores = ranking.scores.copy()
    scores[list(lowered)] = list(lowered.values())
    order = sorted(
        range(len(scores)), key=lambda at: rank_key(float(scores[at]), ranking.memories[at])
    )

    def put_together(place: int) -> Scored:
        at = order[place]
        return _lowered(ranking[at], float(scores[at]), ranking, origins.get(at))

    return Ranking(
        [ranking.memories[at] for at in order],
        ranking.relevances[order],
        scores[order],
        ranking.kinds[order],
        put_together,
        lambda ids: [order.index(at) for at in ranking.places_of(ids)],
        ranking.gained,
    )


def _restated(ranking: Ranking, asker: str | None) -> Iterator[tuple[int, int]]:
    """The places of passages of the character, each with the place of the worst passage that it restates."""
    best: list[int] = (ranking.kinds == SAID).nonzero()[0][:LOOKED_AT].tolist()
    foreign = [at for at in best if ranking.memories[at].user not in (None, asker)]
    if not foreign:
        return
    said = {at: weighty(ranking.memories[at].content) for at in best}
    others = [at for at in foreign if len(said[at]) >= LEAST]
    for at in best:
        if _role(ranking, at) != "assistant":
            continue
        again = [one for one in others if _says_again(ranking, said, at, one)]
        if again:
            yield at, again[-1]


def _says_again(ranking: Ranking, said: Mapping[int, frozenset[str]], at: int, other: int) -> bool:
    one, then = ranking.memories[at].created, ranking.memories[other].created
    after = one is not None and then is not None and one > then
    return after and len(said[other] & said[at]) >= SHARE * len(said[other])


def _role(ranking: Ranking, at: int) -> str:
    memory = ranking.memories[at]
    return memory.role if isinstance(memory, Passage) else ""


def _lowered(scored: Scored, score: float, ranking: Ranking, origin: int | None) -> Scored:
    if origin is None or score == scored.score:
        return scored
    other = ranking.memories[origin]
    told = other.content if len(other.content) <= SHOWN else f"{other.content[:SHOWN].rstrip()}…"
    why = Reason("inherited", (("speaker", other.subject or ""), ("of", told), ("id", other.id)))
    lost = Contribution("restated", round(score - scored.score, 6), why)
    return replace(scored, score=score, contributions=(*scored.contributions, lost))
