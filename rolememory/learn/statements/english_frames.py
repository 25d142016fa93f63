"""The table of verbs: which readers look at a clause, by its verb and tense."""

from collections.abc import Callable
from typing import Final

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_say import Claims
from rolememory.learn.statements.english_verbs import LASTING, Tense
from rolememory.schema.claims import Claim

Reader = Callable[[Clause], Claims]
_FRAMES: Final[dict[str, list[tuple[Reader, frozenset[Tense], bool]]]] = {}
_LASTING: Final = frozenset("for since always ever long lately recently forever all".split())
_DONE_FOR_GOOD: Final = frozenset("diagnosed born raised called named".split())
_SWORN: Final = frozenset({"promise", "swear", "vow"})


def reads(
    *lemmas: str, tenses: tuple[Tense, ...] = LASTING, denied: bool = True
) -> Callable[[Reader], Reader]:
    """Let a function read the clauses with one of these verbs in one of these tenses; not `denied`: only where it says yes."""

    def add(reader: Reader) -> Reader:
        for lemma in lemmas:
            _FRAMES.setdefault(lemma, []).append((reader, frozenset(tenses), denied))
        return reader

    return add


def read(clause: Clause) -> list[Claim]:
    """What the readers of its verb make of a clause; the first that claims something has the word."""
    if clause.at >= clause.end and clause.lemma == "be":
        return []
    lasts = clause.tense != "perfect" or _lasts(clause)
    for reader, tenses, denied in _FRAMES.get(clause.lemma, ()):
        lasting = "present" in tenses
        if (
            clause.tense not in tenses
            or (lasting and not lasts)
            or (clause.group.negated and not denied)
        ):
            continue
        clause.group.lasting = lasting and clause.tense == "perfect"
        if found := list(reader(clause)):
            return found
    return []


def _lasts(clause: Clause) -> bool:
    """Whether "have lived" goes on: "for years", "since May", "always"; else it is told as something once done."""
    lows = clause.words.lows[clause.first : clause.end]
    return (
        clause.group.ongoing
        or clause.group.negated
        or not _LASTING.isdisjoint(lows)
        or clause.low(clause.at) in _DONE_FOR_GOOD
        or clause.lemma in _SWORN
    )
