"""Rules for texts that exceed the token budget."""

from rolememory.authoring.lint.finding import Findings, of, of_book
from rolememory.authoring.lint.subject import Subject, each_entry
from rolememory.recall.lore.index import Lore


def _limit(subject: Subject) -> int:
    """The maximum tokens of one entry."""
    own = subject.book.token_budget if subject.rules.card_fields else None
    limit = min(subject.budget, own) if own is not None and own > 0 else subject.budget
    return limit - 1 if subject.rules.reaching_is_too_much else limit


@each_entry
def too_dear(subject: Subject, lore: Lore) -> Findings:
    """Entries that exceed the budget alone."""
    tokens = subject.costs[lore.entry.id]
    limit = _limit(subject)
    if tokens > limit and not lore.entry.ignore_budget:
        yield of(lore, "too_dear", "content", tokens=tokens, budget=limit)


def constants(subject: Subject) -> Findings:
    """Constant entries that take most of the budget."""
    limit = _limit(subject)
    tokens = sum(subject.costs[lore.entry.id] for lore in subject.living if lore.constant)
    if tokens > limit:
        yield of_book("constants_too_dear", "constant", tokens=tokens, budget=limit)
    elif tokens * 2 > limit:
        yield of_book("constants_greedy", "constant", tokens=tokens, budget=limit)


RULES = (too_dear, constants)
