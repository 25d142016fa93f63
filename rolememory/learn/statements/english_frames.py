"""The table of verbs: which readers look at a clause, by its verb and tense."""

from collections.abc import Callable
from typing import Final

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_say import Claims
from rolememory.learn.statements.english_verbs import LASTING, Tense
from rolememory.schema.claims import Claim

Reader = Callable[[Clause], Claims]
_FRAMES: Final[dict[str, list[tuple[Reader, frozenset[Tense], bool]]]] = {}


def reads(*lemmas: str, tenses: tuple[Tense, ...] = LASTING, denied: bool = True) -> Callable[[Reader], Reader]:
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
    for reader, tenses, denied in _FRAMES.get(clause.lemma, ()):
        if clause.tense in tenses and (denied or not clause.group.negated) and (found := list(reader(clause))):
            return found
    return []
