"""A share of the lore budget for each card's book: none drives the others out, whatever its entries claim."""

from typing import Any

import pytest

from rolememory.recall.lore.scan import scan
from rolememory.schema.settings import ScanSettings


def book(name: str, *, count: int, words: int, **fields: Any) -> dict[str, Any]:
    entry = {"constant": True, "key": [], "order": 100, "position": 0, **fields}
    return {
        "name": name,
        "extensions": {"rolememory": {"of_card": True}},
        "entries": {
            str(uid): {"uid": uid, **entry, "content": f"{name} {uid} " + "word " * words}
            for uid in range(count)
        },
    }


def taken(settings: ScanSettings, *books: dict[str, Any]) -> dict[str, int]:
    """Tokens that each book got."""
    given = scan(books, ["hello"], settings=settings, cost=lambda text: len(text.split()))
    return {
        one["name"]: sum(
            entry.tokens for entry in given.awake if entry.lore.book.name == one["name"]
        )
        for one in books
    }


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param({"order": 9_999}, id="first of all"),
        pytest.param({"ignoreBudget": True}, id="whatever the budget"),
        pytest.param({"ignoreBudget": True, "order": 9_999}, id="both"),
    ],
)
def test_no_book_takes_all(claims: dict[str, Any]) -> None:
    greedy, modest = book("greedy", count=20, words=50, **claims), book("modest", count=2, words=50)
    settings = ScanSettings(context_tokens=4_000, budget_percent=10)
    got = taken(settings, greedy, modest)
    assert got["greedy"] <= 300
    assert got["modest"] == 104
    assert taken(settings.model_copy(update={"book_percent": 100}), greedy, modest)["modest"] < 104


def test_one_text_over_the_share_stays_out() -> None:
    settings = ScanSettings(context_tokens=4_000, budget_percent=10)
    huge = book("huge", count=1, words=5_000, ignoreBudget=True)
    assert taken(settings, huge) == {"huge": 0}
    assert taken(settings.model_copy(update={"book_percent": 100}), huge) == {"huge": 5_002}


def test_an_authors_own_book_has_no_share() -> None:
    settings = ScanSettings(context_tokens=4_000, budget_percent=10)
    own = book("own", count=1, words=5_000, ignoreBudget=True)
    del own["extensions"]
    assert taken(settings, own) == {"own": 5_002}


def test_exact_rules_know_no_shares() -> None:
    settings = ScanSettings(
        rules="sillytavern", context_tokens=4_000, budget_percent=10, book_percent=10
    )
    assert taken(settings, book("huge", count=1, words=5_000, ignoreBudget=True)) == {"huge": 5_002}
