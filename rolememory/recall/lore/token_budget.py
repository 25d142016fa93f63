"""The token budget of lore. Source: spec/worldinfo.md 4.5."""

import math
from collections import Counter
from collections.abc import Callable

from rolememory.cards import preserved_fields
from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.rules import LoreRules
from rolememory.schema.evidence import Reason
from rolememory.schema.settings import ScanSettings

Cost = Callable[[str], int]
"""Tokens of a text; 0 for the empty one, and subadditive."""


def lore_budget(settings: ScanSettings, context_tokens: int) -> int:
    """The budget in tokens: a share of the context, halves rounded up, at least 1, then capped.

    >>> lore_budget(ScanSettings(budget_percent=25), 8190), lore_budget(ScanSettings(budget_percent=0), 8192)
    (2048, 1)
    """
    share = math.floor(settings.budget_percent * context_tokens / 100 + 0.5) or 1
    return min(share, settings.budget_cap) if settings.budget_cap > 0 else share


class TokenBudget:
    """Checks whether texts fit, and counts the accepted ones."""

    def __init__(self, limit: int, cost: Cost, rules: LoreRules, book_percent: int = 100) -> None:
        self.limit, self.used = limit, 0
        self.cost, self._rules = cost, rules
        self._earlier = ""  # blocks of recursion text, newest first
        self._earlier_cost = 0
        self._now, self._parts = (
            "",
            0,
        )  # text of this pass, what did not fit included; tokens of its pieces, each for itself
        self._full: tuple[int, Reason] | None = None
        self._of_book: Counter[str] = Counter()
        self._of_card: dict[str, bool] = {}
        shared = rules.card_fields and book_percent < 100
        self._share = max(limit * book_percent // 100, 1) if shared else None  # of one book

    def open_pass(self) -> None:
        """Start a new pass."""
        self._now, self._parts = "", 0
        self._earlier_cost = self.cost(self._earlier) if self._earlier else 0

    def remember(self, block: str) -> None:
        """Add a block of recursion text, which exact rules count from now on."""
        self._earlier = f"{block}\n{self._earlier}"

    def fits(self, lore: Lore, content: str) -> bool:
        """Whether the text fits; one that ignores the budget fits (of a card's book within its share), and its tokens count."""
        if self._share is not None and content and self._came_in_a_card(lore):
            taken = self._of_book[lore.book.name] + self.cost(content)
            if self._over(taken, self._share):
                return False
        fits = (
            self._fits_blocks(content)
            if self._rules.counts_blocks
            else self._fits_rest(lore, content)
        )
        return fits or lore.entry.ignore_budget

    def _came_in_a_card(self, lore: Lore) -> bool:
        """Whether the entry's book came with a card: the user's own books have no share."""
        name = lore.book.name
        if name not in self._of_card:
            self._of_card[name] = (
                preserved_fields.note_of(lore.book.raw, preserved_fields.OF_CARD) is True
            )
        return self._of_card[name]

    def take(self, lore: Lore, content: str) -> int:
        """Count an accepted text; its tokens."""
        cost = self.cost(content)
        self.used += cost
        self._of_book[lore.book.name] += cost
        return cost

    def full(self) -> Reason:
        """The reason that something did not fit, with the current numbers."""
        if self._full is None or self._full[0] != self.used:
            self._full = self.used, Reason("budget", (("budget", self.limit), ("used", self.used)))
        return self._full[1]

    def _fits_blocks(self, content: str) -> bool:
        self._now += content + "\n"
        self._parts += self.cost(content + "\n")
        if self._earlier_cost + self._parts < self.limit:
            return True  # a whole costs at most its parts: the long text need not be counted
        return not self._over(self._earlier_cost + self.cost(self._now), self.limit)

    def _fits_rest(self, lore: Lore, content: str) -> bool:
        if self.used >= self.limit and content:
            return False
        cost = self.cost(content)
        if self._over(self.used + cost, self.limit):
            return False
        own = lore.book.token_budget if self._rules.card_fields else None
        return own is None or own <= 0 or not self._over(self._of_book[lore.book.name] + cost, own)

    def _over(self, tokens: int, limit: int) -> bool:
        return tokens >= limit if self._rules.reaching_is_too_much else tokens > limit
